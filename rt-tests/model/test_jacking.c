/* What the gradients of the kinematics do to a car that brakes, drives and corners: anti-dive,
 * anti-squat and jacking, by virtual work. */
#include "rt-tests/support/drive.h"
#include "rt-tests/support/near.h"
#include "rt-tests/support/testcar.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Straight gradients only, so that closed forms are short. */
static void slanted_car(struct testcar *c)
{
    testcar_plain(c);
    testcar_dissipate(c);
    c->tyre.rolling = 0.0;
    c->axle[FRONT].bar_Npm = c->axle[REAR].bar_Npm = 0.0;
    c->axle[FRONT].map[KIN_HUB_X][1][0] = -0.06;
    c->axle[FRONT].map[KIN_PITCH][1][0] = -0.3;
    c->axle[FRONT].map[KIN_HUB_Y][1][0] = 0.08;
    c->axle[FRONT].map[KIN_CAMBER][1][0] = 0.2;
    c->axle[REAR].map[KIN_HUB_X][1][0] = -0.09;
    c->axle[REAR].map[KIN_PITCH][1][0] = 0.4;
    c->axle[REAR].map[KIN_HUB_Y][1][0] = 0.05;
    c->axle[REAR].map[KIN_CAMBER][1][0] = 0.3;
}

/* Steady under a longitudinal force: the change of spring force is the work, per travel, of load,
 * tyre force, weight and inertia of the hub along its way, which leans with the pitched body; and
 * of the torque that drives or brakes the wheel as the carrier turns, if the carrier takes it
 * (brake outboard) and not the body (drive). */
static void check_long(const struct testcar *c, const struct drive *d, int outboard)
{
    double pitch = d->o.pitch_rad, ax = d->o.level_acc_mps2[0];
    for (int i = 0; i < WHEELS; i++) {
        const struct testcar_axle *a = &c->axle[i < RL ? FRONT : REAR];
        double slant = a->map[KIN_HUB_X][1][0], kg = a->unsprung_kg, g = c->gravity_mps2;
        double ahead = slant * cos(pitch) + sin(pitch), up = cos(pitch) - slant * sin(pitch);
        double fx = d->o.long_N[i],
               work_N = (d->o.load_N[i] - kg * g) * up + (fx - kg * ax) * ahead;
        if (outboard)
            work_N += d->o.brake_Nm[i] * a->map[KIN_PITCH][1][0];
        double rest_N = d->rest.load_N[i] - kg * g;
        double spring_N = a->spring_Npm * (d->o.travel_m[i] - d->rest.travel_m[i]);
        print_message("    wheel %d: spring %+.1f N for %+.1f N, load %+.1f N\n", i, spring_N,
                      work_N - rest_N, d->o.load_N[i] - d->rest.load_N[i]);
        assert_near(spring_N, work_N - rest_N, 3.0); /* of 500 N: what still swings after 3 s */
    }
}

static void brake_torque_acts_along_the_contact_path(void **unused)
{
    (void)unused;
    struct testcar c;
    struct drive d;
    slanted_car(&c);
    struct vehicle *car = testcar_load(&c, 1e-3);
    drive_open(&d, lumped15_of(car), 1.0, 30.0, PLANT_GEAR_NEUTRAL);
    for (int i = 0; i < WHEELS; i++)
        d.in.wheel_pressure_Pa[i] = 30e5;
    drive_for(&d, 3.0);
    print_message("    dive: travel %.2f mm front, %.2f mm rear at %.2f m/s2\n",
                  1e3 * d.o.travel_m[FL], 1e3 * d.o.travel_m[RL], d.o.acc_mps2[0]);
    check_long(&c, &d, 1);
    free(car);
}

static void drive_torque_acts_along_the_hub_path(void **unused)
{
    (void)unused;
    struct testcar c;
    struct drive d;
    slanted_car(&c);
    struct vehicle *car = testcar_load(&c, 1e-3);
    drive_open(&d, lumped15_of(car), 1.0, 10.0, PLANT_GEAR_NEUTRAL);
    d.in.wheel_torque_Nm[RL] = d.in.wheel_torque_Nm[RR] = 500.0;
    d.in.wheel_torque_Nm[FL] = d.in.wheel_torque_Nm[FR] = 200.0;
    drive_for(&d, 3.0);
    print_message("    squat: travel %.2f mm front, %.2f mm rear at %.2f m/s2\n",
                  1e3 * d.o.travel_m[FL], 1e3 * d.o.travel_m[RL], d.o.acc_mps2[0]);
    check_long(&c, &d, 0);
    free(car);
}

/* Full anti-dive: the front's slant is chosen so that brake force alone carries the load that moves
 * to the front; its springs do not notice. */
static void full_anti_dive_leaves_the_front_where_it_is(void **unused)
{
    (void)unused;
    struct testcar c;
    struct drive with, without;
    testcar_plain(&c);
    testcar_dissipate(&c);
    c.tyre.rolling = 0.0;
    struct vehicle *plain = testcar_load(&c, 1e-3);
    drive_open(&without, lumped15_of(plain), 1.0, 30.0, PLANT_GEAR_NEUTRAL);
    for (int i = 0; i < WHEELS; i++)
        without.in.wheel_pressure_Pa[i] = 30e5;
    drive_for(&without, 3.0);
    double moved_N = without.o.load_N[FL] - without.rest.load_N[FL];
    c.axle[FRONT].map[KIN_PITCH][1][0] =
        moved_N / (without.o.long_N[FL] * without.o.hub_m[FL][2]); /* load + F (-R pitch) = 0 */
    struct vehicle *anti = testcar_load(&c, 1e-3);
    drive_open(&with, lumped15_of(anti), 1.0, 30.0, PLANT_GEAR_NEUTRAL);
    memcpy(&with.in, &without.in, sizeof with.in);
    drive_for(&with, 3.0);
    double dive_m = without.o.travel_m[FL] - without.rest.travel_m[FL];
    double left_m = with.o.travel_m[FL] - with.rest.travel_m[FL];
    print_message("    dive %.2f mm without, %.3f mm with\n", 1e3 * dive_m, 1e3 * left_m);
    assert_above(dive_m, 0.01);
    /* The rear still comes up, and with the body the way of the hubs leans. */
    assert_near(left_m, 0.0, 0.07 * dive_m);
    free(anti);
    free(plain);
}

/* In a turn the side force of each wheel works along its contact's sideways path: load transfer by
 * roll centres, and jacking where outer and inner force differ. */
static void side_force_jacks_along_the_contact_path(void **unused)
{
    (void)unused;
    struct testcar c;
    struct drive d;
    slanted_car(&c);
    struct vehicle *car = testcar_load(&c, 1e-3);
    drive_open(&d, lumped15_of(car), 1.0, 20.0, PLANT_GEAR_NEUTRAL);
    drive_turn(&d, 0.3, 2.0);
    for (int i = 0; i < WHEELS; i++) {
        const struct testcar_axle *a = &c.axle[i < RL ? FRONT : REAR];
        double side = i == FL || i == RL ? 1.0 : -1.0, R = d.o.hub_m[i][2], roll = d.o.roll_rad;
        double slant = side * a->map[KIN_HUB_Y][1][0], kg = a->unsprung_kg, g = c.gravity_mps2;
        double lean = roll + d.o.camber_rad[i];
        double left = slant * cos(roll) - sin(roll), up = cos(roll) + slant * sin(roll);
        double tip_Nm = R * (d.o.load_N[i] * tan(lean) + d.o.lat_N[i]); /* about the hub */
        double work_N = (d.o.load_N[i] - kg * g) * up +
                        (d.o.lat_N[i] - kg * d.o.level_acc_mps2[1]) * left +
                        side * a->map[KIN_CAMBER][1][0] * tip_Nm;
        double rest_N = d.rest.load_N[i] - kg * g;
        double spring_N = a->spring_Npm * (d.o.travel_m[i] - d.rest.travel_m[i]);
        print_message("    wheel %d: spring %+.1f N for %+.1f N, load %+.1f N\n", i, spring_N,
                      work_N - rest_N, d.o.load_N[i] - d.rest.load_N[i]);
        /* N of 600: gyroscopic moment of the wheel, which turns with the car; steered wheels */
        assert_near(spring_N, work_N - rest_N, 6.0);
    }
    free(car);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(brake_torque_acts_along_the_contact_path),
        cmocka_unit_test(drive_torque_acts_along_the_hub_path),
        cmocka_unit_test(full_anti_dive_leaves_the_front_where_it_is),
        cmocka_unit_test(side_force_jacks_along_the_contact_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
