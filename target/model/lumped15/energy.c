/* Energy and momentum of a state, by other formulas than the step's: for tests of the equations. */
#include "target/model/lumped15/work.h"
#include "target/model/math/scalar.h"

#include <string.h>

/* Velocity and place of the body's parts: sprung mass, then the hubs. */
static double kinetic_J(const struct lumped15_model *m, const struct lumped15_state *s,
                        const struct work *w)
{
    const double *I = m->inertia_kgm2;
    struct vec3 r = w->rate;
    struct vec3 v = v3_add(w->vel, v3_cross(r, m->sprung_cg_m));
    double twice = m->sprung_kg * v3_dot(v, v);
    twice += I[0] * r.x * r.x + I[1] * r.y * r.y + I[2] * r.z * r.z;
    twice += 2.0 * (I[3] * r.x * r.y + I[4] * r.x * r.z + I[5] * r.y * r.z);
    for (int i = 0; i < WHEELS; i++) {
        struct vec3 hub = vec3_lane(&w->hub_mps, i);
        twice += m->unsprung_kg[i] * v3_dot(hub, hub);
        twice += m->wheel_kgm2[i] * s->spin_radps[i] * s->spin_radps[i];
    }
    twice += m->steering.hand_inertia_kgm2 * s->hand_radps * s->hand_radps;
    return 0.5 * (twice + m->steering.rack_kg * s->rack_mps * s->rack_mps);
}

/* Work stored in the tyres' radial springs. Their force is quadratic in the deflection, which makes
 * Simpson's rule exact (as long as no tyre bottoms). */
static double radial_J(const struct lumped15_model *m, const struct lumped15_state *s,
                       const struct work *w)
{
    static const double still[WHEELS] = {0.0, 0.0, 0.0, 0.0};
    double half_m[WHEELS], full_m[WHEELS], half_N[WHEELS], full_N[WHEELS];
    double unused[WHEELS], unused2[WHEELS], sum = 0.0;
    v4_store(half_m, 0.5 * w->deflection_m);
    v4_store(full_m, w->deflection_m);
    tyre_load(&m->tyres, half_m, still, s->spin_radps, m->inflation_Pa, half_N, unused, unused2);
    tyre_load(&m->tyres, full_m, still, s->spin_radps, m->inflation_Pa, full_N, unused, unused2);
    for (int i = 0; i < WHEELS; i++)
        if (w->deflection_m[i] > 0.0)
            sum += w->deflection_m[i] * (4.0 * half_N[i] + full_N[i]) / 6.0;
    return sum;
}

static double elastic_J(const struct lumped15_model *m, const struct lumped15_state *s,
                        const struct ground *ground, struct work *w)
{
    double sum = 0.0;
    lumped15_code()->contact(m, s, ground, 0.0, 1.0, w);
    for (int i = 0; i < WHEELS; i++) {
        const struct axle_model *a = &m->axle[axle_of(i)];
        double z = s->travel_m[i];
        sum += table1_integral(&a->spring_N, a->spring_free_m - w->spring_m[i]);
        sum += table1_integral(&a->bump_N, z) + table1_integral(&a->rebound_N, -z);
    }
    double f = s->travel_m[FL] - s->travel_m[FR], r = s->travel_m[RL] - s->travel_m[RR];
    sum += 0.5 * (m->bar_Npm[FL] * f * f + m->bar_Npm[RL] * r * r);
    double over = shrink(s->rack_m, m->steering.rack_stop_m);
    sum += 0.5 * m->steering.rack_stop_Npm * over * over;
    double twist = s->hand_rad - s->rack_m / m->steering.pinion_mprad;
    return sum + radial_J(m, s, w) + 0.5 * m->steering.column_Nmprad * twist * twist;
}

double lumped15_energy_J(const struct lumped15_model *m, const struct lumped15_state *s,
                         const struct ground *ground)
{
    struct work w;
    memset(&w, 0, sizeof w);
    lumped15_code()->pose(m, s, &w);
    struct vec3 origin = vec3_of(s->pos_m);
    double weight = m->sprung_kg * v3_add(origin, m3_mul(&w.R, m->sprung_cg_m)).z;
    for (int i = 0; i < WHEELS; i++)
        weight += m->unsprung_kg[i] * v3_add(origin, m3_mul(&w.R, vec3_lane(&w.hub, i))).z;
    return kinetic_J(m, s, &w) + m->gravity_mps2 * weight + elastic_J(m, s, ground, &w);
}

void lumped15_momentum(const struct lumped15_model *m, const struct lumped15_state *s,
                       double linear[3], double angular[3])
{
    struct work w;
    const double *I = m->inertia_kgm2;
    lumped15_code()->pose(m, s, &w);
    struct vec3 r = w.rate, origin = vec3_of(s->pos_m);
    struct vec3 p = v3_scale(m->sprung_kg, v3_add(w.vel, v3_cross(r, m->sprung_cg_m)));
    struct vec3 about = v3_add(origin, m3_mul(&w.R, m->sprung_cg_m));
    struct vec3 spin =
        v3(I[0] * r.x + I[3] * r.y + I[4] * r.z, I[3] * r.x + I[1] * r.y + I[5] * r.z,
           I[4] * r.x + I[5] * r.y + I[2] * r.z);
    struct vec3 P = m3_mul(&w.R, p), L = v3_add(v3_cross(about, P), m3_mul(&w.R, spin));
    for (int i = 0; i < WHEELS; i++) {
        struct vec3 q = m3_mul(&w.R, v3_scale(m->unsprung_kg[i], vec3_lane(&w.hub_mps, i)));
        struct vec3 axis = m3_mul(&w.R, vec3_lane(&w.axis, i));
        L = v3_add(L, v3_cross(v3_add(origin, m3_mul(&w.R, vec3_lane(&w.hub, i))), q));
        L = v3_madd(L, m->wheel_kgm2[i] * s->spin_radps[i], axis);
        P = v3_add(P, q);
    }
    vec3_to(P, linear);
    vec3_to(L, angular);
}
