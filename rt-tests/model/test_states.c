/* Tables of named states: every number of a state is in its table once, and what is hashed is what
 * the table names. */
#include "rt-tests/support/plane_car.h"
#include "target/model/lumped15/lumped15.h"
#include "target/model/sensors.h"
#include "target/model/two_track/two_track.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct gap {
    size_t begin, bytes;
};

/* Marks what the table names; nothing twice. */
static void mark(const struct state_table *t, unsigned char *named, size_t size)
{
    for (size_t k = 0; k < t->count; k++) {
        const struct state_info *s = &t->info[k];
        size_t bytes = s->count * (s->type == STATE_i32 || s->type == STATE_u32 ? 4u : 8u);
        assert_true(s->scale > 0.0);
        assert_true(s->offset + bytes <= size);
        for (size_t i = 0; i < bytes; i++)
            assert_int_equal(named[s->offset + i]++, 0);
    }
}

/* All of a state but for what is said to be none of it. */
static void check(const struct state_table *t, size_t size, const struct gap *gaps, size_t count)
{
    unsigned char *named = calloc(1, size), *state = calloc(1, size);
    mark(t, named, size);
    for (size_t g = 0; g < count; g++)
        for (size_t i = 0; i < gaps[g].bytes; i++)
            assert_int_equal(named[gaps[g].begin + i]--, 0);
    uint64_t zero = state_hash(t, state, 1);
    for (size_t i = 0; i < size; i++) {
        state[i] = 1;
        assert_int_equal(state_hash(t, state, 1) != zero, named[i] == 1);
        state[i] = 0;
        assert_int_not_equal(named[i], 0);
    }
    free(named);
    free(state);
}

#define GAP(of, member)                                                                            \
    {                                                                                              \
        offsetof(of, member), sizeof(((of *)0)->member)                                            \
    }

static void lumped15_names_all_its_states(void **state)
{
    (void)state;
    static struct lumped15_model m;
    const struct gap with[] = {GAP(struct lumped15_state, time_s), GAP(struct lumped15_state, seen),
                               GAP(struct lumped15_state, hydraulics.pump_m3ps),
                               GAP(struct lumped15_state, reserved)};
    const struct gap without[] = {
        GAP(struct lumped15_state, time_s), GAP(struct lumped15_state, seen),
        GAP(struct lumped15_state, hydraulics), GAP(struct lumped15_state, reserved)};
    m.hydraulics.on = 1;
    check(lumped15_states(&m), sizeof(struct lumped15_state), with, 4);
    m.hydraulics.on = 0;
    check(lumped15_states(&m), sizeof(struct lumped15_state), without, 4);
}

static void two_track_names_all_its_states(void **state)
{
    (void)state;
    static struct two_track_model m;
    const struct gap with[] = {
        GAP(struct two_track_state, time_s), GAP(struct two_track_state, seen),
        GAP(struct two_track_state, hydraulics.pump_m3ps), GAP(struct two_track_state, reserved)};
    const struct gap without[] = {
        GAP(struct two_track_state, time_s), GAP(struct two_track_state, seen),
        GAP(struct two_track_state, hydraulics), GAP(struct two_track_state, reserved)};
    m.hydraulics.on = 1;
    check(two_track_states(&m), sizeof(struct two_track_state), with, 4);
    m.hydraulics.on = 0;
    check(two_track_states(&m), sizeof(struct two_track_state), without, 4);
}

static void sensors_name_all_their_states(void **state)
{
    (void)state;
    const struct gap gaps[] = {GAP(struct sensors_state, reserved)};
    check(&sensors_states, sizeof(struct sensors_state), gaps, 1);
}

/* The vector of the reference solver is what the table calls continuous, in that order. */
static void check_vector(const struct model_ops *ops, const void *m, void *s)
{
    const struct state_table *t = ops->states(m);
    size_t n = ops->x_count(m), k = 0;
    double *x = calloc(n, sizeof *x);
    for (size_t i = 0; i < n; i++)
        x[i] = 1.0 + (double)i;
    ops->x_set(m, s, x);
    for (size_t i = 0; i < t->count; i++)
        for (uint32_t j = 0; j < t->info[i].count && t->info[i].kind != STATE_MEMORY; j++)
            assert_true(state_value(&t->info[i], s, j) == x[k++]);
    assert_int_equal(k, n);
    assert_int_equal(k, state_count(t, STATE_KINDS) - state_count(t, STATE_MEMORY));
    free(x);
}

static void vector_is_the_continuous_states(void **state)
{
    (void)state;
    static struct lumped15_model m;
    static struct lumped15_state s;
    static struct two_track_model plane;
    static struct two_track_state plane_s;
    for (int on = 0; on < 2; on++) {
        m.hydraulics.on = plane.hydraulics.on = on;
        check_vector(&lumped15_ops, &m, &s);
        check_vector(&two_track_ops, &plane, &plane_s);
    }
}

/* Nothing of an output is left as it was before. */
static void outputs_are_complete(void **state)
{
    (void)state;
    static const char *const models[] = {"lumped15", "two_track"};
    for (int k = 0; k < 2; k++) {
        struct plane_car c;
        struct plant_out a, b;
        plane_car_open(&c, "sedan", models[k], 1e-3);
        plane_car_reset(&c, 20.0, 3);
        c.in.hand_wheel_rad = 0.01;
        plane_car_for(&c, 0.1);
        memset(&a, 0x00, sizeof a);
        memset(&b, 0xff, sizeof b);
        c.v->ops->output(c.v->model, c.mem.state, &a);
        c.v->ops->output(c.v->model, c.mem.state, &b);
        assert_memory_equal(&a, &b, sizeof a);
        plane_car_close(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lumped15_names_all_its_states),
        cmocka_unit_test(two_track_names_all_its_states),
        cmocka_unit_test(sensors_name_all_their_states),
        cmocka_unit_test(vector_is_the_continuous_states),
        cmocka_unit_test(outputs_are_complete),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
