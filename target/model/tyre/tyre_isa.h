/* The functions of tyre.h that step, once for each instruction set; tyre.c picks. Private. */
#ifndef SKIDPAD_MODEL_TYRE_TYRE_ISA_H
#define SKIDPAD_MODEL_TYRE_TYRE_ISA_H

#include "target/model/tyre/tyre.h"
#include "target/model/tyre/tyre_grip.h"

#define TYRE_DECLARE(isa)                                                                          \
    void tyre_forces_##isa(const struct tyre_set *set, const struct tyre_in *in,                   \
                           struct tyre_out *out);                                                  \
    void tyre_grip_##isa(const struct tyre_set *set, const struct tyre_in *in,                     \
                         struct tyre_grip *out);                                                   \
    void tyre_load_##isa(const struct tyre_set *set, const double deflection_m[WHEELS],            \
                         const double deflection_mps[WHEELS], const double spin_radps[WHEELS],     \
                         const double pressure_Pa[WHEELS], double load_N[WHEELS],                  \
                         double stiffness_Npm[WHEELS], double damping_Nspm[WHEELS]);               \
    void tyre_rolling_radius_##isa(const struct tyre_set *set, const double load_N[WHEELS],        \
                                   const double spin_radps[WHEELS],                                \
                                   const double pressure_Pa[WHEELS], double re_m[WHEELS]);         \
    void tyre_radii_##isa(const struct tyre_set *set, const double load_N[WHEELS],                 \
                          const double spin_radps[WHEELS], const double pressure_Pa[WHEELS],       \
                          double loaded_m[WHEELS], double rolling_m[WHEELS]);

TYRE_DECLARE(avx)  /* tyre_avx.c, compiled with -mavx */
TYRE_DECLARE(base) /* tyre_base.c: SSE2 on x86-64, scalar elsewhere */

#endif
