/* CAN over UDP: datagrams made by hand after cannelloni's format, and two ends on this machine. */
#include "target/io/can_udp.h"

#include "shared/base/time.h"
#include "target/io/cannelloni.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/can/error.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static int64_t now_ns(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * NS_PER_S + t.tv_nsec;
}

/* ---- the datagrams alone */

static const uint8_t by_hand[] = {
    2,    0,    9,    0,    4,                            /* version, data, sequence, four frames */
    0x00, 0x00, 0x01, 0x23, 2,    0xca, 0xfe,             /* standard */
    0x98, 0xda, 0xf1, 0x10, 1,    0x55,                   /* extended: bit 31 */
    0x40, 0x00, 0x07, 0xff, 8,                            /* remote: a length, no data */
    0x00, 0x00, 0x00, 0x10, 0x8c, 0x03, 1,    2, 3, 4, 5, /* FD, 12 bytes, both flags */
    6,    7,    8,    9,    10,   11,   12,
};

static const struct can_msg as_frames[] = {
    {.id = 0x123, .len = 2, .data = {0xca, 0xfe}},
    {.id = CAN_ID_EXTENDED | 0x18daf110, .len = 1, .data = {0x55}},
    {.id = 0x7ff, .len = 8, .flags = CAN_MSG_REMOTE},
    {.id = 0x10,
     .len = 12,
     .flags = CAN_MSG_FD | CAN_MSG_BRS | CAN_MSG_ESI,
     .data = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}},
};

static void frames_are_read_from_a_datagram(void **unused)
{
    (void)unused;
    struct cannelloni_reader r;
    struct can_msg m;
    uint8_t sequence;
    assert_int_equal(cannelloni_open(&r, by_hand, sizeof by_hand, &sequence), 4);
    assert_int_equal(sequence, 9);
    for (int i = 0; i < 4; i++) {
        assert_true(cannelloni_next(&r, &m));
        assert_memory_equal(&m, &as_frames[i], sizeof m);
    }
    assert_false(cannelloni_next(&r, &m));
}

static void frames_are_written_to_a_datagram(void **unused)
{
    (void)unused;
    uint8_t bytes[CANNELLONI_PAYLOAD];
    struct cannelloni_writer w;
    cannelloni_begin(&w, bytes, sizeof bytes, 9);
    for (int i = 0; i < 4; i++)
        assert_true(cannelloni_add(&w, &as_frames[i]));
    assert_int_equal(w.size, sizeof by_hand);
    assert_memory_equal(bytes, by_hand, sizeof by_hand);
    cannelloni_begin(&w, bytes, 12, 0);
    assert_true(cannelloni_add(&w, &as_frames[0])); /* 5 + 7 bytes: just fits */
    assert_false(cannelloni_add(&w, &as_frames[2]));
    assert_int_equal(w.size, 12);
}

static void what_is_cut_off_anywhere_is_no_datagram(void **unused)
{
    (void)unused;
    struct cannelloni_reader r;
    struct can_msg m;
    uint8_t sequence;
    for (size_t size = 0; size < sizeof by_hand; size++) {
        assert_int_equal(cannelloni_open(&r, by_hand, size, &sequence), -1);
        assert_false(cannelloni_next(&r, &m));
    }
}

/* One byte of the datagram changed. */
static int opened_with(size_t at, uint8_t value)
{
    uint8_t bytes[sizeof by_hand];
    struct cannelloni_reader r;
    uint8_t sequence;
    memcpy(bytes, by_hand, sizeof bytes);
    bytes[at] = value;
    return cannelloni_open(&r, bytes, sizeof bytes, &sequence);
}

static void what_no_peer_sends_is_no_datagram(void **unused)
{
    (void)unused;
    assert_int_equal(opened_with(0, 1), -1);     /* version */
    assert_int_equal(opened_with(1, 1), -1);     /* an acknowledgement */
    assert_int_equal(opened_with(4, 5), -1);     /* more frames than there are */
    assert_int_equal(opened_with(9, 9), -1);     /* nine classic bytes */
    assert_int_equal(opened_with(7, 0x08), -1);  /* a standard id beyond 0x7ff */
    assert_int_equal(opened_with(27, 0xc1), -1); /* 65 FD bytes */
    assert_int_equal(opened_with(23, 0x40), -1); /* a remote FD frame */
    assert_int_equal(opened_with(4, 3), 3);      /* fewer: the rest is ignored */
    assert_int_equal(opened_with(4, 0), 0);
}

/* ---- two ends */

struct ends {
    struct can_port *a, *b;
};

static struct ends open_ends(void)
{
    struct ends ends;
    struct err e = {""};
    const struct can_udp_setup any = {0};
    if (can_udp_open(&ends.a, &any, &e) || can_udp_open(&ends.b, &any, &e))
        fail_msg("%s", e.text);
    assert_int_equal(can_udp_set_peer_port(ends.a, can_udp_local_port(ends.b)), 0);
    assert_int_equal(can_udp_set_peer_port(ends.b, can_udp_local_port(ends.a)), 0);
    ends.b->bus = 3;
    return ends;
}

static void close_ends(struct ends ends)
{
    ends.a->ops->close(ends.a);
    ends.b->ops->close(ends.b);
}

/* Loopback delivers before send returns, but the kernel does not promise it: waits for the first
 * frame. Reads until nothing more comes or there are enough. */
static int collect(struct can_port *p, struct can_msg *got, int max)
{
    struct pollfd readable = {.fd = p->descriptor, .events = POLLIN};
    int total = 0, n = 1;
    (void)poll(&readable, 1, 1000);
    while (total < max && n > 0) {
        n = p->ops->receive(p, now_ns(), got + total, max - total);
        assert_true(n <= CAN_BATCH);
        total += n;
    }
    return total;
}

static void frames_arrive_in_order_with_stamps(void **unused)
{
    (void)unused;
    struct ends ends = open_ends();
    struct can_msg got[8];
    (void)ends.b->ops->receive(ends.b, now_ns(), got, 8);
    const int64_t before = now_ns();
    assert_int_equal(ends.a->ops->send(ends.a, as_frames, 4), 4);
    assert_int_equal(collect(ends.b, got, 8), 4);
    const int64_t after = now_ns();
    for (int i = 0; i < 4; i++) {
        /* 1 ms: far above the error of comparing the clocks, far below a wrong clock */
        assert_true(got[i].time_ns >= before - NS_PER_MS && got[i].time_ns <= after + NS_PER_MS);
        assert_int_equal(got[i].bus, 3);
        got[i].time_ns = 0;
        got[i].bus = 0;
        assert_memory_equal(&got[i], &as_frames[i], sizeof got[i]);
    }
    assert_int_equal(ends.a->counts.sent, 4);
    assert_int_equal(ends.b->counts.received, 4);
    assert_int_equal(ends.b->counts.unstamped, 0);
    close_ends(ends);
}

static void many_frames_share_datagrams_and_come_in_bounded_calls(void **unused)
{
    (void)unused;
    enum { FRAMES = 500 };
    static struct can_msg out[FRAMES], got[FRAMES + 1];
    struct ends ends = open_ends();
    for (int i = 0; i < FRAMES; i++) {
        out[i] = (struct can_msg){.id = (uint32_t)i, .len = 64, .flags = CAN_MSG_FD | CAN_MSG_BRS};
        memset(out[i].data, i, 64);
    }
    assert_int_equal(ends.a->ops->send(ends.a, out, FRAMES), FRAMES);
    assert_int_equal(collect(ends.b, got, FRAMES + 1), FRAMES);
    for (int i = 0; i < FRAMES; i++) {
        assert_int_equal(got[i].id, i);
        assert_memory_equal(got[i].data, out[i].data, 64);
    }
    assert_int_equal(ends.b->counts.lost + ends.b->counts.late + ends.b->counts.malformed, 0);
    /* Fewer than fit into one datagram: the rest stays for the next call. */
    assert_int_equal(ends.a->ops->send(ends.a, out, 10), 10);
    assert_int_equal(collect(ends.b, got, 3), 3);
    assert_int_equal(ends.b->ops->receive(ends.b, now_ns(), got, 64), 7);
    assert_int_equal(got[0].id, 3);
    close_ends(ends);
}

static void frames_that_do_not_exist_are_not_sent(void **unused)
{
    (void)unused;
    struct ends ends = open_ends();
    struct can_msg out[3] = {{.id = 1}, {.id = 2, .len = 9}, {.id = 3}}, got[3];
    assert_int_equal(ends.a->ops->send(ends.a, out, 3), 2);
    assert_int_equal(ends.a->counts.failed, 1);
    assert_int_equal(collect(ends.b, got, 3), 2);
    assert_int_equal(got[1].id, 3);
    close_ends(ends);
}

/* A socket that plays the peer of a port. */
static int play_peer(struct can_port *p, struct sockaddr_in *to)
{
    const struct sockaddr_in here = {.sin_family = AF_INET,
                                     .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_in bound = {0};
    socklen_t size = sizeof bound;
    const int s = socket(AF_INET, SOCK_DGRAM, 0);
    assert_int_equal(bind(s, (const struct sockaddr *)&here, sizeof here), 0);
    assert_int_equal(getsockname(s, (struct sockaddr *)&bound, &size), 0);
    assert_int_equal(can_udp_set_peer_port(p, ntohs(bound.sin_port)), 0);
    *to = here;
    to->sin_port = htons((uint16_t)can_udp_local_port(p));
    return s;
}

static void say(int s, const struct sockaddr_in *to, const uint8_t *bytes, size_t size)
{
    assert_int_equal(sendto(s, bytes, size, 0, (const struct sockaddr *)to, sizeof *to),
                     (ssize_t)size);
}

static void gaps_and_late_datagrams_are_counted(void **unused)
{
    (void)unused;
    struct can_port *p;
    struct sockaddr_in to;
    struct can_msg got[16];
    const struct can_udp_setup any = {0};
    assert_int_equal(can_udp_open(&p, &any, NULL), 0);
    const int s = play_peer(p, &to);
    /* 251 252 255(2 lost) 0(wraps) 254(late) 1 4(2 lost) */
    const uint8_t sequence[] = {251, 252, 255, 0, 254, 1, 4};
    for (unsigned i = 0; i < sizeof sequence; i++) {
        uint8_t bytes[] = {2, 0, sequence[i], 0, 1, 0, 0, 0, (uint8_t)i, 0};
        say(s, &to, bytes, sizeof bytes);
    }
    assert_int_equal(collect(p, got, 16), 7); /* whatever comes is taken */
    assert_int_equal(p->counts.lost, 4);
    assert_int_equal(p->counts.late, 1);
    assert_int_equal(p->counts.malformed, 0);
    (void)close(s);
    p->ops->close(p);
}

static void rubbish_of_the_peer_is_counted_not_taken(void **unused)
{
    (void)unused;
    struct can_port *p;
    struct sockaddr_in to;
    struct can_msg got[4];
    const struct can_udp_setup any = {0};
    static const uint8_t good[] = {2, 0, 0, 0, 1, 0, 0, 0, 1, 0}, bad[] = {2, 0, 0, 0, 1};
    static uint8_t long_one[4000] = {2, 0, 1, 0, 0};
    assert_int_equal(can_udp_open(&p, &any, NULL), 0);
    const int s = play_peer(p, &to);
    say(s, &to, bad, sizeof bad);
    say(s, &to, bad, 0);
    say(s, &to, long_one, sizeof long_one);
    say(s, &to, good, sizeof good);
    assert_int_equal(collect(p, got, 4), 1);
    assert_int_equal(p->counts.malformed, 3);
    (void)close(s);
    p->ops->close(p);
}

/* Far more of them than a receive queue holds, between any two frames of the unit, and one call of
 * receive for each frame: not one is lost, late or displaced. */
static void strangers_displace_no_frame(void **unused)
{
    (void)unused;
    enum { FRAMES = 50, STRANGERS = 2000 };
    struct can_port *p;
    struct sockaddr_in to;
    const struct can_udp_setup any = {0};
    static const uint8_t strange[] = {2, 0, 0, 0, 1, 0, 0, 7, 0x77, 0};
    assert_int_equal(can_udp_open(&p, &any, NULL), 0);
    const int stranger = play_peer(p, &to), s = play_peer(p, &to);
    for (int i = 0; i < FRAMES; i++) {
        const uint8_t good[] = {2, 0, (uint8_t)i, 0, 1, 0, 0, 1, (uint8_t)i, 0};
        struct can_msg got[4];
        for (int n = 0; n < STRANGERS / 2; n++)
            (void)sendto(stranger, strange, sizeof strange, 0, (const struct sockaddr *)&to,
                         sizeof to);
        say(s, &to, good, sizeof good);
        for (int n = 0; n < STRANGERS / 2; n++)
            (void)sendto(stranger, strange, sizeof strange, 0, (const struct sockaddr *)&to,
                         sizeof to);
        struct pollfd readable = {.fd = p->descriptor, .events = POLLIN};
        assert_int_equal(poll(&readable, 1, 10000), 1);
        assert_int_equal(p->ops->receive(p, now_ns(), got, 4), 1);
        assert_int_equal(got[0].id, 0x100 + i);
    }
    assert_int_equal(p->counts.received, FRAMES);
    assert_int_equal(p->counts.lost + p->counts.late, 0);
    assert_int_equal(p->counts.overflow + p->counts.malformed, 0);
    (void)close(s);
    (void)close(stranger);
    p->ops->close(p);
}

/* Nobody there is told by the kernel in place of the next call: that costs no frame. */
static void frames_go_on_when_the_peer_comes_later(void **unused)
{
    (void)unused;
    struct can_port *p, *late;
    struct can_msg out = {.id = 1}, got[4];
    const struct can_udp_setup any = {0};
    assert_int_equal(can_udp_open(&p, &any, NULL), 0);
    assert_int_equal(can_udp_open(&late, &any, NULL), 0);
    const int port = can_udp_local_port(late);
    late->ops->close(late);
    assert_int_equal(can_udp_set_peer_port(p, port), 0);
    for (int i = 0; i < 20; i++)
        assert_int_equal(p->ops->send(p, &out, 1), 1);
    assert_int_equal(p->ops->receive(p, now_ns(), got, 4), 0);
    const struct can_udp_setup there = {.local_port = port, .peer_port = can_udp_local_port(p)};
    assert_int_equal(can_udp_open(&late, &there, NULL), 0);
    assert_int_equal(p->ops->send(p, &out, 1), 1);
    assert_int_equal(collect(late, got, 4), 1);
    assert_int_equal(late->ops->send(late, &out, 1), 1);
    assert_int_equal(collect(p, got, 4), 1);
    assert_int_equal(p->counts.sent, 21);
    assert_int_equal(p->counts.full + p->counts.failed, 0);
    late->ops->close(late);
    p->ops->close(p);
}

static void a_flood_of_rubbish_does_not_hold_up_a_call(void **unused)
{
    (void)unused;
    struct can_port *p;
    struct sockaddr_in to;
    struct can_msg got[4];
    const struct can_udp_setup any = {0};
    static const uint8_t bad[] = {1};
    assert_int_equal(can_udp_open(&p, &any, NULL), 0);
    const int s = play_peer(p, &to);
    for (int i = 0; i < 100; i++)
        say(s, &to, bad, sizeof bad);
    (void)p->ops->receive(p, now_ns(), got, 4);
    assert_int_equal(p->counts.malformed, 64); /* four system calls of sixteen datagrams */
    (void)close(s);
    p->ops->close(p);
}

/* A controller at the other end of a cannelloni tunnel. */
static void error_frames_of_the_far_controller_set_the_state(void **unused)
{
    (void)unused;
    struct can_port *p;
    struct sockaddr_in to;
    struct can_msg got[4];
    const struct can_udp_setup any = {0};
    const uint8_t off[] = {2, 0, 0, 0, 1, 0x20, 0, 0, CAN_ERR_BUSOFF, 8, 0, 0, 0, 0, 0, 0, 0, 0};
    const uint8_t on[] = {2, 0, 1, 0, 1, 0x20, 0, 1, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0};
    assert_int_equal(can_udp_open(&p, &any, NULL), 0);
    const int s = play_peer(p, &to);
    say(s, &to, off, sizeof off);
    assert_int_equal(collect(p, got, 4), 1);
    assert_int_equal(got[0].flags, CAN_MSG_ERROR);
    assert_int_equal(p->state, CAN_BUS_OFF);
    say(s, &to, on, sizeof on);
    assert_int_equal(collect(p, got, 4), 1);
    assert_int_equal(p->state, CAN_ACTIVE);
    assert_int_equal(p->counts.error_frames, 2);
    assert_int_equal(p->counts.recovered, 1);
    (void)close(s);
    p->ops->close(p);
}

static void overflow_of_the_receive_queue_is_counted(void **unused)
{
    (void)unused;
    struct ends ends = open_ends();
    struct can_msg out = {.id = 1}, got[64];
    const int small = 4096; /* bytes; the kernel makes a little more of it */
    assert_int_equal(setsockopt(ends.b->descriptor, SOL_SOCKET, SO_RCVBUF, &small, sizeof small),
                     0);
    for (int i = 0; i < 100; i++) /* the sequence number sees gaps below 128 */
        assert_int_equal(ends.a->ops->send(ends.a, &out, 1), 1);
    int n = collect(ends.b, got, 64);
    assert_true(n > 0 && n < 64);
    /* The kernel tells with the next datagram that gets through. */
    assert_int_equal(ends.a->ops->send(ends.a, &out, 1), 1);
    n += collect(ends.b, got, 64);
    assert_int_equal(ends.b->counts.overflow, 101 - n);
    assert_int_equal(ends.b->counts.lost, 101 - n);
    close_ends(ends);
}

static void impossible_stamps_are_replaced(void **unused)
{
    (void)unused;
    struct ends ends = open_ends();
    struct can_msg out = {.id = 1}, got[4];
    const int64_t long_ago = now_ns() - 3600 * NS_PER_S;
    assert_int_equal(ends.a->ops->send(ends.a, &out, 1), 1);
    struct pollfd readable = {.fd = ends.b->descriptor, .events = POLLIN};
    (void)poll(&readable, 1, 1000);
    assert_int_equal(ends.b->ops->receive(ends.b, long_ago, got, 4), 1);
    assert_int_equal(got[0].time_ns, long_ago);
    assert_int_equal(ends.b->counts.unstamped, 1);
    close_ends(ends);
}

static void what_cannot_be_opened_says_why(void **unused)
{
    (void)unused;
    struct can_port *p = NULL, *q = NULL;
    struct err e;
    const struct can_udp_setup name = {.host = "unit.example", .peer_port = 1};
    assert_int_equal(can_udp_open(&p, &name, &e), -EINVAL);
    assert_null(p);
    assert_non_null(strstr(e.text, "unit.example"));
    const struct can_udp_setup far = {.local_port = 65536, .peer_port = 1};
    assert_int_equal(can_udp_open(&p, &far, &e), -EINVAL);
    const struct can_udp_setup any = {0};
    assert_int_equal(can_udp_open(&p, &any, &e), 0);
    const struct can_udp_setup taken = {.local_port = can_udp_local_port(p), .peer_port = 1};
    assert_int_equal(can_udp_open(&q, &taken, &e), -EADDRINUSE);
    assert_non_null(strstr(e.text, "another run has it, or the watchdog"));
    p->ops->close(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_are_read_from_a_datagram),
        cmocka_unit_test(frames_are_written_to_a_datagram),
        cmocka_unit_test(what_is_cut_off_anywhere_is_no_datagram),
        cmocka_unit_test(what_no_peer_sends_is_no_datagram),
        cmocka_unit_test(frames_arrive_in_order_with_stamps),
        cmocka_unit_test(many_frames_share_datagrams_and_come_in_bounded_calls),
        cmocka_unit_test(frames_that_do_not_exist_are_not_sent),
        cmocka_unit_test(gaps_and_late_datagrams_are_counted),
        cmocka_unit_test(rubbish_of_the_peer_is_counted_not_taken),
        cmocka_unit_test(strangers_displace_no_frame),
        cmocka_unit_test(frames_go_on_when_the_peer_comes_later),
        cmocka_unit_test(a_flood_of_rubbish_does_not_hold_up_a_call),
        cmocka_unit_test(error_frames_of_the_far_controller_set_the_state),
        cmocka_unit_test(overflow_of_the_receive_queue_is_counted),
        cmocka_unit_test(impossible_stamps_are_replaced),
        cmocka_unit_test(what_cannot_be_opened_says_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
