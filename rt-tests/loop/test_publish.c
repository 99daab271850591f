/* What the target sends to its host and answers to its questions: records, events, description,
 * clock. */
#include "rt-tests/support/publish_bed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

static void records_are_numbered_and_share_packets(void **state)
{
    (void)state;
    struct publish_bed *b = bed_open();
    struct err e = {""};
    for (uint64_t i = 0; i < 40; i++)
        bed_put(b, i);
    bed_put(b, 45); /* five found no room */
    assert_int_equal(bed_begin(b, &e), 0);
    uint64_t expected = 0, last_packet = 0;
    while (expected != 46) {
        const struct loop_record *r = bed_next(b, TELEMETRY_RECORDS);
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
    struct publish_bed *b = bed_open();
    struct err e = {""};
    (void)close(b->host); /* nobody listens there now */
    assert_int_equal(bed_begin(b, &e), 0);
    for (uint64_t i = 0; i < 10; i++)
        bed_put(b, i);
    while (ring_fill(&b->loop.telemetry) > 0)
        (void)usleep(1000);
    (void)usleep(10000);
    b->host = bed_listen(&b->port);
    bed_put(b, 10);
    (void)bed_next(b, TELEMETRY_STATUS);
    struct telemetry_header ask = bed_header(b, TELEMETRY_ASK_RECORDS);
    ask.count = 10;
    bed_say(b, &ask, NULL, 0);
    do
        (void)bed_next(b, TELEMETRY_RECORDS);
    while (!(b->header.flags & TELEMETRY_AGAIN));
    assert_int_equal(b->header.first, 0);
    assert_int_equal(b->header.count, 10);
    bed_close(b);
}

static void what_nobody_keeps_is_said_to_be_gone(void **state)
{
    (void)state;
    struct publish_bed *b = bed_start();
    uint64_t capacity = b->publish.history.capacity;
    (void)bed_next(b, TELEMETRY_STATUS);
    for (uint64_t i = 0; i < capacity + 100; i++) {
        while (ring_fill(&b->loop.telemetry) > 500)
            (void)usleep(1000);
        bed_put(b, i);
    }
    do
        (void)bed_next(b, TELEMETRY_RECORDS);
    while (b->header.first + b->header.count < capacity + 100 && ring_fill(&b->loop.telemetry) > 0);
    struct telemetry_header ask = bed_header(b, TELEMETRY_ASK_RECORDS);
    ask.first = 5;
    ask.count = 3;
    (void)usleep(20000);
    bed_say(b, &ask, NULL, 0);
    (void)bed_next(b, TELEMETRY_GONE);
    assert_int_equal(b->header.first, 100); /* the oldest of those kept */
    bed_close(b);
}

static void tap(struct publish_bed *b, int64_t tick)
{
    const struct loop_event e = {.tick = tick, .kind = EVENT_MISSED};
    b->publish.tap.event(b->publish.tap.self, &e, "");
}

/* The next event with these flags, the first of its packet. */
static struct telemetry_event next_event(struct publish_bed *b, uint8_t flags)
{
    struct telemetry_event e;
    do
        memcpy(&e, bed_next(b, TELEMETRY_EVENTS), sizeof e);
    while (b->header.flags != flags);
    return e;
}

/* Events are all sent, and what has come of them is passed over, so that there is room. */
static void settle(struct publish_bed *b)
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
    struct publish_bed *b = bed_start();
    (void)bed_next(b, TELEMETRY_STATUS);
    for (int64_t i = 0; i < PUBLISH_EVENTS + 100; i++) {
        while (ring_fill(&b->publish.events) > 500)
            (void)usleep(1000);
        tap(b, i);
    }
    struct telemetry_header ask = bed_header(b, TELEMETRY_ASK_EVENTS);
    ask.first = 5;
    ask.count = 3;
    settle(b);
    bed_say(b, &ask, NULL, 0);
    (void)bed_next(b, TELEMETRY_GONE);
    assert_int_equal(b->header.flags, TELEMETRY_AGAIN | TELEMETRY_OF_EVENTS);
    assert_int_equal(b->header.first, 100); /* the oldest of those kept */
    assert_int_equal(next_event(b, TELEMETRY_AGAIN).event.tick, 100);
    bed_close(b);
}

/* A list of missed deadlines with a hole says so. */
static void events_without_room_are_an_event(void **state)
{
    (void)state;
    struct publish_bed *b = bed_start();
    int64_t room = (int64_t)ring_capacity(&b->publish.events);
    (void)bed_next(b, TELEMETRY_STATUS);
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
    struct telemetry_header ask = bed_header(b, TELEMETRY_ASK_EVENTS);
    ask.first = (uint64_t)room;
    ask.count = 2;
    bed_say(b, &ask, NULL, 0);
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
    struct publish_bed *b = bed_start();
    (void)bed_next(b, TELEMETRY_STATUS);
    struct telemetry_header ask = bed_header(b, TELEMETRY_ASK_BLOB);
    bed_say(b, &ask, NULL, 0);
    struct telemetry_blob part;
    char *text = calloc(1, TELEMETRY_BLOB_MAX);
    size_t got = 0;
    assert_non_null(text);
    do {
        const char *body = bed_next(b, TELEMETRY_BLOB);
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
    struct publish_bed *b = bed_start();
    struct telemetry_clock c = {.asked_ns = 12345};
    (void)bed_next(b, TELEMETRY_STATUS);
    struct telemetry_header ask = bed_header(b, TELEMETRY_ASK_CLOCK);
    bed_say(b, &ask, &c, sizeof c);
    memcpy(&c, bed_next(b, TELEMETRY_CLOCK), sizeof c);
    assert_int_equal(c.asked_ns, 12345);
    assert_true(c.answered_ns >= c.taken_ns && c.taken_ns > 0);
    assert_true(c.answered_ns <= publish_now_ns());
    bed_close(b);
}

static void an_address_that_is_none_is_refused(void **state)
{
    (void)state;
    struct publish_bed *b = bed_open();
    struct err e = {""};
    const struct publish_setup setup = {
        .name = "x", .host = "host.example", .port = 1, .key = "", .log = ""};
    assert_true(publish_start(&b->publish, &b->loop, &setup, &e) < 0);
    assert_non_null(strstr(e.text, "\"host.example\" is no IPv4 address"));
    bed_close(b);
}

/* No two packets have the same time: a host tells old from new by it. */
static void every_packet_has_a_time_of_its_own(void **state)
{
    (void)state;
    struct publish_bed *b = bed_start();
    int64_t last_ns = INT64_MIN;
    for (uint64_t i = 0; i < 200; i++) {
        bed_put(b, 2 * i); /* each a packet of its own */
        (void)bed_next(b, TELEMETRY_RECORDS);
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
        cmocka_unit_test(an_address_that_is_none_is_refused),
        cmocka_unit_test(every_packet_has_a_time_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
