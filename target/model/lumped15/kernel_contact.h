/* Tyre against ground: geometry, load, lagged slip, forces. docs/model.md (C-1) to (C-9) */
#ifndef SKIDPAD_LUMPED15_KERNEL_CONTACT_H
#define SKIDPAD_LUMPED15_KERNEL_CONTACT_H

#include "target/model/lumped15/work.h"
#include "target/model/math/v4_fast.h"

/* A wheel that lies flatter than this has no tread on the ground; its load fades before. */
#define CONTACT_COSINE_MIN  0.2
#define CONTACT_COSINE_FULL 0.4

/* The same by another way than the point under the centre. */
V4_INLINE v4 contact_ground_by(const struct lumped15_model *m, const struct ground *ground,
                               struct v4x3 p, struct work *w)
{
    struct v4x3 axis = w3_turn(&w->R, w->axis), n;
    v4 height_m = v4_all(0.0);
    for (int i = 0; i < WHEELS; i++) {
        struct contact_spot c;
        contact_find(&m->contact, ground, v3(p.x[i], p.y[i], p.z[i]),
                     v3(axis.x[i], axis.y[i], axis.z[i]), m->tyres.radius_m[i], &c);
        n.x[i] = c.normal.x;
        n.y[i] = c.normal.y;
        n.z[i] = c.normal.z;
        height_m[i] = c.height_m;
        w->friction[i] = c.friction;
        w->weather[i] = c.weather;
    }
    w->normal = w3_turn_back(&w->R, n);
    return height_m;
}

/* The ground under each wheel centre: height over it and normal, body axes. */
V4_INLINE v4 contact_ground(const struct lumped15_model *m, const struct lumped15_state *s,
                            const struct ground *ground, struct work *w)
{
    struct v4x3 p = w3_add(w3_all(vec3_of(s->pos_m)), w3_turn(&w->R, w->hub));
    if (m->contact.kind != CONTACT_POINT)
        return contact_ground_by(m, ground, p, w);
    struct v4x3 n;
    v4 below_m = v4_all(0.0);
    for (int i = 0; i < WHEELS; i++) {
        struct ground_point g;
        ground->query(ground->road, p.x[i], p.y[i], &g);
        n.x[i] = g.normal[0];
        n.y[i] = g.normal[1];
        n.z[i] = g.normal[2];
        below_m[i] = g.z_m;
        w->friction[i] = g.friction;
        w->weather[i] = g.weather;
    }
    w->normal = w3_turn_back(&w->R, n);
    return (p.z - below_m) * n.z;
}

/* (C-1) to (C-5): contact axes, loaded radius and the contact point's speeds. */
V4_INLINE void contact_geometry(const struct lumped15_model *m, v4 height_m, struct work *w)
{
    v4 sine = w3_dot(w->normal, w->axis);
    v4 least = v4_all(CONTACT_COSINE_MIN * CONTACT_COSINE_MIN);
    v4 cosine = v4_sqrt(v4_max(1.0 - sine * sine, least)), per_cosine = 1.0 / cosine;
    w->sine = sine;
    w->cosine = cosine;
    w->forward = w3_scale(per_cosine, w3_cross(w->axis, w->normal));
    w->left = w3_cross(w->normal, w->forward);
    w->radius_m = height_m * per_cosine;
    w->arm_m = w3_scale(-w->radius_m * per_cosine, w3_madd(w->normal, -sine, w->axis));
    struct v4x3 u = w3_add(w->hub_mps, w3_cross(w->carrier_radps, w->arm_m));
    w->deflection_m = v4_load(m->tyres.radius_m) - w->radius_m;
    w->deflection_mps = -w3_dot(w->normal, u) * per_cosine;
    w->slip.vx_mps = w3_dot(w->forward, w->hub_mps);
    w->slip.vsy_mps = w3_dot(w->axis, u) * per_cosine;
}

V4_INLINE void contact_loads(const struct lumped15_model *m, const struct lumped15_state *s,
                             struct work *w)
{
    double deflection_m[WHEELS], deflection_mps[WHEELS], radial_N[WHEELS], rolling_m[WHEELS];
    double unused[WHEELS], unused2[WHEELS];
    v4_store(deflection_m, w->deflection_m);
    v4_store(deflection_mps, w->deflection_mps);
    tyre_load(&m->tyres, deflection_m, deflection_mps, s->spin_radps, m->inflation_Pa, radial_N,
              unused, unused2);
    v4 tread = v4_clamp01((w->cosine - CONTACT_COSINE_MIN) *
                          (1.0 / (CONTACT_COSINE_FULL - CONTACT_COSINE_MIN)));
    /* (C-4): the normal force whose work is that of the radial spring. */
    v4_store(w->tyre_in.load_N, tread * v4_load(radial_N) / w->cosine);
    v4_store(w->tyre_in.gamma_rad, v4_fast_atan(w->sine / w->cosine));
    v4_store(w->tyre_in.vx_mps, w->slip.vx_mps);
    memcpy(w->tyre_in.pressure_Pa, m->inflation_Pa, sizeof w->tyre_in.pressure_Pa);
    tyre_rolling_radius(&m->tyres, w->tyre_in.load_N, s->spin_radps, m->inflation_Pa, rolling_m);
    w->slip.rolling_m = v4_load(rolling_m);
    w->slip.vsx_mps = w->slip.vx_mps - w->slip.rolling_m * v4_load(s->spin_radps);
}

V4_INLINE void kernel_contact(const struct lumped15_model *m, const struct lumped15_state *s,
                              const struct ground *ground, double implicit_s, double step_s,
                              struct work *w)
{
    struct tyre_grip grip;
    struct tyre_set mixed;
    v4 zero = v4_all(0.0);
    contact_geometry(m, contact_ground(m, s, ground, w), w);
    contact_loads(m, s, w);
    memcpy(w->tyre_in.friction, w->friction, sizeof w->friction);
    const struct tyre_set *tyres = slip_tyres(&m->tyres, m->weather_tyres, m->weathers, w->weather,
                                              w->tyre_in.friction, &mixed);
    tyre_grip(tyres, &w->tyre_in, &grip);
    double leak_max_1ps = implicit_s > 0.0 ? 1e9 : 1.0 / step_s;
    slip_lag(&m->slip, &grip, step_s, leak_max_1ps, &w->slip);
    v4 per_spin = slip_of(&m->slip, s->slip_x_m, s->slip_y_m, implicit_s, &w->slip, &w->tyre_in);
    tyre_forces(tyres, &w->tyre_in, &w->tyre);
    v4 slope = v4_max(v4_load(w->tyre.slope_x_N), zero);
    w->grip_Nspr = implicit_s > 0.0 ? slope * per_spin : zero;
}

#endif
