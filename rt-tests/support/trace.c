#include "rt-tests/support/trace.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

const struct trace_name trace_names[TRACE_WIDTH] = {
#define TRACE_ROW(id, name, unit, factor, value) [TRACE_##id] = {name, unit, factor},
    TRACE_SIGNALS(TRACE_ROW)
#undef TRACE_ROW
};

void trace_start(const struct lumped15_model *m, const struct ground *ground,
                 const struct trace_run *run, struct lumped15_state *s)
{
    struct plant_start start = {.speed_mps = run->speed_mps, .gear = run->gear};
    lumped15_reset(m, s, &start, ground);
}

void trace_sample(const struct lumped15_model *m, const struct lumped15_state *s,
                  double row[TRACE_WIDTH])
{
    struct plant_out out, *o = &out;
    lumped15_ops.output(m, s, o);
#define TRACE_VALUE(id, name, unit, factor, value) row[TRACE_##id] = (value);
    TRACE_SIGNALS(TRACE_VALUE)
#undef TRACE_VALUE
}

/* Inputs are held over a tick, but the hand wheel is where it shall be at the tick's end. */
void trace_by_steps(const struct lumped15_model *m, const struct ground *ground,
                    const struct trace_run *run, int per_sample, struct trace *out)
{
    struct lumped15_state s;
    double h = trace_every_s / per_sample, unused;
    trace_start(m, ground, run, &s);
    for (int n = 0, tick = 0; n < TRACE_SAMPLES; n++) {
        for (int k = 0; k < per_sample; k++, tick++) {
            struct plant_in in = {.gear = run->gear}, end = in;
            run->input(tick * h, &in, &unused);
            run->input((tick + 1) * h, &end, &unused);
            in.hand_wheel_rad = end.hand_wheel_rad;
            lumped15_step(m, &s, &in, ground, h);
        }
        assert_int_equal(s.fault, 0);
        trace_sample(m, &s, out->at[n]);
    }
}

void trace_by_reference(const struct lumped15_model *m, const struct ground *ground,
                        const struct trace_run *run, double rtol, struct trace *out)
{
    struct lumped15_state s;
    double x[TRACE_SAMPLES][REFERENCE_X];
    struct reference_run reference = {m, ground, run->input, rtol};
    trace_start(m, ground, run, &s);
    assert_int_equal(reference_solve(&reference, &s, trace_every_s, TRACE_SAMPLES, x), 0);
    for (int n = 0; n < TRACE_SAMPLES; n++) {
        lumped15_ops.x_set(m, &s, x[n]);
        trace_sample(m, &s, out->at[n]);
    }
}

void trace_compare(const struct trace *a, const struct trace *b, struct trace_error *e)
{
    for (int i = 0; i < TRACE_WIDTH; i++) {
        e->most[i] = e->rms[i] = 0.0;
        for (int n = 0; n < TRACE_SAMPLES; n++) {
            double d = fabs(a->at[n][i] - b->at[n][i]);
            e->most[i] = fmax(e->most[i], d);
            e->rms[i] += d * d / TRACE_SAMPLES;
        }
        e->rms[i] = sqrt(e->rms[i]);
    }
}
