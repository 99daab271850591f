/* Frames of WebSockets (RFC 6455), the server's side. A page's frame is looked at as soon as its
 * head is there: one that is too long, or none that a page sends, is refused before memory is taken
 * for it; all of them share one buffer of fixed size. No network here, nothing that blocks. */
#ifndef SKIDPAD_HOST_WEBSOCKET_H
#define SKIDPAD_HOST_WEBSOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    WEBSOCKET_MESSAGE = 32768, /* bytes of a message from a page */
    WEBSOCKET_CONTROL = 125,   /* of a ping, pong or close */
    WEBSOCKET_HEAD = 14,       /* the longest, from a page; ours has no mask */
    WEBSOCKET_ACCEPT = 29,     /* of the answer to a key, with its zero */
};

enum websocket_opcode {
    WEBSOCKET_MORE = 0, /* goes on with the message before */
    WEBSOCKET_TEXT = 1,
    WEBSOCKET_BINARY = 2,
    WEBSOCKET_CLOSE = 8,
    WEBSOCKET_PING = 9,
    WEBSOCKET_PONG = 10,
};

struct websocket_reader {
    size_t have, taken; /* bytes in the buffer; of them those of frames given out */
    unsigned char buffer[WEBSOCKET_MESSAGE + WEBSOCKET_HEAD];
};

struct websocket_frame {
    enum websocket_opcode opcode; /* text, close, ping or pong */
    const char *bytes;            /* in the reader, until more is asked for */
    size_t count;
};

enum websocket_verdict { WEBSOCKET_WAIT, WEBSOCKET_FRAME, WEBSOCKET_BAD };

/* Where the next bytes of the connection go, and how many at most; at least one. */
unsigned char *websocket_room(struct websocket_reader *r, size_t *bytes);
void websocket_came(struct websocket_reader *r, size_t bytes);
/* The next frame of what has come. Whole texts only: no page here sends others. */
enum websocket_verdict websocket_next(struct websocket_reader *r, struct websocket_frame *f);

/* The head of a frame to a page; last: none of the same message follows. Returns its bytes. */
size_t websocket_head(enum websocket_opcode opcode, bool last, size_t count,
                      unsigned char head[WEBSOCKET_HEAD]);

/* The answer to a page's Sec-WebSocket-Key; false: it is none. */
bool websocket_accept(const char *key, char accept[WEBSOCKET_ACCEPT]);

#endif
