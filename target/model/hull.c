#include "target/model/hull.h"

#include "target/model/math/scalar.h"

/* Below this sliding speed friction is proportional to it. */
static const double creep_mps = 0.05;
/* A point this far above the ground under the origin may still meet a bump. */
static const double near_m = 0.1;

/* Force of the ground on one point, world axes. docs/model.md (H-1) to (H-3) */
static struct vec3 point_force(const struct hull_model *m, const struct ground *ground,
                               struct vec3 p, struct vec3 v)
{
    struct ground_point g;
    ground->query(ground->road, p.x, p.y, &g);
    struct vec3 n = v3(g.normal[0], g.normal[1], g.normal[2]);
    double depth_m = (g.z_m - p.z) * n.z;
    if (!(depth_m > 0.0))
        return v3(0.0, 0.0, 0.0);
    double in_mps = -v3_dot(v, n);
    /* Damping grows with depth over the first centimetre, so that the force begins at zero. */
    double damping = m->damping_Nspm * (depth_m < 0.01 ? depth_m / 0.01 : 1.0);
    double normal_N = m->stiffness_Npm * depth_m + damping * in_mps;
    if (!(normal_N > 0.0))
        return v3(0.0, 0.0, 0.0);
    struct vec3 slide = v3_madd(v, in_mps, n);
    double speed = v3_norm(slide);
    double drag = m->friction * g.friction * normal_N / (speed > creep_mps ? speed : creep_mps);
    return v3_madd(v3_scale(normal_N, n), -drag, slide);
}

void hull_finish(struct hull_model *m)
{
    struct vec3 low = v3(0.0, 0.0, 0.0), high = low;
    for (int i = 0; i < m->count; i++) {
        struct vec3 p = m->point_m[i];
        low = i == 0 ? p : v3(at_most(p.x, low.x), at_most(p.y, low.y), at_most(p.z, low.z));
        high = i == 0 ? p : v3(at_least(p.x, high.x), at_least(p.y, high.y), at_least(p.z, high.z));
    }
    m->centre_m = v3_scale(0.5, v3_add(low, high));
    m->half_m = v3_scale(0.5, v3_sub(high, low));
}

void hull_forces(const struct hull_model *m, const struct ground *ground, struct vec3 origin_m,
                 const struct mat3 *R, struct vec3 vel_body_mps, struct vec3 rate_radps,
                 struct vec3 *force_N, struct vec3 *moment_Nm)
{
    struct ground_point under;
    ground->query(ground->road, origin_m.x, origin_m.y, &under);
    struct vec3 n = m3_tmul(R, v3(under.normal[0], under.normal[1], under.normal[2]));
    double height_m = (origin_m.z - under.z_m) * under.normal[2];
    double lowest_m = v3_dot(n, m->centre_m) - fabs(n.x) * m->half_m.x - fabs(n.y) * m->half_m.y -
                      fabs(n.z) * m->half_m.z;
    if (height_m + lowest_m > near_m)
        return;
    for (int i = 0; i < m->count; i++) {
        struct vec3 r = m->point_m[i];
        /* The ground under the origin, continued as a plane, says which points are worth a query.
         */
        if (height_m + v3_dot(n, r) > near_m)
            continue;
        struct vec3 p = v3_add(origin_m, m3_mul(R, r));
        struct vec3 v = m3_mul(R, v3_add(vel_body_mps, v3_cross(rate_radps, r)));
        struct vec3 f = m3_tmul(R, point_force(m, ground, p, v));
        *force_N = v3_add(*force_N, f);
        *moment_Nm = v3_add(*moment_Nm, v3_cross(r, f));
    }
}
