/* The table of struct two_track_isa from the kernels, for the instruction set that the includer is
 * compiled for. */
#ifndef SKIDPAD_TWO_TRACK_EVALUATE_KERNEL_H
#define SKIDPAD_TWO_TRACK_EVALUATE_KERNEL_H

#include "target/model/two_track/kernel_output.h"
#include "target/model/two_track/kernel_step.h"

static void evaluate(const struct two_track_model *m, const struct two_track_state *s,
                     const struct plant_in *in, const struct ground *ground, double implicit_s,
                     double step_s, struct work *w)
{
    kernel_evaluate(m, s, in, ground, implicit_s, step_s, w);
}

static void step(const struct two_track_model *m, struct two_track_state *s,
                 const struct plant_in *in, const struct ground *ground, double dt_s)
{
    kernel_step(m, s, in, ground, dt_s);
}

static void remember(const struct two_track_model *m, const struct plant_in *in,
                     const struct work *w, struct two_track_state *s)
{
    kernel_remember(m, in, w, s);
}

static void output(const struct two_track_model *m, const struct two_track_state *s,
                   struct plant_out *out)
{
    kernel_output(m, s, out);
}

#define TWO_TRACK_ISA                                                                              \
    {                                                                                              \
        .evaluate = evaluate, .step = step, .remember = remember, .output = output                 \
    }

#endif
