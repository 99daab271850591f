#include "target/road/segments.h"

#include "target/road/curve_kernel.h"
#include "target/road/seed_kernel.h"
#include "target/road/segments_isa.h"

struct ground segments_ground(const struct segments *r)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx"))
        return (struct ground){r, segments_query_avx};
#endif
    return (struct ground){r, segments_query_base};
}

void segments_find(const struct segments *r, double x_m, double y_m, struct segments_place *out)
{
    struct curve_foot f =
        curve_foot(&r->line, seed_of(&r->grid, x_m, y_m), SEGMENTS_WALK, x_m, y_m);
    const struct segments_piece *p = &r->piece[f.piece];
    out->s_m = r->line.piece[f.piece].mid_m + f.t_m;
    out->n_m = f.n_m;
    out->tangent[0] = f.tangent[0];
    out->tangent[1] = f.tangent[1];
    out->curvature_1pm = r->line.piece[f.piece].curvature_1pm;
    out->left_m = p->left_m[0] + f.t_m * p->left_m[1];
    out->right_m = p->right_m[0] + f.t_m * p->right_m[1];
    bool along = r->line.is_closed || (out->s_m >= 0.0 && out->s_m <= r->length_m);
    out->is_inside = along && out->n_m <= out->left_m && -out->n_m <= out->right_m;
    out->reserved = 0;
}
