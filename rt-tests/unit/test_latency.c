/* The hops from a tooth edge to the pressure that answers it. */
#include "target/latency.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MS = 1000000 };

static void the_hops_add_up_to_the_whole(void **state)
{
    (void)state;
    struct latency *l = malloc(sizeof *l);
    assert_non_null(l);
    latency_init(l, 15);
    const struct sensors_out s = {.wheel_edges = {5, 6, 7, 8},
                                  .wheel_edge_ns = {9 * MS, 8 * MS, 9 * MS, 9 * MS}};
    latency_sent(l, 3, &s, 100 * MS, 110 * MS);            /* oldest edge at 108 */
    latency_answer(l, 3 + 16, 2 * MS, 114 * MS, 115 * MS); /* counters wrap */
    assert_int_equal(l->hop[LATENCY_EDGE].spread.max_ns, 2 * MS);
    assert_int_equal(l->hop[LATENCY_BUS].spread.max_ns, 2 * MS);
    assert_int_equal(l->hop[LATENCY_UNIT].spread.max_ns, 2 * MS);
    assert_int_equal(l->hop[LATENCY_TICK].spread.max_ns, 1 * MS);
    assert_int_equal(l->hop[LATENCY_TOTAL].spread.max_ns, 7 * MS);
    free(l);
}

static void only_the_first_answer_to_a_new_edge_counts(void **state)
{
    (void)state;
    struct latency *l = malloc(sizeof *l);
    assert_non_null(l);
    latency_init(l, 15);
    const struct sensors_out s = {.wheel_edges = {5, 6, 7, 8}};
    latency_answer(l, 3, 0, 1, 2); /* to nothing */
    latency_sent(l, 3, &s, 0, 10);
    latency_answer(l, 3, 0, 11, 12);
    latency_answer(l, 3, 0, 16, 17);
    latency_sent(l, 4, &s, 0, 20); /* the same edges: a standing car */
    latency_answer(l, 4, 0, 21, 22);
    assert_int_equal(l->hop[LATENCY_TOTAL].count, 1);
    free(l);
}

/* A unit tells its own time in a frame that comes less often: what cannot be is left out. */
static void a_time_of_an_older_answer_is_left_out(void **state)
{
    (void)state;
    struct latency *l = malloc(sizeof *l);
    assert_non_null(l);
    latency_init(l, 15);
    const struct sensors_out s = {.wheel_edges = {5, 6, 7, 8}};
    latency_sent(l, 3, &s, 0, 10 * MS);
    latency_answer(l, 3, 25 * MS, 14 * MS, 15 * MS);
    assert_int_equal(l->hop[LATENCY_TOTAL].count, 1);
    assert_int_equal(l->hop[LATENCY_UNIT].count, 0);
    assert_int_equal(l->hop[LATENCY_BUS].count, 0);
    free(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_hops_add_up_to_the_whole),
        cmocka_unit_test(a_time_of_an_older_answer_is_left_out),
        cmocka_unit_test(only_the_first_answer_to_a_new_edge_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
