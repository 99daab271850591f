/* The evaluation from its kernels, for the instruction set that the includer is compiled for. */
#ifndef SKIDPAD_LUMPED15_EVALUATE_KERNEL_H
#define SKIDPAD_LUMPED15_EVALUATE_KERNEL_H

#include "target/model/lumped15/kernel_contact.h"
#include "target/model/lumped15/kernel_forces.h"
#include "target/model/lumped15/kernel_pose.h"
#include "target/model/lumped15/kernel_solve.h"

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
    pose(m, s, w);
    contact(m, s, ground, implicit_s, step_s, w);
    kernel_spin(m, s, in, step_s, w);
    forces(m, s, in, ground, w);
    kernel_solve(m, s, implicit_s, step_s, w);
}

#define LUMPED15_ISA {.pose = pose, .contact = contact, .forces = forces, .evaluate = evaluate}

#endif
