/* Cyclic frames: exact multiples, spread offsets, the busiest tick. */
#include "shared/can/schedule.h"

#include "shared/base/time.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { ROOM = 4096 };

static void a_period_is_a_whole_number_of_ticks(void **unused)
{
    (void)unused;
    static const int64_t tick_us[] = {1000, 500, 200, 100, 50};
    uint32_t ticks = 0;
    for (size_t i = 0; i < sizeof tick_us / sizeof tick_us[0]; i++) {
        assert_int_equal(schedule_ticks(10 * NS_PER_MS, tick_us[i] * NS_PER_US, &ticks), 0);
        assert_int_equal(ticks, 10000 / tick_us[i]);
    }
    /* 10 ms in ticks of 0.3 ms: 33 would be 9.9 ms */
    assert_int_equal(schedule_ticks(10 * NS_PER_MS, 300 * NS_PER_US, &ticks), -EDOM);
    assert_int_equal(ticks, 33);
    assert_int_equal(schedule_ticks(NS_PER_MS / 10, NS_PER_MS, &ticks), -EDOM);
    assert_int_equal(ticks, 1);
    assert_int_equal(schedule_ticks(0, NS_PER_MS, &ticks), -ERANGE);
    assert_int_equal(schedule_ticks(NS_PER_MS, 0, &ticks), -ERANGE);
    assert_int_equal(schedule_ticks(INT64_MAX, 1, &ticks), -ERANGE);
}

/* The load of every tick, counted by driving the schedule. */
static void assert_load(const struct schedule_item *items, size_t count, int64_t ticks,
                        const struct schedule_load *load)
{
    int64_t next[16];
    uint64_t most = 0, most_frames = 0, sum = 0, want = 0;
    for (size_t i = 0; i < count; i++)
        next[i] = items[i].offset_ticks;
    for (int64_t tick = 0; tick < ticks; tick++) {
        uint64_t weight = 0, frames = 0;
        for (size_t i = 0; i < count; i++) {
            if (schedule_due(items[i].period_ticks, tick, &next[i])) {
                assert_int_equal(tick % items[i].period_ticks, items[i].offset_ticks);
                weight += items[i].weight;
                frames++;
            }
        }
        sum += weight;
        most = weight > most ? weight : most;
        most_frames = frames > most_frames ? frames : most_frames;
        if (tick == load->tick && load->exact)
            assert_int_equal(weight, load->weight);
    }
    for (size_t i = 0; i < count; i++)
        want += (uint64_t)(ticks / items[i].period_ticks) * items[i].weight;
    assert_int_equal(sum, want);
    if (load->exact) {
        assert_int_equal(most, load->weight);
        assert_int_equal(most_frames, load->frames);
    } else {
        assert_true(most <= load->weight && most_frames <= load->frames);
    }
}

static void offsets_level_the_load(void **unused)
{
    (void)unused;
    uint32_t scratch[ROOM];
    struct schedule_load load;
    struct schedule_item items[12];
    static const uint32_t periods[12] = {10, 10, 10, 10, 5, 5, 20, 20, 20, 20, 100, 100};
    for (size_t i = 0; i < 12; i++)
        items[i] = (struct schedule_item){periods[i], SCHEDULE_FREE, 110};
    schedule_spread(items, 12, scratch, ROOM, &load);
    /* 0.4 + 0.4 + 0.2 + 0.02 frames a tick: two in a tick are the least possible */
    assert_true(load.exact);
    assert_int_equal(load.frames, 2);
    assert_int_equal(load.weight, 220);
    assert_load(items, 12, 1000, &load);
}

static void given_offsets_stay(void **unused)
{
    (void)unused;
    uint32_t scratch[ROOM];
    struct schedule_load load;
    struct schedule_item items[] = {
        {4, 1, 10}, {4, 1, 10}, {4, SCHEDULE_FREE, 5}, {2, SCHEDULE_FREE, 1}};
    schedule_spread(items, 4, scratch, ROOM, &load);
    assert_int_equal(items[0].offset_ticks, 1);
    assert_int_equal(items[1].offset_ticks, 1);
    assert_int_equal(items[3].offset_ticks, 0); /* the shortest period first, beside tick 1 */
    assert_int_equal(items[2].offset_ticks, 3); /* the only empty tick */
    assert_int_equal(load.weight, 20);
    assert_int_equal(load.tick, 1);
    assert_load(items, 4, 400, &load);
}

static void long_patterns_give_a_bound(void **unused)
{
    (void)unused;
    uint32_t scratch[64];
    struct schedule_load load;
    struct schedule_item items[] = {{7, SCHEDULE_FREE, 1},
                                    {11, SCHEDULE_FREE, 2},
                                    {13, SCHEDULE_FREE, 4},
                                    {14, SCHEDULE_FREE, 8}};
    schedule_spread(items, 4, scratch, 64, &load);
    assert_false(load.exact);
    assert_load(items, 4, 2LL * 7 * 11 * 13, &load);
    /* a period beyond the scratch, and nothing at all */
    struct schedule_item slow = {1000, SCHEDULE_FREE, 3};
    schedule_spread(&slow, 1, scratch, 64, &load);
    assert_true(slow.offset_ticks < 1000 && load.weight == 3 && load.frames == 1);
    schedule_spread(&slow, 0, scratch, 64, &load);
    assert_true(load.weight == 0 && load.frames == 0);
}

static void skipped_ticks_keep_the_pattern(void **unused)
{
    (void)unused;
    int64_t next = 3;
    assert_false(schedule_due(10, 2, &next));
    assert_true(schedule_due(10, 5, &next)); /* tick 3 was skipped: late, but sent */
    assert_false(schedule_due(10, 12, &next));
    assert_true(schedule_due(10, 13, &next));
    assert_true(schedule_due(10, 57, &next)); /* 23, 33, 43, 53 were skipped: one frame */
    assert_int_equal(next, 63);
    assert_true(schedule_due(10, 73, &next)); /* exactly on the next one */
    assert_int_equal(next, 83);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_period_is_a_whole_number_of_ticks),
        cmocka_unit_test(offsets_level_the_load),
        cmocka_unit_test(given_offsets_stay),
        cmocka_unit_test(long_patterns_give_a_bound),
        cmocka_unit_test(skipped_ticks_keep_the_pattern),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
