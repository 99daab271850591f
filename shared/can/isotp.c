#include "shared/can/isotp.h"

#include "shared/base/time.h"
#include "shared/can/frame.h"

#include <errno.h>
#include <string.h>

enum { SINGLE, FIRST, CONSECUTIVE, FLOW };
enum { GO_ON, WAIT, NO_ROOM };

struct isotp_setup isotp_defaults(uint32_t send_id, uint32_t receive_id)
{
    return (struct isotp_setup){.send_id = send_id,
                                .receive_id = receive_id,
                                .frame_bytes = CAN_CLASSIC_DATA,
                                .wait_most = 10,
                                .padding = ISOTP_PADDING,
                                .flow_ns = NS_PER_S,
                                .next_ns = NS_PER_S};
}

void isotp_reset(struct isotp *s)
{
    memset(s, 0, sizeof *s);
}

int64_t isotp_st_min_ns(uint8_t code)
{
    if (code <= 0x7f)
        return code * NS_PER_MS;
    if (code >= 0xf1 && code <= 0xf9)
        return (code - 0xf0) * 100 * NS_PER_US;
    return 127 * NS_PER_MS;
}

const char *isotp_error_name(uint32_t error)
{
    static const char *const names[ISOTP_ERRORS] = {
        "none",
        "no flow control came",
        "the next frame did not come",
        "frames out of order",
        "invalid flow control",
        "a message within a message",
        "asked to wait too often",
        "too long for the receiver",
    };
    return error < ISOTP_ERRORS ? names[error] : "unknown";
}

/* ---- sending */

static void end_sending(struct isotp *s, enum isotp_error error)
{
    s->sending = ISOTP_IDLE;
    s->send_error = error;
    s->errors[error]++;
}

bool isotp_is_sending(const struct isotp *s)
{
    return s->sending != ISOTP_IDLE;
}

void isotp_give_up(struct isotp *s)
{
    s->sending = ISOTP_IDLE;
}

int isotp_send(const struct isotp_setup *p, struct isotp *s, const uint8_t *data, int length,
               int64_t now_ns)
{
    (void)p;
    if (isotp_is_sending(s))
        return -EBUSY;
    if (length < 1 || length > ISOTP_DATA)
        return -EMSGSIZE;
    memcpy(s->send, data, (size_t)length);
    s->send_length = length;
    s->sent_bytes = 0;
    s->send_sequence = 0;
    s->send_error = ISOTP_NO_ERROR;
    s->waits = 0;
    s->send_due_ns = now_ns;
    s->sending = ISOTP_FIRST;
    return 0;
}

/* A frame with n bytes in it, filled up as the setup says. */
static void close_frame(const struct isotp_setup *p, struct can_msg *m, int n)
{
    int length = n;
    if (p->frame_bytes > CAN_CLASSIC_DATA) {
        m->flags = (uint8_t)(CAN_MSG_FD | (p->bit_rate_switch ? CAN_MSG_BRS : 0));
        if (n <= CAN_CLASSIC_DATA && !p->no_padding)
            n = CAN_CLASSIC_DATA;
        length = can_frame_fd_length(n);
    } else if (!p->no_padding) {
        length = CAN_CLASSIC_DATA;
    }
    m->id = p->send_id;
    m->len = (uint8_t)length;
}

static void open_frame(const struct isotp_setup *p, struct can_msg *m)
{
    memset(m, 0, sizeof *m);
    memset(m->data, p->padding, p->frame_bytes);
}

/* Bytes beyond the length are zero in a can_msg. */
static void finish_frame(const struct isotp_setup *p, struct can_msg *m, int n)
{
    close_frame(p, m, n);
    memset(m->data + m->len, 0, sizeof m->data - m->len);
}

static void put_bytes(struct isotp *s, struct can_msg *m, int at, int count)
{
    memcpy(m->data + at, s->send + s->sent_bytes, (size_t)count);
    s->sent_bytes += count;
}

static void send_first(const struct isotp_setup *p, struct isotp *s, int64_t now_ns,
                       struct can_msg *m)
{
    int n = s->send_length;
    open_frame(p, m);
    if (n <= CAN_CLASSIC_DATA - 1) {
        m->data[0] = (uint8_t)n;
        put_bytes(s, m, 1, n);
        finish_frame(p, m, n + 1);
    } else if (p->frame_bytes > CAN_CLASSIC_DATA && n <= p->frame_bytes - 2) {
        m->data[0] = 0;
        m->data[1] = (uint8_t)n;
        put_bytes(s, m, 2, n);
        finish_frame(p, m, n + 2);
    } else {
        m->data[0] = (uint8_t)(FIRST << 4 | n >> 8);
        m->data[1] = (uint8_t)n;
        put_bytes(s, m, 2, p->frame_bytes - 2);
        finish_frame(p, m, p->frame_bytes);
        s->send_sequence = 1;
        s->sending = ISOTP_WAIT_FLOW;
        s->send_due_ns = now_ns + p->flow_ns;
        return;
    }
    end_sending(s, ISOTP_NO_ERROR);
}

static void send_consecutive(const struct isotp_setup *p, struct isotp *s, int64_t now_ns,
                             struct can_msg *m)
{
    int left = s->send_length - s->sent_bytes;
    int n = left < p->frame_bytes - 1 ? left : p->frame_bytes - 1;
    open_frame(p, m);
    m->data[0] = (uint8_t)(CONSECUTIVE << 4 | s->send_sequence);
    put_bytes(s, m, 1, n);
    finish_frame(p, m, n + 1);
    s->send_sequence = (s->send_sequence + 1) & 0xfu;
    s->send_due_ns = now_ns + s->gap_ns;
    if (s->sent_bytes == s->send_length) {
        end_sending(s, ISOTP_NO_ERROR);
    } else if (s->block_left > 0 && --s->block_left == 0) {
        s->sending = ISOTP_WAIT_FLOW;
        s->send_due_ns = now_ns + p->flow_ns;
    }
}

static void take_flow(const struct isotp_setup *p, struct isotp *s, const struct can_msg *msg,
                      int64_t now_ns)
{
    if (s->sending != ISOTP_WAIT_FLOW || msg->len < 3)
        return;
    switch (msg->data[0] & 0xfu) {
    case GO_ON:
        s->block_left = msg->data[1] ? msg->data[1] : -1;
        s->gap_ns = isotp_st_min_ns(msg->data[2]);
        s->waits = 0;
        s->sending = ISOTP_CONSECUTIVE;
        s->send_due_ns = now_ns;
        break;
    case WAIT:
        s->send_due_ns = now_ns + p->flow_ns;
        if (++s->waits > p->wait_most)
            end_sending(s, ISOTP_TOO_MANY_WAITS);
        break;
    case NO_ROOM:
        end_sending(s, ISOTP_OVERFLOW);
        break;
    default:
        end_sending(s, ISOTP_INVALID_FLOW);
        break;
    }
}

/* ---- receiving */

static void end_receiving(struct isotp *s, enum isotp_error error)
{
    s->receiving = 0;
    s->receive_error = error;
    s->errors[error]++;
}

int isotp_single(const struct can_msg *msg, const uint8_t **data)
{
    int n = msg->len > 0 ? msg->data[0] : 0, head = 1;
    if (msg->len == 0 || n >> 4 != SINGLE)
        return 0;
    if (n == 0 && msg->len > CAN_CLASSIC_DATA) {
        n = msg->data[1];
        head = 2;
        if (n <= CAN_CLASSIC_DATA - 1)
            return 0; /* must be in the short form */
    } else if (msg->len > CAN_CLASSIC_DATA) {
        return 0;
    }
    *data = msg->data + head;
    return n + head <= msg->len ? n : 0;
}

static void take_single(struct isotp *s, const struct can_msg *msg)
{
    const uint8_t *data;
    int n = isotp_single(msg, &data);
    if (n == 0)
        return;
    if (s->receiving)
        end_receiving(s, ISOTP_UNEXPECTED);
    memcpy(s->receive, data, (size_t)n);
    s->receive_length = n;
    s->ready = 1;
}

/* Length and place of the first bytes; 0: not a first frame as it should be. */
static uint32_t first_length(const struct can_msg *msg, int *head)
{
    uint32_t n = (uint32_t)(msg->data[0] & 0xf) << 8 | msg->data[1];
    uint32_t least = msg->len > CAN_CLASSIC_DATA ? msg->len - 1u : CAN_CLASSIC_DATA;
    *head = 2;
    if (msg->len < CAN_CLASSIC_DATA)
        return 0;
    if (n == 0) { /* the long form */
        n = (uint32_t)msg->data[2] << 24 | (uint32_t)msg->data[3] << 16 |
            (uint32_t)msg->data[4] << 8 | msg->data[5];
        *head = 6;
        least = ISOTP_DATA + 1;
    }
    return n >= least ? n : 0;
}

static void take_first(const struct isotp_setup *p, struct isotp *s, const struct can_msg *msg,
                       int64_t now_ns)
{
    int head;
    uint32_t n = first_length(msg, &head);
    if (n == 0)
        return;
    if (s->receiving)
        end_receiving(s, ISOTP_UNEXPECTED);
    if (n > ISOTP_DATA) {
        end_receiving(s, ISOTP_OVERFLOW);
        s->reply = 1 + NO_ROOM;
        return;
    }
    s->ready = 0;
    s->receiving = 1;
    s->receive_error = ISOTP_NO_ERROR;
    s->receive_length = (int32_t)n;
    s->received_bytes = msg->len - head;
    s->receive_frame = msg->len;
    s->receive_sequence = 1;
    s->block_got = 0;
    s->receive_until_ns = now_ns + p->next_ns;
    s->reply = 1 + GO_ON;
    memcpy(s->receive, msg->data + head, (size_t)s->received_bytes);
}

static void take_consecutive(const struct isotp_setup *p, struct isotp *s,
                             const struct can_msg *msg, int64_t now_ns)
{
    int left = s->receive_length - s->received_bytes;
    int n = left < (int)s->receive_frame - 1 ? left : (int)s->receive_frame - 1;
    if (!s->receiving)
        return;
    if ((msg->data[0] & 0xfu) != s->receive_sequence) {
        end_receiving(s, ISOTP_WRONG_SEQUENCE);
        return;
    }
    if (msg->len < n + 1)
        return; /* too short: as if it had not come */
    memcpy(s->receive + s->received_bytes, msg->data + 1, (size_t)n);
    s->received_bytes += n;
    s->receive_sequence = (s->receive_sequence + 1) & 0xfu;
    s->receive_until_ns = now_ns + p->next_ns;
    if (s->received_bytes == s->receive_length) {
        s->receiving = 0;
        s->ready = 1;
    } else if (p->block_size && ++s->block_got == p->block_size) {
        s->block_got = 0;
        s->reply = 1 + GO_ON;
    }
}

bool isotp_take(const struct isotp_setup *p, struct isotp *s, const struct can_msg *msg,
                int64_t now_ns)
{
    if (msg->id != p->receive_id || (msg->flags & (CAN_MSG_OWN | CAN_MSG_ERROR | CAN_MSG_REMOTE)))
        return false;
    if (msg->len == 0)
        return true;
    switch (msg->data[0] >> 4) {
    case SINGLE:
        take_single(s, msg);
        break;
    case FIRST:
        take_first(p, s, msg, now_ns);
        break;
    case CONSECUTIVE:
        take_consecutive(p, s, msg, now_ns);
        break;
    case FLOW:
        take_flow(p, s, msg, now_ns);
        break;
    default:
        break; /* kinds that do not exist are passed over */
    }
    return true;
}

int isotp_message(struct isotp *s, const uint8_t **data)
{
    if (!s->ready)
        return 0;
    s->ready = 0;
    *data = s->receive;
    return s->receive_length;
}

/* ---- time */

static void send_flow(const struct isotp_setup *p, struct isotp *s, struct can_msg *m)
{
    open_frame(p, m);
    m->data[0] = (uint8_t)(FLOW << 4 | (s->reply - 1));
    m->data[1] = p->block_size;
    m->data[2] = p->st_min;
    finish_frame(p, m, 3);
    s->reply = 0;
}

int isotp_poll(const struct isotp_setup *p, struct isotp *s, int64_t now_ns, struct can_msg *out,
               int room)
{
    int n = 0;
    if (s->receiving && now_ns > s->receive_until_ns)
        end_receiving(s, ISOTP_NO_NEXT_FRAME);
    if (s->sending == ISOTP_WAIT_FLOW && now_ns > s->send_due_ns)
        end_sending(s, ISOTP_NO_FLOW_CONTROL);
    if (s->reply && n < room)
        send_flow(p, s, &out[n++]);
    if (s->sending == ISOTP_FIRST && n < room)
        send_first(p, s, now_ns, &out[n++]);
    while (s->sending == ISOTP_CONSECUTIVE && n < room && now_ns >= s->send_due_ns)
        send_consecutive(p, s, now_ns, &out[n++]);
    return n;
}
