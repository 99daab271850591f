/* The target's side of the protocol, with a host of this process. */
#include "shared/wire/telemetry_seal.h"
#include "target/publish.h"

#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <cmocka.h>

enum { PERIOD_NS = 1000000 };

struct bed {
    struct loop loop;
    struct rt rt;
    struct offline car;
    struct publish publish;
    struct commands commands;
    struct diagnosis diagnosis;
    int host, port;
    struct sockaddr_in target; /* where its packets come from */
    char folder[64], key_path[96];
    struct seal_key key;
    unsigned char packet[TELEMETRY_PACKET_MAX];
    struct telemetry_header header;
    struct seal_key run_key;
    bool untagged; /* questions go out without a tag */
};

/* A host on a port of its own, or on the one given. */
static int listen_at(int *port)
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

static struct bed *bed_open(void)
{
    struct bed *b = calloc(1, sizeof *b);
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
    b->host = listen_at(&b->port);
    (void)snprintf(b->folder, sizeof b->folder, "/tmp/skidpad-publish-XXXXXX");
    assert_non_null(mkdtemp(b->folder));
    (void)snprintf(b->key_path, sizeof b->key_path, "%s/key", b->folder);
    assert_int_equal(seal_key_make(b->key_path, &e), 0);
    assert_int_equal(seal_key_load(b->key_path, &b->key, &e), 0);
    return b;
}

static int start(struct bed *b, struct err *e)
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

static struct bed *bed_start(void)
{
    struct bed *b = bed_open();
    struct err e = {""};
    if (start(b, &e))
        fail_msg("%s", e.text);
    return b;
}

static struct telemetry_header own(const struct bed *b, uint8_t kind);
static void say(struct bed *b, const struct telemetry_header *h, const void *body, size_t bytes);

static void bed_close(struct bed *b)
{
    if (b->target.sin_port != 0 && b->publish.socket >= 0) {
        struct telemetry_header done = own(b, TELEMETRY_DONE); /* it need not wait for questions */
        say(b, &done, NULL, 0);
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

static void put(struct bed *b, uint64_t number)
{
    struct loop_sample *s = ring_reserve(&b->loop.telemetry);
    assert_non_null(s);
    memset(s, 0, sizeof *s);
    s->number = number;
    s->record.tick = (int64_t)(10 * number);
    ring_commit(&b->loop.telemetry);
}

/* The next packet of a kind; others are passed over. */
static const void *next(struct bed *b, int kind)
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

/* Nothing of that kind comes for a while. */
static bool nothing(struct bed *b, int kind)
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

static struct telemetry_header own(const struct bed *b, uint8_t kind)
{
    struct telemetry_header h = {.magic = TELEMETRY_MAGIC,
                                 .version = TELEMETRY_VERSION,
                                 .kind = kind,
                                 .run = b->publish.header.run};
    return h;
}

static void say(struct bed *b, const struct telemetry_header *h, const void *body, size_t bytes)
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

static void records_are_numbered_and_share_packets(void **state)
{
    (void)state;
    struct bed *b = bed_open();
    struct err e = {""};
    for (uint64_t i = 0; i < 40; i++)
        put(b, i);
    put(b, 45); /* five found no room */
    assert_int_equal(start(b, &e), 0);
    uint64_t expected = 0, last_packet = 0;
    while (expected != 46) {
        const struct loop_record *r = next(b, TELEMETRY_RECORDS);
        assert_string_equal(b->header.name, "a bench");
        assert_true(b->header.table == telemetry_table_hash());
        assert_int_equal(b->header.each_bytes, sizeof *r);
        assert_true(b->header.packet > last_packet);
        last_packet = b->header.packet;
        if (expected == 40)
            expected = 45;
        assert_int_equal(b->header.first, expected);
        assert_in_range(b->header.count, 1, PUBLISH_BATCH);
        for (uint32_t i = 0; i < b->header.count; i++, expected++) {
            int64_t tick;
            memcpy(&tick, (const char *)r + i * sizeof *r, sizeof tick);
            assert_int_equal(tick, 10 * expected);
        }
    }
    assert_true(last_packet < 46); /* in batches */
    bed_close(b);
}

static void a_host_may_come_later(void **state)
{
    (void)state;
    struct bed *b = bed_open();
    struct err e = {""};
    (void)close(b->host); /* nobody listens there now */
    assert_int_equal(start(b, &e), 0);
    for (uint64_t i = 0; i < 10; i++)
        put(b, i);
    while (ring_fill(&b->loop.telemetry) > 0)
        (void)usleep(1000);
    (void)usleep(10000);
    b->host = listen_at(&b->port);
    put(b, 10);
    (void)next(b, TELEMETRY_STATUS);
    struct telemetry_header ask = own(b, TELEMETRY_ASK_RECORDS);
    ask.count = 10;
    say(b, &ask, NULL, 0);
    do
        (void)next(b, TELEMETRY_RECORDS);
    while (!(b->header.flags & TELEMETRY_AGAIN));
    assert_int_equal(b->header.first, 0);
    assert_int_equal(b->header.count, 10);
    bed_close(b);
}

static void what_nobody_keeps_is_said_to_be_gone(void **state)
{
    (void)state;
    struct bed *b = bed_start();
    uint64_t capacity = b->publish.history.capacity;
    (void)next(b, TELEMETRY_STATUS);
    for (uint64_t i = 0; i < capacity + 100; i++) {
        while (ring_fill(&b->loop.telemetry) > 500)
            (void)usleep(1000);
        put(b, i);
    }
    do
        (void)next(b, TELEMETRY_RECORDS);
    while (b->header.first + b->header.count < capacity + 100 && ring_fill(&b->loop.telemetry) > 0);
    struct telemetry_header ask = own(b, TELEMETRY_ASK_RECORDS);
    ask.first = 5;
    ask.count = 3;
    (void)usleep(20000);
    say(b, &ask, NULL, 0);
    (void)next(b, TELEMETRY_GONE);
    assert_int_equal(b->header.first, 100); /* the oldest of those kept */
    bed_close(b);
}

static void tap(struct bed *b, int64_t tick)
{
    const struct loop_event e = {.tick = tick, .kind = EVENT_MISSED};
    b->publish.tap.event(b->publish.tap.self, &e, "");
}

/* The next event with these flags, the first of its packet. */
static struct telemetry_event next_event(struct bed *b, uint8_t flags)
{
    struct telemetry_event e;
    do
        memcpy(&e, next(b, TELEMETRY_EVENTS), sizeof e);
    while (b->header.flags != flags);
    return e;
}

/* Events are all sent, and what has come of them is passed over, so that there is room. */
static void settle(struct bed *b)
{
    while (ring_fill(&b->publish.events) > 0)
        (void)usleep(1000);
    (void)usleep(20000);
    while (recv(b->host, b->packet, sizeof b->packet, MSG_DONTWAIT) > 0)
        ;
}

static void events_that_nobody_keeps_are_said_to_be_gone(void **state)
{
    (void)state;
    struct bed *b = bed_start();
    (void)next(b, TELEMETRY_STATUS);
    for (int64_t i = 0; i < PUBLISH_EVENTS + 100; i++) {
        while (ring_fill(&b->publish.events) > 500)
            (void)usleep(1000);
        tap(b, i);
    }
    struct telemetry_header ask = own(b, TELEMETRY_ASK_EVENTS);
    ask.first = 5;
    ask.count = 3;
    settle(b);
    say(b, &ask, NULL, 0);
    (void)next(b, TELEMETRY_GONE);
    assert_int_equal(b->header.flags, TELEMETRY_AGAIN | TELEMETRY_OF_EVENTS);
    assert_int_equal(b->header.first, 100); /* the oldest of those kept */
    assert_int_equal(next_event(b, TELEMETRY_AGAIN).event.tick, 100);
    bed_close(b);
}

/* A list of missed deadlines with a hole says so. */
static void events_without_room_are_an_event(void **state)
{
    (void)state;
    struct bed *b = bed_start();
    int64_t room = (int64_t)ring_capacity(&b->publish.events);
    (void)next(b, TELEMETRY_STATUS);
    (void)pthread_mutex_lock(&b->publish.lock); /* holds up the next status, and all that follows */
    (void)usleep(250000);
    for (int64_t i = 0; i < room + 6; i++)
        tap(b, i);
    (void)pthread_mutex_unlock(&b->publish.lock);
    assert_int_equal(b->publish.events_lost, 6);
    while (ring_fill(&b->publish.events) > 0)
        (void)usleep(1000);
    tap(b, room + 6);
    assert_int_equal(b->publish.events_lost, 0);
    settle(b);
    struct telemetry_header ask = own(b, TELEMETRY_ASK_EVENTS);
    ask.first = (uint64_t)room;
    ask.count = 2;
    say(b, &ask, NULL, 0);
    struct telemetry_event lost = next_event(b, TELEMETRY_AGAIN);
    assert_int_equal(lost.event.kind, EVENT_DROPPED);
    assert_int_equal(lost.event.value, 6);
    assert_int_equal(lost.event.tick, room + 5);
    assert_string_equal(lost.text,
                        "6 events found no room in the telemetry; the target's log has them");
    assert_int_equal(next_event(b, TELEMETRY_AGAIN).event.tick, room + 6);
    bed_close(b);
}

static void the_description_holds_the_layout_and_its_hash(void **state)
{
    (void)state;
    struct bed *b = bed_start();
    (void)next(b, TELEMETRY_STATUS);
    struct telemetry_header ask = own(b, TELEMETRY_ASK_BLOB);
    say(b, &ask, NULL, 0);
    struct telemetry_blob part;
    char *text = calloc(1, TELEMETRY_BLOB_MAX);
    size_t got = 0;
    assert_non_null(text);
    do {
        const char *body = next(b, TELEMETRY_BLOB);
        memcpy(&part, body, sizeof part);
        if (part.id != BLOB_DESCRIPTION)
            continue;
        size_t left = part.bytes - part.offset,
               chunk = left < TELEMETRY_CHUNK ? left : TELEMETRY_CHUNK;
        memcpy(text + part.offset, body + sizeof part, chunk);
        got += chunk;
    } while (part.id != BLOB_DESCRIPTION || got < part.bytes);
    assert_non_null(strstr(text, "\"name\": \"vx_mps\""));
    assert_non_null(strstr(text, "\"wheelbase_m\""));
    assert_non_null(strstr(text, "\"cones\""));
    free(text);
    bed_close(b);
}

static void the_clock_is_answered(void **state)
{
    (void)state;
    struct bed *b = bed_start();
    struct telemetry_clock c = {.asked_ns = 12345};
    (void)next(b, TELEMETRY_STATUS);
    struct telemetry_header ask = own(b, TELEMETRY_ASK_CLOCK);
    say(b, &ask, &c, sizeof c);
    memcpy(&c, next(b, TELEMETRY_CLOCK), sizeof c);
    assert_int_equal(c.asked_ns, 12345);
    assert_true(c.answered_ns >= c.taken_ns && c.taken_ns > 0);
    assert_true(c.answered_ns <= publish_now_ns());
    bed_close(b);
}

/* ---- control */

struct session {
    uint64_t id;
    struct seal_key key;
};

static void greet(struct bed *b, const struct seal_key *key, struct telemetry_hello *hello)
{
    struct telemetry_header h = own(b, TELEMETRY_HELLO);
    memset(hello, 0, sizeof *hello);
    seal_random(hello->host, sizeof hello->host);
    telemetry_seal(key, &h, hello);
    say(b, &h, hello, sizeof *hello);
}

static struct session open_session(struct bed *b)
{
    struct telemetry_hello hello;
    struct session s;
    (void)next(b, TELEMETRY_STATUS);
    greet(b, &b->key, &hello);
    memcpy(&hello, next(b, TELEMETRY_CHALLENGE), sizeof hello);
    assert_true(telemetry_is_sealed(&b->key, &b->header, b->packet));
    memcpy(&s.id, hello.host, sizeof s.id);
    seal_session(&b->key, b->publish.header.run, hello.host, hello.target, &s.key);
    return s;
}

static struct telemetry_command command(const struct bed *b, const struct session *s,
                                        uint64_t counter, const char *line)
{
    struct telemetry_header h = own(b, TELEMETRY_COMMAND);
    struct telemetry_command c = {.session = s->id, .counter = counter, .who = "page1@here"};
    (void)snprintf(c.line, sizeof c.line, "%s", line);
    telemetry_seal(&s->key, &h, &c);
    return c;
}

static void send_command(struct bed *b, const struct telemetry_command *c)
{
    struct telemetry_header h = own(b, TELEMETRY_COMMAND);
    say(b, &h, c, sizeof *c);
}

/* In the place of the real-time thread: the tick that carries out a request, once it has come. */
static void tick(struct bed *b)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    while (ring_fill(&b->loop.requests.asked) == 0)
        (void)nanosleep(&moment, NULL);
    b->loop.ticking = true;
    b->loop.tick++;
    loop_take_requests(&b->loop);
}

static void expect_reply(struct bed *b, const char *line)
{
    struct telemetry_command back;
    memcpy(&back, next(b, TELEMETRY_REPLY), sizeof back);
    assert_string_equal(back.line, line);
}

static void a_sealed_command_is_done_once_and_answered_each_time(void **state)
{
    (void)state;
    struct bed *b = bed_start();
    struct session s = open_session(b);
    struct telemetry_command c = command(b, &s, 1, "safe"), back;
    send_command(b, &c);
    assert_true(nothing(b, TELEMETRY_REPLY)); /* before it was carried out */
    tick(b);
    for (int i = 0; i < 3; i++) {
        if (i > 0)
            send_command(b, &c);
        memcpy(&back, next(b, TELEMETRY_REPLY), sizeof back);
        assert_true(telemetry_is_sealed(&s.key, &b->header, b->packet));
        assert_int_equal(back.counter, 1);
        assert_string_equal(back.line, "ok 1 tick 1: safe state 1");
    }
    assert_int_equal(b->loop.cause, CAUSE_OPERATOR);
    publish_finish(&b->publish);
    assert_int_equal(b->publish.commands, 1);
    bed_close(b);
}

static void an_old_command_is_not_done_again(void **state)
{
    (void)state;
    struct bed *b = bed_start();
    struct session s = open_session(b);
    struct telemetry_command safe = command(b, &s, 1, "safe"), reset = command(b, &s, 2, "reset 1");
    send_command(b, &safe);
    tick(b);
    expect_reply(b, "ok 1 tick 1: safe state 1");
    send_command(b, &reset);
    tick(b);
    expect_reply(b, "ok 2 tick 2: safe state 1 is left");
    send_command(b, &safe);
    assert_true(nothing(b, TELEMETRY_REPLY));
    assert_int_equal(ring_fill(&b->loop.requests.asked), 0);
    bed_close(b);
}

/* The socket's user holds the bench: a page may stop it, and take it over, and nothing else. */
static void one_holds_the_bench_and_anybody_stops_it(void **state)
{
    (void)state;
    struct bed *b = bed_start();
    struct session s = open_session(b);
    struct loop_live now = {.tick = 0};
    struct command_from socket = {"anna", &now};
    struct command_ticket ticket;
    char answer[400], holder[LEASE_NAME];
    assert_true(commands_begin(&b->commands, &socket, "reset 1", &ticket, answer, sizeof answer));
    tick(b);
    assert_true(commands_end(&b->commands, &ticket, answer, sizeof answer));
    assert_string_equal(answer, "error 1 tick 1: there is no safe state to leave");
    static const char *const needs[] = {"reset 1", "start", "fault x on", "set rear_bar 2"};
    uint64_t counter = 0;
    for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++) {
        struct telemetry_command c = command(b, &s, ++counter, needs[i]);
        send_command(b, &c);
        expect_reply(b, "error anna holds the bench: wait, or take it over with `take`");
    }
    struct telemetry_command c = command(b, &s, ++counter, "safe");
    send_command(b, &c);
    tick(b);
    expect_reply(b, "ok 2 tick 2: safe state 1");
    lease_holder(&b->commands.lease, publish_now_ns(), holder);
    assert_string_equal(holder, "anna");
    c = command(b, &s, ++counter, "take");
    send_command(b, &c);
    expect_reply(b, "ok page1@here holds the bench");
    c = command(b, &s, ++counter, "reset 1");
    send_command(b, &c);
    tick(b);
    expect_reply(b, "ok 3 tick 3: safe state 1 is left");
    assert_false(commands_begin(&b->commands, &socket, "reset 1", &ticket, answer, sizeof answer));
    assert_non_null(strstr(answer, "page1@here holds the bench"));
    bed_close(b);
}

/* In the place of the real-time thread: what the unit says to the request that waits. */
static void unit_says(struct diagnosis *d, const uint8_t *bytes, int n)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    while (atomic_load(&d->job) != DIAGNOSIS_WANTED)
        (void)nanosleep(&moment, NULL);
    assert_int_equal(d->job_data[0], UDS_READ_CODES);
    memcpy(d->job_data, bytes, (size_t)n);
    d->job_length = n;
    d->job_result = UDS_ANSWERED;
    atomic_store(&d->job, DIAGNOSIS_ANSWERED);
}

static void trouble_codes_are_told_once_the_unit_has_answered(void **state)
{
    (void)state;
    static const uint8_t two[] = {0x59, 0x02, 0xff, 0x40, 0x35, 0x31, 0xaf, 0x50, 0x95, 0x62, 0x28};
    uint8_t many[3 + 4 * 40] = {0x59, 0x02, 0xff};
    struct bed *b = bed_open();
    struct err e = {""};
    b->diagnosis.setup.on = true;
    atomic_store(&b->diagnosis.begun, true);
    assert_int_equal(start(b, &e), 0);
    struct session s = open_session(b);
    struct telemetry_command c = command(b, &s, 1, "dtc"), back;
    send_command(b, &c);
    send_command(b, &c); /* as a host does that waits */
    assert_true(nothing(b, TELEMETRY_REPLY));
    unit_says(&b->diagnosis, two, sizeof two);
    memcpy(&back, next(b, TELEMETRY_REPLY), sizeof back);
    assert_int_equal(back.counter, 1);
    assert_string_equal(back.line, "ok C0035-31 status 0xAF, C1095-62 status 0x28");
    send_command(b, &c);
    memcpy(&back, next(b, TELEMETRY_REPLY), sizeof back);
    assert_string_equal(back.line, "ok C0035-31 status 0xAF, C1095-62 status 0x28");
    /* More than fit into a line. */
    c = command(b, &s, 2, "dtc");
    send_command(b, &c);
    unit_says(&b->diagnosis, many, sizeof many);
    memcpy(&back, next(b, TELEMETRY_REPLY), sizeof back);
    int told = 0;
    for (const char *at = back.line; (at = strstr(at, "status")) != NULL; at++)
        told++;
    const char *rest = strstr(back.line, ", and ");
    assert_non_null(rest);
    int more = (int)strtol(rest + strlen(", and "), NULL, 10);
    assert_int_equal(told + more, 40);
    assert_true(told >= 14);
    /* One that the host has given up is not mistaken for the next one's answer. */
    c = command(b, &s, 3, "dtc");
    send_command(b, &c);
    c = command(b, &s, 4, "status");
    send_command(b, &c);
    memcpy(&back, next(b, TELEMETRY_REPLY), sizeof back);
    assert_int_equal(back.counter, 4);
    unit_says(&b->diagnosis, two, sizeof two);
    assert_true(nothing(b, TELEMETRY_REPLY));
    bed_close(b);
}

static void a_bench_without_a_unit_has_no_trouble_codes(void **state)
{
    (void)state;
    struct bed *b = bed_start();
    struct session s = open_session(b);
    struct telemetry_command c = command(b, &s, 1, "dtc"), back;
    send_command(b, &c);
    memcpy(&back, next(b, TELEMETRY_REPLY), sizeof back);
    assert_string_equal(back.line,
                        "error the bench has no unit with diagnosis (docs/diagnosis.md)");
    bed_close(b);
}

static void a_command_of_another_run_is_not_done(void **state)
{
    (void)state;
    struct bed *b = bed_start();
    struct session s = open_session(b);
    struct telemetry_command c = command(b, &s, 1, "stop");
    publish_finish(&b->publish);
    struct err e;
    assert_int_equal(start(b, &e), 0); /* the same key, another run */
    (void)next(b, TELEMETRY_STATUS);
    send_command(b, &c);
    assert_true(nothing(b, TELEMETRY_REPLY));
    assert_int_equal(ring_fill(&b->loop.requests.asked), 0);
    bed_close(b);
}

static void without_the_key_nothing_is_done(void **state)
{
    (void)state;
    struct bed *b = bed_start();
    struct seal_key other;
    struct telemetry_hello hello;
    struct session s = open_session(b);
    struct telemetry_command c = command(b, &s, 1, "stop");
    seal_random(&other, sizeof other);
    greet(b, &other, &hello);
    assert_true(nothing(b, TELEMETRY_CHALLENGE));
    memcpy(c.line, "safe", 5); /* sealed as something else */
    send_command(b, &c);
    c = command(b, &s, 1, "stop");
    c.seal[7] ^= 1;
    send_command(b, &c);
    assert_true(nothing(b, TELEMETRY_REPLY));
    assert_int_equal(ring_fill(&b->loop.requests.asked), 0);
    bed_close(b);
}

static void hellos_sent_again_do_not_displace_a_host_at_work(void **state)
{
    (void)state;
    struct bed *b = bed_start();
    struct session s = open_session(b);
    struct telemetry_command c = command(b, &s, 1, "status"), again = command(b, &s, 2, "status");
    struct telemetry_hello hello;
    send_command(b, &c);
    (void)next(b, TELEMETRY_REPLY);
    for (int i = 0; i < 4 * PUBLISH_SESSIONS; i++)
        greet(b, &b->key, &hello);
    send_command(b, &again);
    (void)next(b, TELEMETRY_REPLY);
    bed_close(b);
}

static void driving_reaches_the_loop_and_old_input_does_not(void **state)
{
    (void)state;
    struct bed *b = bed_start();
    struct session s = open_session(b);
    struct telemetry_header h = own(b, TELEMETRY_DRIVE);
    struct telemetry_drive first = {.session = s.id,
                                    .counter = 1,
                                    .who = "page1@here",
                                    .throttle = 0.5,
                                    .gear = PLANT_GEAR_AUTO,
                                    .drives = 1};
    struct telemetry_drive second = first;
    struct plant_in in = {0};
    second.counter = 2;
    second.throttle = 0.25;
    telemetry_seal(&s.key, &h, &first);
    telemetry_seal(&s.key, &h, &second);
    say(b, &h, &first, sizeof first);
    say(b, &h, &second, sizeof second);
    say(b, &h, &first, sizeof first); /* late, or sent again by somebody */
    struct telemetry_command c = command(b, &s, 1, "status");
    send_command(b, &c);
    (void)next(b, TELEMETRY_REPLY); /* so all of it has been taken */
    (void)remote_driver_receive(&b->loop.person, 0.001);
    remote_driver_command(&b->loop.person, &in);
    assert_int_equal(b->loop.person.who, DRIVER_PERSON);
    assert_true(in.throttle == 0.25);
    bed_close(b);
}

static void an_address_that_is_none_is_refused(void **state)
{
    (void)state;
    struct bed *b = bed_open();
    struct err e = {""};
    const struct publish_setup setup = {
        .name = "x", .host = "host.example", .port = 1, .key = "", .log = ""};
    assert_true(publish_start(&b->publish, &b->loop, &setup, &e) < 0);
    assert_non_null(strstr(e.text, "\"host.example\" is no IPv4 address"));
    bed_close(b);
}

static void a_key_that_others_may_read_is_refused(void **state)
{
    (void)state;
    struct bed *b = bed_open();
    struct err e = {""};
    assert_int_equal(chmod(b->key_path, 0644), 0);
    assert_true(start(b, &e) < 0);
    assert_non_null(strstr(e.text, "others may read or change it; chmod 600 it"));
    bed_close(b);
}

/* A question without a tag, or with one of another run, is not answered. */
static void questions_need_the_key(void **state)
{
    (void)state;
    struct bed *b = bed_start();
    const struct telemetry_clock c = {.asked_ns = 1};
    const struct telemetry_header ask = own(b, TELEMETRY_ASK_CLOCK);
    (void)next(b, TELEMETRY_STATUS);
    b->untagged = true;
    say(b, &ask, &c, sizeof c);
    assert_true(nothing(b, TELEMETRY_CLOCK));
    b->untagged = false;
    telemetry_run_key(&b->key, b->header.run + 1, &b->run_key);
    say(b, &ask, &c, sizeof c);
    assert_true(nothing(b, TELEMETRY_CLOCK));
    telemetry_run_key(&b->key, b->publish.header.run, &b->run_key);
    say(b, &ask, &c, sizeof c);
    (void)next(b, TELEMETRY_CLOCK);
    bed_close(b);
}

/* No two packets have the same time: a host tells old from new by it. */
static void every_packet_has_a_time_of_its_own(void **state)
{
    (void)state;
    struct bed *b = bed_start();
    int64_t last_ns = INT64_MIN;
    for (uint64_t i = 0; i < 200; i++) {
        put(b, 2 * i); /* each a packet of its own */
        (void)next(b, TELEMETRY_RECORDS);
        assert_true(b->header.sent_ns > last_ns);
        last_ns = b->header.sent_ns;
    }
    bed_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_are_numbered_and_share_packets),
        cmocka_unit_test(a_host_may_come_later),
        cmocka_unit_test(what_nobody_keeps_is_said_to_be_gone),
        cmocka_unit_test(events_that_nobody_keeps_are_said_to_be_gone),
        cmocka_unit_test(events_without_room_are_an_event),
        cmocka_unit_test(the_description_holds_the_layout_and_its_hash),
        cmocka_unit_test(the_clock_is_answered),
        cmocka_unit_test(a_sealed_command_is_done_once_and_answered_each_time),
        cmocka_unit_test(an_old_command_is_not_done_again),
        cmocka_unit_test(one_holds_the_bench_and_anybody_stops_it),
        cmocka_unit_test(trouble_codes_are_told_once_the_unit_has_answered),
        cmocka_unit_test(a_bench_without_a_unit_has_no_trouble_codes),
        cmocka_unit_test(a_command_of_another_run_is_not_done),
        cmocka_unit_test(without_the_key_nothing_is_done),
        cmocka_unit_test(hellos_sent_again_do_not_displace_a_host_at_work),
        cmocka_unit_test(driving_reaches_the_loop_and_old_input_does_not),
        cmocka_unit_test(an_address_that_is_none_is_refused),
        cmocka_unit_test(a_key_that_others_may_read_is_refused),
        cmocka_unit_test(questions_need_the_key),
        cmocka_unit_test(every_packet_has_a_time_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
