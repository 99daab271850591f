/* The bits of a message as a picture:
 *
 *              7     6     5     4     3     2     1     0
 *           +-----+-----+-----+-----+-----------------------+
 *   byte 0  |  d  |  c  |  b  |  a  | Counter               |
 *           +-----+-----+-----+-----+-----------------------+
 *
 * A name that finds no room becomes a letter, explained below the picture. */
#include "shared/can/codec.h"
#include "target/dbc_show.h"

#include <stdlib.h>
#include <string.h>

enum { CELL = 6, NONE = -1, SHARED = -2, LETTERS = 52, LINE = 8 * CELL + 1 };

struct picture {
    int owner[CAN_MSG_DATA * 8]; /* index of the signal at each bit of the file's count */
    bool present[512];           /* signals in this picture; later ones are left out */
    char letter[512];            /* 0: its name has room wherever it is */
};

static uint32_t next_bit(const struct dbc_signal *s, uint32_t position)
{
    return !s->big_endian ? position + 1 : position % 8 ? position - 1 : position + 15;
}

static void mark_signal(struct picture *p, const struct dbc_signal *s, int index)
{
    uint32_t position = s->start;
    for (uint32_t i = 0; i < s->length && s->fits; i++) {
        p->owner[position] = p->owner[position] == NONE ? index : SHARED;
        position = next_bit(s, position);
    }
}

/* Bits of one byte with the same owner, from `high` down. */
static int run_length(const struct picture *p, uint32_t byte, int high)
{
    int n = 1;
    while (n <= high &&
           p->owner[8 * byte + (uint32_t)(high - n)] == p->owner[8 * byte + (uint32_t)high])
        n++;
    return n;
}

static void give_letters(struct picture *p, const struct dbc_message *m)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    int used = 0;
    for (uint32_t byte = 0; byte < m->length && byte < CAN_MSG_DATA; byte++)
        for (int high = 7; high >= 0; high -= run_length(p, byte, high)) {
            int owner = p->owner[8 * byte + (uint32_t)high];
            int room = run_length(p, byte, high) * CELL - 3;
            if (owner >= 0 && !p->letter[owner] && (int)strlen(m->signals[owner].name) > room)
                p->letter[owner] = letters[used++ % LETTERS];
        }
}

/* The line above a byte: a corner where a cell of this or the byte above ends. */
static void print_rule(const struct picture *p, uint32_t byte, uint32_t bytes, FILE *to)
{
    char line[LINE + 1];
    memset(line, '-', LINE);
    line[0] = line[LINE - 1] = '+';
    line[LINE] = '\0';
    for (int side = 0; side < 2; side++) {
        uint32_t row = side ? byte : byte - 1;
        if (row >= bytes) /* also the row above the first */
            continue;
        for (int high = 7; high >= 0; high -= run_length(p, row, high))
            line[(7 - high) * CELL] = '+';
    }
    fprintf(to, "          %s\n", line);
}

static void put_cell(char *cell, int width, const struct picture *p, const struct dbc_message *m,
                     int owner)
{
    if (owner == NONE)
        return;
    size_t length = owner == SHARED ? 0 : strlen(m->signals[owner].name);
    if (owner == SHARED)
        cell[width / 2] = '!';
    else if ((int)length <= width - 2)
        memcpy(cell + 1, m->signals[owner].name, length);
    else
        cell[width / 2] = p->letter[owner];
}

static void print_byte(const struct picture *p, const struct dbc_message *m, uint32_t byte,
                       FILE *to)
{
    char line[LINE + 1];
    memset(line, ' ', LINE);
    line[LINE] = '\0';
    line[LINE - 1] = '|';
    for (int high = 7; high >= 0;) {
        int run = run_length(p, byte, high);
        char *cell = line + (7 - high) * CELL;
        cell[0] = '|';
        put_cell(cell + 1, run * CELL - 1, p, m, p->owner[8 * byte + (uint32_t)high]);
        high -= run;
    }
    fprintf(to, "  byte %2u %s\n", byte, line);
}

static void print_picture(const struct dbc_message *m, struct picture *p, FILE *to)
{
    uint32_t bytes = m->length < CAN_MSG_DATA ? m->length : CAN_MSG_DATA;
    for (size_t i = 0; i < CAN_MSG_DATA * 8; i++)
        p->owner[i] = NONE;
    memset(p->letter, 0, sizeof p->letter);
    for (size_t i = 0; i < m->signal_count && i < 512; i++)
        if (p->present[i])
            mark_signal(p, &m->signals[i], (int)i);
    give_letters(p, m);
    fprintf(to, "             7     6     5     4     3     2     1     0\n");
    for (uint32_t byte = 0; byte < bytes; byte++) {
        print_rule(p, byte, bytes, to);
        print_byte(p, m, byte, to);
    }
    if (bytes > 0)
        print_rule(p, bytes, bytes, to);
    bool shared = false;
    for (size_t i = 0; i < CAN_MSG_DATA * 8; i++)
        shared |= p->owner[i] == SHARED;
    for (size_t i = 0; i < m->signal_count && i < 512; i++)
        if (p->letter[i])
            fprintf(to, "          %c  %s\n", p->letter[i], m->signals[i].name);
    if (shared)
        fprintf(to, "          !  several signals\n");
    fputc('\n', to);
}

/* Which signals are in a frame in which this one is. */
static void mark_present(const struct dbc_message *m, const struct dbc_signal *s, bool present[512])
{
    uint8_t data[CAN_MSG_DATA] = {0};
    struct can_mux mux;
    if (mux_compile(m, s, &mux) == 0)
        mux_select(&mux, data);
    for (size_t i = 0; i < m->signal_count && i < 512; i++) {
        struct can_mux other;
        present[i] = m->signals[i].switch_index < 0 ||
                     (mux_compile(m, &m->signals[i], &other) == 0 && mux_present(&other, data));
    }
}

void dbc_show_layout(const struct dbc_message *m, FILE *to)
{
    struct picture *p = calloc(1, sizeof *p);
    bool drawn[512] = {false}, multiplexed = false;
    if (!p)
        return;
    for (size_t i = 0; i < m->signal_count && i < 512; i++) {
        if (m->signals[i].switch_index < 0 || drawn[i])
            continue;
        char when[DBC_SHOW_TEXT];
        bool deeper = false;
        mark_present(m, &m->signals[i], p->present);
        /* A switch alone is drawn together with what it selects. */
        for (size_t k = 0; k < m->signal_count && k < 512; k++)
            deeper |= m->signals[k].switch_index == (int)i;
        if (deeper)
            continue;
        multiplexed = true;
        for (size_t k = 0; k < m->signal_count && k < 512; k++)
            drawn[k] |= p->present[k];
        dbc_show_when(m, &m->signals[i], when);
        fprintf(to, "  %s\n", when);
        print_picture(m, p, to);
    }
    if (!multiplexed) {
        memset(p->present, true, sizeof p->present);
        print_picture(m, p, to);
    }
    free(p);
}
