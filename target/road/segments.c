#include "target/road/segments.h"

#include "target/road/curve_kernel.h"
#include "target/road/seed_kernel.h"
#include "target/road/segments_isa.h"
#include "target/road/slice_kernel.h"

#include <math.h> /* fabs only */

struct ground segments_ground(const struct segments *r)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx"))
        return (struct ground){r, segments_query_avx};
#endif
    return (struct ground){r, segments_query_base};
}

/* Height, slope and bend along the line, and banking. */
static bool strip_is_level(const struct segments_strip *p, double z_m)
{
    double rest = fabs(p->z_bank[0][0] - z_m) + fabs(p->z_bank[0][1]);
    for (int i = 1; i < 4; i++)
        rest += fabs(p->z_bank[i][0]) + fabs(p->z_bank[i][1]);
    return !(rest > 0.0);
}

bool segments_are_level(const struct segments *r)
{
    if (r->rough || r->has_profile || r->land.z_m)
        return false;
    for (int32_t i = 0; i < r->strips; i++)
        if (!strip_is_level(&r->strip[i], r->strip[0].z_bank[0][0]))
            return false;
    return true;
}

void segments_find(const struct segments *r, double x_m, double y_m, struct segments_place *out)
{
    const v2 place_m = {x_m, y_m};
    struct curve_foot f = curve_foot(&r->line, seed_of(&r->grid, place_m), SEGMENTS_WALK, place_m);
    out->s_m = r->line.piece[f.piece].mid_m + f.t_m;
    out->n_m = f.n_m;
    out->tangent[0] = f.tangent[0];
    out->tangent[1] = f.tangent[1];
    out->curvature_1pm = r->line.piece[f.piece].curvature_1pm;
    struct whole cell = cell_at(r, (v2){out->s_m, out->n_m});
    const struct segments_slice *slice = slice_at(r, cell.first, out->s_m);
    v2 edge_m = slice->edge_m[0] + both(out->s_m - slice->mid_m) * slice->edge_m[1];
    out->left_m = edge_m[0];
    out->right_m = edge_m[1];
    bool along = r->line.is_closed || (out->s_m >= 0.0 && out->s_m <= r->length_m);
    out->is_inside = along && out->n_m <= out->left_m && -out->n_m <= out->right_m;
    out->reserved = 0;
}
