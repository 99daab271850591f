/* The car's sensors as an ABS/ESP unit sees them, docs/sensors.md.
 *
 * Between the plant and the bus: sensors_step() turns what the car does into what its sensors say.
 * The model is const once sensors_prepare() has run; the state is plain data, its random generators
 * included. Axes ISO 8855, SI, rad. */
#ifndef SKIDPAD_MODEL_SENSORS_H
#define SKIDPAD_MODEL_SENSORS_H

#include "target/model/math/vec3.h"
#include "target/model/plant.h"
#include "target/model/sensor_bank.h"
#include "target/model/state_info.h"
#include "target/model/toothed_wheel.h"

#include <assert.h>
#include <stdint.h>

/* The analog ones. "Force" is specific force: acceleration less gravity, what an accelerometer
 * feels; +9.81 m/s2 upwards at rest. "Level" is acceleration in the ground-projected frame. */
enum sensor_channel {
    SENSOR_ROLL_RATE,
    SENSOR_PITCH_RATE,
    SENSOR_YAW_RATE,
    SENSOR_FORCE_X,
    SENSOR_FORCE_Y,
    SENSOR_FORCE_Z,
    SENSOR_LEVEL_X,
    SENSOR_LEVEL_Y,
    SENSOR_HAND_WHEEL,
    SENSOR_HAND_WHEEL_RATE,
    SENSOR_MASTER,
    SENSOR_CHANNELS
};
static_assert((int)SENSOR_CHANNELS <= (int)SENSOR_BANK, "one bank holds all");

struct sensors_model {
    struct sensor_error channel[SENSOR_CHANNELS];
    struct toothed_model toothed;
    double toothed_delay_s;
    double gravity_mps2;          /* of the plant, so that a parked car feels what it stands on */
    struct vec3 mount_m;          /* of rate and force sensors, body frame */
    struct mat3 mount_rotation;   /* their axes to body axes */
    double switch_on, switch_off; /* brake pedal, 0..1: on from switch_on, off below switch_off */
    double switch_delay_s;
    uint64_t seed;        /* every sensor's own random stream comes from it */
    int32_t mount_at_cg;  /* 1: the centre of gravity instead of mount_m */
    int32_t mount_turned; /* 0: along the body axes, whatever mount_rotation says */

    /* from here on made by sensors_prepare() */
    uint32_t toothed_delay_first, toothed_delay_ticks;
    uint32_t switch_delay_first, switch_delay_ticks;
    uint32_t delay_samples; /* that all delays together need */
    uint32_t reserved;
    struct sensor_bank_model bank;
    double step_s;
};

struct sensors_state {
    struct sensor_bank_state bank;
    struct toothed_state toothed;
    uint32_t toothed_delay_at, switch_delay_at;
    uint32_t switch_closed, reserved;
    double delays[SENSOR_DELAY_SAMPLES];
};
static_assert(sizeof(struct sensors_state) == sizeof(struct sensor_bank_state) +
                                                  sizeof(struct toothed_state) + 4 * 4 +
                                                  SENSOR_DELAY_SAMPLES * 8,
              "padding");

/* Its numbers by name. */
extern const struct state_table sensors_states;

/* What the sensors say. */
struct sensors_out {
    double wheel_radps[WHEELS];    /* as a unit computes it from the edges; never negative */
    int64_t wheel_edge_ns[WHEELS]; /* time of the last edge since the start, in whole µs */
    uint32_t wheel_edges[WHEELS];  /* edges since the start; wraps */
    double roll_rate_radps, pitch_rate_radps, yaw_rate_radps;
    double force_mps2[3];     /* specific force along the sensor's axes */
    double level_acc_mps2[2]; /* of the mounting point: forward, left; without gravity */
    double hand_wheel_rad, hand_wheel_radps;
    double master_Pa;
    double object_m, object_mps, object_left_m; /* of an object ahead; who has a radar fills it */
    uint32_t brake_switch;                      /* 0 or 1 */
    uint32_t object_seen;                       /* 1: there is one */
};

/* Ideal sensors at the centre of gravity; toothed wheels as toothed_defaults() says. */
void sensors_defaults(struct sensors_model *m);

/* Computes what depends on the step. Returns 0, -EINVAL if step_s is not positive, or -ENOSPC if
 * the delays need more samples (delay_samples says how many) than SENSOR_DELAY_SAMPLES. */
int sensors_prepare(struct sensors_model *m, double step_s);

/* As if the car had gone on like this for ever: no start-up transient in filters, delays, speeds.
 */
void sensors_reset(const struct sensors_model *m, struct sensors_state *s,
                   const struct plant_out *now);

/* What the sensors say right after sensors_reset() with the same plant_out: no time passes and no
 * noise is drawn, so a run may ask for it or not. */
void sensors_first(const struct sensors_model *m, const struct sensors_state *s,
                   const struct plant_out *now, struct sensors_out *out);

/* What the sensors say at the end of the step of dt_s that ends with now. A plant with a fault
 * leaves state and *out as they were: the last values that can be trusted. */
void sensors_step(const struct sensors_model *m, struct sensors_state *s,
                  const struct plant_out *now, double dt_s, struct sensors_out *out);

#endif
