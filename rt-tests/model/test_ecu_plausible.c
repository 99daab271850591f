/* What real units check before they trust a bench, in runs without a fault, over cars and
 * manoeuvres: sensors agree with each other within the bounds below, none is frozen to the bit, and
 * wheel radii and steering ratio are those that the unit knows. docs/ecu.md states the bounds. */
#include "rt-tests/support/cars.h"
#include "rt-tests/support/ecu_drive.h"
#include "rt-tests/support/ecu_stop.h"
#include "rt-tests/support/near.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define DEG (3.14159265358979 / 180.0)

static struct ecu_car car;

/* Bounds of the comparisons. Each has a reason, and is less than the limit from which the unit
 * takes a sensor for broken (5 deg/s, 2.5 m/s2, 7 deg/s). */
#define WHEELS_RADPS   (2.5 * DEG) /* slip of loaded wheels, resolution of the edges */
#define DRIVEN_RADPS   (4.5 * DEG) /* the same of a car without a wheel that only rolls */
#define LATERAL_MPS2   1.5         /* sideslip that changes: v dbeta/dt in a quick change of lane */
#define STEERING_RADPS (4.0 * DEG) /* the tyres' lag, and their curve up to 4 m/s2 */

enum { SENSORS = 5 };
static const char *const sensor_names[SENSORS] = {"yaw rate", "forward acceleration",
                                                  "lateral acceleration", "steering angle",
                                                  "master pressure"};

struct account {
    double wheels_radps, lateral_mps2, steering_radps; /* largest differences */
    double held[SENSORS];                              /* longest run of equal samples, in ticks */
    double run[SENSORS], last[SENSORS];
    double yaw_radps, axle_radps, lateral_now_mps2, model_radps; /* means over 100 ms */
    double compared_s;
};

/* What the sensors say, at the resolution of the bus. */
static void look_frozen(struct account *a)
{
    const double now[SENSORS] = {
        round(car.sense.yaw_rate_radps / (0.005 * DEG)), round(car.sense.force_mps2[0] / 0.001),
        round(car.sense.force_mps2[1] / 0.001), round(car.sense.hand_wheel_rad / (0.05 * DEG)),
        round(car.sense.master_Pa / 1e4)};
    for (int n = 0; n < SENSORS; n++) {
        a->run[n] = now[n] == a->last[n] ? a->run[n] + 1.0 : 0.0;
        a->last[n] = now[n];
        a->held[n] = fmax(a->held[n], a->run[n]);
    }
}

static double axle_radps(int left)
{
    return (car.tx.wheel_mps[left + 1] - car.tx.wheel_mps[left]) /
           car.params.car.track_m[left == ECU_FL ? 0 : 1];
}

/* Means over 100 ms: what a unit compares, too. */
static void compare(struct account *a)
{
    const struct ecu_rx *rx = &car.rx;
    double v = car.tx.reference_mps, follow = 5.0 / 100.0;
    if (car.tick % ECU_CAR_CYCLE_TICKS != 0)
        return;
    double axle = axle_radps(car.params.car.front_drive > 0.5 ? ECU_RL : ECU_FL);
    double lateral = rx->acc_y_mps2 / (1.0 + car.params.car.roll_rad);
    a->yaw_radps += follow * (rx->yaw_rate_radps - a->yaw_radps);
    a->axle_radps += follow * (axle - a->axle_radps);
    a->lateral_now_mps2 += follow * (lateral - a->lateral_now_mps2);
    a->model_radps += follow * (car.unit.functions.motion.linear.yaw_radps - a->model_radps);
    if (ecu_car_time_s(&car) < 3.0 || v < 6.0 || car.in.brake_pedal > 0.0)
        return;
    a->compared_s += 5e-3;
    a->wheels_radps = fmax(a->wheels_radps, fabs(a->yaw_radps - a->axle_radps));
    a->lateral_mps2 = fmax(a->lateral_mps2, fabs(v * a->yaw_radps - a->lateral_now_mps2));
    a->steering_radps = fmax(a->steering_radps, fabs(a->yaw_radps - a->model_radps));
}

/* ---- manoeuvres: hand wheel, pedals and speed of each */

enum { STRAIGHT, WEAVE, CIRCLE, STEP, LANE, TOWN, MANOEUVRES };
static const char *const manoeuvre_names[MANOEUVRES] = {
    "straight on", "weave", "circle", "step", "lane change", "ordinary drive"};

/* Hand wheel for a lateral acceleration. */
static double hand_for(double acc_y_mps2, double v)
{
    const struct car_params *p = &car.params.car;
    double steer = acc_y_mps2 / (v * v) * (p->wheelbase_m + p->understeer_radspm * v * v);
    return steer * p->steering_ratio;
}

static void drive(int manoeuvre, struct ecu_driver *driver, double t)
{
    double v = fmax(car.out.vel_mps[0], 5.0), wave = 6.283185307179586 * (t - 3.0);
    if (manoeuvre == TOWN) {
        ecu_driver_step(driver, &car);
        return;
    }
    car.in.throttle = fmin(fmax(0.1 + 0.08 * (22.0 - car.out.vel_mps[0]), 0.0), 0.5);
    car.in.gear = 4;
    double acc_y = 0.0;
    if (t > 3.0 && manoeuvre == WEAVE)
        acc_y = 3.0 * sin(0.3 * wave);
    if (t > 3.0 && manoeuvre == CIRCLE)
        acc_y = fmin(t - 3.0, 3.0);
    if (t > 3.0 && manoeuvre == STEP)
        acc_y = fmin((t - 3.0) / 0.3, 1.0) * -3.0;
    if (t > 3.0 && t < 5.0 && manoeuvre == LANE)
        acc_y = 3.0 * sin(0.5 * wave);
    car.in.hand_wheel_rad = hand_for(acc_y, v);
}

static void run(int manoeuvre, uint64_t seed, struct account *a)
{
    struct ecu_driver driver;
    double end_s = manoeuvre == TOWN ? 60.0 : 12.0;
    ecu_driver_start(&driver, seed);
    car.gear = manoeuvre == TOWN ? PLANT_GEAR_AUTO : 4;
    ecu_car_reset(&car, 22.0);
    while (ecu_car_time_s(&car) < end_s) {
        drive(manoeuvre, &driver, ecu_car_time_s(&car));
        ecu_car_step(&car);
        look_frozen(a);
        compare(a);
    }
    assert_int_equal(car.unit.faults.stored, 0);
}

static void sensors_agree_and_live(void **unused)
{
    (void)unused;
    struct cars cars;
    cars_find(&cars);
    for (int k = 0; k < cars.count; k++) {
        char name[64];
        struct account all;
        memset(&all, 0, sizeof all);
        ecu_car_open(&car, car_name(cars.path[k], name, sizeof name), 1.0, 22.0);
        bool all_driven = car_drives(&car.params.car, FL) && car_drives(&car.params.car, RL);
        double wheels_radps = all_driven ? DRIVEN_RADPS : WHEELS_RADPS;
        for (int m = 0; m < MANOEUVRES; m++) {
            run(m, (uint64_t)k + 11, &all);
            if (all.wheels_radps > wheels_radps || all.lateral_mps2 > LATERAL_MPS2 ||
                all.steering_radps > STEERING_RADPS)
                print_message("    beyond its bound: %s\n", manoeuvre_names[m]);
        }
        print_message("    %-15s gyro against wheels %.1f deg/s, lateral acceleration %.2f m/s2, "
                      "steering model %.1f deg/s, over %.0f s; longest equal %.0f ms\n",
                      name, all.wheels_radps / DEG, all.lateral_mps2, all.steering_radps / DEG,
                      all.compared_s,
                      fmax(fmax(fmax(all.held[0], all.held[1]), all.held[2]),
                           fmax(all.held[3], all.held[4])));
        assert_below(all.wheels_radps, wheels_radps);
        assert_below(all.lateral_mps2, LATERAL_MPS2);
        assert_below(all.steering_radps, STEERING_RADPS);
        assert_above(all.compared_s, 40.0);
        for (int n = 0; n < SENSORS; n++)
            if (all.held[n] >= 100.0) /* ten samples of the bus */
                fail_msg("%s: %s is frozen for %.0f ms", name, sensor_names[n], all.held[n]);
        ecu_car_close(&car);
    }
}

/* ---- radii and steering ratio */

static void radii_and_ratio_match(void **unused)
{
    (void)unused;
    struct cars cars;
    cars_find(&cars);
    for (int k = 0; k < cars.count; k++) {
        char name[64];
        double worst = 0.0;
        ecu_car_open(&car, car_name(cars.path[k], name, sizeof name), 1.0, 14.0);
        ecu_car_reset(&car, 14.0); /* 50 km/h, rolling in neutral: the radii are of that speed */
        ecu_car_for(&car, 2.0);
        double from_m = car.out.pos_m[0], angle[WHEELS];
        memcpy(angle, car.out.angle_rad, sizeof angle);
        ecu_car_for(&car, 4.0);
        for (int i = 0; i < WHEELS; i++) {
            double rolled_m = (car.out.angle_rad[i] - angle[i]) * car.params.car.radius_m[i];
            worst = fmax(worst, fabs(rolled_m / (car.out.pos_m[0] - from_m) - 1.0));
        }
        /* Gentle turns at low speed: the path is that of the wheels' angle. */
        car.gear = 1;
        ecu_car_reset(&car, 3.0);
        car.in.gear = 1;
        while (ecu_car_time_s(&car) < 6.0) {
            car.in.throttle = 0.1;
            car.in.hand_wheel_rad = fmin(ecu_car_time_s(&car), 2.0) * 0.5;
            ecu_car_step(&car);
        }
        double v = car.out.vel_mps[0], yaw = car.out.rate_radps[2];
        const struct car_params *p = &car.params.car;
        double ratio = 1.0 * v / (p->wheelbase_m + p->understeer_radspm * v * v) / yaw;
        print_message("    %-15s radii to %.2f %%; steering ratio %.1f by the path, %.1f known\n",
                      name, 100.0 * worst, ratio, p->steering_ratio);
        assert_below(worst, 0.005);
        assert_ratio(ratio, p->steering_ratio, 0.06); /* compliance and toe change with the angle */
        ecu_car_close(&car);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sensors_agree_and_live),
        cmocka_unit_test(radii_and_ratio_match),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
