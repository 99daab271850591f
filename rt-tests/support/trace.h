/* A run of a car as a table of the signals that integrators are compared in. */
#ifndef SKIDPAD_TESTS_TRACE_H
#define SKIDPAD_TESTS_TRACE_H

#include "rt-tests/support/reference.h"

struct trace_run {
    const char *name;
    reference_input *input;
    double speed_mps; /* at the start */
    int32_t gear;     /* at the start, and in the inputs unless they set another */
};

enum { TRACE_SAMPLES = 60 };              /* instants a run is compared at */
static const double trace_every_s = 0.05; /* between them */

#define TRACE_SIGNALS(X)                                                                           \
    X(x, "x", "mm", 1e3, o->pos_m[0])                                                              \
    X(y, "y", "mm", 1e3, o->pos_m[1])                                                              \
    X(yaw, "yaw", "mrad", 1e3, o->yaw_rad)                                                         \
    X(vx, "vx", "mm/s", 1e3, o->vel_mps[0])                                                        \
    X(vy, "vy", "mm/s", 1e3, o->vel_mps[1])                                                        \
    X(yaw_rate, "yaw rate", "mrad/s", 1e3, o->rate_radps[2])                                       \
    X(roll, "roll", "mrad", 1e3, o->roll_rad)                                                      \
    X(pitch, "pitch", "mrad", 1e3, o->pitch_rad)                                                   \
    X(spin, "spin FL", "mrad/s", 1e3, s->spin_radps[FL])

enum trace_signal {
#define TRACE_ID(id, name, unit, factor, value) TRACE_##id,
    TRACE_SIGNALS(TRACE_ID)
#undef TRACE_ID
        TRACE_WIDTH
};

struct trace_name {
    const char *name, *unit;
    double factor; /* from SI to that unit */
};
extern const struct trace_name trace_names[TRACE_WIDTH];

struct trace {
    double at[TRACE_SAMPLES][TRACE_WIDTH];
};

/* Where a run begins. */
void trace_start(const struct lumped15_model *m, const struct ground *ground,
                 const struct trace_run *run, struct lumped15_state *s);
/* One row, from a state. */
void trace_sample(const struct lumped15_model *m, const struct lumped15_state *s,
                  double row[TRACE_WIDTH]);
/* The run by the car's own integrator, per_sample ticks from row to row. */
void trace_by_steps(const struct lumped15_model *m, const struct ground *ground,
                    const struct trace_run *run, int per_sample, struct trace *out);
/* The run by the reference solver. */
void trace_by_reference(const struct lumped15_model *m, const struct ground *ground,
                        const struct trace_run *run, double rtol, struct trace *out);

/* Largest difference of each signal, and its root mean square. */
struct trace_error {
    double most[TRACE_WIDTH], rms[TRACE_WIDTH];
};
void trace_compare(const struct trace *a, const struct trace *b, struct trace_error *e);

#endif
