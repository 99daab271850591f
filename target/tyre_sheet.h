/* What `skidpad tyre` shows of a tyre: a table, curves, and forces at given points. */
#ifndef SKIDPAD_TARGET_TYRE_SHEET_H
#define SKIDPAD_TARGET_TYRE_SHEET_H

#include "shared/base/err.h"
#include "target/model/tyre/tyre.h"

#include <stdio.h>

/* Sizes, ranges, and what the tyre does at four loads. */
void tyre_sheet_print(const char *path, const struct tyre_model *model, double friction, FILE *to);

/* Fx over slip, Fy and Mz over slip angle, and Fy over Fx in combined slip, on one SVG page.
 * Returns 0 or a negative errno and a message. */
int tyre_sheet_draw(const char *name, const struct tyre_model *model, double friction,
                    const char *svg_path, struct err *err);

/* Reads a table with the columns Fz_N, kappa, alpha_rad, gamma_rad, Vx_mps, and pressure_Pa if it
 * likes, and writes it with Fx_N, Fy_N, Mx_Nm, My_Nm, Mz_Nm appended. Other columns pass through as
 * they are. Returns 0, or a negative errno and a message; then nothing has been written. */
int tyre_sheet_points(const struct tyre_model *model, double friction, const char *csv_path,
                      FILE *to, struct err *err);

/* One wheel at one operating point, as the file describes it: not mirrored. */
struct tyre_point {
    double load_N, kappa, alpha_rad, gamma_rad, vx_mps, pressure_Pa, friction;
};
struct tyre_point_forces {
    double fx_N, fy_N, mx_Nm, my_Nm, mz_Nm;
};
struct tyre_point_forces tyre_sheet_at(const struct tyre_set *set, const struct tyre_point *p);
/* The same tyre on all wheels of a set, as the file. */
void tyre_sheet_set(struct tyre_set *set, const struct tyre_model *model);

#endif
