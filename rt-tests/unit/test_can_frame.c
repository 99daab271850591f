/* Frames on the wire: what is allowed, who wins, how long it takes. */
#include "shared/can/frame.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct can_msg frame(uint32_t id, int len, int flags)
{
    return (struct can_msg){.id = id, .len = (uint8_t)len, .flags = (uint8_t)flags};
}

static bool valid(uint32_t id, int len, int flags, bool fd)
{
    const struct can_msg m = frame(id, len, flags);
    return can_frame_valid(&m, fd);
}

static uint32_t rank(uint32_t id, int flags)
{
    const struct can_msg m = frame(id, 0, flags);
    return can_frame_rank(&m);
}

static struct can_frame_bits bits(uint32_t id, int len, int flags)
{
    const struct can_msg m = frame(id, len, flags);
    return can_frame_bits(&m);
}

static void only_frames_that_exist_are_valid(void **unused)
{
    (void)unused;
    const uint32_t extended = CAN_ID_EXTENDED;
    assert_true(valid(0x7ff, 8, 0, false));
    assert_false(valid(0x800, 8, 0, false));
    assert_true(valid(extended | 0x800, 8, 0, false));
    assert_true(valid(extended | CAN_ID_MASK, 0, 0, false));
    assert_false(valid(extended | 0x20000000u, 0, 0, false));
    assert_false(valid(1, 9, 0, true));
    assert_true(valid(1, 8, CAN_MSG_REMOTE, false));
    assert_false(valid(1, 8, CAN_MSG_REMOTE | CAN_MSG_FD, true));
    assert_false(valid(1, 8, CAN_MSG_BRS, true));
    assert_false(valid(1, 8, CAN_MSG_FD, false));
    assert_false(valid(1, 8, CAN_MSG_ERROR, false));
    assert_false(valid(1, 8, CAN_MSG_OWN, false));
}

static void an_fd_frame_has_one_of_sixteen_lengths(void **unused)
{
    (void)unused;
    int lengths = 0;
    for (int len = 0; len <= 255; len++)
        lengths += valid(1, len, CAN_MSG_FD | CAN_MSG_BRS | CAN_MSG_ESI, true);
    assert_int_equal(lengths, 16);
    for (int len = 0; len <= 64; len++) {
        const int rounded = can_frame_fd_length(len);
        assert_true(rounded >= len && valid(1, rounded, CAN_MSG_FD, true));
        assert_int_equal(can_frame_fd_length(rounded), rounded);
    }
    assert_int_equal(can_frame_fd_length(9), 12);
    assert_int_equal(can_frame_fd_length(33), 48);
    assert_int_equal(can_frame_fd_length(100), 64);
    assert_int_equal(can_frame_fd_length(-1), 0);
}

static void the_lowest_identifier_wins(void **unused)
{
    (void)unused;
    const uint32_t extended = CAN_ID_EXTENDED;
    assert_true(rank(0x100, 0) < rank(0x101, 0));
    /* data before remote, standard before extended with the same first 11 bits */
    assert_true(rank(0x100, 0) < rank(0x100, CAN_MSG_REMOTE));
    assert_true(rank(0x100, CAN_MSG_REMOTE) < rank(extended | 0x100u << 18, 0));
    assert_true(rank(extended | 0x100u << 18, 0) < rank(0x101, 0));
    assert_true(rank(extended | 0x100u << 18, 0) < rank(extended | 0x100u << 18 | 1u, 0));
    assert_true(rank(extended | 5u, 0) < rank(extended | 5u, CAN_MSG_REMOTE));
    assert_true(rank(extended | 5u, CAN_MSG_REMOTE) < rank(extended | 6u, 0));
}

/* The usual worst-case formulas: 8 n + 47 + (33 + 8 n) / 4 and 8 n + 67 + (53 + 8 n) / 4. */
static void classic_frames_take_the_bits_of_the_formula(void **unused)
{
    (void)unused;
    for (int n = 0; n <= 8; n++) {
        assert_int_equal(bits(1, n, 0).nominal, 8 * n + 47 + (33 + 8 * n) / 4);
        assert_int_equal(bits(CAN_ID_EXTENDED | 1, n, 0).nominal, 8 * n + 67 + (53 + 8 * n) / 4);
        assert_int_equal(bits(1, n, 0).data, 0);
        assert_int_equal(bits(1, n, CAN_MSG_REMOTE).nominal, bits(1, 0, 0).nominal);
    }
    const struct can_msg m = frame(1, 8, 0);
    assert_int_equal(can_frame_ns(&m, 500000, 0), 270000); /* 135 bits of 2 us */
}

/* By hand, standard id: 17 bits of head + 4 stuff + 12 of tail are slow. Fast: 5 + 8 n, their
 * stuff bits (21 + 8 n) / 4 - 4, stuff count 4, CRC 17 or 21, 6 or 7 fixed stuff bits, delimiter.
 */
static void fd_frames_take_their_bits_at_two_rates(void **unused)
{
    (void)unused;
    const int brs = CAN_MSG_FD | CAN_MSG_BRS;
    assert_int_equal(bits(1, 8, brs).nominal, 33);
    assert_int_equal(bits(1, 8, brs).data, 69 + 17 + 28);
    assert_int_equal(bits(1, 64, brs).data, 517 + 129 + 33);
    assert_int_equal(bits(1, 64, CAN_MSG_FD).nominal, 33 + 517 + 129 + 33);
    assert_int_equal(bits(CAN_ID_EXTENDED | 1, 64, brs).nominal, 36 + 8 + 12);
    const struct can_msg m = frame(1, 64, brs);
    assert_int_equal(can_frame_ns(&m, 500000, 2000000), 66000 + 339500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_frames_that_exist_are_valid),
        cmocka_unit_test(an_fd_frame_has_one_of_sixteen_lengths),
        cmocka_unit_test(the_lowest_identifier_wins),
        cmocka_unit_test(classic_frames_take_the_bits_of_the_formula),
        cmocka_unit_test(fd_frames_take_their_bits_at_two_rates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
