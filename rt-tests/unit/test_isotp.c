/* ISO-TP: frames as the standard writes them, round trips of every kind of pause and block, and
 * what becomes of a message whose frames are lost, late, doubled or out of order. */
#include "shared/can/isotp.h"

#include "shared/base/time.h"
#include "shared/can/frame.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { FRAMES = 1024, STEP_NS = 50 * NS_PER_US };

/* Two ends and the frames between them; what a frame meets on its way is up to `meet`. */
struct pair {
    struct isotp_setup setup[2];
    struct isotp end[2];
    int64_t now_ns;
    int frames;                    /* that went, both ways */
    int consecutive;               /* of these, from end 0 */
    int64_t last_ns, least_gap_ns; /* between consecutive frames */
    /* How often the frame of that number arrives; NULL: once. */
    int (*meet)(int number, const struct can_msg *msg);
};

static struct pair pair;
static uint8_t message[ISOTP_DATA + 1];

static void open_pair(uint32_t a, uint32_t b)
{
    memset(&pair, 0, sizeof pair);
    pair.setup[0] = isotp_defaults(a, b);
    pair.setup[1] = isotp_defaults(b, a);
    pair.least_gap_ns = INT64_MAX;
    for (int i = 0; i <= ISOTP_DATA; i++)
        message[i] = (uint8_t)(i * 7 + i / 256);
}

static void note(const struct can_msg *m, int from)
{
    if (from != 0 || m->data[0] >> 4 != 2)
        return;
    if (pair.consecutive++ > 0 && pair.now_ns - pair.last_ns < pair.least_gap_ns)
        pair.least_gap_ns = pair.now_ns - pair.last_ns;
    pair.last_ns = pair.now_ns;
}

/* One step of both ends; frames arrive at the next. */
static void step(void)
{
    struct can_msg out[2][8];
    int n[2];
    for (int i = 0; i < 2; i++)
        n[i] = isotp_poll(&pair.setup[i], &pair.end[i], pair.now_ns, out[i], 8);
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < n[i]; k++) {
            int times = pair.meet ? pair.meet(pair.frames, &out[i][k]) : 1;
            assert_true(can_frame_valid(&out[i][k], true));
            pair.frames++;
            note(&out[i][k], i);
            while (times-- > 0)
                assert_true(
                    isotp_take(&pair.setup[1 - i], &pair.end[1 - i], &out[i][k], pair.now_ns));
        }
    pair.now_ns += STEP_NS;
}

static void steps(double seconds)
{
    for (int n = (int)(seconds * 1e9 / STEP_NS); n > 0; n--)
        step();
}

/* From end 0 to end 1; whether it came, as it was. */
static bool goes(int length)
{
    const uint8_t *data;
    assert_int_equal(isotp_send(&pair.setup[0], &pair.end[0], message, length, pair.now_ns), 0);
    int64_t until_ns = pair.now_ns + 100 * NS_PER_S;
    while ((isotp_is_sending(&pair.end[0]) || pair.end[1].receiving) && pair.now_ns < until_ns)
        step();
    int n = isotp_message(&pair.end[1], &data);
    assert_true(n == 0 || n == length);
    assert_true(n == 0 || memcmp(data, message, (size_t)n) == 0);
    return n == length;
}

/* ---- frames */

static void frames_are_as_the_standard_writes_them(void **unused)
{
    (void)unused;
    static const uint8_t single[8] = {0x03, 1, 2, 3, 0xcc, 0xcc, 0xcc, 0xcc};
    static const uint8_t first[8] = {0x10, 0x14, 1, 2, 3, 4, 5, 6};
    static const uint8_t next[8] = {0x21, 7, 8, 9, 10, 11, 12, 13};
    static const uint8_t last[8] = {0x22, 14, 15, 16, 17, 18, 19, 20};
    static const uint8_t flow[8] = {0x30, 2, 0xf1, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc};
    struct isotp_setup a = isotp_defaults(0x760, 0x768), b = isotp_defaults(0x768, 0x760);
    struct isotp end[2];
    struct can_msg m[8];
    uint8_t bytes[20];
    for (int i = 0; i < 20; i++)
        bytes[i] = (uint8_t)(i + 1);
    b.block_size = 2;
    b.st_min = 0xf1;
    isotp_reset(&end[0]);
    isotp_reset(&end[1]);
    assert_int_equal(isotp_send(&a, &end[0], bytes, 3, 0), 0);
    assert_int_equal(isotp_poll(&a, &end[0], 0, m, 8), 1);
    assert_int_equal(m[0].id, 0x760);
    assert_int_equal(m[0].len, 8);
    assert_memory_equal(m[0].data, single, 8);
    assert_int_equal(isotp_send(&a, &end[0], bytes, 20, 0), 0);
    assert_int_equal(isotp_send(&a, &end[0], bytes, 20, 0), -EBUSY);
    assert_int_equal(isotp_poll(&a, &end[0], 0, m, 8), 1);
    assert_memory_equal(m[0].data, first, 8);
    assert_true(isotp_take(&b, &end[1], &m[0], 0));
    assert_int_equal(isotp_poll(&b, &end[1], 0, m, 8), 1);
    assert_int_equal(m[0].id, 0x768);
    assert_memory_equal(m[0].data, flow, 8);
    assert_true(isotp_take(&a, &end[0], &m[0], 0));
    assert_int_equal(isotp_poll(&a, &end[0], 0, m, 8), 1);
    assert_memory_equal(m[0].data, next, 8);
    assert_int_equal(isotp_poll(&a, &end[0], 99999, m, 8), 0); /* STmin 100 us */
    assert_int_equal(isotp_poll(&a, &end[0], 100000, m, 8), 1);
    assert_memory_equal(m[0].data, last, 8);
    assert_false(isotp_is_sending(&end[0]));
}

static void every_length_arrives(void **unused)
{
    (void)unused;
    open_pair(0x760, 0x768);
    for (int n = 1; n <= 300; n++)
        assert_true(goes(n));
    assert_true(goes(ISOTP_DATA));
    assert_int_equal(isotp_send(&pair.setup[0], &pair.end[0], message, 0, 0), -EMSGSIZE);
    assert_int_equal(isotp_send(&pair.setup[0], &pair.end[0], message, ISOTP_DATA + 1, 0),
                     -EMSGSIZE);
}

static void other_kinds_of_frames_do_as_well(void **unused)
{
    (void)unused;
    static const uint8_t sizes[] = {8, 12, 16, 20, 24, 32, 48, 64};
    for (size_t k = 0; k < sizeof sizes; k++) {
        open_pair(0x18da10f1u | CAN_ID_EXTENDED, 0x18daf110u | CAN_ID_EXTENDED);
        for (int i = 0; i < 2; i++) {
            pair.setup[i].frame_bytes = sizes[k];
            pair.setup[i].bit_rate_switch = true;
            pair.setup[i].no_padding = k % 2 == 0;
        }
        for (int n = 1; n <= 140; n++)
            assert_true(goes(n));
        assert_true(goes(ISOTP_DATA));
    }
}

/* ---- pauses and blocks */

static void every_pause_is_kept(void **unused)
{
    (void)unused;
    for (int code = 0; code <= 0xff; code++) {
        int64_t want_ns = code <= 0x7f                   ? code * NS_PER_MS
                          : code >= 0xf1 && code <= 0xf9 ? (code - 0xf0) * 100 * NS_PER_US
                                                         : 127 * NS_PER_MS;
        assert_true(isotp_st_min_ns((uint8_t)code) == want_ns);
        open_pair(0x760, 0x768);
        pair.setup[1].st_min = (uint8_t)code;
        assert_true(goes(30)); /* 4 consecutive frames */
        assert_int_equal(pair.consecutive, 4);
        /* a step is a divisor of every pause */
        assert_true(pair.least_gap_ns == (want_ns > 0 ? want_ns : 0));
    }
}

static void blocks_are_as_long_as_asked(void **unused)
{
    (void)unused;
    static const uint8_t sizes[] = {1, 2, 7, 8, 15, 255, 0};
    for (size_t k = 0; k < sizeof sizes; k++) {
        open_pair(0x760, 0x768);
        pair.setup[1].block_size = sizes[k];
        assert_true(goes(2000)); /* 6 bytes, then 285 frames */
        int flows = sizes[k] ? 1 + 284 / sizes[k] : 1;
        assert_int_equal(pair.consecutive, 285);
        assert_int_equal(pair.frames, 1 + 285 + flows);
    }
}

/* A flow control by hand, from the other end. */
static void flow(uint8_t status, uint8_t block, uint8_t st_min)
{
    struct can_msg m = {.id = 0x768, .len = 3, .data = {(uint8_t)(0x30 | status), block, st_min}};
    assert_true(isotp_take(&pair.setup[0], &pair.end[0], &m, pair.now_ns));
}

static void begin(int length)
{
    struct can_msg out[8];
    assert_int_equal(isotp_send(&pair.setup[0], &pair.end[0], message, length, pair.now_ns), 0);
    assert_int_equal(isotp_poll(&pair.setup[0], &pair.end[0], pair.now_ns, out, 8), 1);
}

static int polled(double after_s)
{
    struct can_msg out[8];
    pair.now_ns += (int64_t)(after_s * 1e9);
    return isotp_poll(&pair.setup[0], &pair.end[0], pair.now_ns, out, 8);
}

static void waits_are_waited_but_not_for_ever(void **unused)
{
    (void)unused;
    open_pair(0x760, 0x768);
    begin(100);
    for (int n = 0; n < 10; n++) { /* each begins the time anew */
        flow(1, 0, 0);
        assert_int_equal(polled(0.9), 0);
        assert_true(isotp_is_sending(&pair.end[0]));
    }
    flow(0, 3, 0);
    assert_int_equal(polled(0.0), 3);
    for (int n = 0; n < 11; n++)
        flow(1, 0, 0);
    assert_false(isotp_is_sending(&pair.end[0]));
    assert_int_equal(pair.end[0].send_error, ISOTP_TOO_MANY_WAITS);
}

static void senders_give_up(void **unused)
{
    (void)unused;
    open_pair(0x760, 0x768);
    begin(100);
    assert_int_equal(polled(0.999), 0);
    assert_true(isotp_is_sending(&pair.end[0]));
    assert_int_equal(polled(0.002), 0);
    assert_false(isotp_is_sending(&pair.end[0]));
    assert_int_equal(pair.end[0].send_error, ISOTP_NO_FLOW_CONTROL);
    begin(100);
    flow(2, 0, 0);
    assert_int_equal(pair.end[0].send_error, ISOTP_OVERFLOW);
    begin(100);
    flow(3, 0, 0);
    assert_int_equal(pair.end[0].send_error, ISOTP_INVALID_FLOW);
    flow(0, 0, 0); /* nobody waits for it */
    assert_int_equal(polled(0.0), 0);
}

/* ---- disturbances */

static int hit, times_of_hit;

static int one_frame(int number, const struct can_msg *msg)
{
    (void)msg;
    return number == hit ? times_of_hit : 1;
}

static void a_lost_frame_loses_the_message_and_no_other(void **unused)
{
    (void)unused;
    /* 60 bytes: first, flow, 3, flow, 3, flow, 2 */
    for (hit = 0; hit < 11; hit++) {
        open_pair(0x760, 0x768);
        pair.setup[1].block_size = 3;
        pair.meet = one_frame;
        times_of_hit = 0;
        assert_false(goes(60));
        pair.meet = NULL;
        steps(2.5); /* both sides give up */
        const struct isotp *a = &pair.end[0], *b = &pair.end[1];
        assert_int_equal(a->errors[ISOTP_NO_FLOW_CONTROL] + b->errors[ISOTP_NO_NEXT_FRAME] +
                             b->errors[ISOTP_WRONG_SEQUENCE],
                         hit == 10 || hit == 0 ? 1 : 2);
        assert_true(goes(60));
    }
}

static void a_doubled_consecutive_frame_is_out_of_order(void **unused)
{
    (void)unused;
    for (hit = 0; hit < 10; hit++) {
        open_pair(0x760, 0x768);
        pair.meet = one_frame;
        times_of_hit = 2;
        bool came = goes(60); /* first, flow, 8 consecutive */
        /* A first frame that comes twice begins anew; a flow control that comes twice is one too
         * many; behind the last frame nothing is expected. */
        assert_int_equal(came, hit < 2 || hit == 9);
        assert_int_equal(pair.end[1].errors[ISOTP_WRONG_SEQUENCE], hit >= 2 && hit < 9);
        assert_int_equal(pair.end[1].errors[ISOTP_UNEXPECTED], hit == 0);
    }
}

static void take(const uint8_t bytes[8], uint8_t length)
{
    struct can_msg m = {.id = 0x760, .len = length};
    memcpy(m.data, bytes, length);
    assert_true(isotp_take(&pair.setup[1], &pair.end[1], &m, pair.now_ns));
}

static void a_message_within_a_message_takes_its_place(void **unused)
{
    (void)unused;
    const uint8_t *data;
    open_pair(0x760, 0x768);
    take((uint8_t[8]){0x10, 20, 1, 2, 3, 4, 5, 6}, 8);
    take((uint8_t[8]){0x02, 0x3e, 0x00}, 3);
    assert_int_equal(pair.end[1].errors[ISOTP_UNEXPECTED], 1);
    assert_int_equal(isotp_message(&pair.end[1], &data), 2);
    assert_int_equal(data[0], 0x3e);
    assert_int_equal(isotp_message(&pair.end[1], &data), 0);
    assert_int_equal(pair.end[1].receiving, 0);
}

static void what_is_no_frame_is_passed_over(void **unused)
{
    (void)unused;
    const uint8_t *data;
    struct can_msg other = {.id = 0x761, .len = 3, .data = {2, 0x3e, 0}};
    open_pair(0x760, 0x768);
    assert_false(isotp_take(&pair.setup[1], &pair.end[1], &other, 0));
    other.id = 0x760 | CAN_ID_EXTENDED;
    assert_false(isotp_take(&pair.setup[1], &pair.end[1], &other, 0));
    take((uint8_t[8]){0}, 0);                               /* nothing in it */
    take((uint8_t[8]){0x00, 1}, 8);                         /* length 0 */
    take((uint8_t[8]){0x08, 1}, 8);                         /* longer than a frame */
    take((uint8_t[8]){0x05, 1, 2}, 3);                      /* cut off */
    take((uint8_t[8]){0x10, 7, 1, 2, 3, 4, 5, 6}, 8);       /* would fit into a single frame */
    take((uint8_t[8]){0x10, 20, 1, 2, 3}, 5);               /* a short first frame */
    take((uint8_t[8]){0x21, 1, 2, 3, 4, 5, 6, 7}, 8);       /* continues nothing */
    take((uint8_t[8]){0x40, 1}, 8);                         /* no such kind */
    take((uint8_t[8]){0x10, 0, 0, 0, 0x0f, 0xff, 1, 2}, 8); /* long form of a short length */
    assert_int_equal(pair.end[1].ready + pair.end[1].receiving + pair.end[1].reply, 0);
    assert_int_equal(isotp_message(&pair.end[1], &data), 0);
}

static void what_is_too_long_is_refused(void **unused)
{
    (void)unused;
    struct can_msg out[2];
    open_pair(0x760, 0x768);
    take((uint8_t[8]){0x10, 0, 0, 0, 0x10, 0, 1, 2}, 8); /* 4096 bytes */
    assert_int_equal(isotp_poll(&pair.setup[1], &pair.end[1], 0, out, 2), 1);
    assert_int_equal(out[0].data[0], 0x32);
    assert_int_equal(pair.end[1].receive_error, ISOTP_OVERFLOW);
    assert_int_equal(pair.end[1].receiving, 0);
}

static void a_short_consecutive_frame_does_not_count(void **unused)
{
    (void)unused;
    const uint8_t *data;
    open_pair(0x760, 0x768);
    take((uint8_t[8]){0x10, 10, 1, 2, 3, 4, 5, 6}, 8);
    take((uint8_t[8]){0x21, 7, 8, 9}, 4); /* one byte is missing */
    assert_int_equal(isotp_message(&pair.end[1], &data), 0);
    take((uint8_t[8]){0x21, 7, 8, 9, 10}, 5);
    assert_int_equal(isotp_message(&pair.end[1], &data), 10);
    assert_int_equal(data[9], 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_are_as_the_standard_writes_them),
        cmocka_unit_test(every_length_arrives),
        cmocka_unit_test(other_kinds_of_frames_do_as_well),
        cmocka_unit_test(every_pause_is_kept),
        cmocka_unit_test(blocks_are_as_long_as_asked),
        cmocka_unit_test(waits_are_waited_but_not_for_ever),
        cmocka_unit_test(senders_give_up),
        cmocka_unit_test(a_lost_frame_loses_the_message_and_no_other),
        cmocka_unit_test(a_doubled_consecutive_frame_is_out_of_order),
        cmocka_unit_test(a_message_within_a_message_takes_its_place),
        cmocka_unit_test(what_is_no_frame_is_passed_over),
        cmocka_unit_test(what_is_too_long_is_refused),
        cmocka_unit_test(a_short_consecutive_frame_does_not_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
