/* The car in the plane against closed forms: single-track gains, loads, energy, standstill, the
 * order of its step. Comparisons with lumped15 are in test_two_track_against.c. */
#include "rt-tests/support/near.h"
#include "rt-tests/support/plane_car.h"
#include "rt-tests/support/testcar.h"
#include "target/model/footing.h"
#include "target/model/two_track/two_track.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const double deg = 3.14159265358979323846 / 180.0;
static struct plane_car car;

static const struct two_track_model *model_of(const struct plane_car *c)
{
    assert_ptr_equal(c->v->ops, &two_track_ops);
    return c->v->model;
}

static struct two_track_state *state_of(const struct plane_car *c)
{
    return c->mem.state;
}

static void open_testcar(const struct testcar *c)
{
    struct testcar t = *c;
    t.model = "two_track";
    plane_car_take(&car, testcar_load(&t, 1e-3), 1e-3);
}

/* ---- linear range */

/* The single-track model with the cornering stiffnesses of the static loads. Wheels that only turn,
 * no trail, no compliance in the column; 0.1 deg of steering, so that tyres are linear to 0.1 %.
 * The car is held at its speed by a push. Within 1 %: loads move by the lateral acceleration, and
 * the two front wheels have the same angle here. */
static void gains_are_those_of_the_single_track_model(void **unused)
{
    (void)unused;
    static const double speeds_mps[] = {5.0, 15.0, 30.0};
    struct testcar t;
    testcar_plain(&t);
    t.column_Nmprad = 1e6;
    open_testcar(&t);
    const struct two_track_model *m = model_of(&car);
    struct footing f;
    footing_of(&car.v->facts, &f);
    double base_m = f.front_m + f.rear_m;
    for (int k = 0; k < 3; k++) {
        double v = speeds_mps[k];
        plane_car_reset(&car, v, PLANT_GEAR_NEUTRAL);
        for (int n = 0; n < 8000; n++) {
            const struct two_track_state *s = state_of(&car);
            car.in.hand_wheel_rad = fmin(n * 1e-3, 1.0) * 0.1 * deg / (8.0 * 0.008);
            /* along the car's way; small enough to leave the balance as it is */
            double slow = v - hypot(s->vel_mps[0], s->vel_mps[1]);
            car.in.push_N[0] = 1e4 * slow * s->vel_mps[0] / v;
            car.in.push_N[1] = 1e4 * slow * s->vel_mps[1] / v;
            plane_car_step(&car);
        }
        double steer = 0.5 * (car.o.steer_rad[FL] + car.o.steer_rad[FR]);
        double yaw_gain = v / (base_m + f.understeer_s2pm * v * v);
        double slip_gain =
            (f.rear_m - m->total_kg * f.front_m * v * v / (base_m * f.stiff_N[REAR])) /
            (base_m + f.understeer_s2pm * v * v);
        double understeer = (steer - base_m * car.o.rate_radps[2] / v) / (v * car.o.rate_radps[2]);
        print_message(
            "    %2.0f m/s: yaw gain %.4f (closed form %.4f) 1/s, sideslip gain %.4f (%.4f), "
            "understeer %.3g (%.3g) s2/m\n",
            v, car.o.rate_radps[2] / steer, yaw_gain, car.o.sideslip_rad / steer, slip_gain,
            understeer, f.understeer_s2pm);
        assert_near(steer, 0.1 * deg, 1e-6);
        assert_ratio(car.o.rate_radps[2] / steer, yaw_gain, 0.01);
        /* of the gain at rest: the gain itself goes through zero */
        assert_near(car.o.sideslip_rad / steer, slip_gain, 0.01 * fmax(fabs(slip_gain), 0.52));
        /* what is left of the angle after the wheelbase's share, so of 1 % of that */
        assert_near(understeer, f.understeer_s2pm, 0.01 * base_m / (v * v) + 1e-6);
    }
    plane_car_close(&car);
}

/* ---- loads */

static double sum_N(const double x[WHEELS])
{
    return x[FL] + x[FR] + x[RL] + x[RR];
}

/* On an inclined plane, in a full braking turn: what the wheels carry is weight and air, and their
 * moments about the centre of gravity balance those of the forces before. */
static void loads_add_up_to_the_weight(void **unused)
{
    (void)unused;
    struct testcar t;
    testcar_curved(&t);
    open_testcar(&t); /* no air */
    const struct two_track_model *m = model_of(&car);
    plane_incline(&car.road, -0.08, 0.05);
    plane_car_reset(&car, 25.0, PLANT_GEAR_NEUTRAL);
    double weight_N = m->total_kg * m->gravity_mps2 * car.road.normal[2], least_N = weight_N;
    for (int n = 0; n < 3000; n++) {
        car.in.hand_wheel_rad = 1.5 * sin(n * 4e-3);
        for (int i = 0; i < WHEELS; i++)
            car.in.wheel_pressure_Pa[i] = n > 1000 ? 60e5 : 0.0;
        const struct two_track_carry was = state_of(&car)->carry;
        plane_car_step(&car);
        const double *F = car.o.load_N;
        /* rounding of a sum of four, a few bits of 15 kN */
        assert_near(sum_N(F), weight_N, 1e-11 * weight_N);
        double fore_Nm = (F[FL] + F[FR]) * m->axle[FRONT].x_m + (F[RL] + F[RR]) * m->axle[REAR].x_m;
        assert_near(fore_Nm, -m->height_m * (was.along_N[FRONT] + was.along_N[REAR]),
                    1e-11 * weight_N);
        double roll_Nm = (F[FR] - F[FL]) * 0.5 * m->axle[FRONT].track_m +
                         (F[RR] - F[RL]) * 0.5 * m->axle[REAR].track_m;
        double want_Nm = m->height_m * (was.across_N[FRONT] + was.across_N[REAR]) + was.roll_Nm -
                         m->cg_m.y * weight_N;
        /* and the body, which hangs to the side by its roll: (P-9) */
        double stiff = -1.0 / m->roll_radpNm;
        for (int k = 0; k < AXLES; k++)
            stiff += m->axle[k].give * m->axle[k].stiff_Nmprad;
        want_Nm += stiff * state_of(&car)->seen.roll_rad;
        assert_near(roll_Nm, want_Nm, 1e-10 * weight_N);
        least_N = fmin(least_N, fmin(fmin(F[FL], F[FR]), fmin(F[RL], F[RR])));
    }
    print_message("    least load of a wheel %.0f N\n", least_N);
    plane_car_close(&car);
}

/* More lateral force than the front axle can carry alone lifts its inner wheel: the rear takes the
 * rest, the sum stays, and nothing is negative. */
static void a_lifted_wheel_hands_its_moment_on(void **unused)
{
    (void)unused;
    struct testcar t;
    testcar_plain(&t);
    t.axle[FRONT].bar_Npm = 200e3; /* nearly all of the roll stiffness */
    t.tyre.peak_y = 1.3;
    t.column_Nmprad = 1e6;
    open_testcar(&t);
    const struct two_track_model *m = model_of(&car);
    double weight_N = m->total_kg * m->gravity_mps2;
    int lifted = 0;
    plane_car_reset(&car, 20.0, PLANT_GEAR_NEUTRAL);
    for (int n = 0; n < 2500; n++) {
        car.in.hand_wheel_rad = fmin(n * 2e-3, 2.0);
        const struct two_track_carry was = state_of(&car)->carry;
        plane_car_step(&car);
        const double *F = car.o.load_N;
        assert_near(sum_N(F), weight_N, 1e-11 * weight_N);
        assert_true(fmin(fmin(F[FL], F[FR]), fmin(F[RL], F[RR])) >= 0.0);
        if (!(F[FL] > 0.0)) {
            double roll_Nm = (F[FR] - F[FL]) * 0.5 * m->axle[FRONT].track_m +
                             (F[RR] - F[RL]) * 0.5 * m->axle[REAR].track_m;
            assert_above(roll_Nm, m->height_m * (was.across_N[FRONT] + was.across_N[REAR]));
            assert_int_equal(car.o.airborne, 1u << FL);
            lifted++;
        }
    }
    assert_true(lifted > 100);
    plane_car_close(&car);
}

/* An overloaded car in a hard turn tips: the model says that this is beyond it, and stops. */
static void a_side_in_the_air_is_a_fault(void **unused)
{
    (void)unused;
    plane_car_open(&car, "suv_overloaded", "two_track", 1e-3);
    plane_car_reset(&car, 28.0, PLANT_GEAR_NEUTRAL);
    int n = 0;
    for (; n < 3000 && !car.o.fault; n++) {
        car.in.hand_wheel_rad = fmin(n * 5e-3, 3.0);
        car.v->ops->step(car.v->model, car.mem.state, NULL, &car.in, &car.ground, 1e-3);
        car.v->ops->output(car.v->model, car.mem.state, &car.o);
    }
    assert_int_equal(car.o.fault, PLANT_FAULT_LIFTED);
    assert_non_null(strstr(model_fault_text(car.o.fault), "leave the ground"));
    const struct two_track_model *m = model_of(&car);
    assert_int_equal(car.o.airborne, 1u << FL | 1u << RL);
    /* air lifts a little */
    assert_ratio(sum_N(car.o.load_N), m->total_kg * m->gravity_mps2, 0.02);
    double time_s = car.o.time_s;
    car.v->ops->step(car.v->model, car.mem.state, NULL, &car.in, &car.ground, 1e-3);
    car.v->ops->output(car.v->model, car.mem.state, &car.o);
    assert_true(car.o.time_s <= time_s); /* it does not go on */
    plane_car_close(&car);
}

/* ---- standstill */

/* Held by its brakes on 12 % with 5 % of bank, after rolling to a stop: no creep and no chatter.
 * The bounds are those of rounding in a place of a few metres. */
static void a_held_car_stays(void **unused)
{
    (void)unused;
    static const char *const cars[] = {"compact", "sedan", "sports", "suv"};
    for (int k = 0; k < 4; k++) {
        plane_car_open(&car, cars[k], "two_track", 1e-3);
        plane_incline(&car.road, 0.12, 0.05);
        plane_car_reset(&car, -3.0, PLANT_GEAR_NEUTRAL);
        for (int i = 0; i < WHEELS; i++)
            car.in.wheel_pressure_Pa[i] = 50e5;
        plane_car_for(&car, 10.0); /* stops and rocks on its tyres */
        double x_m = car.o.pos_m[0], y_m = car.o.pos_m[1], fastest_mps = 0.0, spin = 0.0;
        for (int n = 0; n < 20000; n++) {
            plane_car_step(&car);
            fastest_mps = fmax(fastest_mps, hypot(car.o.vel_mps[0], car.o.vel_mps[1]));
            for (int i = 0; i < WHEELS; i++)
                spin = fmax(spin, fabs(car.o.spin_radps[i]));
        }
        print_message("    %-8s moved %.1e m in 20 s, fastest %.1e m/s\n", cars[k],
                      hypot(car.o.pos_m[0] - x_m, car.o.pos_m[1] - y_m), fastest_mps);
        assert_below(hypot(car.o.pos_m[0] - x_m, car.o.pos_m[1] - y_m), 1e-9);
        assert_below(fastest_mps, 1e-9);
        assert_true(spin <= 0.0); /* held to the bit */
        assert_int_equal(car.o.locked, 0xf);
        plane_car_close(&car);
    }
}

/* Backwards is driving too: the wheels roll, the car turns the other way round its path. */
static void backwards_it_rolls_and_steers(void **unused)
{
    (void)unused;
    double yaw_radps[2];
    for (int back = 0; back < 2; back++) {
        plane_car_open(&car, "sedan", "two_track", 1e-3);
        plane_car_reset(&car, back ? -3.0 : 3.0, PLANT_GEAR_NEUTRAL);
        for (int n = 0; n < 3000; n++) {
            car.in.hand_wheel_rad = fmin(n * 2e-3, 2.0);
            plane_car_step(&car);
        }
        yaw_radps[back] = car.o.rate_radps[2] / car.o.vel_mps[0];
        assert_ratio(car.o.spin_radps[RL] * 0.3, car.o.vel_mps[0], 0.1);
        plane_car_close(&car);
    }
    /* The same circle at a crawl; the trail works in the other direction, which twists the column.
     */
    assert_ratio(yaw_radps[1], yaw_radps[0], 0.05);
}

/* ---- energy */

/* Power of the forces along the car and of the torques on its wheels: tyre force at the loaded
 * radius, rolling resistance, and twist of a leaning wheel. Gravity is part of the energy. */
static double power_W(const struct plane_car *c)
{
    const struct two_track_state *s = state_of(c);
    const struct plant_out *o = &c->o;
    double sum = -o->aero_drag_N * o->vel_mps[0];
    for (int i = 0; i < WHEELS; i++) {
        double ahead_N = o->long_N[i] * cos(o->steer_rad[i]) - o->lat_N[i] * sin(o->steer_rad[i]);
        double twist_Nm = o->align_Nm[i] * (o->camber_rad[i] + s->seen.roll_rad);
        sum +=
            ahead_N * o->vel_mps[0] +
            (twist_Nm - s->seen.hub_z_m[i] * o->long_N[i] - s->friction_Nm[i]) * s->spin_radps[i];
    }
    return sum;
}

/* Coasting straight on, down a slope and on the level: what the energy loses is the work of air,
 * rolling resistance and tyres, summed up beside it. Within 0.1 %: the sum is of first order in the
 * step, in which speeds change by 1e-4. */
static void lost_energy_is_the_work_of_the_losses(void **unused)
{
    (void)unused;
    static const char *const cars[] = {"compact", "sedan", "sports", "suv"};
    for (int k = 0; k < 4; k++) {
        plane_car_open(&car, cars[k], "two_track", 1e-3);
        plane_incline(&car.road, k % 2 ? 0.0 : -0.05, 0.0);
        plane_car_reset(&car, 30.0, PLANT_GEAR_NEUTRAL);
        plane_car_for(&car, 0.5);
        double start_J = car.v->ops->energy_J(car.v->model, car.mem.state, &car.ground);
        double work_J = 0.0;
        for (int n = 0; n < 3000; n++) {
            plane_car_step(&car);
            work_J += 1e-3 * power_W(&car);
        }
        double end_J = car.v->ops->energy_J(car.v->model, car.mem.state, &car.ground);
        print_message("    %-8s energy %+.3f kJ in 3 s, work %+.3f kJ\n", cars[k],
                      1e-3 * (end_J - start_J), 1e-3 * work_J);
        assert_ratio(end_J - start_J, work_J, 1e-3);
        plane_car_close(&car);
    }
}

/* ---- the step */

/* Rates of the model by a method of fourth order: the hand wheel turns at a constant rate. */
static void reference_drive(double rate_radps, double time_s, double *x)
{
    const double h = 2e-4;
    const struct model_ops *ops = car.v->ops;
    size_t n = ops->x_count(car.v->model);
    double k[4][64], at[64];
    struct two_track_state s = *state_of(&car);
    assert_true(n <= 64);
    s.hand_radps = rate_radps;
    ops->x_get(car.v->model, &s, x);
    for (int i = 0; i < (int)lround(time_s / h); i++) {
        static const double ahead[4] = {0.0, 0.5, 0.5, 1.0};
        for (int j = 0; j < 4; j++) {
            for (size_t q = 0; q < n; q++)
                at[q] = x[q] + (j ? ahead[j] * h * k[j - 1][q] : 0.0);
            ops->x_set(car.v->model, &s, at);
            ops->deriv(car.v->model, &s, &car.in, &car.ground, k[j]);
        }
        for (size_t q = 0; q < n; q++)
            x[q] += h / 6.0 * (k[0][q] + 2.0 * k[1][q] + 2.0 * k[2][q] + k[3][q]);
    }
}

/* Halving the step halves the error against the rates' own solution: place, heading, speeds. */
static void the_step_is_of_first_order(void **unused)
{
    (void)unused;
    const double time_s = 1.2, rate_radps = 1.0;
    double want[64], error[3], got[64];
    plane_car_open(&car, "compact", "two_track", 1e-3); /* no hydraulics */
    plane_car_reset(&car, 22.0, PLANT_GEAR_NEUTRAL);
    reference_drive(rate_radps, time_s, want);
    for (int k = 0; k < 3; k++) {
        car.step_s = 2e-3 / (1 << k);
        plane_car_reset(&car, 22.0, PLANT_GEAR_NEUTRAL);
        int steps = (int)lround(time_s / car.step_s);
        for (int n = 1; n <= steps; n++) {
            car.in.hand_wheel_rad = rate_radps * n * car.step_s;
            plane_car_step(&car);
        }
        car.v->ops->x_get(car.v->model, car.mem.state, got);
        error[k] = 0.0;
        for (int q = 0; q < 7; q++) /* pos, heading, vel, yaw rate */
            error[k] = fmax(error[k], fabs(got[q] - want[q]));
    }
    print_message("    error at 2, 1, 0.5 ms: %.3g %.3g %.3g (m, m/s, rad/s)\n", error[0], error[1],
                  error[2]);
    for (int k = 0; k < 2; k++) { /* slope one: a ratio of two, less what is of second order */
        assert_above(error[k] / error[k + 1], 1.8);
        assert_below(error[k] / error[k + 1], 2.2);
    }
    assert_below(error[1], 0.02); /* of 26 m */
    plane_car_close(&car);
}

/* A drive to the right is the image of one to the left: tyres of both sides are each other's. */
static void a_mirrored_drive_is_mirrored(void **unused)
{
    (void)unused;
    static struct plane_car other;
    plane_car_open(&car, "sports", "two_track", 1e-3);
    plane_car_open(&other, "sports", "two_track", 1e-3);
    plane_car_reset(&car, 25.0, 3);
    plane_car_reset(&other, 25.0, 3);
    for (int n = 0; n < 4000; n++) {
        car.in.hand_wheel_rad = 1.2 * sin(n * 5e-3);
        other.in.hand_wheel_rad = -car.in.hand_wheel_rad;
        car.in.throttle = other.in.throttle = n < 1500 ? 0.6 : 0.0;
        for (int i = 0; i < WHEELS; i++) {
            car.in.wheel_pressure_Pa[i] = n > 2000 ? (i % 2 ? 20e5 : 70e5) : 0.0;
            other.in.wheel_pressure_Pa[i ^ 1] = car.in.wheel_pressure_Pa[i];
        }
        plane_car_step(&car);
        plane_car_step(&other);
    }
    /* the same operations in the same order: the rounding is mirrored, too */
    assert_near(other.o.pos_m[0], car.o.pos_m[0], 1e-12);
    assert_near(other.o.pos_m[1], -car.o.pos_m[1], 1e-12);
    assert_near(other.o.rate_radps[2], -car.o.rate_radps[2], 1e-12);
    assert_near(other.o.roll_rad, -car.o.roll_rad, 1e-12);
    for (int i = 0; i < WHEELS; i++) {
        assert_near(other.o.load_N[i ^ 1], car.o.load_N[i], 1e-8);
        assert_near(other.o.spin_radps[i ^ 1], car.o.spin_radps[i], 1e-10);
    }
    assert_above(fabs(car.o.yaw_rad), 0.01);
    plane_car_close(&car);
    plane_car_close(&other);
}

/* Set-up: a stiffer front bar moves load transfer to the front axle. */
static void bars_move_the_load_transfer(void **unused)
{
    (void)unused;
    double moved_N[2];
    for (int k = 0; k < 2; k++) {
        struct testcar t;
        testcar_plain(&t);
        t.axle[FRONT].bar_Npm *= k ? 3.0 : 1.0;
        open_testcar(&t);
        plane_car_reset(&car, 20.0, PLANT_GEAR_NEUTRAL);
        for (int n = 0; n < 2000; n++) {
            car.in.hand_wheel_rad = fmin(n * 1e-3, 0.4);
            plane_car_step(&car);
        }
        double f_N = car.o.load_N[FR] - car.o.load_N[FL], r_N = car.o.load_N[RR] - car.o.load_N[RL];
        moved_N[k] = f_N / (f_N + r_N);
        plane_car_close(&car);
    }
    assert_above(moved_N[1], moved_N[0] + 0.05);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gains_are_those_of_the_single_track_model),
        cmocka_unit_test(loads_add_up_to_the_weight),
        cmocka_unit_test(a_lifted_wheel_hands_its_moment_on),
        cmocka_unit_test(a_side_in_the_air_is_a_fault),
        cmocka_unit_test(a_held_car_stays),
        cmocka_unit_test(backwards_it_rolls_and_steers),
        cmocka_unit_test(lost_energy_is_the_work_of_the_losses),
        cmocka_unit_test(the_step_is_of_first_order),
        cmocka_unit_test(a_mirrored_drive_is_mirrored),
        cmocka_unit_test(bars_move_the_load_transfer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
