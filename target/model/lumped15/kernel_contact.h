/* Tyre against ground: geometry, load, lagged slip, forces. docs/model.md (C-1) to (C-9) */
#ifndef SKIDPAD_LUMPED15_KERNEL_CONTACT_H
#define SKIDPAD_LUMPED15_KERNEL_CONTACT_H

#include "target/model/lumped15/work.h"
#include "target/model/math/v4_fast.h"

/* A wheel that lies flatter than this has no tread on the ground; its load fades before. */
#define CONTACT_COSINE_MIN  0.2
#define CONTACT_COSINE_FULL 0.4
/* At a crawl the slip is this share larger than deflection over relaxation length, so that the
 * force is elastic in the deflection up to its peak, (C-8). */
#define CONTACT_STRETCH 1.5
/* Guards of divisions, far below any real tyre. */
#define CONTACT_RELAX_MIN_M 1e-3
#define CONTACT_CAP_MIN_M   1e-7
#define CONTACT_FREE        1e-6

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
    w->vx_mps = w3_dot(w->forward, w->hub_mps);
    w->vsy_mps = w3_dot(w->axis, u) * per_cosine;
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
    v4_store(w->tyre_in.vx_mps, w->vx_mps);
    memcpy(w->tyre_in.pressure_Pa, m->inflation_Pa, sizeof w->tyre_in.pressure_Pa);
    tyre_rolling_radius(&m->tyres, w->tyre_in.load_N, s->spin_radps, m->inflation_Pa, rolling_m);
    w->rolling_m = v4_load(rolling_m);
    w->vsx_mps = w->vx_mps - w->rolling_m * v4_load(s->spin_radps);
}

/* (C-7): rolling renews the contact. At a crawl it does not, and a deflection cannot exceed that of
 * the peak force; from crawl_mps on nothing holds it back. */
V4_INLINE void contact_lag(const struct lumped15_model *m, const struct tyre_grip *t, double step_s,
                           double leak_max_1ps, struct work *w)
{
    v4 speed = v4_abs(w->vx_mps), most = v4_all(leak_max_1ps);
    v4 floor_m = v4_max(speed * step_s, v4_all(CONTACT_RELAX_MIN_M));
    w->relax_x_m = v4_max(v4_load(t->relax_x_m), floor_m);
    w->relax_y_m = v4_max(v4_load(t->relax_y_m), floor_m);
    w->cap_x_m =
        w->relax_x_m * v4_load(t->peak_x_N) / (v4_load(t->stiff_x_N) + 1.0) + CONTACT_CAP_MIN_M;
    w->cap_y_m =
        w->relax_y_m * v4_load(t->peak_y_N) / (v4_load(t->stiff_y_N) + 1.0) + CONTACT_CAP_MIN_M;
    w->crawl = v4_max(1.0 - speed * (1.0 / m->crawl_mps), v4_all(0.0));
    v4 crawl2 = w->crawl * w->crawl;
    w->caps = 1.0 / (crawl2 * crawl2 + CONTACT_FREE);
    /* An explicit step may take a deflection to zero, not beyond. */
    w->leak_x_1ps = v4_min(speed / w->relax_x_m, most);
    w->leak_y_1ps = v4_min(speed / w->relax_y_m, most);
}

/* (C-7): brings deflections back to the cap, along their direction: the contact slides. Returns
 * how far they are from zero to the cap of standstill, squared. */
V4_INLINE v4 contact_slide(const struct work *w, v4 *ux, v4 *uy)
{
    v4 nx = *ux / w->cap_x_m, ny = *uy / w->cap_y_m, n2 = nx * nx + ny * ny;
    v4 most2 = w->caps * w->caps;
    v4 scale = v4_pick(n2 > most2, w->caps / v4_sqrt(v4_max(n2, most2)), v4_all(1.0));
    *ux *= scale;
    *uy *= scale;
    return n2;
}

/* (C-8), (C-9): slips that make the force: deflections at the end of the implicit step (or now),
 * with carcass damping at a crawl. Returns d kappa / d spin. */
V4_INLINE v4 contact_slips(const struct lumped15_model *m, const struct lumped15_state *s,
                           double implicit_s, struct work *w)
{
    v4 x = v4_min(v4_abs(w->vx_mps) * (1.0 / m->crawl_mps), v4_all(1.0));
    v4 rest = 1.0 - x * x, blend = rest * rest, one = v4_all(1.0);
    v4 damp_x = blend * m->crawl_damping_spm[0], damp_y = blend * m->crawl_damping_spm[1];
    v4 keep_x = 1.0 / (1.0 + implicit_s * w->leak_x_1ps);
    v4 keep_y = 1.0 / (1.0 + implicit_s * w->leak_y_1ps);
    v4 ux = keep_x * (v4_load(s->slip_x_m) - implicit_s * w->vsx_mps);
    v4 uy = keep_y * (v4_load(s->slip_y_m) - implicit_s * w->vsy_mps);
    v4 n2 = contact_slide(w, &ux, &uy), held = v4_min(n2, one);
    v4 stretch = CONTACT_STRETCH * w->crawl * held * held;
    v4_store(w->tyre_in.kappa, ux * (1.0 + stretch) / w->relax_x_m - damp_x * w->vsx_mps);
    v4_store(w->tyre_in.tan_alpha, damp_y * w->vsy_mps - uy * (1.0 + stretch) / w->relax_y_m);
    /* A contact that slides does not answer a change of spin by more deflection. */
    v4 steeper = (1.0 + 5.0 * stretch) / w->relax_x_m;
    steeper = v4_pick(n2 > w->caps * w->caps, v4_all(0.0), steeper);
    return w->rolling_m * (implicit_s * keep_x * steeper + damp_x);
}

/* The parameters each wheel's forces are made with, and the friction these scale by. A set that
 * belongs to the weather knows its friction. *mixed is room for lanes of several sets. */
static inline const struct tyre_set *contact_tyres(const struct lumped15_model *m, struct work *w,
                                                   struct tyre_set *mixed)
{
    memcpy(w->tyre_in.friction, w->friction, sizeof w->friction);
    if (m->weathers == 0)
        return &m->tyres;
    const struct tyre_set *of[WHEELS];
    for (int i = 0; i < WHEELS; i++) {
        uint32_t weather = (uint32_t)w->weather[i] % GROUND_WEATHERS;
        bool own = (m->weathers >> weather & 1u) != 0;
        of[i] = own ? &m->weather_tyres[weather] : &m->tyres;
        if (own)
            w->tyre_in.friction[i] /= ground_weather_friction[weather];
    }
    if (of[FL] == of[FR] && of[FL] == of[RL] && of[FL] == of[RR])
        return of[FL];
    tyre_set_mix(mixed, of);
    return mixed;
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
    const struct tyre_set *tyres = contact_tyres(m, w, &mixed);
    tyre_grip(tyres, &w->tyre_in, &grip);
    double leak_max_1ps = implicit_s > 0.0 ? 1e9 : 1.0 / step_s;
    contact_lag(m, &grip, step_s, leak_max_1ps, w);
    v4 per_spin = contact_slips(m, s, implicit_s, w);
    tyre_forces(tyres, &w->tyre_in, &w->tyre);
    v4 slope = v4_max(v4_load(w->tyre.slope_x_N), zero);
    w->grip_Nspr = implicit_s > 0.0 ? slope * per_spin : zero;
}

#endif
