/* What a host may do to the target: the key, sessions, commands and driving. */
#include "rt-tests/support/publish_bed.h"
#include "shared/wire/telemetry_seal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include <cmocka.h>

struct session {
    uint64_t id;
    struct seal_key key;
};

static void greet(struct publish_bed *b, const struct seal_key *key, struct telemetry_hello *hello)
{
    struct telemetry_header h = bed_header(b, TELEMETRY_HELLO);
    memset(hello, 0, sizeof *hello);
    seal_random(hello->host, sizeof hello->host);
    telemetry_seal(key, &h, hello);
    bed_say(b, &h, hello, sizeof *hello);
}

static struct session open_session(struct publish_bed *b)
{
    struct telemetry_hello hello;
    struct session s;
    (void)bed_next(b, TELEMETRY_STATUS);
    greet(b, &b->key, &hello);
    memcpy(&hello, bed_next(b, TELEMETRY_CHALLENGE), sizeof hello);
    assert_true(telemetry_is_sealed(&b->key, &b->header, b->packet));
    memcpy(&s.id, hello.host, sizeof s.id);
    seal_session(&b->key, b->publish.header.run, hello.host, hello.target, &s.key);
    return s;
}

static struct telemetry_command command(const struct publish_bed *b, const struct session *s,
                                        uint64_t counter, const char *line)
{
    struct telemetry_header h = bed_header(b, TELEMETRY_COMMAND);
    struct telemetry_command c = {.session = s->id, .counter = counter, .who = "page1@here"};
    (void)snprintf(c.line, sizeof c.line, "%s", line);
    telemetry_seal(&s->key, &h, &c);
    return c;
}

static void send_command(struct publish_bed *b, const struct telemetry_command *c)
{
    struct telemetry_header h = bed_header(b, TELEMETRY_COMMAND);
    bed_say(b, &h, c, sizeof *c);
}

/* In the place of the real-time thread: the tick that carries out a request, once it has come. */
static void tick(struct publish_bed *b)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    while (ring_fill(&b->loop.requests.asked) == 0)
        (void)nanosleep(&moment, NULL);
    b->loop.ticking = true;
    b->loop.tick++;
    loop_take_requests(&b->loop);
}

static void expect_reply(struct publish_bed *b, const char *line)
{
    struct telemetry_command back;
    memcpy(&back, bed_next(b, TELEMETRY_REPLY), sizeof back);
    assert_string_equal(back.line, line);
}

static void a_sealed_command_is_done_once_and_answered_each_time(void **state)
{
    (void)state;
    struct publish_bed *b = bed_start();
    struct session s = open_session(b);
    struct telemetry_command c = command(b, &s, 1, "safe"), back;
    send_command(b, &c);
    assert_true(bed_hears_nothing(b, TELEMETRY_REPLY)); /* before it was carried out */
    tick(b);
    for (int i = 0; i < 3; i++) {
        if (i > 0)
            send_command(b, &c);
        memcpy(&back, bed_next(b, TELEMETRY_REPLY), sizeof back);
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
    struct publish_bed *b = bed_start();
    struct session s = open_session(b);
    struct telemetry_command safe = command(b, &s, 1, "safe"), reset = command(b, &s, 2, "reset 1");
    send_command(b, &safe);
    tick(b);
    expect_reply(b, "ok 1 tick 1: safe state 1");
    send_command(b, &reset);
    tick(b);
    expect_reply(b, "ok 2 tick 2: safe state 1 is left");
    send_command(b, &safe);
    assert_true(bed_hears_nothing(b, TELEMETRY_REPLY));
    assert_int_equal(ring_fill(&b->loop.requests.asked), 0);
    bed_close(b);
}

/* The socket's user holds the bench: a page may stop it, and take it over, and nothing else. */
static void one_holds_the_bench_and_anybody_stops_it(void **state)
{
    (void)state;
    struct publish_bed *b = bed_start();
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
    struct publish_bed *b = bed_open();
    struct err e = {""};
    b->diagnosis.setup.on = true;
    atomic_store(&b->diagnosis.begun, true);
    assert_int_equal(bed_begin(b, &e), 0);
    struct session s = open_session(b);
    struct telemetry_command c = command(b, &s, 1, "dtc"), back;
    send_command(b, &c);
    send_command(b, &c); /* as a host does that waits */
    assert_true(bed_hears_nothing(b, TELEMETRY_REPLY));
    unit_says(&b->diagnosis, two, sizeof two);
    memcpy(&back, bed_next(b, TELEMETRY_REPLY), sizeof back);
    assert_int_equal(back.counter, 1);
    assert_string_equal(back.line, "ok C0035-31 status 0xAF, C1095-62 status 0x28");
    send_command(b, &c);
    memcpy(&back, bed_next(b, TELEMETRY_REPLY), sizeof back);
    assert_string_equal(back.line, "ok C0035-31 status 0xAF, C1095-62 status 0x28");
    /* More than fit into a line. */
    c = command(b, &s, 2, "dtc");
    send_command(b, &c);
    unit_says(&b->diagnosis, many, sizeof many);
    memcpy(&back, bed_next(b, TELEMETRY_REPLY), sizeof back);
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
    memcpy(&back, bed_next(b, TELEMETRY_REPLY), sizeof back);
    assert_int_equal(back.counter, 4);
    unit_says(&b->diagnosis, two, sizeof two);
    assert_true(bed_hears_nothing(b, TELEMETRY_REPLY));
    bed_close(b);
}

static void a_bench_without_a_unit_has_no_trouble_codes(void **state)
{
    (void)state;
    struct publish_bed *b = bed_start();
    struct session s = open_session(b);
    struct telemetry_command c = command(b, &s, 1, "dtc"), back;
    send_command(b, &c);
    memcpy(&back, bed_next(b, TELEMETRY_REPLY), sizeof back);
    assert_string_equal(back.line,
                        "error the bench has no unit with diagnosis (docs/diagnosis.md)");
    bed_close(b);
}

static void a_command_of_another_run_is_not_done(void **state)
{
    (void)state;
    struct publish_bed *b = bed_start();
    struct session s = open_session(b);
    struct telemetry_command c = command(b, &s, 1, "stop");
    publish_finish(&b->publish);
    struct err e;
    assert_int_equal(bed_begin(b, &e), 0); /* the same key, another run */
    (void)bed_next(b, TELEMETRY_STATUS);
    send_command(b, &c);
    assert_true(bed_hears_nothing(b, TELEMETRY_REPLY));
    assert_int_equal(ring_fill(&b->loop.requests.asked), 0);
    bed_close(b);
}

static void without_the_key_nothing_is_done(void **state)
{
    (void)state;
    struct publish_bed *b = bed_start();
    struct seal_key other;
    struct telemetry_hello hello;
    struct session s = open_session(b);
    struct telemetry_command c = command(b, &s, 1, "stop");
    seal_random(&other, sizeof other);
    greet(b, &other, &hello);
    assert_true(bed_hears_nothing(b, TELEMETRY_CHALLENGE));
    memcpy(c.line, "safe", 5); /* sealed as something else */
    send_command(b, &c);
    c = command(b, &s, 1, "stop");
    c.seal[7] ^= 1;
    send_command(b, &c);
    assert_true(bed_hears_nothing(b, TELEMETRY_REPLY));
    assert_int_equal(ring_fill(&b->loop.requests.asked), 0);
    bed_close(b);
}

static void hellos_sent_again_do_not_displace_a_host_at_work(void **state)
{
    (void)state;
    struct publish_bed *b = bed_start();
    struct session s = open_session(b);
    struct telemetry_command c = command(b, &s, 1, "status"), again = command(b, &s, 2, "status");
    struct telemetry_hello hello;
    send_command(b, &c);
    (void)bed_next(b, TELEMETRY_REPLY);
    for (int i = 0; i < 4 * PUBLISH_SESSIONS; i++)
        greet(b, &b->key, &hello);
    send_command(b, &again);
    (void)bed_next(b, TELEMETRY_REPLY);
    bed_close(b);
}

static void driving_reaches_the_loop_and_old_input_does_not(void **state)
{
    (void)state;
    struct publish_bed *b = bed_start();
    struct session s = open_session(b);
    struct telemetry_header h = bed_header(b, TELEMETRY_DRIVE);
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
    bed_say(b, &h, &first, sizeof first);
    bed_say(b, &h, &second, sizeof second);
    bed_say(b, &h, &first, sizeof first); /* late, or sent again by somebody */
    struct telemetry_command c = command(b, &s, 1, "status");
    send_command(b, &c);
    (void)bed_next(b, TELEMETRY_REPLY); /* so all of it has been taken */
    (void)remote_driver_receive(&b->loop.person, 0.001);
    remote_driver_command(&b->loop.person, &in);
    assert_int_equal(b->loop.person.who, DRIVER_PERSON);
    assert_true(in.throttle == 0.25);
    bed_close(b);
}

static void a_key_that_others_may_read_is_refused(void **state)
{
    (void)state;
    struct publish_bed *b = bed_open();
    struct err e = {""};
    assert_int_equal(chmod(b->key_path, 0644), 0);
    assert_true(bed_begin(b, &e) < 0);
    assert_non_null(strstr(e.text, "others may read or change it; chmod 600 it"));
    bed_close(b);
}

/* A question without a tag, or with one of another run, is not answered. */
static void questions_need_the_key(void **state)
{
    (void)state;
    struct publish_bed *b = bed_start();
    const struct telemetry_clock c = {.asked_ns = 1};
    const struct telemetry_header ask = bed_header(b, TELEMETRY_ASK_CLOCK);
    (void)bed_next(b, TELEMETRY_STATUS);
    b->untagged = true;
    bed_say(b, &ask, &c, sizeof c);
    assert_true(bed_hears_nothing(b, TELEMETRY_CLOCK));
    b->untagged = false;
    telemetry_run_key(&b->key, b->header.run + 1, &b->run_key);
    bed_say(b, &ask, &c, sizeof c);
    assert_true(bed_hears_nothing(b, TELEMETRY_CLOCK));
    telemetry_run_key(&b->key, b->publish.header.run, &b->run_key);
    bed_say(b, &ask, &c, sizeof c);
    (void)bed_next(b, TELEMETRY_CLOCK);
    bed_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sealed_command_is_done_once_and_answered_each_time),
        cmocka_unit_test(an_old_command_is_not_done_again),
        cmocka_unit_test(one_holds_the_bench_and_anybody_stops_it),
        cmocka_unit_test(trouble_codes_are_told_once_the_unit_has_answered),
        cmocka_unit_test(a_bench_without_a_unit_has_no_trouble_codes),
        cmocka_unit_test(a_command_of_another_run_is_not_done),
        cmocka_unit_test(without_the_key_nothing_is_done),
        cmocka_unit_test(hellos_sent_again_do_not_displace_a_host_at_work),
        cmocka_unit_test(driving_reaches_the_loop_and_old_input_does_not),
        cmocka_unit_test(a_key_that_others_may_read_is_refused),
        cmocka_unit_test(questions_need_the_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
