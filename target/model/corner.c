#include "target/model/corner.h"

#include "target/model/math/v4_fast.h"

static struct vec3 turn(const double *f, double sin_toe, double cos_toe, struct vec3 axis)
{
    struct vec3 r = v3(f[KIN_CAMBER] * cos_toe, f[KIN_CAMBER] * sin_toe, f[KIN_TOE]);
    return v3_madd(r, f[KIN_PITCH], axis);
}

void corner_at(const struct kinematics_model *k, double travel_m, double rack_m, double side,
               struct corner *out)
{
    struct kinematics_out m;
    kinematics_at(k, travel_m, rack_m, side, &m);
    v4 angle = {m.f[KIN_TOE], m.f[KIN_CAMBER], 0.0, 0.0};
    v4 s = v4_fast_sin(angle), c = v4_fast_cos(angle);
    out->hub_m = v3(m.f[KIN_HUB_X], m.f[KIN_HUB_Y], m.f[KIN_HUB_Z]);
    out->hub_z = v3(m.fz[KIN_HUB_X], m.fz[KIN_HUB_Y], m.fz[KIN_HUB_Z]);
    out->hub_s = v3(m.fs[KIN_HUB_X], m.fs[KIN_HUB_Y], m.fs[KIN_HUB_Z]);
    out->axis = v3(-s[0] * c[1], c[0] * c[1], s[1]);
    out->turn_z = turn(m.fz, s[0], c[0], out->axis);
    out->turn_s = turn(m.fs, s[0], c[0], out->axis);
    out->toe_rad = angle[0];
    out->camber_rad = angle[1];
    out->spring_m = m.f[KIN_SPRING];
    out->spring_z = m.fz[KIN_SPRING];
}

struct vec3 corner_arm_m(const struct corner *c, double radius_m)
{
    double sine = c->axis.z, cosine = sqrt(1.0 - sine * sine);
    return v3_scale(-radius_m / cosine, v3_madd(v3(0.0, 0.0, 1.0), -sine, c->axis));
}
