/* Any bytes as a browser's: the first says in what pieces they come. They are taken as the head of
 * a request, and as frames of a WebSocket. No frame may be longer than a page's messages are, none
 * may lie outside the reader, and there is always room for more, or an end. */
#include "host/web_request.h"
#include "host/websocket.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(int promise)
{
    if (!promise)
        abort();
}

static void take_request(const uint8_t *data, size_t size)
{
    struct web_request r;
    size_t bytes = web_head_bytes((const char *)data, size);
    char *head = malloc(bytes ? bytes : 1); /* so that its end is guarded */
    expect(bytes <= size && head != NULL);
    memcpy(head, data, bytes);
    if (bytes > 0 && web_request_parse(head, bytes, &r)) {
        expect(r.path[0] == '/' && r.fields <= WEB_FIELDS);
        expect(strlen(r.method) + strlen(r.path) + strlen(r.query) < bytes);
        for (int i = 0; i < r.fields; i++) {
            expect(r.field[i].value + strlen(r.field[i].value) < head + bytes);
            (void)web_list_has(web_field(&r, r.field[i].name), "upgrade", true);
        }
    }
    free(head);
}

static void take_frames(const uint8_t *data, size_t size, size_t piece)
{
    struct websocket_reader *r = calloc(1, sizeof *r);
    enum websocket_verdict verdict = WEBSOCKET_WAIT;
    expect(r != NULL);
    while (size > 0 && verdict != WEBSOCKET_BAD) {
        struct websocket_frame f;
        size_t room;
        unsigned char *to = websocket_room(r, &room);
        expect(room > 0);
        size_t n = piece < room ? piece : room;
        n = n < size ? n : size;
        memcpy(to, data, n);
        websocket_came(r, n);
        data += n;
        size -= n;
        while ((verdict = websocket_next(r, &f)) == WEBSOCKET_FRAME) {
            expect(f.count <= WEBSOCKET_MESSAGE && f.bytes >= (const char *)r->buffer &&
                   f.bytes + f.count <= (const char *)r->buffer + sizeof r->buffer);
            expect(f.opcode == WEBSOCKET_TEXT || f.count <= WEBSOCKET_CONTROL);
        }
    }
    free(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    take_request(data + 1, size - 1);
    take_frames(data + 1, size - 1, data[0] ? 17u * data[0] : 1);
    return 0;
}
