/* Vertical force and rolling radius of the four tyres, written once and compiled once for each
 * instruction set. Private to tyre_avx.c and tyre_base.c. (T-n): equations of docs/tyre.md. */
#ifndef SKIDPAD_MODEL_TYRE_TYRE_KERNEL_VERTICAL_H
#define SKIDPAD_MODEL_TYRE_TYRE_KERNEL_VERTICAL_H

#include "target/model/tyre/tyre_kernel.h"

/* The damper comes in over this much deflection, so that touching the ground makes no step. */
#define TYRE_DAMPING_FULL_M 0.002
/* However heavy the load, the wheel does not roll on less than this share of its free radius. */
#define TYRE_ROLLING_RADIUS_MIN 0.5

/* Influence of the inflation pressure on the vertical stiffness. */
V4_INLINE v4 kernel_pressure_factor(const struct tyre_set *set, v4 pressure_Pa)
{
    v4 p = kernel_pressure_Pa(set, pressure_Pa);
    return 1.0 + S(pressure_effect) * (p * S(inv_pressure0_1pPa) - 1.0);
}

/* (T-42): radius of the unloaded spinning tyre. */
V4_INLINE v4 kernel_free_radius_m(const struct tyre_set *set, v4 spin_radps)
{
    return S(free_radius_m) + S(growth_ms2) * spin_radps * spin_radps;
}

/* (T-43) to (T-45) */
V4_INLINE void kernel_tyre_load(const struct tyre_set *set, const double deflection_m[WHEELS],
                                const double deflection_mps[WHEELS],
                                const double spin_radps[WHEELS], const double pressure_Pa[WHEELS],
                                double load_N[WHEELS], double stiffness_Npm[WHEELS],
                                double damping_Nspm[WHEELS])
{
    v4 zero = v4_all(0.0), spin = v4_load(spin_radps), given_m = v4_load(deflection_m);
    v4 x_m = given_m + (kernel_free_radius_m(set, spin) - S(radius_m));
    v4 x = v4_max(x_m, zero);
    v4 scale = (1.0 + S(spin_stiffening_s) * v4_abs(spin)) *
               kernel_pressure_factor(set, v4_load(pressure_Pa));
    v4 linear = S(linear_Npm), bend = S(quadratic_Npm2) * x;
    v4 spring_N = scale * x * (linear + bend);
    v4 rate_Npm = scale * (linear + 2.0 * bend);

    v4 crushed_m = given_m - S(bottom_from_m), rim_Npm = S(bottom_Npm);
    spring_N += rim_Npm * v4_max(crushed_m, zero);
    rate_Npm += v4_pick(crushed_m > 0.0, rim_Npm, zero);

    v4 fade = v4_min(x * (1.0 / TYRE_DAMPING_FULL_M), v4_all(1.0));
    v4 damping = S(damping_Nspm) * fade;
    v4 total_N = spring_N + damping * v4_load(deflection_mps);
    v4_mask touching = (x_m > 0.0) & (total_N > 0.0);
    v4_store(load_N, v4_pick(touching, total_N, zero));
    v4_store(stiffness_Npm, v4_pick(touching, rate_Npm, zero));
    v4_store(damping_Nspm, v4_pick(touching, damping, zero));
}

/* (T-46) */
V4_INLINE void kernel_rolling_radius(const struct tyre_set *set, const double load_N[WHEELS],
                                     const double spin_radps[WHEELS],
                                     const double pressure_Pa[WHEELS], double re_m[WHEELS])
{
    v4 fzn = v4_load(load_N) * S(inv_load0_1pN);
    v4 loss_m = S(freff_m) * fzn + S(dreff_m) * v4_fast_atan(S(breff) * fzn);
    v4 re = kernel_free_radius_m(set, v4_load(spin_radps)) -
            loss_m / kernel_pressure_factor(set, v4_load(pressure_Pa));
    v4_store(re_m, v4_max(re, TYRE_ROLLING_RADIUS_MIN * S(radius_m)));
}

/* (T-46), (T-47): both radii of wheels whose loads are known. */
V4_INLINE void kernel_tyre_radii(const struct tyre_set *set, const double load_N[WHEELS],
                                 const double spin_radps[WHEELS], const double pressure_Pa[WHEELS],
                                 double loaded_m[WHEELS], double rolling_m[WHEELS])
{
    v4 spin = v4_load(spin_radps);
    v4 scale = (1.0 + S(spin_stiffening_s) * v4_abs(spin)) *
               kernel_pressure_factor(set, v4_load(pressure_Pa));
    v4 load = v4_load(load_N) / scale, linear = S(linear_Npm);
    v4 root = v4_sqrt(linear * linear + 4.0 * S(quadratic_Npm2) * load);
    v4_store(loaded_m, kernel_free_radius_m(set, spin) - 2.0 * load / (linear + root));
    kernel_rolling_radius(set, load_N, spin_radps, pressure_Pa, rolling_m);
}

#endif
