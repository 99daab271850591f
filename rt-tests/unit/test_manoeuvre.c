/* A course: cones under the outline of the body, phases, and what they hold. */
#include "rt-tests/support/near.h"
#include "target/scenario/manoeuvre_load.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const double deg = 3.14159265358979323846 / 180.0;

static struct manoeuvre *course(const char *text, const char *message)
{
    const struct road plane = {0};
    struct manoeuvre *m = calloc(1, sizeof *m);
    struct cfg_doc *doc;
    assert_non_null(m);
    assert_int_equal(cfg_open_text("course.yaml", text, strlen(text), &doc), 0);
    manoeuvre_load(cfg_root(doc), &plane, m);
    assert_string_equal(cfg_message_count(doc) ? cfg_message(doc, 0) : "", message);
    cfg_close(doc);
    return m;
}

static void course_free(struct manoeuvre *m)
{
    manoeuvre_free(m);
    free(m);
}

/* A car of 4 m by 2 m, its centre of gravity 0.5 m ahead of the middle of its body. */
struct stage {
    struct car_facts car;
    struct hull_model hull;
    struct plant_out now;
    struct signals last;
    struct manoeuvre_state state;
    struct manoeuvre_view view;
};

static struct stage *stage(const struct manoeuvre *m)
{
    struct stage *g = calloc(1, sizeof *g);
    assert_non_null(g);
    g->hull.half_m = v3(2.0, 1.0, 0.7);
    g->hull.centre_m = v3(-1.3, 0.0, 0.5);
    g->car.hull = &g->hull;
    g->car.cg_m = v3(-0.8, 0.0, 0.5);
    g->view = (struct manoeuvre_view){.car = &g->car, .now = &g->now, .last = &g->last};
    manoeuvre_reset(m, &g->state);
    return g;
}

static uint32_t hit_at(const struct manoeuvre *m, double x_m, double y_m, double yaw_rad)
{
    struct stage *g = stage(m);
    g->now.pos_m[0] = x_m;
    g->now.pos_m[1] = y_m;
    g->now.yaw_rad = yaw_rad;
    manoeuvre_watch(m, &g->state, &g->view);
    uint32_t hit = g->last.cones_hit;
    free(g);
    return hit;
}

/* The nose is 1.5 m ahead of the centre of gravity, the tail 2.5 m behind, the sides 1 m away; the
 * cone adds 0.1 m. */
static void cone_under_the_outline_is_touched(void **unused)
{
    (void)unused;
    struct manoeuvre *m = course("cones: {at_m: [[10, 0]], radius_m: 0.1}\n", "");
    assert_int_equal(hit_at(m, 10.0 - 1.61, 0.0, 0.0), 0);
    assert_int_equal(hit_at(m, 10.0 - 1.59, 0.0, 0.0), 1);
    assert_int_equal(hit_at(m, 10.0 + 2.59, 0.0, 0.0), 1);
    assert_int_equal(hit_at(m, 10.0 + 2.61, 0.0, 0.0), 0);
    assert_int_equal(hit_at(m, 10.0, 1.09, 0.0), 1);
    assert_int_equal(hit_at(m, 10.0, 1.11, 0.0), 0);
    assert_int_equal(hit_at(m, 10.0, -1.09, 0.0), 1);
    assert_int_equal(hit_at(m, 10.0, -1.11, 0.0), 0);
    /* Turned to the left by 90 degrees the nose points along y. */
    assert_int_equal(hit_at(m, 10.0, -1.59, 90.0 * deg), 1);
    assert_int_equal(hit_at(m, 10.0, -1.61, 90.0 * deg), 0);
    assert_int_equal(hit_at(m, 10.0, 2.59, 90.0 * deg), 1);
    assert_int_equal(hit_at(m, 11.11, 0.0, 90.0 * deg), 0);
    course_free(m);
}

/* A gate as wide as the car lets it through and nothing wider; a cone counts once. */
static void gate_is_as_wide_as_it_says(void **unused)
{
    (void)unused;
    struct manoeuvre *m = course("cones: {gates_m: [[20, 30, 0.5, 2.2, 3]]}\n", "");
    assert_int_equal(m->cones, 6);
    assert_int_equal(hit_at(m, 25.0, 0.5, 0.0), 0);
    assert_int_equal(hit_at(m, 25.0, 0.59, 0.0), 0);
    assert_int_equal(hit_at(m, 25.0, 0.61, 0.0), 1); /* the middle one to the left */
    assert_int_equal(hit_at(m, 25.0, 0.39, 0.0), 1);
    struct stage *g = stage(m);
    for (int i = 0; i <= 400; i++) {
        g->now.pos_m[0] = 10.0 + 0.05 * i;
        g->now.pos_m[1] = 0.65;
        manoeuvre_watch(m, &g->state, &g->view);
    }
    assert_int_equal(g->last.cones_hit, 3);
    free(g);
    course_free(m);
}

/* What a phase holds is what was there when it began: all of it. */
static void held_inputs_stay(void **unused)
{
    (void)unused;
    struct manoeuvre *m = course("phases:\n"
                                 "  - {name: a, until: time_s > 1 s, inputs: {brake_pedal: 0.3}}\n"
                                 "  - {name: b, steer: hold, pedals: hold}\n",
                                 "");
    struct stage *g = stage(m);
    struct script none;
    struct plant_in in;
    memset(&none, 0, sizeof none);
    memset(&in, 0, sizeof in);
    g->last.in_hand_wheel_rad = 0.4;
    g->last.in_throttle = 0.2;
    g->last.in_brake_pedal = 0.3;
    g->last.in_clutch_pedal = 0.7;
    g->last.in_gear = 3;
    g->last.time_s = 1.5;
    manoeuvre_watch(m, &g->state, &g->view);
    assert_int_equal(g->state.phase, 1);
    manoeuvre_command(m, &g->state, &g->view, &none, 1.5, 1.501, &in);
    assert_near(in.hand_wheel_rad, 0.4, 0.0);
    assert_near(in.throttle, 0.2, 0.0);
    assert_near(in.brake_pedal, 0.3, 0.0);
    assert_near(in.clutch_pedal, 0.7, 0.0);
    assert_int_equal(in.gear, 3);
    free(g);
    course_free(m);
}

static void mistakes_are_told(void **unused)
{
    (void)unused;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"cones: {gates_m: [[20, 10, 0, 2, 3]]}\n",
         "course.yaml:1:9: cones.gates_m: row 1: gates are [from, to, centre, width, cones on each "
         "side (2 to 50)]"},
        {"cones: {gates_m: [[10, 20, 0, 2, 1]]}\n",
         "course.yaml:1:9: cones.gates_m: row 1: gates are [from, to, centre, width, cones on each "
         "side (2 to 50)]"},
        {"cones: {gates_m: [[10, 20, 0, 2, 50], [30, 40, 0, 2, 50]]}\n",
         "course.yaml:1:9: cones.gates_m: more than 128 cones"},
        {"cones: {at_m: [[10, 1], [10, -1]]}\n", ""}, /* a pair is good */
        {"phases: [{name: a}, {name: b}]\n",
         "course.yaml:1:10: phases[0]: only the last phase may lack `until`"},
        {"phases: [{name: a, steer: driver}]\n",
         "course.yaml:1:20: phases[0].steer: the scenario has no driver"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        course_free(course(cases[i].text, cases[i].message));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cone_under_the_outline_is_touched),
        cmocka_unit_test(gate_is_as_wide_as_it_says),
        cmocka_unit_test(held_inputs_stay),
        cmocka_unit_test(mistakes_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
