/* A bank of analog sensors: how each differs from an ideal one, docs/sensors.md (S-9) to (S-13).
 *
 * In the order of the signal: bandwidth, gain and bias, noise, resolution, range, delay. A stage
 * runs over the whole bank at once and only if some sensor has it; a sensor without it keeps every
 * bit. */
#ifndef SKIDPAD_MODEL_SENSOR_BANK_H
#define SKIDPAD_MODEL_SENSOR_BANK_H

#include <assert.h>
#include <stdint.h>

enum {
    SENSOR_BANK = 12,           /* sensors; even, so that the compiler can take them in pairs */
    SENSOR_DELAY_SAMPLES = 2048 /* that all delays together may take */
};

/* How one sensor differs from an ideal one. Values are in the unit of the signal. */
struct sensor_error {
    double bandwidth_hz; /* of a first-order low-pass; 0: none */
    double gain, bias;   /* reading = gain * true + bias */
    double noise;        /* standard deviation of every sample */
    double resolution;   /* 0: continuous */
    double low, high;    /* what the sensor can read */
    double delay_s;
};

/* Which stages some sensor of the bank has. */
enum {
    SENSOR_STAGE_BANDWIDTH = 1,
    SENSOR_STAGE_SCALE = 2,
    SENSOR_STAGE_NOISE = 4,
    SENSOR_STAGE_RESOLUTION = 8,
    SENSOR_STAGE_RANGE = 16,
    SENSOR_STAGE_DELAY = 32
};

/* Made by sensor_bank_prepare(), then const. */
struct sensor_bank_model {
    double keep[SENSOR_BANK], follow[SENSOR_BANK]; /* low-pass: shares of the old and new value */
    double gain[SENSOR_BANK], bias[SENSOR_BANK];
    double noise[SENSOR_BANK]; /* per unit of the generator's sum */
    double resolution[SENSOR_BANK], per_resolution[SENSOR_BANK];
    double low[SENSOR_BANK], high[SENSOR_BANK];
    uint32_t delay_first[SENSOR_BANK]; /* where its samples begin in the memory */
    uint32_t delay_ticks[SENSOR_BANK];
    uint32_t stages;
    uint32_t reserved;
};

struct sensor_bank_state {
    double filtered[SENSOR_BANK];
    uint64_t random[2][SENSOR_BANK];
    uint32_t delay_at[SENSOR_BANK]; /* the oldest sample */
};
static_assert(sizeof(struct sensor_bank_state) == SENSOR_BANK * (3 * 8 + 4), "padding");

/* An ideal sensor. */
struct sensor_error sensor_ideal(void);

/* A bank of count <= SENSOR_BANK sensors, the others ideal, for steps of step_s > 0. Returns the
 * samples of delay memory that it needs from sample 0 on; what a step then uses. */
uint64_t sensor_bank_prepare(struct sensor_bank_model *m, const struct sensor_error *errors,
                             int count, double step_s);

/* As if the signals had been x for ever. delays has SENSOR_DELAY_SAMPLES samples. Each sensor gets
 * a random stream of its own. */
void sensor_bank_reset(const struct sensor_bank_model *m, struct sensor_bank_state *s,
                       double *delays, const double x[SENSOR_BANK], uint64_t seed);

/* Turns true values that have not changed for long into readings without noise, in place. */
void sensor_bank_settled(const struct sensor_bank_model *m, double x[SENSOR_BANK]);

/* Turns the true values x at this tick into readings, in place. */
void sensor_bank_step(const struct sensor_bank_model *m, struct sensor_bank_state *s,
                      double *delays, double x[SENSOR_BANK]);

/* Steps of step_s in delay_s, to the nearest. */
uint32_t sensor_delay_ticks(double delay_s, double step_s);

/* Stores x and returns what was stored `ticks` calls ago; ticks > 0. */
static inline double sensor_delay(double *samples, uint32_t *at, uint32_t ticks, double x)
{
    double old = samples[*at];
    samples[*at] = x;
    *at = *at + 1 < ticks ? *at + 1 : 0;
    return old;
}

#endif
