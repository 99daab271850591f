/* The table of struct lumped15_isa from the kernels, for the instruction set that the includer is
 * compiled for. */
#ifndef SKIDPAD_LUMPED15_EVALUATE_KERNEL_H
#define SKIDPAD_LUMPED15_EVALUATE_KERNEL_H

#include "target/model/lumped15/kernel_output.h"
#include "target/model/lumped15/kernel_step.h"

static void pose(const struct lumped15_model *m, const struct lumped15_state *s, struct work *w)
{
    kernel_pose(m, s, w);
}

static void contact(const struct lumped15_model *m, const struct lumped15_state *s,
                    const struct ground *ground, double implicit_s, double step_s, struct work *w)
{
    kernel_contact(m, s, ground, implicit_s, step_s, w);
}

static void forces(const struct lumped15_model *m, const struct lumped15_state *s,
                   const struct plant_in *in, const struct ground *ground, struct work *w)
{
    kernel_forces(m, s, in, ground, w);
}

static void evaluate(const struct lumped15_model *m, const struct lumped15_state *s,
                     const struct plant_in *in, const struct ground *ground, double implicit_s,
                     double step_s, struct work *w)
{
    kernel_evaluate(m, s, in, ground, implicit_s, step_s, w);
}

static void substep(const struct lumped15_model *m, struct lumped15_state *s,
                    const struct plant_in *in, const struct ground *ground, double hand_radps,
                    double dt_s)
{
    kernel_substep(m, s, in, ground, hand_radps, dt_s);
}

static void remember(const struct lumped15_model *m, const struct plant_in *in,
                     const struct work *w, struct lumped15_state *s)
{
    kernel_remember(m, in, w, s);
}

static void output(const struct lumped15_model *m, const struct lumped15_state *s,
                   struct plant_out *out)
{
    kernel_output(m, s, out);
}

#define LUMPED15_ISA                                                                               \
    {                                                                                              \
        .pose = pose, .contact = contact, .forces = forces, .evaluate = evaluate,                  \
        .substep = substep, .remember = remember, .output = output                                 \
    }

#endif
