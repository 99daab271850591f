#include "host/websocket.h"

#include "host/sha1.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

enum { LAST = 0x80, RESERVED = 0x70, OPCODE = 0x0f, MASKED = 0x80, MASK = 4, KEY = 24 };

unsigned char *websocket_room(struct websocket_reader *r, size_t *bytes)
{
    memmove(r->buffer, r->buffer + r->taken, r->have - r->taken);
    r->have -= r->taken;
    r->taken = 0;
    *bytes = sizeof r->buffer - r->have;
    return r->buffer + r->have;
}

void websocket_came(struct websocket_reader *r, size_t bytes)
{
    r->have += bytes;
}

static uint64_t big_endian(const unsigned char *b, size_t bytes)
{
    uint64_t n = 0;
    for (size_t i = 0; i < bytes; i++)
        n = n << 8 | b[i];
    return n;
}

/* What the first byte allows; a page sends whole texts, and control frames. */
static bool is_allowed(unsigned first, uint64_t count)
{
    switch (first) {
    case LAST | WEBSOCKET_TEXT:
        return count <= WEBSOCKET_MESSAGE;
    case LAST | WEBSOCKET_CLOSE:
    case LAST | WEBSOCKET_PING:
    case LAST | WEBSOCKET_PONG:
        return count <= WEBSOCKET_CONTROL;
    default:
        return false;
    }
}

enum websocket_verdict websocket_next(struct websocket_reader *r, struct websocket_frame *f)
{
    unsigned char *at = r->buffer + r->taken;
    const size_t have = r->have - r->taken;
    if (have < 1)
        return WEBSOCKET_WAIT;
    if (!is_allowed(at[0], 0))
        return WEBSOCKET_BAD;
    if (have < 2)
        return WEBSOCKET_WAIT;
    const unsigned small = at[1] & ~(unsigned)MASKED;
    const size_t length = small == 127 ? 8 : small == 126 ? 2 : 0;
    if (!(at[1] & MASKED))
        return WEBSOCKET_BAD;
    if (have < 2 + length)
        return WEBSOCKET_WAIT;
    const uint64_t count = length ? big_endian(at + 2, length) : small;
    /* The shortest form only, as the RFC has it. */
    if (!is_allowed(at[0], count) || (length == 2 && count < 126) || (length == 8 && count < 65536))
        return WEBSOCKET_BAD;
    const size_t head = 2 + length + MASK;
    if (have < head + count)
        return WEBSOCKET_WAIT;
    for (size_t i = 0; i < count; i++)
        at[head + i] ^= at[head - MASK + i % MASK];
    *f = (struct websocket_frame){.opcode = (enum websocket_opcode)(at[0] & OPCODE),
                                  .bytes = (const char *)at + head,
                                  .count = (size_t)count};
    r->taken += head + (size_t)count;
    return WEBSOCKET_FRAME;
}

size_t websocket_head(enum websocket_opcode opcode, bool last, size_t count,
                      unsigned char head[WEBSOCKET_HEAD])
{
    const size_t length = count < 126 ? 0 : count < 65536 ? 2 : 8;
    head[0] = (unsigned char)((last ? LAST : 0) | opcode);
    head[1] = (unsigned char)(length == 0 ? count : length == 2 ? 126 : 127);
    for (size_t i = 0; i < length; i++)
        head[2 + i] = (unsigned char)((uint64_t)count >> 8 * (length - 1 - i));
    return 2 + length;
}

bool websocket_accept(const char *key, char accept[WEBSOCKET_ACCEPT])
{
    char text[KEY + 37];
    uint8_t hash[SHA1_BYTES];
    if (strlen(key) != KEY)
        return false;
    (void)snprintf(text, sizeof text, "%s258EAFA5-E914-47DA-95CA-C5AB0DC85B11", key);
    sha1(text, strlen(text), hash);
    (void)sodium_bin2base64(accept, WEBSOCKET_ACCEPT, hash, sizeof hash,
                            sodium_base64_VARIANT_ORIGINAL);
    return true;
}
