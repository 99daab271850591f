/* The set-up changed on a car: what each value does, and the change while the loop runs. */
#include "rt-tests/support/lumped15_of.h"
#include "rt-tests/support/near.h"
#include "target/loop.h"
#include "target/tune.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PERIOD_NS = 1000000, CHANGE_AT = 700, AGAIN_AT = 900, TICKS = 1500 };
static const char scenario[] = "config/scenarios/brake_in_turn.yaml";

static struct offline *car_open(void)
{
    struct offline *car = calloc(1, sizeof *car);
    const struct offline_options options = {.duration_s = -1.0, .integrator = VEHICLE_AS_FILE};
    assert_non_null(car);
    assert_int_equal(offline_open(scenario, &options, car), 0);
    return car;
}

static void car_close(struct offline *car)
{
    offline_close(car);
    free(car);
}

static struct vehicle *with(const struct offline *car, int id, double value)
{
    struct setup setup = setup_neutral;
    setup.value[id] = value;
    struct vehicle *v = offline_vehicle(car, &setup);
    assert_non_null(v);
    return v;
}

static void the_neutral_setup_is_the_car_of_the_file(void **state)
{
    (void)state;
    struct offline *car = car_open();
    struct vehicle *v = offline_vehicle(car, &setup_neutral);
    assert_non_null(v);
    assert_true(vehicle_same(v, car->vehicle));
    free(v);
    car_close(car);
}

/* Twice the rate, the same force at rest: the car keeps its height. */
static void springs_and_dampers_are_scaled(void **state)
{
    (void)state;
    struct offline *car = car_open();
    const struct axle_model *was = &lumped15_of(car->vehicle)->axle[REAR];
    struct vehicle *v = with(car, SETUP_rear_spring, 2.0);
    const struct axle_model *is = &lumped15_of(v)->axle[REAR];
    struct kinematics_out rest;
    double rate_was, rate_is;
    kinematics_at(&is->kin, 0.0, 0.0, 1.0, &rest);
    double at_rest_m = rest.f[KIN_SPRING];
    double force_was = table1_at(&was->spring_N, was->spring_free_m - at_rest_m, &rate_was);
    double force_is = table1_at(&is->spring_N, is->spring_free_m - at_rest_m, &rate_is);
    assert_near(rate_is, 2.0 * rate_was, 1e-9 * rate_was);
    assert_near(force_is, force_was, 1e-6 * force_was); /* found by bisection */
    assert_memory_equal(&lumped15_of(v)->axle[FRONT], &lumped15_of(car->vehicle)->axle[FRONT],
                        sizeof *is);
    free(v);

    v = with(car, SETUP_front_damper, 0.5);
    double slope;
    assert_near(table1_at(&lumped15_of(v)->axle[FRONT].damper_N, 0.2, &slope),
                0.5 * table1_at(&lumped15_of(car->vehicle)->axle[FRONT].damper_N, 0.2, &slope),
                1e-9);
    free(v);

    v = with(car, SETUP_rear_bar, 3.0);
    for (int i = 0; i < WHEELS; i++)
        assert_near(lumped15_of(v)->bar_Npm[i],
                    (i < RL ? 1.0 : 3.0) * lumped15_of(car->vehicle)->bar_Npm[i], 1e-9);
    free(v);
    car_close(car);
}

/* The car at rest with this one in place of its own. */
static struct plant_out outputs(struct offline *car, struct vehicle *v)
{
    struct vehicle *own = offline_exchange(car, v);
    struct plant_out out;
    lumped15_reset(lumped15_of(v), lumped15_state_of(car), &car->scenario->start, &car->ground);
    lumped15_ops.output(lumped15_of(v), lumped15_state_of(car), &out);
    free(offline_exchange(car, own));
    return out;
}

/* Signs as on a person's sheet: toe-in turns the wheels' front edges inwards, negative camber leans
 * their tops inwards. In outputs left is positive, and the top to the right. */
static void toe_and_camber_turn_the_wheels(void **state)
{
    (void)state;
    static const double side[WHEELS] = {1.0, -1.0, 1.0, -1.0};
    static const int toe[AXLES] = {SETUP_front_toe_in_rad, SETUP_rear_toe_in_rad};
    static const int camber[AXLES] = {SETUP_front_camber_rad, SETUP_rear_camber_rad};
    struct offline *car = car_open();
    struct plant_out was = outputs(car, with(car, SETUP_front_bar, 1.0));
    for (int k = 0; k < AXLES; k++) {
        struct plant_out toed = outputs(car, with(car, toe[k], 0.004));
        struct plant_out leant = outputs(car, with(car, camber[k], -0.02));
        for (int i = 0; i < WHEELS; i++) {
            bool mine = (i >= RL) == (k == REAR);
            /* The car settles a little differently; toe and camber change with travel. */
            assert_near(toed.steer_rad[i] - was.steer_rad[i], mine ? -side[i] * 0.004 : 0.0, 2e-5);
            assert_near(leant.camber_rad[i] - was.camber_rad[i], mine ? side[i] * 0.02 : 0.0, 2e-4);
        }
    }
    car_close(car);
}

struct bed {
    struct loop loop;
    struct rt rt;
    struct tune tune;
};

static void post_change(struct bed *b, const char *name, double value)
{
    struct vehicle *next;
    struct err e = {""};
    assert_int_equal(tune_build(&b->tune, name, value, &next, &e), 0);
    struct request r = {.kind = REQUEST_SETUP, .payload = next};
    assert_int_equal(requests_post(&b->loop.requests, &r, &(struct request_words){"anna", ""}), 0);
    tune_commit(&b->tune);
}

/* Both of the second time act in one tick, one after the other. */
static void change(struct loop *l, void *peer)
{
    struct bed *b = peer;
    if (l->tick == CHANGE_AT - 1)
        post_change(b, "rear_bar", 4.0);
    if (l->tick == AGAIN_AT - 1) {
        post_change(b, "rear_bar", 3.0);
        post_change(b, "front_bar", 2.0);
    }
}

static void no_command(struct loop *l, void *peer, struct plant_in *in)
{
    (void)l, (void)peer, (void)in;
}

static void no_send(struct loop *l, void *peer, int64_t now_ns)
{
    (void)l, (void)peer, (void)now_ns;
}

static struct vehicle *both_bars(const struct offline *car)
{
    struct setup setup = setup_neutral;
    setup.value[SETUP_rear_bar] = 3.0;
    setup.value[SETUP_front_bar] = 2.0;
    struct vehicle *v = offline_vehicle(car, &setup);
    assert_non_null(v);
    return v;
}

static int count_events(struct loop *l, int kind)
{
    struct loop_event all[64];
    size_t n = ring_pop(&l->events, all, 64);
    int count = 0;
    for (size_t i = 0; i < n; i++)
        count += all[i].kind == kind;
    return count;
}

/* Asked for in one tick, it acts from the next one on, and each record has the values it was made
 * with. */
static void the_loop_goes_on_with_the_changed_car(void **state)
{
    static const struct loop_link link = {
        .receive = change, .command = no_command, .send = no_send};
    (void)state;
    struct bed *b = calloc(1, sizeof *b);
    struct offline *car = car_open(), *alone = car_open();
    struct err e = {""};
    assert_non_null(b);
    b->rt.ops = &rt_virtual;
    assert_int_equal(rt_virtual.start(&b->rt, &e), 0);
    b->loop.rt = &b->rt;
    b->loop.car = car;
    b->loop.link = &link;
    b->loop.peer = b;
    b->loop.setup = (struct loop_setup){
        .period_ns = PERIOD_NS, .deadline_ns = PERIOD_NS, .catch_up_max = 3, .ticks = TICKS};
    assert_int_equal(loop_rings_init(&b->loop, 2.0), 0);
    assert_int_equal(tune_open(&b->tune, car), 0);
    loop_run(&b->loop);

    struct vehicle *other = with(alone, SETUP_rear_bar, 4.0);
    for (int i = 0; i < TICKS; i++) {
        if (i == CHANGE_AT)
            free(offline_exchange(alone, other));
        if (i == AGAIN_AT)
            free(offline_exchange(alone, both_bars(alone)));
        offline_step(alone);
        struct loop_record record;
        assert_int_equal(ring_pop(&b->loop.records, &record, 1), 1);
        assert_near(record.signals.setup_rear_bar,
                    i < CHANGE_AT  ? 1.0
                    : i < AGAIN_AT ? 4.0
                                   : 3.0,
                    0.0);
        assert_near(record.signals.setup_front_bar, i < AGAIN_AT ? 1.0 : 2.0, 0.0);
        assert_near(record.signals.setup_front_spring, 1.0, 0.0);
    }
    assert_true(offline_hash(car) == offline_hash(alone)); /* the same bits, no tolerance */
    assert_int_equal(count_events(&b->loop, EVENT_SETUP), 3);
    tune_close(&b->tune);
    loop_rings_free(&b->loop);
    car_close(alone);
    car_close(car);
    free(b);
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    struct offline *car = car_open();
    struct vehicle *next;
    struct tune t;
    struct err e = {""};
    assert_int_equal(tune_open(&t, car), 0);
    assert_true(tune_build(&t, "rear_spring", 5.0, &next, &e) < 0);
    assert_string_equal(e.text, "rear_spring must be between 0.25 and 4");
    assert_true(tune_build(&t, "rear_spring", NAN, &next, &e) < 0);
    assert_true(tune_build(&t, "rear_sprnig", 1.0, &next, &e) < 0);
    assert_non_null(strstr(e.text, "did you mean rear_spring?"));
    assert_null(next);

    /* The file is another one by now. */
    lumped15_of(t.like)->sprung_kg += 1.0;
    assert_true(tune_build(&t, "rear_spring", 2.0, &next, &e) < 0);
    assert_non_null(strstr(e.text, "has changed since the start"));
    lumped15_of(t.like)->sprung_kg -= 1.0;

    /* The second change keeps the first one if that drives, and only then. */
    assert_int_equal(tune_build(&t, "rear_spring", 2.0, &next, &e), 0);
    free(next);
    assert_int_equal(tune_build(&t, "front_bar", 0.0, &next, &e), 0);
    assert_near(next->setup.value[SETUP_rear_spring], 1.0, 0.0);
    free(next);
    assert_int_equal(tune_build(&t, "rear_spring", 2.0, &next, &e), 0);
    tune_commit(&t);
    free(next);
    assert_int_equal(tune_build(&t, "front_bar", 0.0, &next, &e), 0);
    assert_near(next->setup.value[SETUP_rear_spring], 2.0, 0.0);
    assert_near(lumped15_of(next)->bar_Npm[FL], 0.0, 0.0);
    free(next);
    tune_close(&t);
    car_close(car);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_neutral_setup_is_the_car_of_the_file),
        cmocka_unit_test(springs_and_dampers_are_scaled),
        cmocka_unit_test(toe_and_camber_turn_the_wheels),
        cmocka_unit_test(the_loop_goes_on_with_the_changed_car),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
