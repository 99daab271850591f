/* Any packets as a target's telemetry, one after the other: each two bytes of length, then as many
 * bytes. The highest bit of the length has the packet sealed with the right key, and its run let in
 * by a challenge. The host must take or leave them, keep its counts, and hand out records in order;
 * of a run that is sealed it takes nothing else. */
#include "host/host.h"
#include "shared/wire/telemetry_seal.h"

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
        expect(!t->live || t->description);
        for (size_t k = 0;
             t->description && t->live && t->live_count > 0 && k < t->description->signal_count;
             k++)
            (void)description_value(t->description, (int)k, t->live);
        for (uint64_t k = 0; k < t->event_count && k < HOST_EVENTS; k++)
            expect(memchr(t->event[k].text, '\0', TELEMETRY_TEXT) != NULL);
    }
}

/* With a tag behind it; returns its length. */
static size_t tag(const struct host *h, unsigned char *packet, size_t bytes)
{
    struct telemetry_header header;
    struct seal_key run_key;
    memcpy(&header, packet, sizeof header);
    header.flags |= TELEMETRY_SEALED;
    memcpy(packet, &header, sizeof header);
    telemetry_run_key(&h->key, header.run, &run_key);
    telemetry_tag(&run_key, &header, packet + sizeof header, bytes - sizeof header, packet + bytes);
    return bytes + TELEMETRY_TAG;
}

/* As a target does that was greeted by name. */
static void let_in(struct host *h, const struct sockaddr_in *from, uint64_t run, uint64_t table)
{
    unsigned char
        packet[sizeof(struct telemetry_header) + sizeof(struct telemetry_hello) + TELEMETRY_TAG];
    struct telemetry_hello hello = {0};
    const struct telemetry_header header = {.magic = TELEMETRY_MAGIC,
                                            .version = TELEMETRY_VERSION,
                                            .kind = TELEMETRY_CHALLENGE,
                                            .run = run,
                                            .table = table};
    memcpy(hello.host, h->hello_nonce[0], SEAL_NONCE);
    telemetry_seal(&h->key, &header, &hello);
    memcpy(packet, &header, sizeof header);
    memcpy(packet + sizeof header, &hello, sizeof hello);
    host_take(h, from, packet, tag(h, packet, sizeof header + sizeof hello));
}

static uint64_t packets_of_sealed(const struct host *h)
{
    uint64_t packets = 0;
    for (int i = 0; i < HOST_TARGETS; i++)
        packets += h->target[i].sealed ? h->target[i].packets : 0;
    return packets;
}

/* Nobody can make the seal of a key he has not: what is not sealed here is not taken for a run that
 * is. (A place may be cleared for another run, but not by one that has no seal.) */
static void take(struct host *h, const struct sockaddr_in *from, const uint8_t *data, size_t bytes,
                 bool sealed)
{
    unsigned char *packet = malloc(bytes + TELEMETRY_TAG);
    struct telemetry_header header;
    expect(packet != NULL);
    memcpy(packet, data, bytes);
    sealed = sealed && bytes >= sizeof header;
    if (sealed) {
        memcpy(&header, packet, sizeof header);
        let_in(h, from, header.run, header.table);
        bytes = tag(h, packet, bytes);
    }
    packet = realloc(packet, bytes ? bytes : 1); /* so that its end is guarded */
    expect(packet != NULL);
    uint64_t taken = packets_of_sealed(h);
    host_take(h, from, packet, bytes);
    expect(sealed || packets_of_sealed(h) == taken);
    free(packet);
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
    h->has_key = h->setup.accept_unsealed = true;
    h->setup.targets = 1;
    memset(&h->key, 7, sizeof h->key);
    for (int i = 0; i < HOST_TARGETS; i++) {
        h->target[i].id = i;
        (void)pthread_mutex_init(&h->target[i].lock, NULL);
    }
    (void)pthread_mutex_init(&h->lock, NULL);
    while (size >= 2) {
        size_t bytes = (size_t)data[0] | (size_t)(data[1] & 0x7f) << 8;
        bool sealed = (data[1] & 0x80) != 0;
        data += 2;
        size -= 2;
        bytes = bytes < size ? bytes : size;
        take(h, &from, data, bytes, sealed);
        host_tend(h, now_ns += 1000000000);
        data += bytes;
        size -= bytes;
    }
    expect_sound(h);
    for (int i = 0; i < HOST_TARGETS; i++)
        host_end_run(h, &h->target[i]);
    host_reap(h, true); /* recorders end in threads of their own */
    free(h);
    return 0;
}
