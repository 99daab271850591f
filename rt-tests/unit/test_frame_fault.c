/* Faults of frames: each kind, its end, and that nothing else is touched. */
#include "shared/can/frame_fault.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { OUT = 64, STRUCK = 0x123, OTHER = 0x200 };

struct bench {
    struct frame_faults faults;
    struct frame_fault_state state;
    struct can_msg out[OUT];
    int count;
    int64_t tick;
    uint32_t counter;
};

static void set_up(struct bench *b, const struct frame_fault *fault)
{
    memset(b, 0, sizeof *b);
    b->faults.count = 1;
    b->faults.list[0] = *fault;
    b->faults.list[0].id = STRUCK;
    protect_profile(&b->faults.list[0].protect, PROTECT_E2E_1A, 8);
    b->faults.list[0].protect.data_id = 0x31;
}

/* One tick with the struck message (its counter goes on) and another one. */
static void tick(struct bench *b)
{
    struct can_msg in[2] = {{.id = STRUCK, .len = 8}, {.id = OTHER, .len = 4}};
    protect_apply(&b->faults.list[0].protect, b->counter++, in[0].data);
    in[1].data[0] = (uint8_t)b->counter;
    b->count = frame_fault_apply(&b->faults, &b->state, b->tick++, in, 2, b->out, OUT);
}

/* How many of the struck message came out; the other one always comes once and unchanged. */
static int struck(const struct bench *b)
{
    int count = 0, others = 0;
    for (int i = 0; i < b->count; i++) {
        count += b->out[i].id == STRUCK;
        others +=
            b->out[i].id == OTHER && b->out[i].len == 4 && b->out[i].data[0] == (uint8_t)b->counter;
    }
    assert_int_equal(others, 1);
    assert_int_equal(count + others, b->count);
    return count;
}

static unsigned verify(const struct bench *b, struct protect_status *status, int index)
{
    return protect_verify(&b->faults.list[0].protect, status, b->out[index].data,
                          b->out[index].len);
}

static void nothing_happens_while_off(void **unused)
{
    (void)unused;
    for (unsigned kind = 0; kind < FRAME_FAULT_KINDS; kind++) {
        struct bench b;
        struct protect_status status = {0};
        set_up(&b, &(struct frame_fault){.kind = (uint8_t)kind,
                                         .every = 1,
                                         .count = 1,
                                         .ticks = 1,
                                         .mask = 0xff,
                                         .length = 3});
        frame_fault_set(&b.faults, &b.state, 1, true); /* there is no such fault */
        for (int i = 0; i < 40; i++) {
            tick(&b);
            assert_int_equal(struck(&b), 1);
            assert_int_equal(verify(&b, &status, 0), 0);
        }
        assert_int_equal(b.state.touched, 0);
        /* on and off again within the same tick: still nothing */
        frame_fault_set(&b.faults, &b.state, 0, true);
        frame_fault_set(&b.faults, &b.state, 0, false);
        tick(&b);
        assert_int_equal(verify(&b, &status, 0), 0);
    }
}

static void dropping_two_of_five(void **unused)
{
    (void)unused;
    struct bench b;
    set_up(&b, &(struct frame_fault){.kind = FRAME_DROP, .every = 5, .count = 2});
    tick(&b);
    frame_fault_set(&b.faults, &b.state, 0, true);
    for (int i = 0; i < 20; i++) {
        tick(&b);
        assert_int_equal(struck(&b), i % 5 >= 2);
    }
    frame_fault_set(&b.faults, &b.state, 0, false);
    tick(&b);
    assert_int_equal(struck(&b), 1);
}

static void silence_of_one_message_and_of_all(void **unused)
{
    (void)unused;
    struct bench b;
    set_up(&b, &(struct frame_fault){.kind = FRAME_SILENCE});
    frame_fault_set(&b.faults, &b.state, 0, true);
    for (int i = 0; i < 10; i++) {
        tick(&b);
        assert_int_equal(struck(&b), 0);
    }
    b.faults.list[0].all = 1;
    tick(&b);
    assert_int_equal(b.count, 0);
}

static void delay_shifts_by_whole_ticks(void **unused)
{
    (void)unused;
    struct bench b;
    struct protect_status status = {0};
    set_up(&b, &(struct frame_fault){.kind = FRAME_DELAY, .ticks = 3});
    frame_fault_set(&b.faults, &b.state, 0, true);
    for (uint32_t i = 0; i < 20; i++) {
        tick(&b);
        assert_int_equal(struck(&b), i >= 3);
        if (i >= 3) {
            assert_int_equal(verify(&b, &status, 0), 0);
            assert_int_equal(status.counter, (i - 3) % 15);
        }
    }
    /* off: what was held still comes, then all is as before */
    frame_fault_set(&b.faults, &b.state, 0, false);
    tick(&b);
    assert_int_equal(struck(&b), 2);
    for (int i = 0; i < 2; i++)
        tick(&b);
    tick(&b);
    assert_int_equal(struck(&b), 1);
    assert_int_equal(b.state.held_count, 0);
}

static void delayed_frames_arrive_with_a_later_stamp(void **unused)
{
    (void)unused;
    struct bench b;
    set_up(&b, &(struct frame_fault){.kind = FRAME_DELAY, .ticks = 4});
    b.faults.tick_ns = 1000;
    frame_fault_set(&b.faults, &b.state, 0, true);
    for (b.tick = 0; b.tick < 20; b.tick++) {
        struct can_msg in = {.time_ns = 1000 * b.tick + 7, .id = STRUCK, .len = 8};
        b.count = frame_fault_apply(&b.faults, &b.state, b.tick, &in, 1, b.out, OUT);
        if (b.tick >= 4)
            assert_int_equal(b.out[0].time_ns, 1000 * b.tick + 7);
    }
}

static void duplicates_repeat_the_counter(void **unused)
{
    (void)unused;
    struct bench b;
    struct protect_status status = {0};
    set_up(&b, &(struct frame_fault){.kind = FRAME_DUPLICATE, .count = 1});
    frame_fault_set(&b.faults, &b.state, 0, true);
    for (int i = 0; i < 10; i++) {
        tick(&b);
        assert_int_equal(struck(&b), 2);
        assert_int_equal(verify(&b, &status, 0), 0);
        assert_int_equal(verify(&b, &status, 1), PROTECT_REPEATED);
    }
}

static void a_frozen_counter_has_a_right_checksum(void **unused)
{
    (void)unused;
    struct bench b;
    struct protect_status status = {0};
    set_up(&b, &(struct frame_fault){.kind = FRAME_FREEZE});
    for (int i = 0; i < 3; i++) {
        tick(&b);
        assert_int_equal(verify(&b, &status, 0), 0);
    }
    frame_fault_set(&b.faults, &b.state, 0, true);
    for (int i = 0; i < 20; i++) {
        tick(&b);
        assert_int_equal(verify(&b, &status, 0), i == 0 ? 0 : PROTECT_REPEATED);
        assert_int_equal(status.counter, 3);
    }
    /* the second time it freezes at another value */
    frame_fault_set(&b.faults, &b.state, 0, false);
    tick(&b);
    frame_fault_set(&b.faults, &b.state, 0, true);
    tick(&b);
    tick(&b);
    assert_int_equal(protect_counter(&b.faults.list[0].protect, b.out[0].data), 24 % 15);
}

static void wrong_sums_and_lengths_are_found(void **unused)
{
    (void)unused;
    struct bench b;
    struct protect_status status = {0};
    set_up(&b, &(struct frame_fault){.kind = FRAME_WRONG_SUM, .mask = 0x01});
    frame_fault_set(&b.faults, &b.state, 0, true);
    tick(&b);
    assert_int_equal(verify(&b, &status, 0), PROTECT_WRONG_SUM);
    set_up(&b, &(struct frame_fault){.kind = FRAME_LENGTH, .length = 6});
    frame_fault_set(&b.faults, &b.state, 0, true);
    tick(&b);
    assert_int_equal(b.out[0].len, 6);
    assert_int_equal(verify(&b, &status, 0), PROTECT_WRONG_LENGTH);
    assert_int_equal(b.state.touched, 1);
}

static void a_burst_comes_in_every_tick(void **unused)
{
    (void)unused;
    struct bench b;
    set_up(&b, &(struct frame_fault){.kind = FRAME_BURST, .count = 5});
    frame_fault_set(&b.faults, &b.state, 0, true);
    b.count = frame_fault_apply(&b.faults, &b.state, b.tick++, NULL, 0, b.out, OUT);
    assert_int_equal(b.count, 0); /* no frame yet that could be repeated */
    tick(&b);
    assert_int_equal(struck(&b), 6);
    b.count = frame_fault_apply(&b.faults, &b.state, b.tick++, NULL, 0, b.out, OUT);
    assert_int_equal(b.count, 5); /* also when none is due */
    assert_int_equal(b.out[4].id, STRUCK);
}

static void what_does_not_fit_is_counted(void **unused)
{
    (void)unused;
    struct bench b;
    set_up(&b, &(struct frame_fault){.kind = FRAME_BURST, .count = 1000});
    frame_fault_set(&b.faults, &b.state, 0, true);
    tick(&b);
    assert_int_equal(b.count, OUT);
    assert_int_equal(b.state.left_out, 1002 - OUT);
    set_up(&b, &(struct frame_fault){.kind = FRAME_DELAY, .ticks = 1000});
    frame_fault_set(&b.faults, &b.state, 0, true);
    for (int i = 0; i < FRAME_FAULT_HELD + 5; i++)
        tick(&b);
    assert_int_equal(b.state.left_out, 5);
    assert_int_equal(b.state.held_count, FRAME_FAULT_HELD);
}

static void faults_act_together_and_repeat_exactly(void **unused)
{
    (void)unused;
    struct bench a, b;
    set_up(&a, &(struct frame_fault){.kind = FRAME_DROP, .every = 3, .count = 1});
    a.faults.list[1] = a.faults.list[0];
    a.faults.list[1].kind = FRAME_FREEZE;
    a.faults.list[2] = a.faults.list[0];
    a.faults.list[2].kind = FRAME_DELAY;
    a.faults.list[2].ticks = 2;
    a.faults.count = 3;
    b = a;
    for (int i = 0; i < 60; i++) {
        for (uint32_t f = 0; f < 3; f++) {
            frame_fault_set(&a.faults, &a.state, f, (i >> f & 1) != 0);
            frame_fault_set(&b.faults, &b.state, f, (i >> f & 1) != 0);
        }
        tick(&a);
        tick(&b);
        assert_int_equal(a.count, b.count);
        assert_memory_equal(a.out, b.out, (size_t)a.count * sizeof a.out[0]);
    }
    assert_memory_equal(&a.state, &b.state, sizeof a.state);
    assert_true(a.state.touched > 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_happens_while_off),
        cmocka_unit_test(dropping_two_of_five),
        cmocka_unit_test(silence_of_one_message_and_of_all),
        cmocka_unit_test(delay_shifts_by_whole_ticks),
        cmocka_unit_test(delayed_frames_arrive_with_a_later_stamp),
        cmocka_unit_test(duplicates_repeat_the_counter),
        cmocka_unit_test(a_frozen_counter_has_a_right_checksum),
        cmocka_unit_test(wrong_sums_and_lengths_are_found),
        cmocka_unit_test(a_burst_comes_in_every_tick),
        cmocka_unit_test(what_does_not_fit_is_counted),
        cmocka_unit_test(faults_act_together_and_repeat_exactly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
