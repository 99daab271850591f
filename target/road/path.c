#include "target/road/path.h"

#include "target/road/curve_kernel.h"

#include <math.h> /* sqrt only */

void path_at(const struct path *p, double s_m, int32_t *piece, struct path_point *out)
{
    curve_at(&p->line, s_m, piece, &out->at);
    const struct curve_piece *c = &p->line.piece[*piece];
    s_m = curve_wrap(&p->line, s_m);
    double u = between((s_m - c->mid_m + c->half_m) / (2.0 * c->half_m), 0.0, 1.0);
    double from = p->speed2_m2ps2[*piece], to = p->speed2_m2ps2[*piece + 1];
    bool beyond = s_m < p->line.begin_m || s_m > p->line.end_m;
    out->speed_mps = sqrt(at_least(from + u * (to - from), 0.0));
    out->accel_mps2 = beyond ? 0.0 : (to - from) / (4.0 * c->half_m);
}

double path_nearest(const struct path *p, double x_m, double y_m, int32_t *piece, double *offset_m)
{
    if (*piece < 0 || *piece >= p->line.count)
        *piece = 0;
    struct curve_foot f = curve_foot(&p->line, *piece, p->line.count, (v2){x_m, y_m});
    *piece = f.piece;
    *offset_m = f.n_m;
    return p->line.piece[f.piece].mid_m + f.t_m;
}

double path_unwrap(const struct path *p, double along_m, double last_m)
{
    const struct curve *c = &p->line;
    double lap_m = c->end_m - c->loop_m;
    bool leads_in = last_m < c->loop_m && c->loop_m > c->begin_m;
    if (!c->is_closed || (leads_in && along_m < c->loop_m))
        return along_m;
    return along_m + lap_m * rint((last_m - along_m) / lap_m);
}
