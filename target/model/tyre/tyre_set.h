/* Four tyres side by side, one lane a wheel: what tyre_forces() and its sisters compute with.
 *
 * Each field is a coefficient of tyre_model, or a product of some with their scale factors, so that
 * the step does not repeat it. The comment names what it belongs to. Written by tyre_set_init() and
 * const from then on. */
#ifndef SKIDPAD_MODEL_TYRE_TYRE_SET_H
#define SKIDPAD_MODEL_TYRE_TYRE_SET_H

#include "target/model/wheels.h"

#include <stdbool.h>

/* clang-format off */
#define TYRE_SET_GENERAL(X)                                                                        \
    X(side)             /* 1 as the file, -1 mirrored */                                           \
    X(is6)              /* 1 for versions 6.x, 0 for 5.2 */                                        \
    X(ellipse)          /* 1 if the file does not describe combined slip */                        \
    X(radius_m)         /* UNLOADED_RADIUS */                                                      \
    X(width_m)                                                                                     \
    X(load0_N)          /* FNOMIN */                                                               \
    X(inv_load0_1pN)                                                                               \
    X(load0s_N)         /* FNOMIN * LFZO */                                                        \
    X(inv_load0s_1pN)                                                                              \
    X(inv_speed0_spm)   /* 1 / LONGVL */                                                           \
    X(pressure_Pa)      /* INFLPRES */                                                             \
    X(inv_pressure0_1pPa)                                                                          \
    X(load_min_N) X(load_max_N) X(pressure_min_Pa) X(pressure_max_Pa)                              \
    X(kappa_min) X(kappa_max) X(tan_alpha_min) X(tan_alpha_max) X(gamma_min_rad) X(gamma_max_rad)  \
    X(slide_x) X(slide_y)         /* sliding over peak friction */                                 \
    X(slide_from) X(slide_over)   /* slip where sliding begins, 1 / width of the transition */

#define TYRE_SET_LONG(X)                                                                           \
    X(cx) X(pdx1) X(pdx2) X(pdx3) X(ppx3) X(ppx4)                                                  \
    X(pex1) X(pex2) X(pex3) X(pex4)                                                                \
    X(pkx1) X(pkx2) X(pkx3) X(ppx1) X(ppx2)                                                        \
    X(phx1) X(phx2) X(pvx1) X(pvx2)                                                                \
    X(rbx1) X(rbx2) X(rbx3) X(rcx1) X(rex1) X(rex2) X(rhx1)

#define TYRE_SET_LAT(X)                                                                            \
    X(cy) X(pdy1) X(pdy2) X(pdy3) X(ppy3) X(ppy4)                                                  \
    X(pey1) X(pey2) X(pey3) X(pey4) X(pey5)                                                        \
    X(pky1_N) X(pky2) X(pky3) X(pky4) X(pky5) X(pky6) X(pky7) X(ppy1) X(ppy2) X(ppy5)              \
    X(phy1) X(phy2) X(phy3) X(pvy1) X(pvy2) X(pvy3) X(pvy4)                                        \
    X(rby1) X(rby2) X(rby3) X(rby4) X(rcy1) X(rey1) X(rey2) X(rhy1) X(rhy2)                        \
    X(rvy1) X(rvy2) X(rvy3) X(rvy4) X(rvy5) X(rvy6)

#define TYRE_SET_MOMENT(X)                                                                         \
    X(qsx1) X(qsx2) X(qsx3) X(qsx4) X(qsx5) X(qsx6) X(qsx7) X(qsx8) X(qsx9) X(qsx10) X(qsx11)      \
    X(qsx12) X(qsx13) X(qsx14) X(ppmx1)                                                            \
    X(qsy1) X(qsy2) X(qsy3) X(qsy4) X(qsy5) X(qsy6) X(qsy7) X(qsy8) X(rolling_scale)               \
    X(qbz1) X(qbz2) X(qbz3) X(qbz4) X(qbz5) X(qbz6) X(qbz9) X(qbz10) X(qcz1)                       \
    X(qdz1) X(qdz2) X(qdz3) X(qdz4) X(qdz6) X(qdz7) X(qdz8) X(qdz9) X(qdz10) X(qdz11)              \
    X(qez1) X(qez2) X(qez3) X(qez4) X(qez5) X(qhz1) X(qhz2) X(qhz3) X(qhz4) X(ppz1) X(ppz2)        \
    X(ssz1) X(ssz2) X(ssz3) X(ssz4)

#define TYRE_SET_TRANSIENT(X)                                                                      \
    X(ptx1_m) X(ptx2_m) X(ptx3)                     /* 5.2 */                                      \
    X(pty1_m) X(pty2) X(pty_camber)                                                                \
    X(carcass_x_Npm) X(carcass_x1) X(carcass_x2) X(carcass_x3) /* 6.x */                           \
    X(carcass_y_Npm) X(carcass_y1) X(carcass_y2) X(carcass_y3)

#define TYRE_SET_VERTICAL(X)                                                                       \
    X(free_radius_m)    /* at rest */                                                              \
    X(growth_ms2)       /* radius over spin squared */                                             \
    X(spin_stiffening_s)                                                                           \
    X(linear_Npm) X(quadratic_Npm2) X(pressure_effect) X(damping_Nspm)                             \
    X(bottom_from_m) X(bottom_Npm)                                                                 \
    X(breff) X(dreff_m) X(freff_m)

#define TYRE_SET_FIELDS(X)                                                                         \
    TYRE_SET_GENERAL(X) TYRE_SET_LONG(X) TYRE_SET_LAT(X) TYRE_SET_MOMENT(X)                        \
    TYRE_SET_TRANSIENT(X) TYRE_SET_VERTICAL(X)

/* clang-format on */

struct tyre_set {
#define TYRE_SET_FIELD(name) _Alignas(32) double name[WHEELS];
    TYRE_SET_FIELDS(TYRE_SET_FIELD)
#undef TYRE_SET_FIELD
    /* Parts that all four files leave at zero are skipped; the same for every step of a run. */
    bool any_52, any_6x, any_ellipse;
    bool has_rhx, has_rhy; /* shifts of the combined-slip weights */
    bool has_rvy;          /* lateral force from longitudinal slip */
    bool has_pky4,
        has_pky5; /* exponent other than 2; camber moves the load of greatest stiffness */
    bool has_ptx3;
    bool has_pkx3; /* exponential load influence on the slip stiffness */
    bool has_mzr;  /* residual aligning moment */
    bool has_qsx4, has_qsx10;
    bool has_qez4;
    bool has_qsy7, has_qsy8;
};

#endif
