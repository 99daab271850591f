/* Stability control: the sine with dwell of FMVSS 126 / UN R140 with every car, what the observer
 * sees, and stability with the foot on the brake. Verdicts are printed; docs/ecu.md quotes them. */
#include "rt-tests/support/ecu_sine.h"
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

struct sine_series {
    int runs, passed;
    double worst_100, worst_175, least_m;
    int active;
    uint32_t faults; /* that the unit found */
};

static void note(struct sine_series *s, double in_A, const struct sine_result *r)
{
    bool far = in_A > 4.99;
    s->runs++;
    s->passed += sine_passes(r, far);
    s->active += r->active;
    s->faults |= r->faults;
    s->worst_100 = fmax(s->worst_100, r->after_100);
    s->worst_175 = fmax(s->worst_175, r->after_175);
    if (far)
        s->least_m = fmin(s->least_m, r->aside_m);
}

/* From 1.5 A in steps of `step` up to 6.5 A or 270 deg, whichever is more, in both directions. */
static struct sine_series run_series(double A_rad, double step, int gear)
{
    struct sine_series s = {.least_m = INFINITY};
    double last = sine_last_rad(A_rad) / A_rad;
    for (int i = 0; 1.5 + step * i < last + step - 1e-9; i++) {
        double amplitude = fmin(1.5 + step * i, last);
        for (int side = 1; side >= -1; side -= 2) {
            struct sine_result r = sine_run(&car, side * amplitude * A_rad, gear);
            note(&s, amplitude, &r);
        }
    }
    return s;
}

static void print_series(const char *name, int gear, const char *unit, double A_rad,
                         const struct sine_series *s)
{
    print_message(
        "    | %-14s | %-7s | %-9s | %5.1f | %2d of %2d | %3.0f %% | %3.0f %% | %.2f m |\n", name,
        gear ? "4" : "neutral", unit, A_rad / DEG, s->passed, s->runs, 100.0 * s->worst_100,
        100.0 * s->worst_175, s->least_m);
}

/* The whole series for the sports car, every third step for the others; coasting in neutral, or
 * with the engine's drag. */
static const struct series_case {
    const char *name;
    int gear, interface;
    double step; /* in A */
} series[] = {
    {"compact", 0, VALVES_OFF, 1.5},
    {"sedan", 0, VALVES_OFF, 1.5},
    {"sedan", 4, VALVES_PERCENT, 1.5},
    {"sedan", 0, VALVES_PWM, 1.5},
    {"sports", 4, VALVES_OFF, 0.5},
    {"sports", 4, VALVES_PERCENT, 0.5},
    {"suv", 0, VALVES_OFF, 1.5},
    {"suv", 4, VALVES_OFF, 1.5},
    {"suv", 0, VALVES_PERCENT, 1.5},
    {"suv", 4, VALVES_PERCENT, 1.5},
    {"suv_overloaded", 0, VALVES_OFF, 1.5},
};

static void every_car_passes_the_sine_with_dwell(void **unused)
{
    (void)unused;
    print_message(
        "    | car | gear | unit | A in deg | passed | after 1.00 s | 1.75 s | aside |\n");
    for (size_t k = 0; k < sizeof series / sizeof series[0]; k++) {
        const struct series_case *c = &series[k];
        ecu_car_open_by(&car, c->name, 1.0, 20.0, c->interface);
        double A_rad = sine_slow_steer(&car).A_rad;
        if (c->interface == VALVES_OFF) {
            car.with_unit = false;
            struct sine_series without = run_series(A_rad, c->step, c->gear);
            print_series(c->name, c->gear, "without", A_rad, &without);
            assert_below(without.passed, without.runs - 1);
            car.with_unit = true;
        }
        struct sine_series with = run_series(A_rad, c->step, c->gear);
        print_series(c->name, c->gear, ecu_car_interface(c->interface), A_rad, &with);
        /* A roof load of that height tips over whatever the brakes do: there the unit has only to
         * do its part. */
        if (strcmp(c->name, "suv_overloaded") != 0) {
            assert_int_equal(with.passed, with.runs);
            assert_int_equal(with.faults, 0);
        }
        assert_above(with.active, with.runs / 3.0 - 1.0);
        ecu_car_close(&car);
    }
}

/* Without the yaw rate criterion a car could pass by not turning at all: it does not. */
static void the_first_turn_is_left_to_the_driver(void **unused)
{
    (void)unused;
    ecu_car_open(&car, "sports", 1.0, 20.0);
    double amplitude = 5.0 * sine_slow_steer(&car).A_rad, aside_m[2];
    for (int n = 0; n < 2; n++) {
        car.with_unit = n == 1;
        aside_m[n] = sine_run(&car, amplitude, 4).aside_m;
    }
    print_message("    aside at 5 A: %.2f m without, %.2f m with the unit\n", aside_m[0],
                  aside_m[1]);
    assert_above(aside_m[1], 0.9 * aside_m[0]);
    ecu_car_close(&car);
}

/* The observer against the truth, up to what a driver can still hold. */
static void sideslip_is_observed(void **unused)
{
    (void)unused;
    static const char *const names[] = {"sports", "sedan", "suv"};
    for (int k = 0; k < 3; k++) {
        double worst_rad = 0.0, most_rad = 0.0;
        ecu_car_open(&car, names[k], 1.0, 20.0);
        car.gear = 4;
        ecu_car_reset(&car, 25.0);
        while (ecu_car_time_s(&car) < 12.0) {
            double t = ecu_car_time_s(&car) - 2.5;
            car.in.throttle = 0.25;
            car.in.hand_wheel_rad = t > 0.0 ? 1.1 * sin(2.0 * t) : 0.0;
            ecu_car_step(&car);
            most_rad = fmax(most_rad, fabs(car.out.sideslip_rad));
            if (t > 0.0)
                worst_rad = fmax(worst_rad, fabs(car.tx.sideslip_rad - car.out.sideslip_rad));
        }
        print_message("    %-7s sideslip up to %.1f deg, observed to %.1f deg\n", names[k],
                      most_rad / DEG, worst_rad / DEG);
        /* An integral of two noisy sensors on a leaning car: half of the largest angle, or 1.5 deg,
         * is enough to know a skid (from 4 deg on). */
        assert_below(worst_rad, fmax(0.5 * most_rad, 1.5 * DEG));
        ecu_car_close(&car);
    }
}

/* A hand wheel jerk while braking fully in a bend on a wet road. */
static void stable_with_the_foot_on_the_brake(void **unused)
{
    (void)unused;
    static const char *const names[] = {"sports", "sedan"};
    for (int k = 0; k < 2; k++) {
        double most_rad = 0.0;
        int esp = 0, abs = 0;
        ecu_car_open(&car, names[k], 0.6, 20.0);
        ecu_car_reset(&car, KMH(110.0));
        while (ecu_car_time_s(&car) < 12.0 && car.out.vel_mps[0] > 3.0) {
            double t = ecu_car_time_s(&car) - 2.5;
            car.in.brake_pedal = fmin(fmax(t / 0.2, 0.0), 1.0) * 0.35;
            car.in.hand_wheel_rad = t < 0.3 ? 0.0 : t < 1.0 ? 1.6 : t < 1.9 ? -1.6 : 0.0;
            ecu_car_step(&car);
            esp += car.tx.esp_active > 0.5 && car.tx.abs_active > 0.5;
            abs += car.tx.abs_active > 0.5;
            most_rad = fmax(most_rad, fabs(car.out.sideslip_rad));
        }
        print_message("    %-7s sideslip at most %.1f deg; ABS %d ms, with ESP %d ms\n", names[k],
                      most_rad / DEG, abs, esp);
        assert_below(most_rad, 12.0 * DEG);
        assert_above(esp, 20); /* both at once */
        assert_int_equal(car.unit.faults.stored, 0);
        ecu_car_close(&car);
    }
}

/* On ice the steering asks for more than the road has: the target is what the road gives, and no
 * sensor is blamed for it. */
static void target_follows_the_friction(void **unused)
{
    (void)unused;
    ecu_car_open(&car, "sedan", 0.25, 20.0);
    car.gear = 4;
    ecu_car_reset(&car, 20.0);
    double most_radps = 0.0;
    while (ecu_car_time_s(&car) < 6.0) {
        double t = ecu_car_time_s(&car) - 2.5;
        car.in.throttle = 0.1;
        car.in.hand_wheel_rad = fmin(fmax(t, 0.0), 1.0) * 1.2;
        ecu_car_step(&car);
        if (t > 2.0)
            most_radps = fmax(most_radps, fabs(car.tx.target_radps));
    }
    double road_radps = 0.25 * ECU_G_MPS2 / car.out.vel_mps[0];
    const struct car_params *p = &car.params.car;
    double v = car.out.vel_mps[0], steer = 1.2 / p->steering_ratio;
    double linear = v * steer / (p->wheelbase_m + p->understeer_radspm * v * v);
    print_message("    target %.1f deg/s; the road gives %.1f, the steering angle means %.1f\n",
                  most_radps / DEG, road_radps / DEG, linear / DEG);
    assert_above(linear, 2.0 * road_radps); /* far beyond the road */
    assert_below(most_radps, 1.5 * road_radps);
    assert_int_equal(car.unit.faults.stored, 0);
    ecu_car_close(&car);
}

/* Full throttle in a turn on a wet road: less torque, and the car stays in it. */
static void engine_torque_is_cut(void **unused)
{
    (void)unused;
    double most_rad[2], least_Nm[2];
    for (int n = 0; n < 2; n++) {
        ecu_car_open(&car, "sports", 0.5, 20.0);
        car.gear = 2;
        car.with_unit = n == 1;
        ecu_car_reset(&car, 14.0);
        most_rad[n] = 0.0;
        least_Nm[n] = 0.0;
        while (ecu_car_time_s(&car) < 7.0) {
            double t = ecu_car_time_s(&car) - 2.5;
            car.in.gear = 2;
            car.in.throttle = t < 0.5 ? 0.12 : 0.8;
            car.in.hand_wheel_rad = fmin(fmax(t + 1.5, 0.0), 1.0) * 0.6;
            ecu_car_step(&car);
            most_rad[n] = fmax(most_rad[n], fabs(car.out.sideslip_rad));
            if (t > 0.6)
                least_Nm[n] = fmin(least_Nm[n], car.out.engine_Nm - car.out.engine_driver_Nm);
        }
        assert_int_equal(car.unit.faults.stored, 0);
        ecu_car_close(&car);
    }
    print_message("    sideslip at most %.0f deg without, %.1f deg with the unit; %.0f Nm less\n",
                  most_rad[0] / DEG, most_rad[1] / DEG, -least_Nm[1]);
    assert_above(most_rad[0], 30.0 * DEG);
    assert_below(most_rad[1], 15.0 * DEG); /* a driver can still hold that */
    assert_near(least_Nm[0], 0.0, 1.0);
    assert_below(least_Nm[1], -50.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_car_passes_the_sine_with_dwell),
        cmocka_unit_test(the_first_turn_is_left_to_the_driver),
        cmocka_unit_test(sideslip_is_observed),
        cmocka_unit_test(stable_with_the_foot_on_the_brake),
        cmocka_unit_test(target_follows_the_friction),
        cmocka_unit_test(engine_torque_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
