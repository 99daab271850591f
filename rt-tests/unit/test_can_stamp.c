/* The time of day is set while frames arrive: no frame is older than the last look at the queue,
 * none comes from the future. First by made-up times, then with real datagrams under a time of day
 * that this program shifts, as the kernel would: in the clock and in the stamps of datagrams. */
#include "target/io/can_stamp.h"

#include "shared/base/time.h"
#include "target/io/can_udp.h"

#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- made-up times; the time of day is DAY ahead unless it is set */

static const int64_t DAY = 1700000000 * NS_PER_S;
enum { MS = NS_PER_MS };

/* A queue that was empty at 1000 ms and is read at 1005 ms. */
static struct can_stamp looked_twice(int64_t ahead_ns)
{
    struct can_stamp s;
    can_stamp_begin(&s, 0, DAY);
    can_stamp_look(&s, 1000LL * MS, DAY);
    can_stamp_looked(&s, DAY, true);
    can_stamp_look(&s, 1005LL * MS, ahead_ns);
    can_stamp_looked(&s, ahead_ns, true);
    return s;
}

static void a_stamp_says_when(void **unused)
{
    (void)unused;
    const struct can_stamp s = looked_twice(DAY);
    int64_t at_ns;
    assert_true(can_stamp_of(&s, DAY + 1002LL * MS, &at_ns));
    assert_int_equal(at_ns, 1002LL * MS);
}

static void a_frame_that_was_not_there_is_not_older(void **unused)
{
    (void)unused;
    const struct can_stamp s = looked_twice(DAY);
    int64_t at_ns;
    assert_true(can_stamp_of(&s, DAY + 940LL * MS, &at_ns)); /* held up before the queue */
    assert_int_equal(at_ns, 1000LL * MS);
    assert_false(can_stamp_of(&s, DAY + 899LL * MS, &at_ns)); /* cannot be */
    assert_int_equal(at_ns, 1005LL * MS);
    assert_false(can_stamp_of(&s, DAY + 1007LL * MS, &at_ns)); /* the future */
    assert_int_equal(at_ns, 1005LL * MS);
}

/* Whatever the step, and whether it came before the stamp or after it. */
static void a_step_makes_no_frame_older_or_newer(void **unused)
{
    (void)unused;
    for (int64_t step_ms = -5000; step_ms <= 5000; step_ms++) {
        const struct can_stamp s = looked_twice(DAY + step_ms * MS);
        for (int before = 0; before < 2; before++) {
            int64_t at_ns;
            const int64_t stamp_ns = DAY + 1003LL * MS + (before ? step_ms * MS : 0);
            assert_int_equal(can_stamp_of(&s, stamp_ns, &at_ns), step_ms == 0);
            assert_int_equal(at_ns, step_ms == 0 ? 1003LL * MS : 1005LL * MS);
        }
    }
}

static void after_the_step_stamps_count_again(void **unused)
{
    (void)unused;
    const int64_t day = DAY - 50LL * MS;
    struct can_stamp s = looked_twice(day);
    int64_t at_ns;
    can_stamp_look(&s, 1010LL * MS, day);
    can_stamp_looked(&s, day, true);
    assert_true(can_stamp_of(&s, day + 1008LL * MS, &at_ns));
    assert_int_equal(at_ns, 1008LL * MS);
}

/* What a look leaves behind may have come before it. */
static void frames_left_behind_keep_their_time(void **unused)
{
    (void)unused;
    struct can_stamp s;
    int64_t at_ns;
    can_stamp_begin(&s, 1000LL * MS, DAY);
    can_stamp_look(&s, 1005LL * MS, DAY);
    can_stamp_looked(&s, DAY, false);
    can_stamp_look(&s, 1006LL * MS, DAY);
    can_stamp_looked(&s, DAY, true);
    assert_true(can_stamp_of(&s, DAY + 1001LL * MS, &at_ns));
    assert_int_equal(at_ns, 1001LL * MS);
}

/* ---- real datagrams: these two stand in for the C library's, for all code of this program */

static int64_t shift_ns;

static void shift(struct timespec *t)
{
    const int64_t ns = (int64_t)t->tv_sec * NS_PER_S + t->tv_nsec + shift_ns;
    *t = (struct timespec){.tv_sec = ns / NS_PER_S, .tv_nsec = ns % NS_PER_S};
}

/* NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name) */
int clock_gettime(clockid_t clock, struct timespec *t)
{
    const int status = (int)syscall(SYS_clock_gettime, clock, t);
    if (clock == CLOCK_REALTIME)
        shift(t);
    return status;
}

/* NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name) */
int recvmmsg(int descriptor, struct mmsghdr *heads, unsigned count, int flags,
             struct timespec *timeout)
{
    const int n = (int)syscall(SYS_recvmmsg, descriptor, heads, count, flags, timeout);
    for (int i = 0; i < n; i++) {
        struct msghdr *h = &heads[i].msg_hdr;
        for (struct cmsghdr *c = CMSG_FIRSTHDR(h); c; c = CMSG_NXTHDR(h, c))
            if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPNS)
                shift((struct timespec *)CMSG_DATA(c));
    }
    return n;
}

static int64_t now_ns(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * NS_PER_S + t.tv_nsec;
}

static void datagrams_keep_their_age_when_the_clock_is_set(void **unused)
{
    (void)unused;
    static const int step_ms[] = {-90, -30, 30, 90, -5000, 5000, -1, 1, -60};
    struct can_port *a = NULL, *b = NULL;
    struct err e = {""};
    const struct can_udp_setup any = {0};
    struct can_msg out = {.id = 1}, got[4];
    if (can_udp_open(&a, &any, &e) || can_udp_open(&b, &any, &e))
        fail_msg("%s", e.text);
    assert_int_equal(can_udp_set_peer_port(a, can_udp_local_port(b)), 0);
    assert_int_equal(can_udp_set_peer_port(b, can_udp_local_port(a)), 0);
    int64_t empty_ns = now_ns();
    assert_int_equal(b->ops->receive(b, empty_ns, got, 4), 0);
    for (size_t i = 0; i < sizeof step_ms / sizeof step_ms[0]; i++) {
        shift_ns += step_ms[i] * NS_PER_MS;
        for (int n = 0; n < 3; n++) {
            struct pollfd readable = {.fd = b->descriptor, .events = POLLIN};
            assert_int_equal(a->ops->send(a, &out, 1), 1);
            assert_int_equal(poll(&readable, 1, 10000), 1);
            const int64_t look_ns = now_ns();
            assert_int_equal(b->ops->receive(b, look_ns, got, 4), 1);
            assert_true(got[0].time_ns >= empty_ns);
            assert_true(got[0].time_ns <= look_ns + NS_PER_MS); /* reading two clocks takes time */
            empty_ns = look_ns;
        }
    }
    a->ops->close(a);
    b->ops->close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stamp_says_when),
        cmocka_unit_test(a_frame_that_was_not_there_is_not_older),
        cmocka_unit_test(a_step_makes_no_frame_older_or_newer),
        cmocka_unit_test(after_the_step_stamps_count_again),
        cmocka_unit_test(frames_left_behind_keep_their_time),
        cmocka_unit_test(datagrams_keep_their_age_when_the_clock_is_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
