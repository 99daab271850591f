#include "target/road/crg.h"

#include "target/road/crg_isa.h"
#include "target/road/crg_kernel.h"

struct ground crg_ground(const struct crg *c)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx"))
        return (struct ground){c, crg_query_avx};
#endif
    return (struct ground){c, crg_query_base};
}

void crg_find(const struct crg *c, double x_m, double y_m, struct crg_place *out)
{
    struct crg_at at = crg_locate(c, x_m, y_m);
    out->u_m = c->begin_u_m + (at.index + at.w) * c->increment_m;
    out->v_m = at.v_m;
    out->is_inside = crg_inside(c, &at);
    out->reserved = 0;
}
