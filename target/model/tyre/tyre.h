/* Magic Formula tyres, four wheels at once.
 *
 * A tyre_model holds the coefficients of one .tir file (versions 5.2, 6.1, 6.2). A tyre_set is four
 * of them, one a wheel, laid out for vector arithmetic, with the side each is mounted on. Axes are
 * ISO-W: x along the wheel's heading on the ground, y left, z up; SI, rad. Everything here is pure:
 * no allocation, no state, time independent of the data. Equations: docs/tyre.md. */
#ifndef SKIDPAD_MODEL_TYRE_TYRE_H
#define SKIDPAD_MODEL_TYRE_TYRE_H

#include "target/model/tyre/tyre_model.h"
#include "target/model/tyre/tyre_set.h"
#include "target/model/wheels.h"

/* Steady-state input of the four wheels. */
struct tyre_in {
    double load_N[WHEELS];      /* >= 0 */
    double kappa[WHEELS];       /* longitudinal slip -Vsx / |Vx|, any value */
    double tan_alpha[WHEELS];   /* lateral slip Vy / |Vx| of the contact point: its sign is that of
                                   alpha in ISO-W, force is opposite; any value */
    double gamma_rad[WHEELS];   /* inclination: positive leans to the wheel's right (about +x) */
    double vx_mps[WHEELS];      /* signed: backwards is negative */
    double pressure_Pa[WHEELS]; /* inflation; <= 0 stands for the file's */
    double friction[WHEELS];    /* scales the friction coefficients of both directions, >= 0 */
};

struct tyre_out {
    double fx_N[WHEELS], fy_N[WHEELS];
    double mx_Nm[WHEELS], my_Nm[WHEELS], mz_Nm[WHEELS];
    double rolling_Nm[WHEELS]; /* rolling resistance as a magnitude, >= 0: my_Nm is this against
                                  the direction of travel, faded out around vx = 0 */
    double slope_x_N[WHEELS];  /* dFx/dkappa here, not clamped (negative past the peak) */
    double slope_y_N[WHEELS];  /* -dFy/dtan_alpha here, not clamped */
    double stiff_x_N[WHEELS];  /* Kxk: slip stiffness at zero slip, > 0 under load */
    double stiff_y_N[WHEELS];  /* |Kya|: cornering stiffness, > 0 under load */
    double relax_x_m[WHEELS];  /* relaxation lengths of the file, > 0, not floored by speed */
    double relax_y_m[WHEELS];
    double peak_x_N[WHEELS], peak_y_N[WHEELS]; /* mu * Fz in each direction */
};

/* Which side of the car a file is used on. */
enum tyre_sides {
    TYRE_SIDES_MIRROR,    /* mirrored where it was measured on the other side (the usual choice) */
    TYRE_SIDES_AS_FILE,   /* never mirrored */
    TYRE_SIDES_SYMMETRIC, /* ply steer, conicity and other left-right offsets are dropped */
};

/* Prepares four tyres. The models need not outlive the call. The models must have passed the
 * checks of tyre_model_read(). */
void tyre_set_init(struct tyre_set *set, const struct tyre_model *const model[WHEELS],
                   enum tyre_sides sides);

/* A set whose wheels are those of four other sets; for the step. */
void tyre_set_mix(struct tyre_set *set, const struct tyre_set *const of[WHEELS]);

/* Forces and moments on the wheels, steady state. */
void tyre_forces(const struct tyre_set *set, const struct tyre_in *in, struct tyre_out *out);

/* Vertical force >= 0 from the radial deflection against UNLOADED_RADIUS (negative: in the air) and
 * its rate (positive: compressing). stiffness_Npm is d load / d deflection, 0 in the air;
 * damping_Nspm is d load / d rate here, 0 in the air. pressure as in tyre_in. */
void tyre_load(const struct tyre_set *set, const double deflection_m[WHEELS],
               const double deflection_mps[WHEELS], const double spin_radps[WHEELS],
               const double pressure_Pa[WHEELS], double load_N[WHEELS],
               double stiffness_Npm[WHEELS], double damping_Nspm[WHEELS]);

/* The deflection of a standing tyre that carries load_N at the file's pressure; not for the step.
 */
double tyre_static_deflection_m(const struct tyre_set *set, int wheel, double load_N);

/* Effective rolling radius: speed over spin of a freely rolling wheel. */
void tyre_rolling_radius(const struct tyre_set *set, const double load_N[WHEELS],
                         const double spin_radps[WHEELS], const double pressure_Pa[WHEELS],
                         double re_m[WHEELS]);

/* The same, and the loaded radius: of wheels that carry a known load, (T-47). The rim is not felt.
 */
void tyre_radii(const struct tyre_set *set, const double load_N[WHEELS],
                const double spin_radps[WHEELS], const double pressure_Pa[WHEELS],
                double loaded_m[WHEELS], double rolling_m[WHEELS]);

#endif
