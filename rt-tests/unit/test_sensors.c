/* The set of sensors: what it feels of the car's motion, delays, seeds. */
#include "target/model/sensors.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const double g = 9.81;

static void assert_near(double is, double want, double tolerance)
{
    if (!(fabs(is - want) <= tolerance))
        fail_msg("is %.17g, want %.17g within %g", is, want, tolerance);
}

/* A car with this attitude; yaw, then pitch (> 0 nose down), then roll. */
static struct plant_out car(double yaw, double pitch, double roll)
{
    struct plant_out p = {0};
    double cy = cos(0.5 * yaw), sy = sin(0.5 * yaw), cp = cos(0.5 * pitch), sp = sin(0.5 * pitch);
    double cr = cos(0.5 * roll), sr = sin(0.5 * roll);
    p.quat[0] = cy * cp * cr + sy * sp * sr;
    p.quat[1] = cy * cp * sr - sy * sp * cr;
    p.quat[2] = cy * sp * cr + sy * cp * sr;
    p.quat[3] = sy * cp * cr - cy * sp * sr;
    p.yaw_rad = yaw;
    p.pitch_rad = pitch;
    p.roll_rad = roll;
    return p;
}

static struct sensors_state state; /* 16 KiB: not on the stack */

static struct sensors_out sense(struct sensors_model *m, const struct plant_out *p)
{
    struct sensors_out out;
    assert_int_equal(sensors_prepare(m, 1e-3), 0);
    sensors_reset(m, &state, p);
    sensors_step(m, &state, p, 1e-3, &out);
    return out;
}

static void parked_car_on_a_slope_feels_the_slope(void **unused)
{
    (void)unused;
    struct sensors_model m;
    sensors_defaults(&m);
    double up = atan(0.1), bank = 0.05; /* nose up is pitch < 0; left side up is roll > 0 */
    struct plant_out p = car(0.7, -up, 0.0);
    struct sensors_out o = sense(&m, &p);
    /* 1e-13: rounding of numbers around 10 */
    assert_near(o.force_mps2[0], g * sin(up), 1e-13);
    assert_near(o.force_mps2[1], 0.0, 1e-13);
    assert_near(o.force_mps2[2], g * cos(up), 1e-13);
    assert_near(o.level_acc_mps2[0], 0.0, 1e-13);
    assert_near(o.level_acc_mps2[1], 0.0, 1e-13);
    p = car(-2.0, 0.0, bank);
    o = sense(&m, &p);
    assert_near(o.force_mps2[1], g * sin(bank), 1e-13);
    assert_near(o.force_mps2[2], g * cos(bank), 1e-13);
    p = car(0.0, 0.0, 3.14159265358979324); /* on its roof */
    o = sense(&m, &p);
    assert_near(o.force_mps2[2], -g, 1e-13);
}

static void falling_car_feels_no_force(void **unused)
{
    (void)unused;
    struct sensors_model m;
    sensors_defaults(&m);
    struct plant_out p = car(0.3, 0.4, -1.0);
    struct quat q = {p.quat[0], p.quat[1], p.quat[2], p.quat[3]};
    struct mat3 R = quat_matrix(q);
    struct vec3 fall = m3_tmul(&R, v3(0.0, 0.0, -g));
    p.acc_mps2[0] = fall.x;
    p.acc_mps2[1] = fall.y;
    p.acc_mps2[2] = fall.z;
    struct sensors_out o = sense(&m, &p);
    for (int k = 0; k < 3; k++)
        assert_near(o.force_mps2[k], 0.0, 1e-14); /* rounding */
    assert_near(o.level_acc_mps2[0], 0.0, 1e-14);
    assert_near(o.level_acc_mps2[1], 0.0, 1e-14);
}

/* In a steady turn a point ahead of the centre of gravity feels w^2 r backwards; while the turn
 * grows it feels w' r sideways. */
static void mounting_point_feels_the_rotation(void **unused)
{
    (void)unused;
    struct sensors_model m;
    sensors_defaults(&m);
    m.mount_at_cg = 0;
    m.mount_m = v3(1.5, 0.0, 0.2);
    struct plant_out p = car(0.0, 0.0, 0.0);
    p.cg_body_m[0] = 0.5;
    p.cg_body_m[2] = 0.2; /* the arm is 1 m forwards */
    p.rate_radps[2] = 0.8;
    p.rate_acc_radps2[2] = 2.0;
    p.acc_mps2[1] = 5.0;
    struct sensors_out o = sense(&m, &p);
    assert_near(o.force_mps2[0], -0.64, 1e-14); /* rounding, here and below */
    assert_near(o.force_mps2[1], 5.0 + 2.0, 1e-14);
    assert_near(o.force_mps2[2], g, 1e-14);
    assert_near(o.level_acc_mps2[0], -0.64, 1e-14);
    assert_near(o.level_acc_mps2[1], 7.0, 1e-14);
    assert_true(o.yaw_rate_radps == 0.8);
}

static void level_frame_takes_roll_and_pitch_out(void **unused)
{
    (void)unused;
    struct sensors_model m;
    sensors_defaults(&m);
    double yaw = 1.1, pitch = 0.06, roll = -0.09;
    struct plant_out p = car(yaw, pitch, roll);
    struct quat q = {p.quat[0], p.quat[1], p.quat[2], p.quat[3]};
    struct mat3 R = quat_matrix(q);
    /* 3 forwards and 7 to the left on the ground, 0.5 upwards */
    struct vec3 world = v3(3.0 * cos(yaw) - 7.0 * sin(yaw), 3.0 * sin(yaw) + 7.0 * cos(yaw), 0.5);
    struct vec3 body = m3_tmul(&R, world);
    p.acc_mps2[0] = body.x;
    p.acc_mps2[1] = body.y;
    p.acc_mps2[2] = body.z;
    struct sensors_out o = sense(&m, &p);
    assert_near(o.level_acc_mps2[0], 3.0, 1e-13); /* rounding */
    assert_near(o.level_acc_mps2[1], 7.0, 1e-13);
    p = car(0.0, 0.5 * 3.14159265358979324, 0.0); /* on its nose: no forward, but no NaN */
    o = sense(&m, &p);
    assert_true(isfinite(o.level_acc_mps2[0]) && isfinite(o.level_acc_mps2[1]));
}

static void plain_signals_pass_through_ideal_sensors(void **unused)
{
    (void)unused;
    struct sensors_model m;
    sensors_defaults(&m);
    struct plant_out p = car(0.0, 0.0, 0.0);
    p.hand_wheel_rad = 1.25;
    p.hand_wheel_radps = -3.0;
    p.master_Pa = 8e6;
    p.rate_radps[0] = 0.1;
    p.rate_radps[1] = 0.2;
    struct sensors_out o = sense(&m, &p);
    assert_true(o.hand_wheel_rad == 1.25 && o.hand_wheel_radps == -3.0 && o.master_Pa == 8e6);
    assert_true(o.roll_rate_radps == 0.1 && o.pitch_rate_radps == 0.2);
}

static void brake_switch_has_hysteresis(void **unused)
{
    (void)unused;
    struct sensors_model m;
    sensors_defaults(&m);
    m.switch_delay_s = 2e-3;
    struct plant_out p = car(0.0, 0.0, 0.0);
    struct sensors_out o = sense(&m, &p);
    const struct {
        double pedal;
        uint32_t on; /* two ticks later */
    } steps[] = {{0.0, 0}, {0.029, 0}, {0.03, 1}, {0.5, 1}, {0.021, 1}, {0.019, 0}, {0.025, 0}};
    for (int k = 0; k < 7 + 2; k++) {
        p.brake_pedal = steps[k < 7 ? k : 6].pedal;
        sensors_step(&m, &state, &p, 1e-3, &o);
        assert_int_equal(o.brake_switch, k >= 2 ? steps[k - 2].on : 0);
    }
}

/* A car that drives on with a wavy yaw rate. */
static void drive(struct plant_out *p, int k)
{
    p->time_s = k * 1e-3;
    p->rate_radps[2] = 0.3 * sin(0.01 * k);
    for (int i = 0; i < WHEELS; i++) {
        p->spin_radps[i] = 60.0;
        p->angle_rad[i] = 60.0 * p->time_s;
    }
}

static void delayed_wheel_shows_each_edge_later_by_the_delay(void **unused)
{
    (void)unused;
    static struct sensors_state late;
    struct sensors_model m, d;
    sensors_defaults(&m);
    d = m;
    d.toothed_delay_s = 4e-3;
    assert_int_equal(sensors_prepare(&m, 1e-3), 0);
    assert_int_equal(sensors_prepare(&d, 1e-3), 0);
    struct plant_out p = car(0.0, 0.0, 0.0);
    drive(&p, 0);
    sensors_reset(&m, &state, &p);
    sensors_reset(&d, &late, &p);
    struct sensors_out history[200], o;
    for (int k = 1; k < 200; k++) {
        drive(&p, k);
        sensors_step(&m, &state, &p, 1e-3, &history[k]);
        sensors_step(&d, &late, &p, 1e-3, &o);
        assert_near(o.wheel_radps[FL], 60.0, 60.0 * 1e-6 / 3e-3); /* 1 µs stamps over a cycle */
        if (k <= 6)
            continue; /* the first edges were passed before the start */
        /* The count at the start differs by what passed during the delay: 1.83 teeth, so 2 edges
         * from the start on. One µs: a stamp at the border between two. */
        assert_int_equal(o.wheel_edges[FL], history[k - 4].wheel_edges[FL] + 2);
        int64_t off_ns = o.wheel_edge_ns[FL] - history[k - 4].wheel_edge_ns[FL] - 4000000;
        assert_in_range((uint64_t)(off_ns + 1000), 0, 2000);
    }
}

static void everything_on(struct sensors_model *m)
{
    sensors_defaults(m);
    for (int c = 0; c < SENSOR_CHANNELS; c++) {
        m->channel[c].noise = 0.01;
        m->channel[c].bandwidth_hz = 100.0;
        m->channel[c].delay_s = 0.01;
        m->channel[c].resolution = 1e-4;
    }
    m->toothed.jitter_s = 2e-6;
    m->toothed_delay_s = 1e-3;
}

static void same_seed_same_bits_and_a_copied_state_goes_on_the_same(void **unused)
{
    (void)unused;
    static struct sensors_state a, b;
    struct sensors_model m;
    everything_on(&m);
    assert_int_equal(sensors_prepare(&m, 1e-3), 0);
    struct plant_out p = car(0.0, 0.0, 0.0);
    drive(&p, 0);
    memset(&b, 0xff, sizeof b); /* reset leaves nothing of what was there */
    sensors_reset(&m, &a, &p);
    sensors_reset(&m, &b, &p);
    assert_memory_equal(&a, &b, sizeof a);
    struct sensors_out oa, ob;
    for (int k = 1; k < 300; k++) {
        drive(&p, k);
        if (k == 150)
            memcpy(&b, &a, sizeof b);
        sensors_step(&m, &a, &p, 1e-3, &oa);
        sensors_step(&m, &b, &p, 1e-3, &ob);
        assert_memory_equal(&oa, &ob, sizeof oa);
    }
    assert_memory_equal(&a, &b, sizeof a);
}

static void first_reading_is_free_and_free_of_noise(void **unused)
{
    (void)unused;
    static struct sensors_state before;
    struct sensors_model m;
    everything_on(&m);
    m.channel[SENSOR_YAW_RATE].bias = 0.02;
    assert_int_equal(sensors_prepare(&m, 1e-3), 0);
    struct plant_out p = car(0.0, 0.0, 0.0);
    drive(&p, 0);
    p.rate_radps[2] = 0.25;
    p.brake_pedal = 0.5;
    sensors_reset(&m, &state, &p);
    memcpy(&before, &state, sizeof before);
    struct sensors_out o, second;
    sensors_first(&m, &state, &p, &o);
    assert_memory_equal(&state, &before, sizeof before);
    assert_near(o.yaw_rate_radps, 0.27, 1e-15); /* rounding */
    assert_near(o.force_mps2[2], g, 0.5e-4);    /* half the resolution */
    assert_near(o.wheel_radps[RR], 60.0, 1e-13);
    assert_int_equal(o.brake_switch, 1);
    /* every analog sensor has a delay: the first step still shows the same */
    sensors_step(&m, &state, &p, 1e-3, &second);
    assert_true(second.yaw_rate_radps == o.yaw_rate_radps);
    assert_memory_equal(second.force_mps2, o.force_mps2, sizeof o.force_mps2);
}

static void other_seed_and_other_sensor_have_other_noise(void **unused)
{
    (void)unused;
    struct sensors_model m;
    everything_on(&m);
    struct plant_out p = car(0.0, 0.0, 0.0);
    assert_int_equal(sensors_prepare(&m, 1e-3), 0);
    sensors_reset(&m, &state, &p);
    uint64_t seen[2 * SENSOR_CHANNELS + 2 * WHEELS];
    int n = 0;
    for (int j = 0; j < 2; j++) {
        m.seed = 1 + (uint64_t)j;
        sensors_reset(&m, &state, &p);
        for (int c = 0; c < SENSOR_CHANNELS; c++)
            seen[n++] = state.bank.random[0][c];
        for (int i = 0; i < WHEELS; i++)
            seen[n++] = state.toothed.random[i];
    }
    for (int a = 0; a < n; a++)
        for (int b = 0; b < a; b++)
            assert_true(seen[a] != seen[b]);
}

static void faulty_plant_leaves_the_last_values(void **unused)
{
    (void)unused;
    struct sensors_model m;
    sensors_defaults(&m);
    struct plant_out p = car(0.0, 0.0, 0.0);
    p.rate_radps[2] = 0.4;
    struct sensors_out o = sense(&m, &p);
    p.rate_radps[2] = NAN;
    p.fault = PLANT_FAULT_NONFINITE;
    sensors_step(&m, &state, &p, 1e-3, &o);
    assert_true(o.yaw_rate_radps == 0.4);
}

static void too_long_delays_are_refused(void **unused)
{
    (void)unused;
    struct sensors_model m;
    sensors_defaults(&m);
    m.channel[SENSOR_YAW_RATE].delay_s = 2.048;
    assert_int_equal(sensors_prepare(&m, 1e-3), 0);
    m.switch_delay_s = 1e-3;
    assert_int_equal(sensors_prepare(&m, 1e-3), -ENOSPC);
    m.channel[SENSOR_YAW_RATE].delay_s = 1e300;
    assert_int_equal(sensors_prepare(&m, 1e-3), -ENOSPC);
    assert_int_equal(sensors_prepare(&m, 0.0), -EINVAL);
    assert_int_equal(sensors_prepare(&m, NAN), -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parked_car_on_a_slope_feels_the_slope),
        cmocka_unit_test(falling_car_feels_no_force),
        cmocka_unit_test(mounting_point_feels_the_rotation),
        cmocka_unit_test(level_frame_takes_roll_and_pitch_out),
        cmocka_unit_test(plain_signals_pass_through_ideal_sensors),
        cmocka_unit_test(brake_switch_has_hysteresis),
        cmocka_unit_test(delayed_wheel_shows_each_edge_later_by_the_delay),
        cmocka_unit_test(same_seed_same_bits_and_a_copied_state_goes_on_the_same),
        cmocka_unit_test(first_reading_is_free_and_free_of_noise),
        cmocka_unit_test(other_seed_and_other_sensor_have_other_noise),
        cmocka_unit_test(faulty_plant_leaves_the_last_values),
        cmocka_unit_test(too_long_delays_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
