#include "shared/can/candump.h"

#include "shared/base/time.h"
#include "shared/can/frame.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* Flags of an id in the log: those of SocketCAN. */
static const uint32_t error_flag = 0x20000000u;
/* Flags of an FD frame in the log. */
enum { FLAG_BRS = 1, FLAG_ESI = 2 };

/* ---- writing */

static char *put_hex(char *to, uint32_t value, int digits)
{
    for (int i = digits - 1; i >= 0; i--)
        *to++ = "0123456789ABCDEF"[value >> (4 * i) & 15];
    return to;
}

static char *put_decimal(char *to, uint64_t value, int least)
{
    char digits[20];
    int n = 0;
    while (value > 0 || n < least) {
        digits[n++] = (char)('0' + (int)(value % 10));
        value /= 10;
    }
    while (n > 0)
        *to++ = digits[--n];
    return to;
}

static char *put_frame(char *to, const struct can_msg *m)
{
    bool fd = m->flags & CAN_MSG_FD;
    uint32_t most = fd ? CAN_MSG_DATA : CAN_CLASSIC_DATA;
    uint32_t length = m->len < most ? m->len : most;
    if (m->flags & CAN_MSG_ERROR)
        to = put_hex(to, (m->id & CAN_ID_MASK) | error_flag, 8);
    else if (m->id & CAN_ID_EXTENDED)
        to = put_hex(to, m->id & CAN_ID_MASK, 8);
    else
        to = put_hex(to, m->id & 0x7ff, 3);
    *to++ = '#';
    if (m->flags & CAN_MSG_REMOTE && !fd) {
        *to++ = 'R';
        return length ? put_decimal(to, length, 1) : to;
    }
    if (fd) {
        *to++ = '#';
        to = put_hex(
            to, (m->flags & CAN_MSG_BRS ? FLAG_BRS : 0) | (m->flags & CAN_MSG_ESI ? FLAG_ESI : 0),
            1);
    }
    for (uint32_t i = 0; i < length; i++)
        to = put_hex(to, m->data[i], 2);
    return to;
}

size_t candump_format(const struct can_msg *msg, const char *name, char line[CANDUMP_LINE])
{
    uint64_t time_us = msg->time_ns > 0 ? (uint64_t)(msg->time_ns / NS_PER_US) : 0;
    char *to = line;
    *to++ = '(';
    to = put_decimal(to, time_us / 1000000, 10);
    *to++ = '.';
    to = put_decimal(to, time_us % 1000000, 6);
    *to++ = ')';
    *to++ = ' ';
    for (int i = 0; i < CANDUMP_NAME - 1 && name[i]; i++)
        *to++ = name[i];
    *to++ = ' ';
    to = put_frame(to, msg);
    if (msg->flags & CAN_MSG_OWN) {
        *to++ = ' ';
        *to++ = 'T';
    }
    *to++ = '\n';
    *to = '\0';
    return (size_t)(to - line);
}

/* ---- reading */

struct reader {
    const char *at, *end, *start;
    struct candump_line *line;
};

static bool expected(struct reader *r, const char *what)
{
    r->line->what = what;
    r->line->column = (size_t)(r->at - r->start) + 1;
    return false;
}

static char here(const struct reader *r)
{
    return r->at < r->end ? *r->at : '\0';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static void skip_blank(struct reader *r)
{
    while (is_blank(here(r)))
        r->at++;
}

static bool take(struct reader *r, char c)
{
    if (here(r) != c || c == '\0')
        return false;
    r->at++;
    return true;
}

/* -1: no digit */
static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool is_decimal(char c)
{
    return c >= '0' && c <= '9';
}

/* (seconds.fraction) with 1 to 9 digits of fraction */
static bool read_time(struct reader *r)
{
    static const char what[] = "expected the time as (seconds.microseconds)";
    const int64_t most_s = INT64_MAX / NS_PER_S - 1;
    int64_t s = 0, fraction_ns = 0, unit_ns = NS_PER_S;
    if (!take(r, '(') || !is_decimal(here(r)))
        return expected(r, what);
    for (; is_decimal(here(r)); r->at++) {
        s = s * 10 + (*r->at - '0');
        if (s > most_s)
            return expected(r, "this time is too late for a clock of 64 bits");
    }
    if (!take(r, '.') || !is_decimal(here(r)))
        return expected(r, what);
    for (; is_decimal(here(r)); r->at++) {
        unit_ns /= 10;
        fraction_ns += unit_ns * (*r->at - '0');
    }
    r->line->msg.time_ns = s * NS_PER_S + fraction_ns;
    return take(r, ')') || expected(r, what);
}

static bool read_name(struct reader *r)
{
    size_t n = 0;
    skip_blank(r);
    for (; (unsigned char)here(r) > ' ' && *r->at != '#'; r->at++)
        if (n < CANDUMP_NAME - 1)
            r->line->name[n++] = *r->at;
    bool ended = r->at == r->end || is_blank(*r->at);
    return (n > 0 && ended) || expected(r, "expected the name of the interface");
}

static bool read_id(struct reader *r)
{
    struct can_msg *m = &r->line->msg;
    const char *start = r->at;
    uint32_t id = 0;
    while (hex_digit(here(r)) >= 0 && r->at - start < 9)
        id = id << 4 | (uint32_t)hex_digit(*r->at++);
    ptrdiff_t digits = r->at - start;
    if (digits != 3 && digits != 8) {
        r->at = start;
        return expected(r, "expected an id of 3 or 8 hexadecimal digits");
    }
    if (digits == 3 ? id > 0x7ff : (id & ~(CAN_ID_MASK | error_flag)) != 0) {
        r->at = start;
        return expected(r, "this id has more than 11 or 29 bits");
    }
    if (id & error_flag) {
        m->flags |= CAN_MSG_ERROR;
        m->id = id & CAN_ID_MASK;
    } else {
        m->id = digits == 8 ? id | CAN_ID_EXTENDED : id;
    }
    return take(r, '#') || expected(r, "expected # between id and data");
}

/* Pairs of digits, dots between bytes allowed, up to a blank. */
static bool read_data(struct reader *r, uint32_t most)
{
    struct can_msg *m = &r->line->msg;
    while (r->at < r->end && !is_blank(*r->at) && *r->at != '_') {
        int high = hex_digit(*r->at), low = r->end - r->at > 1 ? hex_digit(r->at[1]) : -1;
        if (high < 0 || low < 0)
            return expected(r, "expected data as pairs of hexadecimal digits");
        if (m->len == most)
            return expected(r, most == CAN_CLASSIC_DATA ? "more than 8 bytes of data"
                                                        : "more than 64 bytes of data");
        m->data[m->len++] = (uint8_t)(high << 4 | low);
        r->at += 2;
        (void)take(r, '.');
    }
    return true;
}

/* R, or R and the length asked for */
static bool read_remote(struct reader *r)
{
    struct can_msg *m = &r->line->msg;
    m->flags |= CAN_MSG_REMOTE;
    if (here(r) >= '0' && here(r) <= '8')
        m->len = (uint8_t)(*r->at++ - '0');
    if (r->at == r->end || is_blank(*r->at) || *r->at == '_')
        return true;
    return expected(r, "expected 0 to 8 behind R");
}

static bool read_fd(struct reader *r)
{
    struct can_msg *m = &r->line->msg;
    int flags = hex_digit(here(r));
    if (flags < 0)
        return expected(r, "expected a hexadecimal digit with the flags behind ##");
    r->at++;
    m->flags |= CAN_MSG_FD;
    m->flags |= flags & FLAG_BRS ? CAN_MSG_BRS : 0;
    m->flags |= flags & FLAG_ESI ? CAN_MSG_ESI : 0;
    if (!read_data(r, CAN_MSG_DATA))
        return false;
    m->len = (uint8_t)can_frame_fd_length(m->len);
    return true;
}

/* _9 to _F: the code of a classic length above 8, which means 8. */
static bool read_rest(struct reader *r)
{
    if (take(r, '_') && hex_digit(here(r)) >= 0)
        r->at++;
    if (r->at < r->end && !is_blank(*r->at))
        return expected(r, "expected a blank or the end behind the data");
    skip_blank(r);
    if (here(r) == 'T' && (r->end - r->at == 1 || is_blank(r->at[1])))
        r->line->msg.flags |= CAN_MSG_OWN;
    return true;
}

static bool read_frame(struct reader *r)
{
    skip_blank(r);
    if (!read_id(r))
        return false;
    if (take(r, '#'))
        return read_fd(r);
    if (take(r, 'R') || take(r, 'r'))
        return read_remote(r);
    return read_data(r, CAN_CLASSIC_DATA);
}

int candump_parse(const char *text, size_t length, struct candump_line *line)
{
    const char *end = text + length;
    memset(line, 0, sizeof *line);
    while (end > text && (end[-1] == '\n' || is_blank(end[-1])))
        end--;
    struct reader r = {text, end, text, line};
    skip_blank(&r);
    if (r.at == r.end || *r.at == '#' || *r.at == ';')
        return 1;
    bool good = read_time(&r) && read_name(&r) && read_frame(&r) && read_rest(&r);
    return good ? 0 : -EINVAL;
}
