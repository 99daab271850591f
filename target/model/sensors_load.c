#include "target/model/sensors_load.h"

#include "target/model/math/vecmath.h"

#include <errno.h>

#define DEG (3.141592653589793238463 / 180.0)

/* The keys of one channel in one unit. */
struct unit_keys {
    double factor; /* unit to SI */
    const char *noise, *bias, *resolution, *limit, *lower;
};
#define UNIT_KEYS(unit, factor)                                                                    \
    {                                                                                              \
        factor, "noise_" unit, "bias_" unit, "resolution_" unit, "limit_" unit, "lower_" unit      \
    }

/* Every quantity may be written in SI or in the unit of the data sheets, not in both. */
struct quantity {
    struct unit_keys unit[2];
};

static const struct quantity angle = {{UNIT_KEYS("rad", 1.0), UNIT_KEYS("deg", DEG)}};
static const struct quantity rate = {{UNIT_KEYS("radps", 1.0), UNIT_KEYS("degps", DEG)}};
static const struct quantity acceleration = {{UNIT_KEYS("mps2", 1.0), UNIT_KEYS("g", 9.80665)}};
static const struct quantity pressure = {{UNIT_KEYS("Pa", 1.0), UNIT_KEYS("bar", 1e5)}};

static const struct {
    const char *name;
    const struct quantity *quantity;
} channels[SENSOR_CHANNELS] = {
    [SENSOR_ROLL_RATE] = {"roll_rate", &rate},
    [SENSOR_PITCH_RATE] = {"pitch_rate", &rate},
    [SENSOR_YAW_RATE] = {"yaw_rate", &rate},
    [SENSOR_FORCE_X] = {"acc_x", &acceleration},
    [SENSOR_FORCE_Y] = {"acc_y", &acceleration},
    [SENSOR_FORCE_Z] = {"acc_z", &acceleration},
    [SENSOR_LEVEL_X] = {"level_acc_x", &acceleration},
    [SENSOR_LEVEL_Y] = {"level_acc_y", &acceleration},
    [SENSOR_HAND_WHEEL] = {"hand_wheel", &angle},
    [SENSOR_HAND_WHEEL_RATE] = {"hand_wheel_rate", &rate},
    [SENSOR_MASTER] = {"master_pressure", &pressure},
};

/* In whatever unit the key names: beyond any sensor in each of them. */
static const struct cfg_range reading = {-1e9, 1e9, false, false};
static const struct cfg_range reading_above_0 = {0.0, 1e9, true, false};
static const struct cfg_range deviation = {0.0, 1e9, false, false};
static const struct cfg_range frequency_hz = {0.0, 1e6, false, false};
static const struct cfg_range delay_ms = {0.0, 1000.0, false, false};

static void load_value(const struct cfg_node *map, const struct quantity *q,
                       const char *const keys[2], double *value, struct cfg_range range)
{
    if (cfg_has(map, keys[0]) && cfg_has(map, keys[1]))
        cfg_complain(map, keys[1], "%s says the same; give one of the two", keys[0]);
    for (int u = 0; u < 2; u++)
        cfg_scaled(map, keys[u], value, q->unit[u].factor, range);
}

static void load_channel(const struct cfg_node *map, const struct quantity *q,
                         struct sensor_error *m)
{
    const struct unit_keys *a = &q->unit[0], *b = &q->unit[1];
    load_value(map, q, (const char *const[]){a->noise, b->noise}, &m->noise, deviation);
    load_value(map, q, (const char *const[]){a->bias, b->bias}, &m->bias, reading);
    load_value(map, q, (const char *const[]){a->resolution, b->resolution}, &m->resolution,
               deviation);
    double limit = 0.0;
    load_value(map, q, (const char *const[]){a->limit, b->limit}, &limit, reading_above_0);
    if (limit > 0.0) {
        m->low = -limit;
        m->high = limit;
    }
    load_value(map, q, (const char *const[]){a->lower, b->lower}, &m->low, reading);
    if (!(m->low < m->high))
        cfg_complain(map, cfg_has(map, b->lower) ? b->lower : a->lower,
                     "the lowest reading must be below the limit");
    double gain_error = m->gain - 1.0;
    cfg_double(map, "gain_error", &gain_error, CFG_BETWEEN(-0.9, 9.0));
    m->gain = 1.0 + gain_error;
    cfg_double(map, "bandwidth_hz", &m->bandwidth_hz, frequency_hz);
    cfg_scaled(map, "delay_ms", &m->delay_s, 1e-3, delay_ms);
    cfg_done(map);
}

/* Sets the wheels from..to - 1. */
static void load_teeth(const struct cfg_node *map, const char *key, double *teeth, int from, int to)
{
    int64_t count = 0;
    cfg_int(map, key, &count, 1, 10000);
    for (int i = from; i < to && count > 0; i++)
        teeth[i] = (double)count;
}

static void load_toothed(const struct cfg_node *map, struct sensors_model *m)
{
    struct toothed_model *t = &m->toothed;
    load_teeth(map, "teeth", t->teeth, FL, WHEELS);
    load_teeth(map, "teeth_front", t->teeth, FL, RL);
    load_teeth(map, "teeth_rear", t->teeth, RL, WHEELS);
    cfg_double(map, "threshold_hz", &t->threshold_hz, frequency_hz);
    cfg_scaled(map, "resolution_us", &t->resolution_s, 1e-6, CFG_BETWEEN(0.001, 1e4));
    cfg_scaled(map, "jitter_us", &t->jitter_s, 1e-6, CFG_BETWEEN(0.0, 1e4));
    cfg_scaled(map, "cycle_ms", &t->cycle_s, 1e-3, CFG_BETWEEN(0.001, 1000.0));
    cfg_scaled(map, "timeout_ms", &t->timeout_s, 1e-3, CFG_BETWEEN(0.001, 1e5));
    if (!(t->timeout_s >= t->cycle_s))
        cfg_complain(map, "timeout_ms", "must be at least cycle_ms (%g)", t->cycle_s * 1e3);
    cfg_scaled(map, "delay_ms", &m->toothed_delay_s, 1e-3, delay_ms);
    cfg_done(map);
}

static void load_switch(const struct cfg_node *map, struct sensors_model *m)
{
    double hysteresis = m->switch_on - m->switch_off;
    cfg_double(map, "threshold", &m->switch_on, CFG_BETWEEN(0.001, 1.0));
    cfg_double(map, "hysteresis", &hysteresis, CFG_BETWEEN(0.0, 1.0));
    m->switch_off = m->switch_on - hysteresis;
    if (!(m->switch_off > 0.0))
        cfg_complain(map, "hysteresis", "must be below threshold (%g), or the switch never opens",
                     m->switch_on);
    cfg_scaled(map, "delay_ms", &m->switch_delay_s, 1e-3, delay_ms);
    cfg_done(map);
}

/* The sensor's axes in the body frame: turned by yaw, then pitch, then roll. */
static struct mat3 rotation_of(double roll_rad, double pitch_rad, double yaw_rad)
{
    double sr, cr, sp, cp, sy, cy;
    vm_sincos(roll_rad, &sr, &cr);
    vm_sincos(pitch_rad, &sp, &cp);
    vm_sincos(yaw_rad, &sy, &cy);
    return (struct mat3){v3(cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
                         v3(sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
                         v3(-sp, cp * sr, cp * cr)};
}

static void load_mount(const struct cfg_node *map, struct sensors_model *m)
{
    if (cfg_has(map, "position_m")) {
        double at_m[3] = {0.0, 0.0, 0.0};
        cfg_doubles(map, "position_m", at_m, 3, CFG_BETWEEN(-20.0, 20.0));
        m->mount_m = v3(at_m[0], at_m[1], at_m[2]);
        m->mount_at_cg = 0;
    }
    if (cfg_has(map, "rotation_deg")) {
        double turn_deg[3] = {0.0, 0.0, 0.0};
        cfg_doubles(map, "rotation_deg", turn_deg, 3, CFG_BETWEEN(-360.0, 360.0));
        m->mount_rotation = rotation_of(turn_deg[0] * DEG, turn_deg[1] * DEG, turn_deg[2] * DEG);
        m->mount_turned = 1;
    }
    cfg_done(map);
}

static void load_all(const struct cfg_node *map, struct sensors_model *m)
{
    const struct cfg_node *sub;
    int64_t seed = (int64_t)m->seed;
    cfg_int(map, "seed", &seed, 0, INT64_MAX);
    m->seed = (uint64_t)seed;
    if ((sub = cfg_map(map, "mount")) != NULL)
        load_mount(sub, m);
    for (int c = 0; c < SENSOR_CHANNELS; c++)
        if ((sub = cfg_map(map, channels[c].name)) != NULL)
            load_channel(sub, channels[c].quantity, &m->channel[c]);
    if ((sub = cfg_map(map, "wheel_speed")) != NULL)
        load_toothed(sub, m);
    if ((sub = cfg_map(map, "brake_switch")) != NULL)
        load_switch(sub, m);
    cfg_done(map);
}

int sensors_load(const struct cfg_node *map, double step_s, struct sensors_model *m)
{
    if (map)
        load_all(map, m);
    int status = sensors_prepare(m, step_s);
    if (map && status == -ENOSPC)
        cfg_complain(
            map, NULL,
            "the delays (delay_ms) need %u samples in steps of %g ms, all together at most "
            "%d; shorten them or take a longer step",
            (unsigned)m->delay_samples, step_s * 1e3, SENSOR_DELAY_SAMPLES);
    else if (map && status < 0)
        cfg_complain(map, NULL, "the step must be positive, not %g ms", step_s * 1e3);
    return status;
}
