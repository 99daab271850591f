/* Any packet as a host's: the first byte says what is done to the rest, so that also packets with a
 * right header, a right run and a right seal are tried. Nothing without a seal may command. */
#include "shared/wire/telemetry_seal.h"
#include "target/publish.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { RIGHT_HEADER = 1, RIGHT_RUN = 2, SEALED = 4, STRANGER = 8, TAGGED = 16 };

static void expect(int promise)
{
    if (!promise)
        abort();
}

/* The same for all: nothing writes to it here. */
static const struct publish_history *history(void)
{
    static struct publish_history h;
    if (!h.kept)
        expect(publish_history_init(&h, 1, "") == 0);
    return &h;
}

static struct telemetry_event kept[PUBLISH_EVENTS];

static void open_publish(struct publish *p, struct loop *l)
{
    p->loop = l;
    p->socket = -1;
    p->has_key = p->person_may_drive = true;
    p->header = (struct telemetry_header){
        .magic = TELEMETRY_MAGIC, .version = TELEMETRY_VERSION, .run = 0x1122334455667788u};
    memset(p->key.bytes, 7, sizeof p->key.bytes);
    telemetry_run_key(&p->key, p->header.run, &p->run_key);
    p->history = *history();
    p->kept = kept;
    p->peer[0] = (struct publish_peer){.used = true, .fixed = true};
    p->peer[0].at.sin_port = htons(1);
    p->next = 10;
    p->event_next = 5;
    /* One session is there already. */
    p->session[0] = (struct publish_session){.used = true, .id = 0x0101010101010101u};
    memset(p->session[0].host, 1, SEAL_NONCE);
    memset(p->session[0].key.bytes, 9, SEAL_KEY);
}

/* Makes the packet one that gets further; behind it there is room for a tag. Returns its length. */
static size_t improve(const struct publish *p, unsigned what, unsigned char *packet, size_t bytes)
{
    struct telemetry_header h;
    if (bytes < sizeof h)
        return bytes;
    memcpy(&h, packet, sizeof h);
    if (what & RIGHT_HEADER) {
        h.magic = TELEMETRY_MAGIC;
        h.version = TELEMETRY_VERSION;
        h.name[TELEMETRY_NAME - 1] = '\0';
    }
    if (what & RIGHT_RUN)
        h.run = p->header.run;
    if (what & TAGGED)
        h.flags |= TELEMETRY_SEALED;
    memcpy(packet, &h, sizeof h);
    if (what & TAGGED) {
        telemetry_tag(&p->run_key, &h, packet + sizeof h, bytes - sizeof h, packet + bytes);
        bytes += TELEMETRY_TAG;
    }
    if ((what & SEALED) && telemetry_open(packet, bytes, &h) == TELEMETRY_GOOD &&
        telemetry_sealed_bytes(&h) > 0)
        telemetry_seal(h.kind == TELEMETRY_HELLO ? &p->key : &p->session[0].key, &h,
                       packet + sizeof h);
    return bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct publish p; /* large; cleared each time */
    struct loop *l = calloc(1, sizeof *l);
    struct sockaddr_in from = {.sin_family = AF_INET, .sin_port = htons(1)};
    expect(l != NULL);
    memset(&p, 0, sizeof p);
    expect(latest_init(&l->live_for_host, sizeof(struct loop_live), NULL, NULL) == 0);
    expect(remote_driver_init(&l->person, false) == 0);
    expect(requests_init(&l->requests) == 0);
    struct commands commands = {.loop = l, .now_ns = publish_now_ns};
    lease_init(&commands.lease);
    open_publish(&p, l);
    p.room = &commands;
    if (size > 1) {
        unsigned what = data[0];
        unsigned char *packet = malloc(size - 1 + TELEMETRY_TAG);
        expect(packet != NULL);
        memcpy(packet, data + 1, size - 1);
        size_t bytes = improve(&p, what, packet, size - 1);
        packet = realloc(packet, bytes); /* so that its end is guarded */
        expect(packet != NULL);
        if (what & STRANGER)
            from.sin_port = htons(2);
        publish_take_packet(&p, &from, packet, bytes);
        expect(p.asked_ns == 0 || (what & TAGGED)); /* nothing is answered without a tag */
        expect(!p.peer[0].done || (what & TAGGED));
        bool done = ring_fill(&l->requests.asked) > 0 || p.commands > 0;
        expect(!done || (what & SEALED));
        struct plant_in in = {0};
        if (remote_driver_receive(&l->person, 1e-3))
            expect(what & SEALED);
        remote_driver_command(&l->person, &in);
        expect(in.throttle >= 0.0 && in.throttle <= 1.0 && in.brake_pedal >= 0.0 &&
               in.brake_pedal <= 1.0);
        free(packet);
    }
    latest_free(&l->live_for_host);
    remote_driver_free(&l->person);
    requests_free(&l->requests);
    lease_free(&commands.lease);
    free(l);
    return 0;
}
