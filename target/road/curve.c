#include "target/road/curve.h"

#include "target/model/math/scalar.h"
#include "target/road/curve_kernel.h"

#include <math.h> /* sqrt, floor only */

static v2 place(const struct curve_piece *p, double t_m)
{
    v2 t = both(t_m);
    return p->a[0] + t * (p->a[1] + t * (p->a[2] + t * (p->a[3] + t * (p->a[4] + t * p->a[5]))));
}

static v2 slope(const struct curve_piece *p, double t_m)
{
    v2 t = both(t_m);
    return p->a[1] +
           t * (both(2.0) * p->a[2] +
                t * (both(3.0) * p->a[3] + t * (both(4.0) * p->a[4] + t * both(5.0) * p->a[5])));
}

static v2 bending(const struct curve_piece *p, double t_m)
{
    v2 t = both(t_m);
    return both(2.0) * p->a[2] +
           t * (both(6.0) * p->a[3] + t * (both(12.0) * p->a[4] + t * both(20.0) * p->a[5]));
}

/* The piece that holds the arc length, by walking. */
static int32_t piece_at(const struct curve *c, double s_m, int32_t piece)
{
    if (piece < 0 || piece >= c->count)
        piece = 0;
    for (int32_t n = 0; n < c->count; n++) {
        const struct curve_piece *p = &c->piece[piece];
        if (s_m > p->mid_m + p->half_m && piece + 1 < c->count)
            piece++;
        else if (s_m < p->mid_m - p->half_m && piece > 0)
            piece--;
        else
            break;
    }
    return piece;
}

double curve_wrap(const struct curve *c, double s_m)
{
    bool leads_in = s_m < c->loop_m && c->loop_m > c->begin_m;
    if (!c->is_closed || leads_in)
        return s_m;
    double lap_m = c->end_m - c->loop_m;
    return s_m - lap_m * floor((s_m - c->loop_m) / lap_m);
}

void curve_at(const struct curve *c, double s_m, int32_t *piece, struct curve_point *out)
{
    s_m = curve_wrap(c, s_m);
    double inside_m = between(s_m, c->begin_m, c->end_m), beyond_m = s_m - inside_m;
    s_m = inside_m;
    *piece = piece_at(c, s_m, *piece);
    const struct curve_piece *p = &c->piece[*piece];
    double t_m = s_m - p->mid_m;
    v2 at = place(p, t_m), along = slope(p, t_m);
    double k = cross(along, bending(p, t_m)), length = sqrt(dot(along, along));
    along /= both(length);
    at += both(beyond_m) * along;
    out->x_m = at[0];
    out->y_m = at[1];
    out->tangent[0] = along[0];
    out->tangent[1] = along[1];
    out->curvature_1pm = beyond_m == 0.0 ? k : 0.0;
}
