/* Tyre against ground: geometry, load, lagged slip, forces. docs/model.md (C-1) to (C-12) */
#include "target/model/lumped15/work.h"
#include "target/model/math/scalar.h"
#include "target/model/math/vecmath.h"

#include <string.h>

/* A wheel that lies flatter than this has no tread on the ground; its load fades before. */
static const double cosine_min = 0.2, cosine_full = 0.4;
/* Deflections beyond slip_cap times peak force over stiffness slide; sliding sets in at 70 %. */
static const double slip_cap = 3.0, slide_begin = 0.7;
/* Guards of divisions, far below any real tyre. */
static const double relax_min_m = 1e-3, cap_min_m = 1e-7;

/* Contact axes, loaded radius and the contact point's speeds of one wheel. */
static void wheel_on_ground(const struct lumped15_model *m, const struct lumped15_state *s, int i,
                            const struct ground *ground, struct work *w)
{
    struct corner *c = &w->c[i];
    struct ground_point g;
    struct vec3 p = v3_add(vec3_of(s->pos_m), m3_mul(&w->R, c->hub));
    ground->query(ground->road, p.x, p.y, &g);
    struct vec3 n = m3_tmul(&w->R, vec3_of(g.normal));
    double sine = v3_dot(n, c->axis);
    double cosine2 = 1.0 - sine * sine;
    double cosine = sqrt(cosine2 > cosine_min * cosine_min ? cosine2 : cosine_min * cosine_min);
    double height_m = (p.z - g.z_m) * g.normal[2];

    c->normal = n;
    c->sine = sine;
    c->cosine = cosine;
    c->forward = v3_scale(1.0 / cosine, v3_cross(c->axis, n));
    c->left = v3_cross(n, c->forward);
    c->radius_m = height_m / cosine;
    c->arm_m = v3_scale(-c->radius_m / cosine, v3_madd(n, -sine, c->axis));
    struct vec3 u = v3_add(c->hub_mps, v3_cross(c->carrier_radps, c->arm_m));
    w->deflection_m[i] = m->tyres.radius_m[i] - c->radius_m;
    w->deflection_mps[i] = -v3_dot(n, u) / cosine;
    w->vx_mps[i] = v3_dot(c->forward, c->hub_mps);
    w->vsy_mps[i] = v3_dot(c->axis, u) / cosine;
    w->friction[i] = g.friction;
}

static void loads(const struct lumped15_model *m, const struct lumped15_state *s, struct work *w)
{
    double radial_N[WHEELS], tangent[WHEELS], unused[WHEELS], unused2[WHEELS];
    tyre_load(&m->tyres, w->deflection_m, w->deflection_mps, s->spin_radps, m->inflation_Pa,
              radial_N, unused, unused2);
    for (int i = 0; i < WHEELS; i++) {
        struct corner *c = &w->c[i];
        double tread = clamp01((c->cosine - cosine_min) / (cosine_full - cosine_min));
        /* (C-4): the normal force whose work is that of the radial spring. */
        w->load_N[i] = tread * radial_N[i] / c->cosine;
        tangent[i] = c->sine / c->cosine;
    }
    vm_atan4(tangent, w->gamma_rad);
    tyre_rolling_radius(&m->tyres, w->load_N, s->spin_radps, m->inflation_Pa, w->rolling_m);
    for (int i = 0; i < WHEELS; i++)
        w->vsx_mps[i] = w->vx_mps[i] - w->rolling_m[i] * s->spin_radps[i];
}

/* Decay rates of the deflections, (C-7): rolling renews the contact; at a crawl a deflection that
 * has reached its cap slides along instead. */
static void leaks(const struct lumped15_model *m, const struct lumped15_state *s, int i,
                  const struct tyre_grip *t, double step_s, double leak_max_1ps, struct work *w)
{
    double speed = fabs(w->vx_mps[i]);
    double floor_m = at_least(speed * step_s, relax_min_m);
    double relax_x = at_least(t->relax_x_m[i], floor_m);
    double relax_y = at_least(t->relax_y_m[i], floor_m);
    double cap_x = relax_x * slip_cap * t->peak_x_N[i] / (t->stiff_x_N[i] + 1.0) + cap_min_m;
    double cap_y = relax_y * slip_cap * t->peak_y_N[i] / (t->stiff_y_N[i] + 1.0) + cap_min_m;
    double nx = s->slip_x_m[i] / cap_x, ny = s->slip_y_m[i] / cap_y;
    double over = (sqrt(nx * nx + ny * ny) - slide_begin) / (1.0 - slide_begin);
    double crawl = 1.0 - clamp01(speed / m->crawl_mps);
    double slide_mps = 0.0;
    if (over > 0.0 && crawl > 0.0)
        slide_mps = crawl * over *
                    sqrt(w->vsx_mps[i] * w->vsx_mps[i] + w->vsy_mps[i] * w->vsy_mps[i]);
    w->relax_x_m[i] = relax_x;
    w->relax_y_m[i] = relax_y;
    /* An explicit step may take a deflection to zero, not beyond. */
    w->leak_x_1ps[i] = at_most(speed / relax_x + slide_mps / cap_x, leak_max_1ps);
    w->leak_y_1ps[i] = at_most(speed / relax_y + slide_mps / cap_y, leak_max_1ps);
}

/* Slips that make the force: deflections at the end of the implicit step (or now), with carcass
 * damping at a crawl, (C-8) and (C-9). Returns d kappa / d spin. */
static double slips(const struct lumped15_model *m, const struct lumped15_state *s, int i,
                    double implicit_s, struct work *w)
{
    double x = clamp01(fabs(w->vx_mps[i]) / m->crawl_mps);
    double blend = (1.0 - x * x) * (1.0 - x * x);
    double damp_x = blend * m->crawl_damping_spm[0], damp_y = blend * m->crawl_damping_spm[1];
    double keep_x = 1.0 / (1.0 + implicit_s * w->leak_x_1ps[i]);
    double keep_y = 1.0 / (1.0 + implicit_s * w->leak_y_1ps[i]);
    double ux = keep_x * (s->slip_x_m[i] - implicit_s * w->vsx_mps[i]);
    double uy = keep_y * (s->slip_y_m[i] - implicit_s * w->vsy_mps[i]);
    w->kappa[i] = ux / w->relax_x_m[i] - damp_x * w->vsx_mps[i];
    w->tan_alpha[i] = -uy / w->relax_y_m[i] + damp_y * w->vsy_mps[i];
    return w->rolling_m[i] * (implicit_s * keep_x / w->relax_x_m[i] + damp_x);
}

void lumped15_contact(const struct lumped15_model *m, const struct lumped15_state *s,
                      const struct ground *ground, double implicit_s, double step_s,
                      struct work *w)
{
    struct tyre_in in;
    struct tyre_grip grip;
    for (int i = 0; i < WHEELS; i++)
        wheel_on_ground(m, s, i, ground, w);
    loads(m, s, w);
    memcpy(in.load_N, w->load_N, sizeof in.load_N);
    memcpy(in.gamma_rad, w->gamma_rad, sizeof in.gamma_rad);
    memcpy(in.vx_mps, w->vx_mps, sizeof in.vx_mps);
    memcpy(in.pressure_Pa, m->inflation_Pa, sizeof in.pressure_Pa);
    memcpy(in.friction, w->friction, sizeof in.friction);
    tyre_grip(&m->tyres, &in, &grip);
    double per_spin[WHEELS];
    double leak_max_1ps = implicit_s > 0.0 ? 1e9 : 1.0 / step_s;
    for (int i = 0; i < WHEELS; i++) {
        leaks(m, s, i, &grip, step_s, leak_max_1ps, w);
        per_spin[i] = slips(m, s, i, implicit_s, w);
    }
    memcpy(in.kappa, w->kappa, sizeof in.kappa);
    memcpy(in.tan_alpha, w->tan_alpha, sizeof in.tan_alpha);
    tyre_forces(&m->tyres, &in, &w->tyre);
    for (int i = 0; i < WHEELS; i++) {
        double slope = w->tyre.slope_x_N[i];
        w->grip_Nspr[i] = implicit_s > 0.0 && slope > 0.0 ? slope * per_spin[i] : 0.0;
    }
}
