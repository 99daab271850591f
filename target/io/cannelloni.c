#include "target/io/cannelloni.h"

#include <string.h>

enum { VERSION = 2, OPERATION_DATA = 0, LENGTH_FD = 0x80, FLAG_BRS = 1, FLAG_ESI = 2 };
/* SocketCAN's flag bits; 0x80000000 is CAN_ID_EXTENDED in our frames too. */
static const uint32_t id_remote = 0x40000000u, id_error = 0x20000000u;

static uint32_t read_u32(const uint8_t *b)
{
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

/* Reads one frame. Returns the bytes it took, 0 if it is none. */
static size_t read_frame(const uint8_t *at, size_t size, struct can_msg *m)
{
    size_t used = 5;
    memset(m, 0, sizeof *m);
    if (size < used)
        return 0;
    const uint32_t id = read_u32(at);
    const bool fd = (at[4] & LENGTH_FD) != 0, remote = (id & id_remote) != 0;
    m->id = id & (CAN_ID_EXTENDED | CAN_ID_MASK);
    m->len = (uint8_t)(at[4] & ~LENGTH_FD);
    if (m->len > (fd ? CAN_MSG_DATA : CAN_CLASSIC_DATA) || (fd && remote))
        return 0;
    if (!(id & (CAN_ID_EXTENDED | id_error)) && m->id > 0x7ff)
        return 0;
    if (fd) {
        if (size < ++used)
            return 0;
        m->flags = CAN_MSG_FD;
        m->flags |= at[5] & FLAG_BRS ? CAN_MSG_BRS : 0;
        m->flags |= at[5] & FLAG_ESI ? CAN_MSG_ESI : 0;
    }
    if (id & id_error)
        m->flags |= CAN_MSG_ERROR;
    if (remote) {
        m->flags |= CAN_MSG_REMOTE;
        return used;
    }
    if (size - used < m->len)
        return 0;
    memcpy(m->data, at + used, m->len);
    return used + m->len;
}

int cannelloni_open(struct cannelloni_reader *r, const uint8_t *bytes, size_t size,
                    uint8_t *sequence)
{
    struct can_msg unused;
    *r = (struct cannelloni_reader){0};
    if (size < CANNELLONI_HEAD || bytes[0] != VERSION || bytes[1] != OPERATION_DATA)
        return -1;
    const int count = bytes[3] << 8 | bytes[4];
    const uint8_t *at = bytes + CANNELLONI_HEAD, *end = bytes + size;
    for (int i = 0; i < count; i++) {
        const size_t used = read_frame(at, (size_t)(end - at), &unused);
        if (used == 0)
            return -1;
        at += used;
    }
    *sequence = bytes[2];
    *r = (struct cannelloni_reader){.at = bytes + CANNELLONI_HEAD, .end = end, .left = count};
    return count;
}

bool cannelloni_next(struct cannelloni_reader *r, struct can_msg *msg)
{
    if (r->left == 0)
        return false;
    r->left--;
    r->at += read_frame(r->at, (size_t)(r->end - r->at), msg);
    return true;
}

void cannelloni_begin(struct cannelloni_writer *w, uint8_t *bytes, size_t room, uint8_t sequence)
{
    *w = (struct cannelloni_writer){.bytes = bytes, .size = CANNELLONI_HEAD, .room = room};
    bytes[0] = VERSION;
    bytes[1] = OPERATION_DATA;
    bytes[2] = sequence;
    bytes[3] = bytes[4] = 0;
}

bool cannelloni_add(struct cannelloni_writer *w, const struct can_msg *msg)
{
    const bool fd = (msg->flags & CAN_MSG_FD) != 0, remote = (msg->flags & CAN_MSG_REMOTE) != 0;
    const size_t need = 5 + (fd ? 1u : 0u) + (remote ? 0u : msg->len);
    uint32_t id = msg->id & (CAN_ID_EXTENDED | CAN_ID_MASK);
    uint8_t *to = w->bytes + w->size;
    if (need > w->room - w->size || w->count == UINT16_MAX)
        return false;
    if (remote)
        id |= id_remote;
    if (msg->flags & CAN_MSG_ERROR)
        id |= id_error;
    for (int shift = 24; shift >= 0; shift -= 8)
        *to++ = (uint8_t)(id >> shift);
    *to++ = (uint8_t)(msg->len | (fd ? LENGTH_FD : 0));
    if (fd)
        *to++ = (uint8_t)((msg->flags & CAN_MSG_BRS ? FLAG_BRS : 0) |
                          (msg->flags & CAN_MSG_ESI ? FLAG_ESI : 0));
    if (!remote)
        memcpy(to, msg->data, msg->len);
    w->size += need;
    w->count++;
    w->bytes[3] = (uint8_t)(w->count >> 8);
    w->bytes[4] = (uint8_t)w->count;
    return true;
}
