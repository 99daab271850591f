/* What the host makes of packets: which run they are of, what it asks for, and when it is done. */
#include "host/host.h"
#include "shared/base/time.h"

#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

struct bed {
    struct host host;
    int target; /* the target's end */
    struct sockaddr_in from;
    char answer[200];
    int answers;
};

static int local_socket(struct sockaddr_in *at)
{
    socklen_t size = sizeof *at;
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    *at = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (const struct sockaddr *)at, sizeof *at), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)at, &size), 0);
    return fd;
}

static void take_answer(void *self, const struct host_command *c, bool ok, const char *text)
{
    struct bed *b = self;
    (void)c;
    assert_false(ok);
    b->answers++;
    (void)snprintf(b->answer, sizeof b->answer, "%s", text);
}

static struct bed *bed_open(const char *record)
{
    struct bed *b = calloc(1, sizeof *b);
    struct sockaddr_in own;
    assert_non_null(b);
    b->target = local_socket(&b->from);
    b->host.socket = local_socket(&own);
    b->host.wake = -1;
    b->host.setup.record = record;
    b->host.has_key = true;
    b->host.reply = take_answer;
    b->host.reply_self = b;
    (void)pthread_mutex_init(&b->host.lock, NULL);
    for (int i = 0; i < HOST_TARGETS; i++) {
        b->host.target[i].id = i;
        (void)pthread_mutex_init(&b->host.target[i].lock, NULL);
    }
    return b;
}

static void bed_close(struct bed *b)
{
    for (int i = 0; i < HOST_TARGETS; i++)
        host_end_run(&b->host.target[i]);
    (void)close(b->target);
    (void)close(b->host.socket);
    free(b);
}

static void take(struct bed *b, uint64_t run, const char *name, struct telemetry_header h,
                 const void *body, size_t bytes)
{
    unsigned char packet[4096];
    static uint64_t packets;
    h.magic = TELEMETRY_MAGIC;
    h.version = TELEMETRY_VERSION;
    h.run = run;
    h.packet = ++packets;
    (void)snprintf(h.name, sizeof h.name, "%s", name);
    memcpy(packet, &h, sizeof h);
    if (bytes > 0)
        memcpy(packet + sizeof h, body, bytes);
    host_take(&b->host, &b->from, packet, sizeof h + bytes);
}

static void take_status(struct bed *b, uint64_t run, const char *name, uint32_t state)
{
    const struct telemetry_status s = {
        .state = state, .period_ns = NS_PER_MS, .records = 5, .events = 5000};
    take(b, run, name, (struct telemetry_header){.kind = TELEMETRY_STATUS}, &s, sizeof s);
}

/* The place of a run, or -1. */
static int place_of(const struct bed *b, uint64_t run)
{
    int at = -1;
    for (int i = 0; i < HOST_TARGETS; i++)
        if (atomic_load(&b->host.target[i].used) && b->host.target[i].run == run) {
            assert_int_equal(at, -1); /* at one place only */
            at = i;
        }
    return at;
}

/* Seconds pass in which nothing is heard of it. */
static void let_pass(struct bed *b, int place, int64_t seconds)
{
    b->host.target[place].heard_ns -= seconds * NS_PER_S;
}

static int said(struct bed *b, uint8_t kind)
{
    unsigned char packet[4096];
    int count = 0;
    while (recv(b->target, packet, sizeof packet, 0) > 0)
        count += packet[offsetof(struct telemetry_header, kind)] == kind;
    return count;
}

static void two_runs_of_one_name_keep_their_places(void **state)
{
    (void)state;
    struct bed *b = bed_open(NULL);
    take_status(b, 1, "passing", TELEMETRY_RUNNING);
    take_status(b, 2, "bench", TELEMETRY_RUNNING);
    let_pass(b, 0, 6); /* the first one never said what it is: its place is free again */
    take_status(b, 3, "bench", TELEMETRY_RUNNING);
    assert_int_equal(place_of(b, 3), 0);
    take_status(b, 2, "bench", TELEMETRY_ENDED);
    take_status(b, 3, "bench", TELEMETRY_RUNNING); /* is known; does not follow on the other */
    assert_int_equal(place_of(b, 3), 0);
    assert_int_equal(place_of(b, 2), 1);
    take_status(b, 4, "bench", TELEMETRY_RUNNING); /* does */
    assert_int_equal(place_of(b, 4), 1);
    bed_close(b);
}

static void a_new_target_takes_the_place_of_the_oldest_that_is_over(void **state)
{
    (void)state;
    struct bed *b = bed_open(NULL);
    char name[16];
    for (int i = 0; i < HOST_TARGETS; i++) {
        (void)snprintf(name, sizeof name, "bench %d", i);
        take_status(b, (uint64_t)i + 1, name, TELEMETRY_RUNNING);
        /* as if it had said what it is */
        b->host.target[i].description = calloc(1, sizeof *b->host.target[i].description);
    }
    take_status(b, 100, "one more", TELEMETRY_RUNNING);
    assert_int_equal(place_of(b, 100), -1); /* all go on */
    assert_int_equal(atomic_load(&b->host.crowded), 1);
    let_pass(b, 2, 10);
    let_pass(b, 5, 20);
    let_pass(b, 6, 15);
    b->host.target[6].complete = true; /* what is lost may come back, what is complete may not */
    take_status(b, 100, "one more", TELEMETRY_RUNNING);
    assert_int_equal(place_of(b, 100), 6);
    take_status(b, 101, "and another", TELEMETRY_RUNNING);
    assert_int_equal(place_of(b, 101), 5);
    bed_close(b);
}

static void a_run_is_not_done_before_it_is_recorded(void **state)
{
    (void)state;
    struct bed *b = bed_open("/nonexistent");
    take_status(b, 1, "bench", TELEMETRY_ENDED);
    host_tend(&b->host, host_now_ns());
    assert_int_equal(said(b, TELEMETRY_DONE), 0); /* its description is still to come */
    bed_close(b);
    b = bed_open(NULL);
    take_status(b, 1, "bench", TELEMETRY_ENDED);
    host_tend(&b->host, host_now_ns());
    assert_int_equal(said(b, TELEMETRY_DONE), 1); /* who records nothing wants nothing */
    bed_close(b);
}

static void events_that_are_gone_are_told_and_passed_over(void **state)
{
    (void)state;
    struct bed *b = bed_open(NULL);
    struct host_target *t = &b->host.target[0];
    struct telemetry_header gone = {.kind = TELEMETRY_GONE, .flags = TELEMETRY_OF_EVENTS};
    struct telemetry_event e = {.event = {.kind = EVENT_MISSED}};
    take_status(b, 1, "bench", TELEMETRY_RUNNING); /* has 5000 */
    gone.first = 5001;
    take(b, 1, "bench", gone, NULL, 0);
    assert_int_equal(t->event_next, 0);
    gone.first = 904;
    take(b, 1, "bench", gone, NULL, 0);
    assert_int_equal(t->event_next, 904);
    assert_int_equal(t->missing, 904);
    assert_string_equal(t->event[0].text,
                        "904 events did not reach the host and the target has them no more");
    take(b, 1, "bench",
         (struct telemetry_header){
             .kind = TELEMETRY_EVENTS, .first = 904, .count = 1, .each_bytes = sizeof e},
         &e, sizeof e);
    assert_int_equal(t->event_next, 905); /* and goes on */
    bed_close(b);
}

static void a_clock_that_cannot_be_is_not_believed(void **state)
{
    (void)state;
    struct bed *b = bed_open(NULL);
    struct telemetry_clock c = {.taken_ns = INT64_MAX, .answered_ns = INT64_MAX};
    const struct telemetry_header h = {.kind = TELEMETRY_CLOCK};
    take_status(b, 1, "bench", TELEMETRY_RUNNING);
    c.asked_ns = host_now_ns();
    take(b, 1, "bench", h, &c, sizeof c);
    assert_false(b->host.target[0].has_clock);
    c.taken_ns = c.answered_ns = 5;
    take(b, 1, "bench", h, &c, sizeof c);
    assert_true(b->host.target[0].has_clock);
    bed_close(b);
}

static void a_command_to_a_run_that_is_over_is_answered(void **state)
{
    (void)state;
    struct bed *b = bed_open(NULL);
    const struct host_command c = {.page = 1, .line = "start"};
    take_status(b, 1, "bench", TELEMETRY_ENDED);
    host_tend(&b->host, host_now_ns());
    assert_true(host_command(&b->host, &c));
    host_tend(&b->host, host_now_ns());
    assert_int_equal(b->answers, 1);
    assert_string_equal(b->answer, "the run has ended");
    assert_int_equal(b->host.queued, 0);
    bed_close(b);
}

/* The target has forgotten the session: after the last try a new one is begun. */
static void a_session_that_is_not_answered_begins_anew(void **state)
{
    (void)state;
    struct bed *b = bed_open(NULL);
    struct host_target *t = &b->host.target[0];
    const struct host_command c = {.page = 1, .line = "stop"};
    int64_t now_ns = host_now_ns();
    take_status(b, 1, "bench", TELEMETRY_RUNNING);
    t->session = (struct host_session){.asked = true, .made = true};
    t->hello_due_ns = 0;
    assert_true(host_command(&b->host, &c));
    for (int i = 0; i < 21; i++)
        host_tend_commands(&b->host, t, now_ns += 100 * NS_PER_MS);
    assert_string_equal(b->answer, "the target does not answer");
    assert_int_equal(said(b, TELEMETRY_HELLO), 0);
    host_tend_commands(&b->host, t, now_ns);
    assert_int_equal(said(b, TELEMETRY_HELLO), 1);
    bed_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_runs_of_one_name_keep_their_places),
        cmocka_unit_test(a_new_target_takes_the_place_of_the_oldest_that_is_over),
        cmocka_unit_test(a_run_is_not_done_before_it_is_recorded),
        cmocka_unit_test(events_that_are_gone_are_told_and_passed_over),
        cmocka_unit_test(a_clock_that_cannot_be_is_not_believed),
        cmocka_unit_test(a_command_to_a_run_that_is_over_is_answered),
        cmocka_unit_test(a_session_that_is_not_answered_begins_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
