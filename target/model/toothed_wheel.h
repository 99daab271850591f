/* Four toothed wheels with their pick-ups: what a brake control unit's timer inputs see.
 *
 * Every tooth gives one edge, in either direction of rotation: a plain pick-up does not know the
 * direction. Edges are found between the ends of a step, so their times do not depend on the step;
 * docs/sensors.md (S-1) to (S-5). Wheels in the order of wheels.h. */
#ifndef SKIDPAD_MODEL_TOOTHED_WHEEL_H
#define SKIDPAD_MODEL_TOOTHED_WHEEL_H

#include "target/model/wheels.h"

#include <assert.h>
#include <stdint.h>

/* Const once toothed_prepare() has run. */
struct toothed_model {
    double teeth[WHEELS]; /* on the circumference */
    double threshold_hz;  /* silent below this frequency of teeth; 0: an active sensor */
    double resolution_s;  /* of the edge time */
    double jitter_s;      /* standard deviation of the edge time */
    double cycle_s;       /* how often the unit computes a speed from the edges */
    double timeout_s;     /* without an edge for this long the unit takes the wheel for standing */

    /* from here on made by toothed_prepare() */
    double teeth_per_rad[WHEELS], pitch_rad[WHEELS];
    double stamps_per_s; /* ticks of the timer that stamps the edges */
    int64_t stamp_ns;    /* and the length of one */
    int64_t timeout_ns;
    uint32_t cycle_ticks; /* steps a cycle, at least 1 */
    uint32_t reserved;
};

/* Angle and speed of the four rings, as their pick-ups see them at one time. */
struct toothed_phase {
    double teeth[WHEELS];    /* angle in teeth; an edge is where it passes a whole number */
    double teeth_hz[WHEELS]; /* its rate, signed */
};

struct toothed_state {
    struct toothed_phase last;   /* at the end of the last step */
    double tooth[WHEELS];        /* last.teeth rounded down: the edge below */
    double speed_radps[WHEELS];  /* as the unit computed it last, never negative */
    int64_t edge_ns[WHEELS];     /* time of the last edge */
    int64_t used_ns[WHEELS];     /* the edge that the last speed ended with */
    uint32_t edges[WHEELS];      /* since the start; wraps */
    uint32_t used_edges[WHEELS]; /* count at that edge */
    uint64_t random[WHEELS];
    uint32_t usable;     /* bit i: used_ns of wheel i is recent enough for a speed */
    uint32_t cycle_tick; /* steps since the last cycle began */
};
static_assert(sizeof(struct toothed_state) == WHEELS * (4 * 8 + 2 * 8 + 2 * 4 + 8) + 8, "padding");

/* Teeth 48 on every wheel, a passive pick-up, a cycle of 5 ms. */
void toothed_defaults(struct toothed_model *m);

/* Computes the derived values for steps of step_s > 0. */
void toothed_prepare(struct toothed_model *m, double step_s);

static inline struct toothed_phase toothed_phase(const struct toothed_model *m,
                                                 const double angle_rad[WHEELS],
                                                 const double spin_radps[WHEELS])
{
    struct toothed_phase p;
    for (int i = 0; i < WHEELS; i++) {
        p.teeth[i] = angle_rad[i] * m->teeth_per_rad[i];
        p.teeth_hz[i] = spin_radps[i] * m->teeth_per_rad[i];
    }
    return p;
}

/* As if the wheels had turned at these speeds for ever before time_s. */
void toothed_reset(const struct toothed_model *m, struct toothed_state *s,
                   const struct toothed_phase *now, double time_s, uint64_t seed);

/* The step of dt_s that ends at time_s with the wheels as in now. A wheel passes any number of
 * teeth in one step; the time does not grow with it. */
void toothed_step(const struct toothed_model *m, struct toothed_state *s,
                  const struct toothed_phase *now, double time_s, double dt_s);

#endif
