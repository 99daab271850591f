#include "target/model/tyre/tyre.h"

#include "target/model/tyre/tyre_isa.h"

#include <math.h>

/* The compiler's run-time library asks the CPU once, before main; this only tests a bit. */
static inline bool has_avx(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx");
#else
    return false;
#endif
}

void tyre_forces(const struct tyre_set *set, const struct tyre_in *in, struct tyre_out *out)
{
    if (has_avx())
        tyre_forces_avx(set, in, out);
    else
        tyre_forces_base(set, in, out);
}

void tyre_grip(const struct tyre_set *set, const struct tyre_in *in, struct tyre_grip *out)
{
    if (has_avx())
        tyre_grip_avx(set, in, out);
    else
        tyre_grip_base(set, in, out);
}

void tyre_load(const struct tyre_set *set, const double deflection_m[WHEELS],
               const double deflection_mps[WHEELS], const double spin_radps[WHEELS],
               const double pressure_Pa[WHEELS], double load_N[WHEELS],
               double stiffness_Npm[WHEELS], double damping_Nspm[WHEELS])
{
    if (has_avx())
        tyre_load_avx(set, deflection_m, deflection_mps, spin_radps, pressure_Pa, load_N,
                      stiffness_Npm, damping_Nspm);
    else
        tyre_load_base(set, deflection_m, deflection_mps, spin_radps, pressure_Pa, load_N,
                       stiffness_Npm, damping_Nspm);
}

void tyre_rolling_radius(const struct tyre_set *set, const double load_N[WHEELS],
                         const double spin_radps[WHEELS], const double pressure_Pa[WHEELS],
                         double re_m[WHEELS])
{
    if (has_avx())
        tyre_rolling_radius_avx(set, load_N, spin_radps, pressure_Pa, re_m);
    else
        tyre_rolling_radius_base(set, load_N, spin_radps, pressure_Pa, re_m);
}

void tyre_radii(const struct tyre_set *set, const double load_N[WHEELS],
                const double spin_radps[WHEELS], const double pressure_Pa[WHEELS],
                double loaded_m[WHEELS], double rolling_m[WHEELS])
{
    if (has_avx())
        tyre_radii_avx(set, load_N, spin_radps, pressure_Pa, loaded_m, rolling_m);
    else
        tyre_radii_base(set, load_N, spin_radps, pressure_Pa, loaded_m, rolling_m);
}

double tyre_static_deflection_m(const struct tyre_set *set, int wheel, double load_N)
{
    double dpi = set->pressure_Pa[wheel] * set->inv_pressure0_1pPa[wheel] - 1.0;
    double scale = 1.0 + set->pressure_effect[wheel] * dpi;
    double a = scale * set->quadratic_Npm2[wheel], b = scale * set->linear_Npm[wheel];
    double grown_m = set->free_radius_m[wheel] - set->radius_m[wheel];
    if (!(load_N > 0.0))
        return -grown_m;
    /* a x^2 + b x = load, in the form that also holds for a = 0 */
    return 2.0 * load_N / (b + sqrt(b * b + 4.0 * a * load_N)) - grown_m;
}
