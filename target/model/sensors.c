#include "target/model/sensors.h"

#include "target/model/math/random.h"

#include <errno.h>
#include <string.h> /* memcpy only */

enum { TOOTHED_DELAY_ROW = 2 * WHEELS }; /* samples that the toothed wheels' delay takes a step */
enum { TOOTHED_STREAM = SENSOR_BANK };   /* random stream after those of the bank */

void sensors_defaults(struct sensors_model *m)
{
    *m = (struct sensors_model){
        .gravity_mps2 = 9.81,
        .mount_rotation = {v3(1.0, 0.0, 0.0), v3(0.0, 1.0, 0.0), v3(0.0, 0.0, 1.0)},
        .switch_on = 0.03,
        .switch_off = 0.02,
        .seed = 1,
        .mount_at_cg = 1};
    for (int c = 0; c < SENSOR_CHANNELS; c++)
        m->channel[c] = sensor_ideal();
    toothed_defaults(&m->toothed);
}

int sensors_prepare(struct sensors_model *m, double step_s)
{
    if (!(step_s > 0.0))
        return -EINVAL;
    uint64_t used = sensor_bank_prepare(&m->bank, m->channel, SENSOR_CHANNELS, step_s);
    m->toothed_delay_first = (uint32_t)used;
    m->toothed_delay_ticks = sensor_delay_ticks(m->toothed_delay_s, step_s);
    used += (uint64_t)m->toothed_delay_ticks * TOOTHED_DELAY_ROW;
    m->switch_delay_first = (uint32_t)used;
    m->switch_delay_ticks = sensor_delay_ticks(m->switch_delay_s, step_s);
    used += m->switch_delay_ticks;
    m->delay_samples = used < UINT32_MAX ? (uint32_t)used : UINT32_MAX;
    m->step_s = step_s;
    toothed_prepare(&m->toothed, step_s);
    return used > SENSOR_DELAY_SAMPLES ? -ENOSPC : 0;
}

/* Rates and specific force at the mounting point along the sensor's axes, and the acceleration of
 * that point in the ground-projected frame, (S-6) to (S-8). */
static void feel_motion(const struct sensors_model *m, const struct plant_out *now,
                        double x[SENSOR_BANK])
{
    struct vec3 rate = v3(now->rate_radps[0], now->rate_radps[1], now->rate_radps[2]);
    struct vec3 acc = v3(now->acc_mps2[0], now->acc_mps2[1], now->acc_mps2[2]);
    if (!m->mount_at_cg) {
        struct vec3 rate_acc =
            v3(now->rate_acc_radps2[0], now->rate_acc_radps2[1], now->rate_acc_radps2[2]);
        struct vec3 cg_m = v3(now->cg_body_m[0], now->cg_body_m[1], now->cg_body_m[2]);
        struct vec3 arm = v3_sub(m->mount_m, cg_m);
        acc = v3_add(acc, v3_add(v3_cross(rate_acc, arm), v3_cross(rate, v3_cross(rate, arm))));
    }
    /* "Up" in body axes: the third row of the rotation to the world. */
    double w = now->quat[0], i = now->quat[1], j = now->quat[2], k = now->quat[3];
    struct vec3 up = v3(2.0 * (i * k - w * j), 2.0 * (j * k + w * i), 1.0 - 2.0 * (i * i + j * j));
    struct vec3 force = v3_madd(acc, m->gravity_mps2, up);
    if (m->mount_turned) {
        rate = m3_tmul(&m->mount_rotation, rate);
        force = m3_tmul(&m->mount_rotation, force);
    }
    x[SENSOR_ROLL_RATE] = rate.x;
    x[SENSOR_PITCH_RATE] = rate.y;
    x[SENSOR_YAW_RATE] = rate.z;
    x[SENSOR_FORCE_X] = force.x;
    x[SENSOR_FORCE_Y] = force.y;
    x[SENSOR_FORCE_Z] = force.z;

    /* (S-8): forward is the car's x axis laid flat, left is up x forward. A car that stands on its
     * nose has neither. */
    double flat = sqrt(up.y * up.y + up.z * up.z);
    double per_flat = flat > 1e-9 ? 1.0 / flat : 0.0;
    x[SENSOR_LEVEL_X] = (acc.x - up.x * v3_dot(acc, up)) * per_flat;
    x[SENSOR_LEVEL_Y] = (acc.y * up.z - acc.z * up.y) * per_flat;
}

static void true_values(const struct sensors_model *m, const struct plant_out *now,
                        double x[SENSOR_BANK])
{
    feel_motion(m, now, x);
    x[SENSOR_HAND_WHEEL] = now->hand_wheel_rad;
    x[SENSOR_HAND_WHEEL_RATE] = now->hand_wheel_radps;
    x[SENSOR_MASTER] = now->master_Pa;
    for (int c = SENSOR_CHANNELS; c < SENSOR_BANK; c++)
        x[c] = 0.0;
}

/* Delays what the pick-ups see instead of what they say: an edge that comes later by whole steps
 * then also gets its later time by itself. */
static void delay_phase(const struct sensors_model *m, struct sensors_state *s,
                        struct toothed_phase *phase)
{
    double *row = &s->delays[m->toothed_delay_first + s->toothed_delay_at * TOOTHED_DELAY_ROW];
    struct toothed_phase now = *phase;
    for (int i = 0; i < WHEELS; i++) {
        phase->teeth[i] = row[i];
        phase->teeth_hz[i] = row[WHEELS + i];
        row[i] = now.teeth[i];
        row[WHEELS + i] = now.teeth_hz[i];
    }
    s->toothed_delay_at =
        s->toothed_delay_at + 1 < m->toothed_delay_ticks ? s->toothed_delay_at + 1 : 0;
}

/* Fills the delay with wheels that turned at their present speed; returns the oldest. */
static struct toothed_phase start_phase(const struct sensors_model *m, struct sensors_state *s,
                                        const struct toothed_phase *now)
{
    struct toothed_phase then = *now;
    for (uint32_t ago = 0; ago <= m->toothed_delay_ticks; ago++) {
        double ago_s = (double)ago * m->step_s;
        for (int i = 0; i < WHEELS; i++)
            then.teeth[i] = now->teeth[i] - now->teeth_hz[i] * ago_s;
        if (ago == m->toothed_delay_ticks)
            break; /* already read when the run starts: not in the memory */
        uint32_t at = m->toothed_delay_ticks - 1 - ago;
        double *row = &s->delays[m->toothed_delay_first + at * TOOTHED_DELAY_ROW];
        for (int i = 0; i < WHEELS; i++) {
            row[i] = then.teeth[i];
            row[WHEELS + i] = then.teeth_hz[i];
        }
    }
    return then;
}

static uint32_t brake_switch(const struct sensors_model *m, struct sensors_state *s, double pedal)
{
    if (pedal >= m->switch_on)
        s->switch_closed = 1;
    else if (pedal < m->switch_off)
        s->switch_closed = 0;
    if (m->switch_delay_ticks == 0)
        return s->switch_closed;
    double old = sensor_delay(&s->delays[m->switch_delay_first], &s->switch_delay_at,
                              m->switch_delay_ticks, (double)s->switch_closed);
    return old > 0.5;
}

void sensors_reset(const struct sensors_model *m, struct sensors_state *s,
                   const struct plant_out *now)
{
    *s = (struct sensors_state){0};
    double x[SENSOR_BANK];
    true_values(m, now, x);
    sensor_bank_reset(&m->bank, &s->bank, s->delays, x, m->seed);

    struct toothed_phase phase = toothed_phase(&m->toothed, now->angle_rad, now->spin_radps);
    struct toothed_phase seen = start_phase(m, s, &phase);
    toothed_reset(&m->toothed, &s->toothed, &seen, now->time_s,
                  random_stream(m->seed, TOOTHED_STREAM));

    s->switch_closed = now->brake_pedal >= m->switch_on;
    for (uint32_t i = 0; i < m->switch_delay_ticks; i++)
        s->delays[m->switch_delay_first + i] = (double)s->switch_closed;
}

static void report(const struct sensors_state *s, const double x[SENSOR_BANK],
                   uint32_t brake_switch_on, struct sensors_out *out)
{
    memcpy(out->wheel_radps, s->toothed.speed_radps, sizeof out->wheel_radps);
    memcpy(out->wheel_edge_ns, s->toothed.edge_ns, sizeof out->wheel_edge_ns);
    memcpy(out->wheel_edges, s->toothed.edges, sizeof out->wheel_edges);
    out->roll_rate_radps = x[SENSOR_ROLL_RATE];
    out->pitch_rate_radps = x[SENSOR_PITCH_RATE];
    out->yaw_rate_radps = x[SENSOR_YAW_RATE];
    memcpy(out->force_mps2, &x[SENSOR_FORCE_X], sizeof out->force_mps2);
    memcpy(out->level_acc_mps2, &x[SENSOR_LEVEL_X], sizeof out->level_acc_mps2);
    out->hand_wheel_rad = x[SENSOR_HAND_WHEEL];
    out->hand_wheel_radps = x[SENSOR_HAND_WHEEL_RATE];
    out->master_Pa = x[SENSOR_MASTER];
    out->brake_switch = brake_switch_on;
    out->object_m = out->object_mps = out->object_left_m = 0.0;
    out->object_seen = 0;
}

void sensors_first(const struct sensors_model *m, const struct sensors_state *s,
                   const struct plant_out *now, struct sensors_out *out)
{
    double x[SENSOR_BANK];
    true_values(m, now, x);
    sensor_bank_settled(&m->bank, x);
    report(s, x, s->switch_closed, out);
}

void sensors_step(const struct sensors_model *m, struct sensors_state *s,
                  const struct plant_out *now, double dt_s, struct sensors_out *out)
{
    if (now->fault)
        return;
    double x[SENSOR_BANK];
    true_values(m, now, x);
    sensor_bank_step(&m->bank, &s->bank, s->delays, x);

    struct toothed_phase phase = toothed_phase(&m->toothed, now->angle_rad, now->spin_radps);
    if (m->toothed_delay_ticks > 0)
        delay_phase(m, s, &phase);
    toothed_step(&m->toothed, &s->toothed, &phase, now->time_s, dt_s);

    report(s, x, brake_switch(m, s, now->brake_pedal), out);
}
