/* Steering: ratio, what the driver feels, dry friction, end stops, and the hand wheel as a
 * coordinate of its own. */
#include "rt-tests/support/cars.h"
#include "rt-tests/support/drive.h"
#include "rt-tests/support/lumped15_of.h"
#include "rt-tests/support/near.h"
#include "rt-tests/support/parts.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- at rest on ice: nothing but the steering itself */

static void rack_and_wheels_follow_the_hand_wheel(void **unused)
{
    (void)unused;
    struct cars cars;
    cars_find(&cars);
    for (int k = 0; k < cars.count; k++) {
        struct vehicle *v = car_load(cars.path[k], MODEL_SEMI_IMPLICIT, 1e-3);
        const struct steering_model *st = &lumped15_of(v)->steering;
        /* Friction holds the rack back by as much as it twists the column. */
        double held_m =
            st->rack_friction_N * st->pinion_mprad * st->pinion_mprad / st->column_Nmprad;
        struct drive d;
        drive_open(&d, lumped15_of(v), 0.0, 0.0, PLANT_GEAR_NEUTRAL);
        for (int hand = -4; hand <= 4; hand++) {
            drive_turn(&d, hand, 1.0);
            assert_near(d.o.rack_m, hand * st->pinion_mprad, held_m + 1e-6);
            for (int i = FL; i <= FR; i++) {
                struct kinematics_out f;
                kinematics_at(&lumped15_of(v)->axle[FRONT].kin, d.o.travel_m[i], d.o.rack_m,
                              i == FL ? 1.0 : -1.0, &f);
                assert_near(d.o.steer_rad[i], f.f[KIN_TOE],
                            1e-6); /* outputs are of the step before */
            }
        }
        drive_turn(&d, 0.5, 1.0);
        double ratio =
            d.o.rack_m / st->pinion_mprad / (0.5 * (d.o.steer_rad[FL] + d.o.steer_rad[FR]));
        print_message("    %s: ratio %.2f\n", v->name, ratio);
        assert_true(ratio > 10.0 && ratio < 22.0);
        free(v);
    }
}

/* Column against stop: k_c (hand - s / i) / i = k_s (s - stop). */
static void end_stops_hold_the_rack(void **unused)
{
    (void)unused;
    struct testcar c;
    struct drive d;
    testcar_plain(&c);
    testcar_dissipate(&c);
    c.rack_friction_N = 0.0;
    struct vehicle *car = testcar_load(&c, 1e-3);
    drive_open(&d, lumped15_of(car), 0.0, 0.0, PLANT_GEAR_NEUTRAL);
    for (int side = -1; side <= 1; side += 2) {
        drive_turn(&d, 15.0 * side, 4.0);
        double column_Npm = c.column_Nmprad / (c.pinion_mprad * c.pinion_mprad);
        double want_m =
            (c.column_Nmprad * 15.0 / c.pinion_mprad + c.rack_stop_Npm * c.rack_stop_m) /
            (column_Npm + c.rack_stop_Npm);
        /* What still swings after 4 s. */
        assert_near(d.o.rack_m, side * want_m, 1e-6);
        assert_near(d.o.hand_wheel_Nm,
                    side * c.rack_stop_Npm * (want_m - c.rack_stop_m) * c.pinion_mprad, 1e-2);
    }
    free(car);
}

static void rack_friction_holds_to_the_bit(void **unused)
{
    (void)unused;
    struct testcar c;
    struct drive d;
    testcar_plain(&c);
    testcar_dissipate(&c);
    c.hand_friction_Nm = 0.0;
    struct vehicle *car = testcar_load(&c, 1e-3);
    drive_open(&d, lumped15_of(car), 0.0, 0.0, PLANT_GEAR_NEUTRAL);
    drive_turn(&d, 0.3, 2.0);
    double edge_Nm = c.rack_friction_N * c.pinion_mprad;
    d.in.steer = PLANT_STEER_TORQUE;
    d.in.hand_wheel_Nm = -0.9 * edge_Nm;
    drive_for(&d, 8.0); /* the hand wheel swings on the column and comes to rest */
    double rack_m = d.o.rack_m;
    for (int n = 0; n < 3000; n++) {
        drive_step(&d);
        assert_true(d.o.rack_m == rack_m && d.o.rack_mps == 0.0);
    }
    /* The column carries the torque: twist = torque / stiffness; what still swings after 8 s. */
    assert_near(d.o.hand_wheel_rad - rack_m / c.pinion_mprad, -0.9 * edge_Nm / c.column_Nmprad,
                1e-6);
    d.in.hand_wheel_Nm = -1.1 * edge_Nm;
    drive_for(&d, 2.0);
    assert_below(d.o.rack_m, rack_m - 1e-4);
    free(car);
}

/* Two inertias on a spring: w^2 = k (1 / J + 1 / (M i^2)). */
static void free_hand_wheel_swings_at_its_frequency(void **unused)
{
    (void)unused;
    struct testcar c;
    struct drive d;
    testcar_plain(&c);
    struct vehicle *car = testcar_load(&c, 1e-3);
    drive_open(&d, lumped15_of(car), 0.0, 0.0, PLANT_GEAR_NEUTRAL);
    d.in.steer = PLANT_STEER_TORQUE;
    d.s.hand_rad = 0.05;
    double rack_kgm2 = parts_rack_kg(&c) * c.pinion_mprad * c.pinion_mprad;
    double want = sqrt(c.column_Nmprad * (1.0 / c.hand_kgm2 + 1.0 / rack_kgm2)), first = 0.0,
           last = 0.0;
    int turns = 0;
    double before = 1.0;
    for (int n = 1; n <= 10000; n++) { /* steps of 0.1 ms: w h is 0.017 */
        lumped15_step(lumped15_of(car), &d.s, &d.in, &d.ground, 1e-4);
        double twist = d.s.hand_rad - d.s.rack_m / c.pinion_mprad;
        if (before < 0.0 && twist >= 0.0) {
            last = n * 1e-4 - 1e-4 * twist / (twist - before);
            if (turns++ == 0)
                first = last;
        }
        before = twist;
    }
    double is = 2.0 * 3.14159265358979 * (turns - 1) / (last - first);
    print_message("    %.3f rad/s for %.3f rad/s\n", is, want);
    assert_ratio(is, want, 1e-4); /* symplectic Euler: (w h)^2 / 24 */
    /* Nothing from outside, so together they do not turn; of 0.28 Nms that go to and fro. The car
     * stands 0.1 mrad nose up, which makes steered wheels lift it a little. */
    double momentum =
        c.hand_kgm2 * d.s.hand_radps + parts_rack_kg(&c) * c.pinion_mprad * d.s.rack_mps;
    assert_near(momentum, 0.0, 1e-5);
    free(car);
}

/* ---- on the road */

/* In a steady turn the column balances what the tyres do to the rack. In the plain car the rack
 * turns the wheels about the vertical through their centres, so that only aligning moments reach
 * it. */
static void driver_feels_the_aligning_moments(void **unused)
{
    (void)unused;
    struct testcar c;
    struct drive d;
    testcar_plain(&c);
    testcar_dissipate(&c);
    c.rack_friction_N = 0.0;
    struct vehicle *car = testcar_load(&c, 1e-3);
    drive_open(&d, lumped15_of(car), 1.0, 20.0, PLANT_GEAR_NEUTRAL);
    drive_turn(&d, 0.5, 4.0);
    double rack_N = 8.0 * (d.o.align_Nm[FL] + d.o.align_Nm[FR]);
    print_message("    %.3f Nm at the hand wheel for %.3f Nm\n", d.o.hand_wheel_Nm,
                  -rack_N * c.pinion_mprad);
    assert_above(fabs(d.o.hand_wheel_Nm), 1.0);
    /* The body rolls: the steering axes and the loads' arms lean by 0.07 rad. */
    assert_ratio(d.o.hand_wheel_Nm, -rack_N * c.pinion_mprad, 0.02);
    free(car);
}

/* Force of the tyres on the rack of a real suspension: every force along the way that its contact
 * point goes with the rack. Body axes; the body's small lean is left out. */
static double tyres_on_rack_N(const struct drive *d)
{
    const struct lumped15_model *m = d->m;
    double sum = 0.0;
    for (int i = FL; i <= FR; i++) {
        struct kinematics_out f;
        kinematics_at(&m->axle[FRONT].kin, d->o.travel_m[i], d->o.rack_m, i == FL ? 1.0 : -1.0, &f);
        double toe = f.f[KIN_TOE], lean = f.f[KIN_CAMBER] + d->o.roll_rad, R = d->o.hub_m[i][2];
        double fx = d->o.long_N[i] * cos(toe) - d->o.lat_N[i] * sin(toe);
        double fy = d->o.long_N[i] * sin(toe) + d->o.lat_N[i] * cos(toe);
        /* contact under the hub: down the leaning wheel; how toe and camber swing it */
        double out = R * tan(lean), ax = -sin(toe) * out, ay = cos(toe) * out;
        double dx = f.fs[KIN_HUB_X] - f.fs[KIN_TOE] * ay - R * sin(toe) * f.fs[KIN_CAMBER];
        double dy = f.fs[KIN_HUB_Y] + f.fs[KIN_TOE] * ax + R * cos(toe) * f.fs[KIN_CAMBER];
        double dz = f.fs[KIN_HUB_Z] + f.fs[KIN_CAMBER] * out;
        double load_y = d->o.load_N[i] * sin(d->o.roll_rad); /* normal in the rolled body's axes */
        sum +=
            fx * dx + (fy + load_y) * dy + d->o.load_N[i] * dz + d->o.align_Nm[i] * f.fs[KIN_TOE];
    }
    return sum;
}

static void assist_helps_the_driver(void **unused)
{
    (void)unused;
    struct vehicle *v = car_load("config/vehicles/sedan.yaml", MODEL_SEMI_IMPLICIT, 1e-3);
    const struct steering_model *st = &lumped15_of(v)->steering;
    struct drive d;
    drive_open(&d, lumped15_of(v), 1.0, 20.0, PLANT_GEAR_NEUTRAL);
    drive_turn(&d, 0.8, 3.0);
    double unused2, T = d.o.hand_wheel_Nm, fade = d.o.vel_mps[0] / (120.0 / 3.6);
    double assist_N = table1_at(&st->assist_N, fabs(T), &unused2) * (1.0 - 0.5 * fade);
    double driver_N = T / st->pinion_mprad, tyres_N = tyres_on_rack_N(&d);
    print_message(
        "    tyres %.0f N, driver %.0f N (%.2f Nm), assist %.0f N, friction up to %.0f N\n",
        tyres_N, driver_N, T, assist_N, st->rack_friction_N);
    /* Friction takes a part that depends on the past; 5 % for the geometry above. */
    assert_near(driver_N + assist_N, -tyres_N, st->rack_friction_N + 0.05 * fabs(tyres_N));
    assert_above(assist_N, 0.3 * driver_N);
    free(v);
}

/* Let go in a turn: tyres and caster bring the wheels back. */
static void released_hand_wheel_returns(struct vehicle *v, double left_rad)
{
    struct drive d;
    drive_open(&d, lumped15_of(v), 1.0, 15.0, PLANT_GEAR_NEUTRAL);
    drive_turn(&d, 0.8, 1.5);
    double turn_radps = d.o.rate_radps[2];
    assert_above(turn_radps, 0.1);
    d.in.steer = PLANT_STEER_TORQUE;
    drive_for(&d, 6.0);
    print_message("    %s: %.3f rad and %.4f rad/s are left of %.1f and %.3f\n", v->name,
                  d.o.hand_wheel_rad, d.o.rate_radps[2], 0.8, turn_radps);
    assert_near(d.o.hand_wheel_rad, 0.0, left_rad);
    assert_near(d.o.rate_radps[2], 0.0, turn_radps * left_rad / 0.8 + 1e-3);
    assert_near(d.o.hand_wheel_radps, 0.0, 1e-2);
    free(v);
}

static void released_hand_wheel_comes_back_to_the_centre(void **unused)
{
    (void)unused;
    struct testcar c;
    struct cars cars;
    testcar_plain(&c);
    testcar_dissipate(&c);
    c.rack_friction_N = c.hand_friction_Nm = 0.0;
    released_hand_wheel_returns(testcar_load(&c, 1e-3), 0.01); /* no friction: all the way */
    cars_find(&cars);
    for (int k = 0; k < cars.count; k++) /* friction keeps some 10 degrees */
        released_hand_wheel_returns(car_load(cars.path[k], MODEL_SEMI_IMPLICIT, 1e-3), 0.2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rack_and_wheels_follow_the_hand_wheel),
        cmocka_unit_test(end_stops_hold_the_rack),
        cmocka_unit_test(rack_friction_holds_to_the_bit),
        cmocka_unit_test(free_hand_wheel_swings_at_its_frequency),
        cmocka_unit_test(driver_feels_the_aligning_moments),
        cmocka_unit_test(assist_helps_the_driver),
        cmocka_unit_test(released_hand_wheel_comes_back_to_the_centre),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
