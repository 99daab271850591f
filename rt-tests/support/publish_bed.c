#include "rt-tests/support/publish_bed.h"

#include "shared/wire/telemetry_seal.h"

#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cmocka.h>

enum { PERIOD_NS = 1000000 };

int bed_listen(int *port)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)*port),
                             .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof at;
    const struct timeval patience = {.tv_sec = 10};
    int host = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    assert_true(host >= 0);
    assert_int_equal(bind(host, (const struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(getsockname(host, (struct sockaddr *)&at, &size), 0);
    assert_int_equal(setsockopt(host, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience), 0);
    *port = ntohs(at.sin_port);
    return host;
}

struct publish_bed *bed_open(void)
{
    struct publish_bed *b = calloc(1, sizeof *b);
    struct offline_options options = {.duration_s = -1.0, .integrator = VEHICLE_AS_FILE};
    struct err e = {""};
    assert_non_null(b);
    assert_int_equal(offline_open("config/scenarios/slalom.yaml", &options, &b->car), 0);
    b->rt.ops = &rt_virtual;
    b->loop.rt = &b->rt;
    b->loop.car = &b->car;
    b->loop.setup = (struct loop_setup){.period_ns = PERIOD_NS, .publish_every = 1};
    assert_int_equal(loop_rings_init(&b->loop, 0.1), 0);
    assert_int_equal(commands_open(&b->commands, &b->loop, NULL, true, &e), 0);
    b->host = bed_listen(&b->port);
    (void)snprintf(b->folder, sizeof b->folder, "/tmp/skidpad-publish-XXXXXX");
    assert_non_null(mkdtemp(b->folder));
    (void)snprintf(b->key_path, sizeof b->key_path, "%s/key", b->folder);
    assert_int_equal(seal_key_make(b->key_path, &e), 0);
    assert_int_equal(seal_key_load(b->key_path, &b->key, &e), 0);
    return b;
}

int bed_begin(struct publish_bed *b, struct err *e)
{
    const struct publish_setup setup = {
        .name = "a bench",
        .host = "127.0.0.1",
        .port = b->port,
        .key = b->key_path,
        .log = "",
        .diagnosis = &b->diagnosis,
        .commands = &b->commands,
        .source = {.about = {.scenario = "config/scenarios/slalom.yaml",
                             .vehicle = "",
                             .core = "virtual",
                             .core_about = ""},
                   .bench_name = "a bench"}};
    return publish_start(&b->publish, &b->loop, &setup, e);
}

struct publish_bed *bed_start(void)
{
    struct publish_bed *b = bed_open();
    struct err e = {""};
    if (bed_begin(b, &e))
        fail_msg("%s", e.text);
    return b;
}

void bed_close(struct publish_bed *b)
{
    if (b->target.sin_port != 0 && b->publish.socket >= 0) {
        /* It need not wait for questions. */
        struct telemetry_header done = bed_header(b, TELEMETRY_DONE);
        bed_say(b, &done, NULL, 0);
    }
    publish_finish(&b->publish);
    (void)close(b->host);
    commands_close(&b->commands);
    loop_rings_free(&b->loop);
    offline_close(&b->car);
    (void)unlink(b->key_path);
    (void)rmdir(b->folder);
    free(b);
}

void bed_put(struct publish_bed *b, uint64_t number)
{
    struct loop_sample *s = ring_reserve(&b->loop.telemetry);
    assert_non_null(s);
    memset(s, 0, sizeof *s);
    s->number = number;
    s->record.tick = (int64_t)(10 * number);
    ring_commit(&b->loop.telemetry);
}

const void *bed_next(struct publish_bed *b, int kind)
{
    do {
        socklen_t size = sizeof b->target;
        ssize_t n =
            recvfrom(b->host, b->packet, sizeof b->packet, 0, (struct sockaddr *)&b->target, &size);
        assert_true(n > 0);
        assert_int_equal(telemetry_open(b->packet, (size_t)n, &b->header), TELEMETRY_GOOD);
        assert_true(b->header.flags & TELEMETRY_SEALED); /* whatever it is */
        telemetry_run_key(&b->key, b->header.run, &b->run_key);
        assert_true(telemetry_tag_is_right(&b->run_key, b->packet, (size_t)n));
        b->header.flags &= (uint8_t)~TELEMETRY_SEALED;
    } while (b->header.kind != kind);
    return b->packet + sizeof b->header;
}

bool bed_hears_nothing(struct publish_bed *b, int kind)
{
    const struct timeval shortly = {.tv_usec = 150000}, patience = {.tv_sec = 10};
    bool none = true;
    int64_t end_ns = publish_now_ns() + 150000000;
    (void)setsockopt(b->host, SOL_SOCKET, SO_RCVTIMEO, &shortly, sizeof shortly);
    while (none && publish_now_ns() < end_ns) {
        ssize_t n = recv(b->host, b->packet, sizeof b->packet, 0);
        none = n < 0 || b->packet[offsetof(struct telemetry_header, kind)] != kind;
    }
    (void)setsockopt(b->host, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    return none;
}

struct telemetry_header bed_header(const struct publish_bed *b, uint8_t kind)
{
    struct telemetry_header h = {.magic = TELEMETRY_MAGIC,
                                 .version = TELEMETRY_VERSION,
                                 .kind = kind,
                                 .run = b->publish.header.run};
    return h;
}

void bed_say(struct publish_bed *b, const struct telemetry_header *h, const void *body,
             size_t bytes)
{
    unsigned char packet[2048];
    struct telemetry_header header = *h;
    size_t all = sizeof header + bytes;
    bool tagged = telemetry_sealed_bytes(h) == 0 && !b->untagged;
    if (tagged)
        header.flags |= TELEMETRY_SEALED;
    memcpy(packet, &header, sizeof header);
    if (bytes > 0)
        memcpy(packet + sizeof header, body, bytes);
    if (tagged) {
        telemetry_tag(&b->run_key, &header, body, bytes, packet + all);
        all += TELEMETRY_TAG;
    }
    assert_true(
        sendto(b->host, packet, all, 0, (const struct sockaddr *)&b->target, sizeof b->target) > 0);
}
