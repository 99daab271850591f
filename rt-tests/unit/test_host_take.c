/* What the host makes of packets: which run they are of, what it asks for, and when it is done. */
#include "host/host.h"
#include "shared/base/time.h"
#include "shared/wire/telemetry_seal.h"

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
    b->host.has_key = b->host.setup.accept_unsealed = true;
    seal_random(&b->host.key, sizeof b->host.key);
    seal_random(&b->host.secret, sizeof b->host.secret);
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
        host_end_run(&b->host, &b->host.target[i]);
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
    h.sent_ns = (int64_t)packets;
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
    assert_int_equal(b->host.refused[REFUSED_CROWDED].count, 1);
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
    take(b, 1, "bench", h, &c, sizeof c); /* the same again */
    assert_int_equal(b->host.target[0].clocks, 1);
    bed_close(b);
}

/* ---- with the key */

/* A target that has the key, and another that only heard it. */
static size_t sealed_packet(const struct bed *b, const struct telemetry_header *h, const void *body,
                            size_t bytes, unsigned char *packet)
{
    struct telemetry_header header = *h;
    struct seal_key run_key;
    static int64_t clock_ns;
    header.magic = TELEMETRY_MAGIC;
    header.version = TELEMETRY_VERSION;
    header.flags |= TELEMETRY_SEALED;
    header.sent_ns = ++clock_ns;
    memcpy(packet, &header, sizeof header);
    memcpy(packet + sizeof header, body, bytes);
    telemetry_run_key(&b->host.key, header.run, &run_key);
    telemetry_tag(&run_key, &header, body, bytes, packet + sizeof header + bytes);
    return sizeof header + bytes + TELEMETRY_TAG;
}

static size_t sealed_status(const struct bed *b, uint64_t run, uint32_t state,
                            unsigned char *packet)
{
    const struct telemetry_status s = {.state = state, .period_ns = NS_PER_MS};
    const struct telemetry_header h = {.kind = TELEMETRY_STATUS, .run = run, .name = "bench"};
    return sealed_packet(b, &h, &s, sizeof s, packet);
}

static void take_sealed(struct bed *b, const unsigned char *packet, size_t bytes)
{
    host_take(&b->host, &b->from, packet, bytes);
}

/* What a live target does: answers the hello that came for its run. */
static bool answer_hello(struct bed *b, uint64_t run)
{
    unsigned char packet[4096];
    struct telemetry_hello hello;
    struct telemetry_header h;
    bool found = false;
    while (recv(b->target, packet, sizeof packet, 0) > 0) {
        memcpy(&h, packet, sizeof h);
        if (h.kind == TELEMETRY_HELLO && h.run == run) {
            memcpy(&hello, packet + sizeof h, sizeof hello);
            found = true;
        }
    }
    if (!found)
        return false;
    h = (struct telemetry_header){.magic = TELEMETRY_MAGIC,
                                  .version = TELEMETRY_VERSION,
                                  .kind = TELEMETRY_CHALLENGE,
                                  .run = run,
                                  .name = "bench"};
    seal_random(hello.target, sizeof hello.target);
    telemetry_seal(&b->host.key, &h, &hello);
    take_sealed(b, packet, sealed_packet(b, &h, &hello, sizeof hello, packet));
    return true;
}

static struct bed *bed_sealed(void)
{
    struct bed *b = bed_open(NULL);
    b->host.setup.accept_unsealed = false;
    return b;
}

static void begin_sealed(struct bed *b, uint64_t run)
{
    unsigned char packet[4096];
    take_sealed(b, packet, sealed_status(b, run, TELEMETRY_RUNNING, packet));
    assert_int_equal(place_of(b, run), -1); /* not yet */
    assert_true(answer_hello(b, run));
    assert_int_not_equal(place_of(b, run), -1);
}

static void senders_without_the_key_take_no_place(void **state)
{
    (void)state;
    struct bed *b = bed_sealed();
    for (uint64_t i = 1; i <= 2 * HOST_TARGETS; i++)
        take_status(b, i, "fake", TELEMETRY_RUNNING);
    for (int i = 0; i < HOST_TARGETS; i++)
        assert_false(atomic_load(&b->host.target[i].used));
    assert_int_equal(b->host.refused[REFUSED_UNSEALED].count, 2 * HOST_TARGETS);
    begin_sealed(b, 100);
    take_status(b, 100, "bench", TELEMETRY_ENDED); /* nor speak for one that has it */
    assert_false(b->host.target[0].has_status);
    bed_close(b);
}

static void a_changed_packet_is_refused(void **state)
{
    (void)state;
    struct bed *b = bed_sealed();
    unsigned char packet[4096];
    begin_sealed(b, 1);
    size_t bytes = sealed_status(b, 1, TELEMETRY_RUNNING, packet);
    for (size_t i = sizeof(uint32_t) + sizeof(uint16_t); i < bytes; i++) {
        packet[i] ^= 1;
        take_sealed(b, packet, bytes);
        packet[i] ^= 1;
        assert_false(b->host.target[0].has_status);
    }
    take_sealed(b, packet, bytes);
    assert_true(b->host.target[0].has_status);
    bed_close(b);
}

static void an_old_run_sent_again_takes_no_place(void **state)
{
    (void)state;
    struct bed *b = bed_sealed();
    unsigned char packet[4096];
    for (uint64_t i = 1; i <= 2 * HOST_TARGETS; i++) /* each was real, once */
        take_sealed(b, packet, sealed_status(b, i, TELEMETRY_RUNNING, packet));
    for (int i = 0; i < HOST_TARGETS; i++)
        assert_false(atomic_load(&b->host.target[i].used));
    begin_sealed(b, 100);
    bed_close(b);
}

static void an_answer_of_another_time_or_place_lets_nobody_in(void **state)
{
    (void)state;
    struct bed *b = bed_sealed(), *other = bed_sealed();
    unsigned char packet[4096];
    memcpy(&other->host.key, &b->host.key, sizeof b->host.key); /* the same key, another host */
    take_sealed(other, packet, sealed_status(other, 1, TELEMETRY_RUNNING, packet));
    struct sockaddr_in own = b->from;
    int socket = b->target;
    b->target = other->target; /* takes the other's hello, and answers it here */
    assert_true(answer_hello(b, 1));
    b->target = socket;
    assert_int_equal(place_of(b, 1), -1);
    take_sealed(b, packet, sealed_status(b, 1, TELEMETRY_RUNNING, packet));
    b->from.sin_port ^= 1; /* from elsewhere */
    assert_true(answer_hello(b, 1));
    assert_int_equal(place_of(b, 1), -1);
    b->from = own;
    begin_sealed(b, 1);
    bed_close(b);
    bed_close(other);
}

static void packets_of_this_run_sent_again_change_nothing(void **state)
{
    (void)state;
    struct bed *b = bed_sealed();
    unsigned char old[4096], packet[4096];
    begin_sealed(b, 1);
    size_t bytes = sealed_status(b, 1, TELEMETRY_RUNNING, old);
    take_sealed(b, old, bytes);
    take_sealed(b, packet, sealed_status(b, 1, TELEMETRY_SAFE, packet));
    assert_int_equal(b->host.target[0].status.state, TELEMETRY_SAFE);
    let_pass(b, 0, 3);
    host_tend(&b->host, host_now_ns());
    assert_true(b->host.target[0].lost);
    take_sealed(b, old, bytes);
    assert_int_equal(b->host.target[0].status.state, TELEMETRY_SAFE);
    assert_true(b->host.target[0].lost); /* no sign of life */
    bed_close(b);
}

static void the_key_comes_first_where_both_are_let_in(void **state)
{
    (void)state;
    struct bed *b = bed_open(NULL);
    for (uint64_t i = 1; i <= HOST_TARGETS; i++)
        take_status(b, i, "fake", TELEMETRY_RUNNING);
    begin_sealed(b, 100); /* in the place of one of them */
    for (uint64_t i = 1; i <= 2 * HOST_TARGETS; i++)
        take_status(b, 200 + i, "fake", TELEMETRY_RUNNING);
    assert_int_not_equal(place_of(b, 100), -1);
    bed_close(b);
}

static void a_target_that_finds_the_key_stays_where_it_is(void **state)
{
    (void)state;
    struct bed *b = bed_open(NULL);
    unsigned char packet[4096];
    take_status(b, 1, "bench", TELEMETRY_RUNNING);
    take_sealed(b, packet, sealed_status(b, 1, TELEMETRY_RUNNING, packet));
    assert_int_equal(place_of(b, 1), 0);
    assert_true(b->host.target[0].sealed);
    take_status(b, 1, "bench", TELEMETRY_ENDED); /* from now on it must be sealed */
    assert_int_equal(b->host.target[0].status.state, TELEMETRY_RUNNING);
    bed_close(b);
}

/* With the key, recorded, and too many: that is a loss, until one of them finds a place. */
static void a_run_without_a_place_is_remembered(void **state)
{
    (void)state;
    struct bed *b = bed_sealed();
    unsigned char packet[4096];
    for (uint64_t i = 1; i <= HOST_TARGETS; i++)
        begin_sealed(b, i);
    take_sealed(b, packet, sealed_status(b, 100, TELEMETRY_RUNNING, packet));
    assert_true(answer_hello(b, 100));
    assert_int_equal(place_of(b, 100), -1);
    assert_int_equal(b->host.refused[REFUSED_CROWDED].count, 1);
    assert_int_equal(b->host.crowded_runs, 1);
    let_pass(b, 3, 10);
    begin_sealed(b, 100);
    assert_int_equal(place_of(b, 100), 3);
    assert_int_equal(b->host.crowded_runs, 0);
    bed_close(b);
}

static void names_are_fit_for_a_terminal(void **state)
{
    (void)state;
    struct bed *b = bed_open(NULL);
    take_status(b, 1, "\033]0;x\007b\302\233\377", TELEMETRY_RUNNING);
    assert_string_equal(b->host.target[0].name, "?]0;x?b???");
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
        cmocka_unit_test(senders_without_the_key_take_no_place),
        cmocka_unit_test(a_changed_packet_is_refused),
        cmocka_unit_test(an_old_run_sent_again_takes_no_place),
        cmocka_unit_test(an_answer_of_another_time_or_place_lets_nobody_in),
        cmocka_unit_test(packets_of_this_run_sent_again_change_nothing),
        cmocka_unit_test(the_key_comes_first_where_both_are_let_in),
        cmocka_unit_test(a_target_that_finds_the_key_stays_where_it_is),
        cmocka_unit_test(a_run_without_a_place_is_remembered),
        cmocka_unit_test(names_are_fit_for_a_terminal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
