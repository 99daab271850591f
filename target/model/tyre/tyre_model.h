/* The coefficients of one tyre property (.tir) file, in SI units. Const once it is read.
 *
 * Coefficients carry the name of their key in the file in lower case and are dimensionless unless
 * the name says otherwise. docs/tyre.md gives the equations they enter. */
#ifndef SKIDPAD_MODEL_TYRE_TYRE_MODEL_H
#define SKIDPAD_MODEL_TYRE_TYRE_MODEL_H

#include <stdbool.h>

/* clang-format off */
/* X(key in the file, field, value if the key is absent). Dimensions are listed in tyre_file.c. */
#define TYRE_GEOMETRY(X)                                                                           \
    X(UNLOADED_RADIUS, radius_m, 0)                                                                \
    X(WIDTH, width_m, 0)                                                                           \
    X(ASPECT_RATIO, aspect_ratio, 0)                                                               \
    X(RIM_RADIUS, rim_radius_m, 0)                                                                 \
    X(RIM_WIDTH, rim_width_m, 0)                                                                   \
    X(FNOMIN, nominal_load_N, 0)                                                                   \
    X(LONGVL, reference_speed_mps, 16.7)                                                           \
    X(NOMPRES, nominal_pressure_Pa, 0)                                                             \
    X(INFLPRES, pressure_Pa, 0)                                                                    \
    X(MASS, mass_kg, 0)                                                                            \
    X(IXX, ixx_kgm2, 0)                                                                            \
    X(IYY, iyy_kgm2, 0)                                                                            \
    X(VERTICAL_STIFFNESS, vertical_stiffness_Npm, 0)                                               \
    X(VERTICAL_DAMPING, vertical_damping_Nspm, 0)                                                  \
    X(LONGITUDINAL_STIFFNESS, long_stiffness_Npm, 0)                                               \
    X(LATERAL_STIFFNESS, lat_stiffness_Npm, 0)                                                     \
    X(BOTTOM_OFFST, bottom_offset_m, 0)                                                            \
    X(BOTTOM_STIFF, bottom_stiffness_Npm, 0)

/* The range in which the file claims to be valid. */
#define TYRE_RANGES(X)                                                                             \
    X(KPUMIN, kappa_min, -1.5)                                                                     \
    X(KPUMAX, kappa_max, 1.5)                                                                      \
    X(ALPMIN, alpha_min_rad, -1.5)                                                                 \
    X(ALPMAX, alpha_max_rad, 1.5)                                                                  \
    X(CAMMIN, gamma_min_rad, -0.35)                                                                \
    X(CAMMAX, gamma_max_rad, 0.35)                                                                 \
    X(FZMIN, load_min_N, 0)                                                                        \
    X(FZMAX, load_max_N, 0)                                                                        \
    X(PRESMIN, pressure_min_Pa, 0)                                                                 \
    X(PRESMAX, pressure_max_Pa, 0)

#define TYRE_SCALES(X)                                                                             \
    X(LFZO, lfzo, 1) X(LCX, lcx, 1) X(LMUX, lmux, 1) X(LEX, lex, 1) X(LKX, lkx, 1)                 \
    X(LHX, lhx, 1) X(LVX, lvx, 1) X(LGAX, lgax, 1) X(LCY, lcy, 1) X(LMUY, lmuy, 1)                 \
    X(LEY, ley, 1) X(LKY, lky, 1) X(LHY, lhy, 1) X(LVY, lvy, 1) X(LGAY, lgay, 1)                   \
    X(LKYC, lkyc, 1) X(LTR, ltr, 1) X(LRES, lres, 1) X(LGAZ, lgaz, 1) X(LKZC, lkzc, 1)             \
    X(LXAL, lxal, 1) X(LYKA, lyka, 1) X(LVYKA, lvyka, 1) X(LS, ls, 1) X(LSGKP, lsgkp, 1)           \
    X(LSGAL, lsgal, 1) X(LMX, lmx, 1) X(LVMX, lvmx, 1) X(LMY, lmy, 1) X(LCZ, lcz, 1)

#define TYRE_VERTICAL(X)                                                                           \
    X(BREFF, breff, 8.4) X(DREFF, dreff, 0.27) X(FREFF, freff, 0.07)                               \
    X(Q_RE0, q_re0, 1) X(Q_V1, q_v1, 0) X(Q_V2, q_v2, 0) X(Q_FZ2, q_fz2, 0) X(PFZ1, pfz1, 0)       \
    X(PCFX1, pcfx1, 0) X(PCFX2, pcfx2, 0) X(PCFX3, pcfx3, 0)                                       \
    X(PCFY1, pcfy1, 0) X(PCFY2, pcfy2, 0) X(PCFY3, pcfy3, 0)

#define TYRE_LONGITUDINAL(X)                                                                       \
    X(PCX1, pcx1, 0) X(PDX1, pdx1, 0) X(PDX2, pdx2, 0) X(PDX3, pdx3, 0)                            \
    X(PEX1, pex1, 0) X(PEX2, pex2, 0) X(PEX3, pex3, 0) X(PEX4, pex4, 0)                            \
    X(PKX1, pkx1, 0) X(PKX2, pkx2, 0) X(PKX3, pkx3, 0)                                             \
    X(PHX1, phx1, 0) X(PHX2, phx2, 0) X(PVX1, pvx1, 0) X(PVX2, pvx2, 0)                            \
    X(PPX1, ppx1, 0) X(PPX2, ppx2, 0) X(PPX3, ppx3, 0) X(PPX4, ppx4, 0)                            \
    X(RBX1, rbx1, 0) X(RBX2, rbx2, 0) X(RBX3, rbx3, 0) X(RCX1, rcx1, 0)                            \
    X(REX1, rex1, 0) X(REX2, rex2, 0) X(RHX1, rhx1, 0)                                             \
    X(PTX1, ptx1, 0) X(PTX2, ptx2, 0) X(PTX3, ptx3, 0)

#define TYRE_LATERAL(X)                                                                            \
    X(PCY1, pcy1, 0) X(PDY1, pdy1, 0) X(PDY2, pdy2, 0) X(PDY3, pdy3, 0)                            \
    X(PEY1, pey1, 0) X(PEY2, pey2, 0) X(PEY3, pey3, 0) X(PEY4, pey4, 0) X(PEY5, pey5, 0)           \
    X(PKY1, pky1, 0) X(PKY2, pky2, 0) X(PKY3, pky3, 0) X(PKY4, pky4, 2) X(PKY5, pky5, 0)           \
    X(PKY6, pky6, 0) X(PKY7, pky7, 0)                                                              \
    X(PHY1, phy1, 0) X(PHY2, phy2, 0) X(PHY3, phy3, 0)                                             \
    X(PVY1, pvy1, 0) X(PVY2, pvy2, 0) X(PVY3, pvy3, 0) X(PVY4, pvy4, 0)                            \
    X(PPY1, ppy1, 0) X(PPY2, ppy2, 0) X(PPY3, ppy3, 0) X(PPY4, ppy4, 0) X(PPY5, ppy5, 0)           \
    X(RBY1, rby1, 0) X(RBY2, rby2, 0) X(RBY3, rby3, 0) X(RBY4, rby4, 0) X(RCY1, rcy1, 0)           \
    X(REY1, rey1, 0) X(REY2, rey2, 0) X(RHY1, rhy1, 0) X(RHY2, rhy2, 0)                            \
    X(RVY1, rvy1, 0) X(RVY2, rvy2, 0) X(RVY3, rvy3, 0) X(RVY4, rvy4, 0) X(RVY5, rvy5, 0)           \
    X(RVY6, rvy6, 0) X(PTY1, pty1, 0) X(PTY2, pty2, 0)

#define TYRE_MOMENTS(X)                                                                            \
    X(QSX1, qsx1, 0) X(QSX2, qsx2, 0) X(QSX3, qsx3, 0) X(QSX4, qsx4, 0) X(QSX5, qsx5, 0)           \
    X(QSX6, qsx6, 0) X(QSX7, qsx7, 0) X(QSX8, qsx8, 0) X(QSX9, qsx9, 0) X(QSX10, qsx10, 0)         \
    X(QSX11, qsx11, 0) X(QSX12, qsx12, 0) X(QSX13, qsx13, 0) X(QSX14, qsx14, 0)                    \
    X(PPMX1, ppmx1, 0)                                                                             \
    X(QSY1, qsy1, 0) X(QSY2, qsy2, 0) X(QSY3, qsy3, 0) X(QSY4, qsy4, 0) X(QSY5, qsy5, 0)           \
    X(QSY6, qsy6, 0) X(QSY7, qsy7, 1) X(QSY8, qsy8, 0)                                             \
    X(QBZ1, qbz1, 0) X(QBZ2, qbz2, 0) X(QBZ3, qbz3, 0) X(QBZ4, qbz4, 0) X(QBZ5, qbz5, 0)           \
    X(QBZ6, qbz6, 0) X(QBZ9, qbz9, 0) X(QBZ10, qbz10, 0) X(QCZ1, qcz1, 0)                          \
    X(QDZ1, qdz1, 0) X(QDZ2, qdz2, 0) X(QDZ3, qdz3, 0) X(QDZ4, qdz4, 0) X(QDZ6, qdz6, 0)           \
    X(QDZ7, qdz7, 0) X(QDZ8, qdz8, 0) X(QDZ9, qdz9, 0) X(QDZ10, qdz10, 0) X(QDZ11, qdz11, 0)       \
    X(QEZ1, qez1, 0) X(QEZ2, qez2, 0) X(QEZ3, qez3, 0) X(QEZ4, qez4, 0) X(QEZ5, qez5, 0)           \
    X(QHZ1, qhz1, 0) X(QHZ2, qhz2, 0) X(QHZ3, qhz3, 0) X(QHZ4, qhz4, 0)                            \
    X(PPZ1, ppz1, 0) X(PPZ2, ppz2, 0)                                                              \
    X(SSZ1, ssz1, 0) X(SSZ2, ssz2, 0) X(SSZ3, ssz3, 0) X(SSZ4, ssz4, 0)

#define TYRE_COEFFICIENTS(X)                                                                       \
    TYRE_GEOMETRY(X) TYRE_RANGES(X) TYRE_SCALES(X) TYRE_VERTICAL(X) TYRE_LONGITUDINAL(X)           \
    TYRE_LATERAL(X) TYRE_MOMENTS(X)

/* clang-format on */

enum tyre_version { TYRE_MF52, TYRE_MF61, TYRE_MF62 };

struct tyre_model {
    enum tyre_version version;
    bool right_side; /* measured on the right of a car: TYRESIDE = 'RIGHT' */
#define TYRE_FIELD(key, field, absent) double field;
    TYRE_COEFFICIENTS(TYRE_FIELD)
#undef TYRE_FIELD
};

#endif
