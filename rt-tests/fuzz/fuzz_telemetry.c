/* Any packets as a target's telemetry, one after the other: each two bytes of length, then as many
 * bytes. The host must take or leave them, keep its counts, and hand out records in order. */
#include "host/host.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(int promise)
{
    if (!promise)
        abort();
}

static void expect_sound(const struct host *h)
{
    for (int i = 0; i < HOST_TARGETS; i++) {
        const struct host_target *t = &h->target[i];
        if (!atomic_load(&t->used))
            continue;
        expect(memchr(t->name, '\0', sizeof t->name) != NULL);
        expect(t->packets > 0);
        expect(!t->has_window || (t->description && t->window.next <= t->window.end));
        expect(!t->live == !t->description);
        for (size_t k = 0; t->description && t->live_count > 0 && k < t->description->signal_count;
             k++)
            (void)description_value(t->description, (int)k, t->live);
        for (uint64_t k = 0; k < t->event_count && k < HOST_EVENTS; k++)
            expect(memchr(t->event[k].text, '\0', TELEMETRY_TEXT) != NULL);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct host *h = calloc(1, sizeof *h);
    const struct sockaddr_in from = {
        .sin_family = AF_INET, .sin_port = htons(1), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int64_t now_ns = host_now_ns();
    expect(h != NULL);
    h->socket = h->wake = -1;
    /* Records are put in order, until all is there for a recorder, which cannot be opened. */
    h->setup.record = "/dev/null/none";
    h->has_key = true;
    for (int i = 0; i < HOST_TARGETS; i++) {
        h->target[i].id = i;
        (void)pthread_mutex_init(&h->target[i].lock, NULL);
    }
    (void)pthread_mutex_init(&h->lock, NULL);
    while (size >= 2) {
        size_t bytes = (size_t)data[0] | (size_t)data[1] << 8;
        data += 2;
        size -= 2;
        bytes = bytes < size ? bytes : size;
        unsigned char *packet = malloc(bytes ? bytes : 1); /* so that its end is guarded */
        expect(packet != NULL);
        memcpy(packet, data, bytes);
        host_take(h, &from, packet, bytes);
        free(packet);
        host_tend(h, now_ns += 1000000000);
        data += bytes;
        size -= bytes;
    }
    expect_sound(h);
    for (int i = 0; i < HOST_TARGETS; i++)
        host_end_run(&h->target[i]);
    free(h);
    return 0;
}
