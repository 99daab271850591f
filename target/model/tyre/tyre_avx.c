/* Compiled with -mavx and called only where the CPU has it. */
#include "target/model/tyre/tyre_isa.h"

#ifdef __AVX__
#include "target/model/tyre/tyre_kernel_moments.h"
#include "target/model/tyre/tyre_kernel_vertical.h"

void tyre_forces_avx(const struct tyre_set *set, const struct tyre_in *in, struct tyre_out *out)
{
    kernel_tyre_forces(set, in, out);
}

void tyre_grip_avx(const struct tyre_set *set, const struct tyre_in *in, struct tyre_grip *out)
{
    kernel_tyre_grip(set, in, out);
}

void tyre_load_avx(const struct tyre_set *set, const double deflection_m[WHEELS],
                   const double deflection_mps[WHEELS], const double spin_radps[WHEELS],
                   const double pressure_Pa[WHEELS], double load_N[WHEELS],
                   double stiffness_Npm[WHEELS], double damping_Nspm[WHEELS])
{
    kernel_tyre_load(set, deflection_m, deflection_mps, spin_radps, pressure_Pa, load_N,
                     stiffness_Npm, damping_Nspm);
}

void tyre_rolling_radius_avx(const struct tyre_set *set, const double load_N[WHEELS],
                             const double spin_radps[WHEELS], const double pressure_Pa[WHEELS],
                             double re_m[WHEELS])
{
    kernel_rolling_radius(set, load_N, spin_radps, pressure_Pa, re_m);
}

void tyre_radii_avx(const struct tyre_set *set, const double load_N[WHEELS],
                    const double spin_radps[WHEELS], const double pressure_Pa[WHEELS],
                    double loaded_m[WHEELS], double rolling_m[WHEELS])
{
    kernel_tyre_radii(set, load_N, spin_radps, pressure_Pa, loaded_m, rolling_m);
}

#else /* another machine, or a build without -mavx: the same bits, slower */

void tyre_forces_avx(const struct tyre_set *set, const struct tyre_in *in, struct tyre_out *out)
{
    tyre_forces_base(set, in, out);
}

void tyre_grip_avx(const struct tyre_set *set, const struct tyre_in *in, struct tyre_grip *out)
{
    tyre_grip_base(set, in, out);
}

void tyre_load_avx(const struct tyre_set *set, const double deflection_m[WHEELS],
                   const double deflection_mps[WHEELS], const double spin_radps[WHEELS],
                   const double pressure_Pa[WHEELS], double load_N[WHEELS],
                   double stiffness_Npm[WHEELS], double damping_Nspm[WHEELS])
{
    tyre_load_base(set, deflection_m, deflection_mps, spin_radps, pressure_Pa, load_N,
                   stiffness_Npm, damping_Nspm);
}

void tyre_rolling_radius_avx(const struct tyre_set *set, const double load_N[WHEELS],
                             const double spin_radps[WHEELS], const double pressure_Pa[WHEELS],
                             double re_m[WHEELS])
{
    tyre_rolling_radius_base(set, load_N, spin_radps, pressure_Pa, re_m);
}

void tyre_radii_avx(const struct tyre_set *set, const double load_N[WHEELS],
                    const double spin_radps[WHEELS], const double pressure_Pa[WHEELS],
                    double loaded_m[WHEELS], double rolling_m[WHEELS])
{
    tyre_radii_base(set, load_N, spin_radps, pressure_Pa, loaded_m, rolling_m);
}

#endif
