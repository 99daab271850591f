/* Energy with dissipation off. Dampers, frictions, tyre damping, rolling resistance and air are
 * zero and the ground has no friction, so that kinetic, gravity and elastic energy add up to a
 * constant: any wrong term of the equations that does work shows. Terms that do none (gyroscopic
 * moments) are caught by test_flight.c and test_virtual_work.c.
 *
 * Drift is measured against the energy that changed hands: the range of kinetic energy over the
 * run. Kinetic energy of plain rolling does not count, or a fast car would hide errors. */
#include "rt-tests/support/lumped15_of.h"
#include "rt-tests/support/near.h"
#include "rt-tests/support/parts.h"
#include "rt-tests/support/reference.h"
#include "target/road/plane.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SAMPLES = 400 };
static const double every_s = 0.005;

struct run {
    struct testcar car;
    struct vehicle *vehicle;
    struct lumped15_model *model;
    struct plane ice;
    struct ground ground;
    struct lumped15_state start;
    struct plant_in in;
    double free_m[AXLES];
};

static void angle_input(double time_s, struct plant_in *in, double *hand_radps)
{
    (void)time_s;
    in->steer = PLANT_STEER_ANGLE;
    *hand_radps = 0.0;
}

static void torque_input(double time_s, struct plant_in *in, double *hand_radps)
{
    (void)time_s;
    in->steer = PLANT_STEER_TORQUE;
    *hand_radps = 0.0;
}

/* The car at rest on ice. */
static void run_open(struct run *r, void (*make)(struct testcar *))
{
    memset(r, 0, sizeof *r);
    make(&r->car);
    r->vehicle = testcar_load(&r->car, 1e-3);
    r->model = lumped15_of(r->vehicle);
    plane_defaults(&r->ice);
    r->ice.friction_left = r->ice.friction_right = 0.0;
    r->ground = plane_ground(&r->ice);
    for (int k = 0; k < AXLES; k++)
        r->free_m[k] = r->model->axle[k].spring_free_m;
    struct plant_start start = {0};
    lumped15_reset(r->model, &r->start, &start, &r->ground);
}

static void run_close(struct run *r)
{
    free(r->vehicle);
}

/* ---- starts */

static void lean(struct lumped15_state *s, double roll, double pitch)
{
    double q[4] = {1.0, 0.5 * roll, 0.5 * pitch, 0.1 * roll * pitch};
    double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int k = 0; k < 4; k++)
        s->quat[k] = q[k] / norm;
}

/* Dropped from 4 cm, nose up and leaning: tyres leave the ground and land. */
static void drop(struct lumped15_state *s)
{
    s->pos_m[2] += 0.04;
    lean(s, 0.02, -0.015);
    for (int i = 0; i < WHEELS; i++)
        s->travel_mps[i] = 0.2 * (i - 1.5);
}

/* 25 m/s, wheels spinning with it, yawing, rolling and pitching at once. */
static void spin(struct lumped15_state *s)
{
    s->vel_mps[0] = 25.0;
    s->vel_mps[1] = 1.0;
    s->rate_radps[0] = 0.4;
    s->rate_radps[1] = -0.3;
    s->rate_radps[2] = 1.5;
    for (int i = 0; i < WHEELS; i++) {
        s->spin_radps[i] = 80.0 + 5.0 * i;
        s->travel_mps[i] = i % 2 ? 0.2 : -0.3;
    }
}

/* The same with the rack 25 mm off centre: it swings on the column and swings the front wheels. */
static void spin_and_steer(struct lumped15_state *s)
{
    spin(s);
    s->rack_m = 0.025;
    s->rack_mps = -0.5;
}

/* The hand wheel swings against the rack and takes it from one end stop to the other. */
static void swing(struct lumped15_state *s)
{
    spin(s);
    s->hand_radps = 40.0;
}

/* ---- what is measured */

struct drift {
    double worst_J, exchanged_J;
    double formulas_J; /* largest disagreement between the model's energy and ours */
};

static double total_J(const struct run *r, const struct lumped15_state *s, double *kinetic_J)
{
    struct parts_energy e = parts_energy(&r->car, s, r->free_m);
    *kinetic_J = e.kinetic_J;
    return e.kinetic_J + e.gravity_J + e.elastic_J;
}

struct meter {
    double first_J, low_J, high_J;
    int count;
    struct drift drift;
};

static void meter_read(struct meter *m, const struct run *r, const struct lumped15_state *state)
{
    struct lumped15_state s = *state;
    double kinetic_J, norm = 0.0;
    for (int k = 0; k < 4; k++)
        norm += s.quat[k] * s.quat[k];
    for (int k = 0; k < 4; k++)
        s.quat[k] /= sqrt(norm);
    double total = total_J(r, &s, &kinetic_J);
    double theirs_J = lumped15_energy_J(r->model, &s, &r->ground);
    if (m->count++ == 0) {
        m->first_J = total;
        m->low_J = m->high_J = kinetic_J;
        m->drift = (struct drift){0.0, 0.0, 0.0};
    }
    m->low_J = fmin(m->low_J, kinetic_J);
    m->high_J = fmax(m->high_J, kinetic_J);
    m->drift.worst_J = fmax(m->drift.worst_J, fabs(total - m->first_J));
    m->drift.formulas_J = fmax(m->drift.formulas_J, fabs(total - theirs_J));
    m->drift.exchanged_J = m->high_J - m->low_J;
}

static struct drift by_reference(const struct run *r, reference_input *input)
{
    static double x[SAMPLES][REFERENCE_X];
    struct reference_run solve = {
        .model = r->model, .ground = &r->ground, .input = input, .rtol = 1e-11};
    struct meter m = {.count = 0};
    meter_read(&m, r, &r->start);
    assert_int_equal(reference_solve(&solve, &r->start, every_s, SAMPLES, x), 0);
    for (int n = 0; n < SAMPLES; n++) {
        struct lumped15_state s = r->start;
        lumped15_ops.x_set(r->model, &s, x[n]);
        meter_read(&m, r, &s);
    }
    return m.drift;
}

static void reference_keeps(void (*make)(struct testcar *), void (*set)(struct lumped15_state *),
                            reference_input *input)
{
    struct run r;
    run_open(&r, make);
    set(&r.start);
    struct drift d = by_reference(&r, input);
    print_message("    exchanged %.0f J, drift %.1e of it, formulas differ by %.1e J\n",
                  d.exchanged_J, d.worst_J / d.exchanged_J, d.formulas_J);
    /* The bound of the issue; the solver itself, at rtol 1e-11, takes a third of it. */
    assert_below(d.worst_J, 1e-6 * d.exchanged_J);
    /* Two formulas for the same number of up to 5e5 J: rounding of 1e-13. */
    assert_below(d.formulas_J, 5e-8);
    run_close(&r);
}

static void drop_keeps_energy(void **unused)
{
    (void)unused;
    reference_keeps(testcar_plain, drop, angle_input);
    reference_keeps(testcar_curved, drop, angle_input);
}

static void spinning_and_turning_keep_energy(void **unused)
{
    (void)unused;
    reference_keeps(testcar_plain, spin, angle_input);
    reference_keeps(testcar_curved, spin, angle_input);
}

static void swinging_rack_keeps_energy(void **unused)
{
    (void)unused;
    reference_keeps(testcar_plain, spin_and_steer, angle_input);
    reference_keeps(testcar_curved, spin_and_steer, angle_input);
}

static void free_hand_wheel_keeps_energy(void **unused)
{
    (void)unused;
    reference_keeps(testcar_curved, swing, torque_input);
}

/* ---- the shipped integrators at 1 ms */

static struct drift by_steps(struct run *r, int integrator, int substeps, int32_t steer)
{
    struct lumped15_state s = r->start;
    struct plant_in in = {.steer = steer};
    struct meter m = {.count = 0};
    r->model->integrator = integrator;
    r->model->substeps = substeps;
    for (int n = 0; n <= 2000; n++) {
        meter_read(&m, r, &s);
        lumped15_step(r->model, &s, &in, &r->ground, 1e-3);
    }
    assert_int_equal(s.fault, 0);
    return m.drift;
}

/* Forward Euler turns an undamped oscillation of w rad/s into one that grows by (1 + w^2 h^2) a
 * step, so by exp(w^2 h t). The fastest here is the rack on the column. */
static double forward_growth(const struct testcar *c, double h_s, double time_s)
{
    double rate_Npm = c->column_Nmprad / (c->pinion_mprad * c->pinion_mprad);
    return exp(rate_Npm / parts_rack_kg(c) * h_s * time_s) - 1.0;
}

static void integrators_stay_within_their_bounds(void **unused)
{
    (void)unused;
    enum { SUBSTEPS = 20 };
    void (*const makes[])(struct testcar *) = {testcar_plain, testcar_curved};
    void (*const sets[])(struct lumped15_state *) = {drop, spin, spin_and_steer, swing};
    for (int k = 0; k < 8; k++) {
        struct run r;
        int32_t steer = k / 2 == 3 ? PLANT_STEER_TORQUE : PLANT_STEER_ANGLE;
        run_open(&r, makes[k % 2]);
        sets[k / 2](&r.start);
        struct drift semi = by_steps(&r, MODEL_SEMI_IMPLICIT, 1, steer);
        struct drift forward = by_steps(&r, MODEL_FORWARD, SUBSTEPS, steer);
        print_message("    of %4.0f J, semi-implicit %.3f, forward with %d substeps %.3f\n",
                      semi.exchanged_J, semi.worst_J / semi.exchanged_J, SUBSTEPS,
                      forward.worst_J / semi.exchanged_J);
        /* Symplectic, so the energy of a mode swings by w h: 0.15 for the rack. A turning car's
         * momentum is right to first order, and its error times 25 m/s is energy too. */
        assert_below(semi.worst_J, 0.25 * semi.exchanged_J);
        /* Ten percent for what is not harmonic. */
        double growth = forward_growth(&r.car, 1e-3 / SUBSTEPS, 2.0);
        assert_below(forward.worst_J, 1.1 * growth * semi.exchanged_J);
        run_close(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drop_keeps_energy),
        cmocka_unit_test(spinning_and_turning_keep_energy),
        cmocka_unit_test(swinging_rack_keeps_energy),
        cmocka_unit_test(free_hand_wheel_keeps_energy),
        cmocka_unit_test(integrators_stay_within_their_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
