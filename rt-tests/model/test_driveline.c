/* Engine, clutch, gearbox and differentials in the car, against closed forms. */
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

static const double rpm = 3.14159265358979 / 30.0; /* rad/s */

/* An engine of 160 Nm times the pedal, -20 Nm without it, on one gear of 2 times 4. */
#define ENGINE                                                                                     \
    "  engine: {inertia_kgm2: 0.2, idle_rpm: 0, idle_max_Nm: 0, stall_rpm: 0, limit_rpm: 9000,\n"  \
    "    idle_gain_Nmspr: 100, torque_map: {pedal: [0, 1], rows: [[0, -20, 160], [9000, -20, "     \
    "160]]}}\n"
#define GEARS "  gearbox: {ratios: [2, 1], reverse: 3, final: 4, shift_s: 0}\n"
static const char rear_text[] =
    "driveline:\n  drive: rear\n" ENGINE "  clutch: {kind: locked, capacity_Nm: 1000}\n" GEARS;
static const char front_text[] =
    "driveline:\n  drive: front\n" ENGINE "  clutch: {kind: locked, capacity_Nm: 1000}\n" GEARS;
static const char all_text[] = "driveline:\n  drive: all\n  front_share: 0.4\n" ENGINE
                               "  clutch: {kind: locked, capacity_Nm: 1000}\n" GEARS;
static const char lock_text[] = "driveline:\n  drive: rear\n  rear_lock_Nm: 120\n" ENGINE
                                "  clutch: {kind: locked, capacity_Nm: 1000}\n" GEARS;

static struct vehicle *plain_with(const char *text)
{
    struct testcar c;
    testcar_plain(&c);
    testcar_dissipate(&c);
    c.tyre.rolling = 0.0;
    c.more = text;
    return testcar_load(&c, 1e-3);
}

/* ---- closed forms with the plain car */

/* Acceleration from engine torque through a ratio: every turning part as mass at the road. Radii
 * and slip as the tyres have them under their loads. */
static double accelerates_at(const struct drive *d, double engine_Nm, double ratio)
{
    const struct lumped15_model *m = d->m;
    double re[WHEELS], kg = m->total_kg, force_N = 0.0, per_m = 0.0;
    tyre_rolling_radius(&m->tyres, d->o.load_N, d->s.spin_radps, m->inflation_Pa, re);
    for (int i = 0; i < WHEELS; i++) {
        double share = m->driveline.share[i];
        double r = d->o.hub_m[i][2]; /* level road, upright wheels: loaded radius */
        double slip = 1.0 + copysign(d->o.kappa[i], d->o.kappa[i] * d->o.vel_mps[0]);
        force_N += engine_Nm * ratio * share / r;
        kg += m->wheel_kgm2[i] * slip / (r * re[i]);
        per_m += ratio * share * slip / re[i]; /* engine speed per road speed */
    }
    for (int i = 0; i < WHEELS; i++) /* engine inertia, through every driven wheel */
        kg += m->driveline.inertia_kgm2 * per_m * ratio * m->driveline.share[i] / d->o.hub_m[i][2];
    return force_N / kg;
}

static void check_gear(const char *text, int32_t gear, double throttle, double torque_Nm,
                       double ratio)
{
    struct drive d;
    struct vehicle *car = plain_with(text);
    drive_open(&d, lumped15_of(car), 1.0, gear < 0 ? -5.0 : 15.0, gear);
    d.in.throttle = throttle;
    drive_for(&d, 3.0); /* until the body has stopped swinging */
    double v0 = d.o.vel_mps[0], want = accelerates_at(&d, torque_Nm, ratio);
    drive_for(&d, 0.5);
    double is = (d.o.vel_mps[0] - v0) / 0.5, mean = 0.0;
    for (int i = 0; i < WHEELS; i++)
        mean += d.m->driveline.share[i] * d.o.spin_radps[i];
    print_message("    gear %+d, %+.0f Nm: %+.4f m/s2 for %+.4f m/s2\n", (int)gear, torque_Nm, is,
                  want);
    /* Slip changes a little while the car gathers speed. */
    assert_ratio(is, want, 2e-3);
    /* Engine and wheels turn as one; the body pitches at some 1e-3 rad/s. */
    assert_near(d.o.engine_radps, ratio * mean, 0.02);
    free(car);
}

static void acceleration_follows_torque_and_reflected_inertia(void **unused)
{
    (void)unused;
    check_gear(rear_text, 1, 1.0, 160.0, 8.0);
    check_gear(rear_text, 2, 1.0, 160.0, 4.0);
    check_gear(front_text, 1, 0.5, 70.0, 8.0);
    check_gear(all_text, 1, 1.0, 160.0, 8.0);
    check_gear(rear_text, PLANT_GEAR_REVERSE, 1.0, 160.0, -12.0);
    /* Without pedal the engine holds the car back. */
    check_gear(rear_text, 1, 0.0, -20.0, 8.0);
}

static void neutral_leaves_the_wheels_alone(void **unused)
{
    (void)unused;
    struct drive d;
    struct vehicle *car = plain_with(rear_text);
    drive_open(&d, lumped15_of(car), 1.0, 15.0, PLANT_GEAR_NEUTRAL);
    d.in.throttle = 1.0;
    double v0 = d.o.vel_mps[0];
    drive_for(&d, 3.0);
    /* Nothing acts on the car at all: no rolling resistance, no air. */
    assert_near(d.o.vel_mps[0], v0, 1e-4);
    for (int i = 0; i < WHEELS; i++)
        assert_true(d.o.drive_Nm[i] == 0.0);
    /* The engine runs into its limiter, which fades the pedal over 5 %. */
    assert_above(d.o.engine_radps, 9000.0 * rpm);
    assert_below(d.o.engine_radps, 1.05 * 9000.0 * rpm);
    free(car);
}

/* Left wheels on ice: an open differential gives both sides the same torque, to the bit. */
static void open_differential_splits_equally(void **unused)
{
    (void)unused;
    struct drive d;
    struct vehicle *car = plain_with(rear_text);
    drive_open(&d, lumped15_of(car), 1.0, 5.0, 1);
    d.road.friction_left = 0.1;
    d.in.throttle = 1.0;
    for (int n = 0; n < 1000; n++) {
        drive_step(&d);
        assert_true(d.o.drive_Nm[RL] == d.o.drive_Nm[RR]);
        assert_true(d.o.drive_Nm[FL] == 0.0 && d.o.drive_Nm[FR] == 0.0);
    }
    assert_above(d.o.spin_radps[RL], 2.0 * d.o.spin_radps[RR]);
    free(car);
}

/* The lock hands its friction over from the wheel that spins to the other. */
static void lock_moves_torque_to_the_slower_wheel(void **unused)
{
    (void)unused;
    struct drive d;
    struct vehicle *car = plain_with(lock_text);
    drive_open(&d, lumped15_of(car), 1.0, 5.0, 1);
    d.road.friction_left = 0.1;
    d.in.throttle = 1.0;
    drive_for(&d, 1.0);
    assert_above(d.o.spin_radps[RL], 1.5 * d.o.spin_radps[RR]);
    assert_near(d.o.drive_Nm[RR] - d.o.drive_Nm[RL], 2.0 * 120.0, 1e-9); /* rounding */

    /* On even ground and straight on it holds, and both turn alike. */
    drive_open(&d, lumped15_of(car), 1.0, 5.0, 1);
    d.in.throttle = 0.3;
    drive_for(&d, 2.0);
    assert_near(d.o.spin_radps[RL], d.o.spin_radps[RR], 1e-9);
    free(car);
}

static void all_wheel_drive_shares_as_the_file_says(void **unused)
{
    (void)unused;
    struct drive d;
    struct vehicle *car = plain_with(all_text);
    drive_open(&d, lumped15_of(car), 1.0, 10.0, 1);
    d.in.throttle = 0.7;
    for (int n = 0; n < 500; n++) {
        drive_step(&d);
        double front = d.o.drive_Nm[FL] + d.o.drive_Nm[FR];
        double rear = d.o.drive_Nm[RL] + d.o.drive_Nm[RR];
        assert_near(front * 0.6, rear * 0.4, 1e-9 * fabs(front)); /* rounding */
    }
    free(car);
}

/* ---- the cars we ship */

static void each_car(void (*check)(struct vehicle *, const char *))
{
    struct cars cars;
    cars_find(&cars);
    for (int k = 0; k < cars.count; k++) {
        char name[64];
        struct vehicle *v = car_load(cars.path[k], MODEL_SEMI_IMPLICIT, 1e-3);
        if (lumped15_of(v)->driveline.present)
            check(v, car_name(cars.path[k], name, sizeof name));
        free(v);
    }
}

/* From rest with a little and with all of the pedal: away it goes, and the engine runs on. */
static void launches(struct vehicle *v, const char *name)
{
    static const double pedals[] = {0.2, 0.5, 1.0};
    for (int k = 0; k < 3; k++) {
        struct drive d;
        drive_open(&d, lumped15_of(v), 1.0, 0.0, PLANT_GEAR_AUTO);
        double lowest = d.o.engine_radps;
        d.in.throttle = pedals[k];
        for (int n = 0; n < 5000; n++) {
            drive_step(&d);
            lowest = fmin(lowest, d.o.engine_radps);
        }
        print_message("    %s, pedal %.1f: %.1f m/s after 5 s, engine not below %.0f rpm\n", name,
                      pedals[k], d.o.vel_mps[0], lowest / rpm);
        assert_above(lowest, 0.9 * lumped15_of(v)->driveline.idle_radps);
        assert_above(d.o.vel_mps[0], 2.0);
    }
}

static void launch_does_not_stall(void **unused)
{
    (void)unused;
    each_car(launches);
}

/* Half the pedal (without spinning wheels) to high speed, then on the brake: gears go up, then
 * down, one after the other, and back to the first. Off the pedal the box may take a higher gear
 * once. */
static void shifts(struct vehicle *v, const char *name)
{
    struct drive d;
    int32_t last = 1, top = 1;
    drive_open(&d, lumped15_of(v), 1.0, 0.0, PLANT_GEAR_AUTO);
    d.in.throttle = 0.5;
    for (int n = 0; n < 25000; n++) {
        drive_step(&d);
        assert_true(d.o.gear == last || d.o.gear == last + 1);
        last = top = d.o.gear;
        /* the limiter is not needed: the box shifts before */
        assert_below(d.o.engine_radps, 1.05 * lumped15_of(v)->driveline.limit_radps);
    }
    print_message("    %s: gear %d at %.1f m/s after 25 s\n", name, (int)top, d.o.vel_mps[0]);
    assert_true(top >= 3);
    d.in.throttle = 0.0;
    drive_for(&d, 3.0);
    last = d.o.gear;
    d.in.brake = PLANT_BRAKE_PEDAL;
    d.in.brake_pedal = 0.15;
    for (int n = 0; n < 40000 && d.o.vel_mps[0] > 0.5; n++) {
        drive_step(&d);
        assert_true(d.o.gear == last || d.o.gear == last - 1);
        last = d.o.gear;
    }
    assert_int_equal(last, 1);
}

static void gears_go_up_and_down_in_order(void **unused)
{
    (void)unused;
    each_car(shifts);
}

/* A steady pedal: whatever the gear, the box makes up its mind. */
static void settles(struct vehicle *v, const char *name)
{
    static const double pedals[] = {0.08, 0.15, 0.25, 0.4, 0.7};
    for (int k = 0; k < 5; k++) {
        struct drive d;
        int changes = 0;
        int32_t last;
        drive_open(&d, lumped15_of(v), 1.0, 15.0, PLANT_GEAR_AUTO);
        d.in.throttle = pedals[k];
        drive_for(&d, 30.0);
        last = d.o.gear;
        for (int n = 0; n < 20000; n++) {
            drive_step(&d);
            changes += d.o.gear != last;
            last = d.o.gear;
        }
        if (changes > 1)
            fail_msg("%s hunts: %d shifts in 20 s at pedal %.1f, gear %d, %.1f m/s", name, changes,
                     pedals[k], (int)last, d.o.vel_mps[0]);
    }
}

static void steady_pedal_does_not_make_it_hunt(void **unused)
{
    (void)unused;
    each_car(settles);
}

/* Out of gear only the road and the air slow the car down. */
static void coasts(struct vehicle *v, const char *name)
{
    struct drive d;
    const struct lumped15_model *m = lumped15_of(v);
    struct tyre_in in;
    struct tyre_out out;
    double re[WHEELS], kg = m->total_kg, road_N = 0.0;
    drive_open(&d, lumped15_of(v), 1.0, 30.0, PLANT_GEAR_NEUTRAL);
    drive_for(&d, 5.0);
    double v0 = d.o.vel_mps[0];
    memset(&in, 0, sizeof in);
    for (int i = 0; i < WHEELS; i++) {
        in.load_N[i] = d.o.load_N[i];
        in.vx_mps[i] = v0;
        in.friction[i] = 1.0;
        in.gamma_rad[i] = d.o.camber_rad[i];
    }
    tyre_forces(&m->tyres, &in, &out);
    tyre_rolling_radius(&m->tyres, d.o.load_N, d.s.spin_radps, m->inflation_Pa, re);
    for (int i = 0; i < WHEELS; i++) {
        road_N += out.rolling_Nm[i] / d.o.hub_m[i][2];
        kg += m->wheel_kgm2[i] / (d.o.hub_m[i][2] * re[i]);
        /* toe makes a tyre run at an angle: a part of its side force drags */
        road_N += fabs(d.o.lat_N[i] * sin(d.o.steer_rad[i]));
    }
    double air_N = 0.5 * m->aero.air_density_kgpm3 * m->aero.area_m2 * m->aero.cd * v0 * v0;
    double want = -(road_N + air_N) / kg;
    drive_for(&d, 0.1);
    double is = (d.o.vel_mps[0] - v0) / 0.1;
    print_message("    %s: %.4f m/s2 for %.4f m/s2\n", name, is, want);
    /* Toe drag is taken roughly; it is some percent of the rest. */
    assert_ratio(is, want, 0.02);
    assert_ratio(d.o.aero_drag_N, air_N, 0.01);
}

static void coasting_car_is_slowed_by_road_and_air(void **unused)
{
    (void)unused;
    each_car(coasts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(acceleration_follows_torque_and_reflected_inertia),
        cmocka_unit_test(neutral_leaves_the_wheels_alone),
        cmocka_unit_test(open_differential_splits_equally),
        cmocka_unit_test(lock_moves_torque_to_the_slower_wheel),
        cmocka_unit_test(all_wheel_drive_shares_as_the_file_says),
        cmocka_unit_test(launch_does_not_stall),
        cmocka_unit_test(gears_go_up_and_down_in_order),
        cmocka_unit_test(steady_pedal_does_not_make_it_hunt),
        cmocka_unit_test(coasting_car_is_slowed_by_road_and_air),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
