/* Braking in a straight line against closed forms: below locking the torques decide, with locked
 * wheels the tyre's sliding force at the loads that the deceleration itself makes. */
#include "rt-tests/support/cars.h"
#include "rt-tests/support/drive.h"
#include "rt-tests/support/lumped15_of.h"
#include "rt-tests/support/near.h"
#include "rt-tests/support/testcar.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const double frictions[3] = {1.0, 0.5, 0.2};

/* Distance from the moment at one speed to the moment at the other, between steps linear. */
static double distance_m(struct drive *d, double from_mps, double to_mps)
{
    double start_m = 0.0, last_v = d->o.vel_mps[0], last_x = d->o.pos_m[0];
    for (int n = 0; n < 60000; n++) {
        drive_step(d);
        double v = d->o.vel_mps[0], x = d->o.pos_m[0];
        if (last_v >= from_mps && v < from_mps)
            start_m = last_x + (x - last_x) * (last_v - from_mps) / (last_v - v);
        if (last_v >= to_mps && v < to_mps)
            return last_x + (x - last_x) * (last_v - to_mps) / (last_v - v) - start_m;
        last_v = v;
        last_x = x;
    }
    fail_msg("the car does not slow down to %g m/s", to_mps);
    return 0.0;
}

/* ---- the closed forms */

/* Load of each wheel at a deceleration in g, without air. */
static void loads_at(const struct beam *b, double decel_g, double load_N[WHEELS])
{
    for (int i = 0; i < WHEELS; i++)
        load_N[i] = beam_load_N(b, i, decel_g);
}

static double drag_Nspm2(const struct lumped15_model *m)
{
    return 0.5 * m->aero.air_density_kgpm3 * m->aero.area_m2 * m->aero.cd;
}

/* m dv/dt = -(F + k v^2), integrated over the way. */
static double stretch_m(double kg, double force_N, double k, double from_mps, double to_mps)
{
    double v1 = from_mps * from_mps, v0 = to_mps * to_mps;
    if (!(k > 0.0))
        return 0.5 * kg * (v1 - v0) / force_N;
    return 0.5 * kg / k * log((force_N + k * v1) / (force_N + k * v0));
}

/* Braking force of given torques and the inertia that it slows: each wheel's torque, less what its
 * own spin gives back, acts at its loaded radius. Rolling resistance acts like a torque. */
static double rolling_force_N(const struct lumped15_model *m, const double torque_Nm[WHEELS],
                              const double load_N[WHEELS], double friction, double mps,
                              double *inertia_kg)
{
    double rolling_m[WHEELS], force_N = 0.0, turn = mps / m->tyres.radius_m[FL];
    double spin[WHEELS] = {turn, turn, turn, turn};
    struct tyre_in in;
    struct tyre_out out;
    tyre_rolling_radius(&m->tyres, load_N, spin, m->inflation_Pa, rolling_m);
    memset(&in, 0, sizeof in);
    for (int i = 0; i < WHEELS; i++) {
        in.load_N[i] = load_N[i];
        in.vx_mps[i] = mps;
        in.friction[i] = friction;
    }
    tyre_forces(&m->tyres, &in, &out);
    *inertia_kg = m->total_kg;
    for (int i = 0; i < WHEELS; i++) {
        double r = m->tyres.radius_m[i] - tyre_deflection_m(m, i, load_N[i], turn);
        double kappa = -torque_Nm[i] / r / out.stiff_x_N[i]; /* small slip */
        force_N += (torque_Nm[i] + out.rolling_Nm[i]) / r;
        *inertia_kg += m->wheel_kgm2[i] * (1.0 + kappa) / (r * rolling_m[i]);
    }
    return force_N;
}

/* ---- below locking */

/* Torques in proportion to the loads at that deceleration: every wheel uses the same share of the
 * road, which is the best that brakes can do. */
static void brakes_below_locking(const struct lumped15_model *m, double friction, const char *name)
{
    struct drive d;
    struct beam b = beam_of(m);
    double want_g = 0.75 * friction, load_N[WHEELS], torque_Nm[WHEELS], kg;
    drive_open(&d, m, friction, 30.0, PLANT_GEAR_NEUTRAL);
    loads_at(&b, want_g, load_N);
    for (int i = 0; i < WHEELS; i++) {
        torque_Nm[i] = want_g * load_N[i] * 0.3;
        d.in.wheel_pressure_Pa[i] = torque_Nm[i] / m->brake.gain_NmpPa[i] + m->brake.threshold_Pa;
    }
    double force_N = rolling_force_N(m, torque_Nm, load_N, friction, 17.0, &kg);
    double is_m = distance_m(&d, 25.0, 8.0);
    double want_m = stretch_m(kg, force_N, drag_Nspm2(m), 25.0, 8.0);
    print_message("    %s, friction %.1f: %.2f m for %.2f m\n", name, friction, is_m, want_m);
    /* Pitching, lift and the change of rolling resistance and radii with speed: half a percent. */
    assert_ratio(is_m, want_m, 0.01);
    assert_int_equal(d.o.locked, 0);
    assert_near(d.o.pos_m[1], 0.0, 1e-6); /* mirror images: rounding */
}

static void torques_decide_below_locking(void **unused)
{
    (void)unused;
    struct cars cars;
    cars_find(&cars);
    for (int k = 0; k < cars.count; k++) {
        char name[64];
        struct vehicle *v = car_load(cars.path[k], MODEL_SEMI_IMPLICIT, 1e-3);
        for (int n = 0; n < 3; n++)
            brakes_below_locking(lumped15_of(v), frictions[n],
                                 car_name(cars.path[k], name, sizeof name));
        free(v);
    }
}

/* Without air, rolling resistance and anti-dive the closed form leaves out nothing. */
static void plain_car_slows_down_as_torques_say(void **unused)
{
    (void)unused;
    struct testcar c;
    struct drive d;
    testcar_plain(&c);
    testcar_dissipate(&c);
    c.tyre.rolling = 0.0;
    struct vehicle *v = testcar_load(&c, 1e-3);
    struct beam b = beam_of(lumped15_of(v));
    double torque_Nm[WHEELS] = {700.0, 700.0, 350.0, 350.0}, load_N[WHEELS], kg, decel = 0.0;
    drive_open(&d, lumped15_of(v), 1.0, 30.0, PLANT_GEAR_NEUTRAL);
    for (int i = 0; i < WHEELS; i++)
        d.in.wheel_pressure_Pa[i] = torque_Nm[i] / lumped15_of(v)->brake.gain_NmpPa[i];
    for (int n = 0; n < 4; n++) { /* load, radius and force depend on each other */
        loads_at(&b, decel / lumped15_of(v)->gravity_mps2, load_N);
        double force_N = rolling_force_N(lumped15_of(v), torque_Nm, load_N, 1.0, 20.0, &kg);
        decel = force_N / kg;
    }
    double is_m = distance_m(&d, 25.0, 15.0), want_m = 0.5 * (25.0 * 25.0 - 15.0 * 15.0) / decel;
    print_message("    %.4f m for %.4f m, %.3f m/s2\n", is_m, want_m, decel);
    assert_ratio(is_m, want_m, 1e-3); /* slip from the straight part of the tyre's curve */
    /* The wheels' own spin, slowed, presses the nose down too; the rest is the centre of gravity of
     * a body that pitches by 15 mrad. */
    double spin_N = 2.0 * (c.axle[FRONT].wheel_kgm2 + c.axle[REAR].wheel_kgm2) * decel /
                    (c.tyre.radius_m * b.length_m);
    for (int i = 0; i < WHEELS; i++)
        assert_near(d.o.load_N[i], load_N[i] + (i < RL ? 0.5 : -0.5) * spin_N, 20.0);
    free(v);
}

/* ---- locked wheels */

/* Sliding force of all wheels at the loads that it makes itself. */
static double sliding_N(const struct lumped15_model *m, const struct beam *b, double friction,
                        double load_N[WHEELS])
{
    double force_N = 0.0;
    for (int n = 0; n < 20; n++) {
        struct tyre_in in;
        struct tyre_out out;
        memset(&in, 0, sizeof in);
        loads_at(b, force_N / b->weight_N, load_N);
        for (int i = 0; i < WHEELS; i++) {
            in.load_N[i] = load_N[i];
            in.kappa[i] = -1.0;
            in.vx_mps[i] = 10.0;
            in.friction[i] = friction;
        }
        tyre_forces(&m->tyres, &in, &out);
        force_N = -(out.fx_N[FL] + out.fx_N[FR] + out.fx_N[RL] + out.fx_N[RR]);
    }
    return force_N;
}

/* Steps until all wheels are locked; a wheel that comes to a stop must not swing through. */
static void lock_all(struct drive *d)
{
    int n = 0;
    for (int i = 0; i < WHEELS; i++)
        d->in.wheel_pressure_Pa[i] = 150e5;
    for (; n < 2000 && d->o.locked != 15; n++) {
        drive_step(d);
        for (int i = 0; i < WHEELS; i++)
            assert_true(d->o.spin_radps[i] >= 0.0);
    }
    assert_int_equal(d->o.locked, 15);
}

/* Locked to the bit until the car stands. Then it swings back on its tyres, which a weak rear brake
 * may not hold against 1 g; but a wheel either is locked or turns. */
static void stops_and_stays(struct drive *d)
{
    int stood = 0;
    for (int n = 0; n < 6000; n++) {
        drive_step(d);
        stood = stood || d->o.vel_mps[0] <= 0.0;
        for (int i = 0; i < WHEELS; i++) {
            int locked = (d->o.locked >> i) & 1u ? 1 : 0;
            assert_true(locked || stood);
            assert_int_equal(locked, d->o.spin_radps[i] == 0.0);
        }
    }
    assert_near(d->o.vel_mps[0], 0.0, 1e-3);
    assert_near(d->o.pos_m[1], 0.0, 1e-3); /* locked rear wheels make rounding grow */
}

static void slides_with_locked_wheels(const struct lumped15_model *m, double friction,
                                      const char *name)
{
    struct drive d;
    struct beam b = beam_of(m);
    double load_N[WHEELS], force_N = sliding_N(m, &b, friction, load_N);
    drive_open(&d, m, friction, 25.0, PLANT_GEAR_NEUTRAL);
    lock_all(&d);
    double is_m = distance_m(&d, 20.0, 5.0);
    double want_m = stretch_m(b.kg, force_N, drag_Nspm2(m), 20.0, 5.0);
    print_message("    %s, friction %.1f: %.2f m for %.2f m\n", name, friction, is_m, want_m);
    /* Lift at 20 m/s is 0.3 % of the weight, camber costs as much. */
    assert_ratio(is_m, want_m, 0.01);
    stops_and_stays(&d);
}

static void sliding_force_decides_with_locked_wheels(void **unused)
{
    (void)unused;
    struct cars cars;
    cars_find(&cars);
    for (int k = 0; k < cars.count; k++) {
        char name[64];
        struct vehicle *v = car_load(cars.path[k], MODEL_SEMI_IMPLICIT, 1e-3);
        for (int n = 0; n < 3; n++)
            slides_with_locked_wheels(lumped15_of(v), frictions[n],
                                      car_name(cars.path[k], name, sizeof name));
        free(v);
    }
}

static void forward_euler_brakes_alike(void **unused)
{
    (void)unused;
    struct vehicle *v = car_load("config/vehicles/sedan.yaml", MODEL_FORWARD, 1e-3);
    brakes_below_locking(lumped15_of(v), 1.0, "forward");
    slides_with_locked_wheels(lumped15_of(v), 0.5, "forward");
    free(v);
}

/* A released wheel spins up without a jerk back and rolls again. */
static void released_wheels_spin_up(void **unused)
{
    (void)unused;
    struct vehicle *v = car_load("config/vehicles/sedan.yaml", MODEL_SEMI_IMPLICIT, 1e-3);
    struct drive d;
    drive_open(&d, lumped15_of(v), 0.5, 25.0, PLANT_GEAR_NEUTRAL);
    lock_all(&d);
    for (int n = 0; n < 500; n++)
        drive_step(&d);
    double last[WHEELS] = {0.0};
    memset(d.in.wheel_pressure_Pa, 0, sizeof d.in.wheel_pressure_Pa);
    for (int n = 0; n < 600; n++) {
        drive_step(&d);
        for (int i = 0; i < WHEELS; i++) {
            /* Only up, until it rolls; then it swings about rolling by some percent. */
            if (last[i] < 0.9 * d.o.vel_mps[0] / 0.31)
                assert_true(d.o.spin_radps[i] >= last[i]);
            last[i] = d.o.spin_radps[i];
        }
    }
    assert_int_equal(d.o.locked, 0);
    for (int i = 0; i < WHEELS; i++) /* free rolling: resistance of 1 % makes no slip to speak of */
        assert_near(d.o.kappa[i], 0.0, 1e-3);
    free(v);
}

/* Pressure at the edge of locking: the wheel locks once and does not come off and on. */
static void locking_happens_once(void **unused)
{
    (void)unused;
    struct vehicle *v = car_load("config/vehicles/sedan.yaml", MODEL_SEMI_IMPLICIT, 1e-3);
    for (int bar = 40; bar < 120; bar += 5) {
        struct drive d;
        unsigned changes[WHEELS] = {0}, last = 0;
        drive_open(&d, lumped15_of(v), 0.8, 25.0, PLANT_GEAR_NEUTRAL);
        for (int i = 0; i < WHEELS; i++)
            d.in.wheel_pressure_Pa[i] = bar * 1e5;
        while (d.o.vel_mps[0] > 0.5) {
            drive_step(&d);
            for (int i = 0; i < WHEELS; i++) {
                changes[i] += ((d.o.locked ^ last) >> i) & 1u;
                assert_true(d.o.spin_radps[i] >= 0.0);
                assert_true(((d.o.locked >> i) & 1u) == (d.o.spin_radps[i] == 0.0));
            }
            last = d.o.locked;
        }
        for (int i = 0; i < WHEELS; i++)
            assert_true(changes[i] <= 1);
    }
    free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_car_slows_down_as_torques_say),
        cmocka_unit_test(torques_decide_below_locking),
        cmocka_unit_test(sliding_force_decides_with_locked_wheels),
        cmocka_unit_test(forward_euler_brakes_alike),
        cmocka_unit_test(released_wheels_spin_up),
        cmocka_unit_test(locking_happens_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
