#include "target/road/path.h"

#include "target/road/curve_kernel.h"

#include <math.h> /* sqrt only */

void path_at(const struct path *p, double s_m, int32_t *piece, struct path_point *out)
{
    curve_at(&p->line, s_m, piece, &out->at);
    const struct curve_piece *c = &p->line.piece[*piece];
    double length_m = p->line.end_m - p->line.begin_m;
    if (p->line.is_closed)
        s_m -= length_m * floor((s_m - p->line.begin_m) / length_m);
    double u = between((s_m - c->mid_m + c->half_m) / (2.0 * c->half_m), 0.0, 1.0);
    double from = p->speed2_m2ps2[*piece], to = p->speed2_m2ps2[*piece + 1];
    bool beyond = !p->line.is_closed && (s_m < p->line.begin_m || s_m > p->line.end_m);
    out->speed_mps = sqrt(at_least(from + u * (to - from), 0.0));
    out->accel_mps2 = beyond ? 0.0 : (to - from) / (4.0 * c->half_m);
}

double path_nearest(const struct path *p, double x_m, double y_m, int32_t *piece, double *offset_m)
{
    if (*piece < 0 || *piece >= p->line.count)
        *piece = 0;
    struct curve_foot f = curve_foot(&p->line, *piece, p->line.count, x_m, y_m);
    *piece = f.piece;
    *offset_m = f.n_m;
    return p->line.piece[f.piece].mid_m + f.t_m;
}
