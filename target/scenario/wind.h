/* Wind: a steady part, gusts at given times and turbulence, docs/aero.md (W-1) to (W-4).
 *
 * World axes, z up. The same model and seed give the same wind, whatever the car does. */
#ifndef SKIDPAD_SCENARIO_WIND_H
#define SKIDPAD_SCENARIO_WIND_H

#include <assert.h>
#include <stdint.h>

enum { WIND_GUSTS = 16 };

/* Rises and falls as (1 - cos) / 2, each in half of the duration, with hold_s at the top between.
 */
struct wind_gust {
    double start_s, duration_s, hold_s;
    double peak_mps[2]; /* at the top, added to the steady wind; world x and y */
};

/* Const once loaded. */
struct wind_model {
    double mean_mps;
    double towards[2];   /* unit vector: where the steady wind blows to, not from */
    double sigma_mps[3]; /* standard deviation of turbulence: along the wind, to its left, up */
    double turbulence_s; /* its correlation time: length scale over the speed it passes with */
    uint64_t seed;
    int32_t gusts; /* how many of: */
    int32_t reserved;
    struct wind_gust gust[WIND_GUSTS];
};

struct wind_state {
    double time_s;
    double turbulence_mps[3]; /* along, left, up */
    uint64_t random[3];
};
static_assert(sizeof(struct wind_state) == 7 * 8, "padding");

/* No wind. */
void wind_defaults(struct wind_model *m);

void wind_reset(const struct wind_model *m, struct wind_state *s);

/* The wind during the step of dt_s that begins now; then moves on by dt_s. */
void wind_step(const struct wind_model *m, struct wind_state *s, double dt_s, double wind_mps[3]);

#endif
