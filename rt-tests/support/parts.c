#include "rt-tests/support/parts.h"

#include <math.h>
#include <string.h>

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void apply(const double m[3][3], const double a[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = dot(m[i], a);
}

static void product(const double a[3][3], const double b[3][3], double out[3][3])
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            out[i][k] = a[i][0] * b[0][k] + a[i][1] * b[1][k] + a[i][2] * b[2][k];
}

/* Turn by angle about one of the axes 0, 1, 2. */
static void turn_about(int axis, double angle, double out[3][3])
{
    int j = (axis + 1) % 3, k = (axis + 2) % 3;
    memset(out, 0, sizeof(double[3][3]));
    out[axis][axis] = 1.0;
    out[j][j] = out[k][k] = cos(angle);
    out[k][j] = sin(angle);
    out[j][k] = -sin(angle);
}

/* Columns are the body's axes, each turned by v + 2 w (u x v) + 2 u x (u x v), q = (w, u). */
static void body_turn(const double quat[4], double out[3][3])
{
    double norm = sqrt(quat[0] * quat[0] + dot(quat + 1, quat + 1));
    double w = quat[0] / norm, u[3] = {quat[1] / norm, quat[2] / norm, quat[3] / norm};
    for (int k = 0; k < 3; k++) {
        double v[3] = {k == 0, k == 1, k == 2}, once[3], twice[3];
        cross(u, v, once);
        cross(u, once, twice);
        for (int i = 0; i < 3; i++)
            out[i][k] = v[i] + 2.0 * w * once[i] + 2.0 * twice[i];
    }
}

static void hub_of(const struct testcar *c, const struct lumped15_state *s, int i, struct parts *p)
{
    double at[3], rate[3], spun[3], toe[3][3], camber[3][3], pitch[3][3], both[3][3], all[3][3];
    for (int k = 0; k < 3; k++) {
        struct testcar_value v = testcar_at(c, i, KIN_HUB_X + k, s->travel_m[i], s->rack_m);
        at[k] = v.f;
        rate[k] = v.z * s->travel_mps[i] + v.s * s->rack_mps;
    }
    cross(s->rate_radps, at, spun);
    for (int k = 0; k < 3; k++)
        rate[k] += spun[k];
    apply(p->turn, at, p->hub_m[i]);
    apply(p->turn, rate, p->hub_mps[i]);
    for (int k = 0; k < 3; k++) {
        p->hub_m[i][k] += s->pos_m[k];
        p->hub_mps[i][k] += s->vel_mps[k];
    }
    turn_about(2, testcar_at(c, i, KIN_TOE, s->travel_m[i], s->rack_m).f, toe);
    turn_about(0, testcar_at(c, i, KIN_CAMBER, s->travel_m[i], s->rack_m).f, camber);
    turn_about(1, testcar_at(c, i, KIN_PITCH, s->travel_m[i], s->rack_m).f, pitch);
    product(toe, camber, both);
    product(both, pitch, all);
    product(p->turn, all, p->carrier[i]);
    double spin = c->axle[i < RL ? FRONT : REAR].wheel_kgm2 * s->spin_radps[i];
    for (int k = 0; k < 3; k++)
        p->wheel_kgm2ps[i][k] = spin * p->carrier[i][k][1];
}

static double transverse_kgm2(const struct testcar *c)
{
    return 2.0 * (c->axle[FRONT].transverse_kgm2 + c->axle[REAR].transverse_kgm2);
}

static void inertia_mul(const struct testcar *c, const double w[3], double out[3])
{
    const double *I = c->inertia_kgm2;
    double more = transverse_kgm2(c);
    out[0] = (I[0] + more) * w[0] + I[3] * w[1] + I[4] * w[2];
    out[1] = I[3] * w[0] + I[1] * w[1] + I[5] * w[2];
    out[2] = I[4] * w[0] + I[5] * w[1] + (I[2] + more) * w[2];
}

void parts_of(const struct testcar *c, const struct lumped15_state *s, struct parts *p)
{
    double spun[3], turned[3];
    body_turn(s->quat, p->turn);
    cross(s->rate_radps, c->cg_m, spun);
    apply(p->turn, c->cg_m, p->cg_m);
    apply(p->turn, spun, p->cg_mps);
    for (int k = 0; k < 3; k++) {
        p->cg_m[k] += s->pos_m[k];
        p->cg_mps[k] += s->vel_mps[k];
    }
    apply(p->turn, s->rate_radps, p->rate_radps);
    inertia_mul(c, s->rate_radps, turned);
    apply(p->turn, turned, p->spin_kgm2ps);
    for (int i = 0; i < WHEELS; i++)
        hub_of(c, s, i, p);
}

double parts_mass_kg(const struct testcar *c)
{
    return c->sprung_kg + 2.0 * (c->axle[FRONT].unsprung_kg + c->axle[REAR].unsprung_kg);
}

/* The wheel's axis turns about z by toe, and by pitch as far as it leans. */
double parts_rack_kg(const struct testcar *c)
{
    struct testcar_value toe = testcar_at(c, FL, KIN_TOE, 0.0, 0.0);
    struct testcar_value camber = testcar_at(c, FL, KIN_CAMBER, 0.0, 0.0);
    struct testcar_value pitch = testcar_at(c, FL, KIN_PITCH, 0.0, 0.0);
    double turn = toe.s + pitch.s * sin(camber.f);
    return c->rack_kg + 2.0 * c->axle[FRONT].transverse_kgm2 * turn * turn;
}

static double kinetic_J(const struct testcar *c, const struct lumped15_state *s,
                        const struct parts *p)
{
    double twice = c->sprung_kg * dot(p->cg_mps, p->cg_mps) + dot(p->rate_radps, p->spin_kgm2ps);
    for (int i = 0; i < WHEELS; i++) {
        const struct testcar_axle *a = &c->axle[i < RL ? FRONT : REAR];
        twice += a->unsprung_kg * dot(p->hub_mps[i], p->hub_mps[i]);
        twice += a->wheel_kgm2 * s->spin_radps[i] * s->spin_radps[i];
    }
    twice += parts_rack_kg(c) * s->rack_mps * s->rack_mps;
    return 0.5 * (twice + c->hand_kgm2 * s->hand_radps * s->hand_radps);
}

/* Load = F0 (q1 x / R + q2 (x / R)^2), with the stiffness of the file at F0: the slope there is
 * F0 / R sqrt(q1^2 + 4 q2). */
static double tyre_J(const struct testcar_tyre *t, const double hub_m[3], const double axis[3])
{
    double radius_m = hub_m[2] / sqrt(1.0 - axis[2] * axis[2]);
    double x = (t->radius_m - radius_m) / t->radius_m;
    double slope = t->stiffness_Npm * t->radius_m / t->load0_N;
    double q1 = sqrt(slope * slope - 4.0 * t->bend);
    return x > 0.0 ? t->load0_N * t->radius_m * (q1 * x * x / 2.0 + t->bend * x * x * x / 3.0)
                   : 0.0;
}

static double beyond(double x, double limit)
{
    return x > limit ? x - limit : x < -limit ? x + limit : 0.0;
}

static double elastic_J(const struct testcar *c, const struct lumped15_state *s,
                        const struct parts *p, const double free_m[AXLES])
{
    double twice = 0.0, tyres = 0.0;
    for (int i = 0; i < WHEELS; i++) {
        int axle = i < RL ? FRONT : REAR;
        const struct testcar_axle *a = &c->axle[axle];
        double length = testcar_at(c, i, KIN_SPRING, s->travel_m[i], s->rack_m).f;
        double squeeze = free_m[axle] - length, over = beyond(s->travel_m[i], a->stop_m);
        double axis[3] = {p->carrier[i][0][1], p->carrier[i][1][1], p->carrier[i][2][1]};
        twice += a->spring_Npm * squeeze * squeeze + a->stop_Npm * over * over;
        tyres += tyre_J(&c->tyre, p->hub_m[i], axis);
    }
    double f = s->travel_m[FL] - s->travel_m[FR], r = s->travel_m[RL] - s->travel_m[RR];
    twice += c->axle[FRONT].bar_Npm * f * f + c->axle[REAR].bar_Npm * r * r;
    double over = beyond(s->rack_m, c->rack_stop_m);
    twice += c->rack_stop_Npm * over * over;
    double twist = s->hand_rad - s->rack_m / c->pinion_mprad;
    return tyres + 0.5 * (twice + c->column_Nmprad * twist * twist);
}

struct parts_energy parts_energy(const struct testcar *c, const struct lumped15_state *s,
                                 const double free_m[AXLES])
{
    struct parts p;
    parts_of(c, s, &p);
    double weight = c->sprung_kg * p.cg_m[2];
    for (int i = 0; i < WHEELS; i++)
        weight += c->axle[i < RL ? FRONT : REAR].unsprung_kg * p.hub_m[i][2];
    return (struct parts_energy){.kinetic_J = kinetic_J(c, s, &p),
                                 .gravity_J = c->gravity_mps2 * weight,
                                 .elastic_J = elastic_J(c, s, &p, free_m)};
}

void parts_momentum(const struct testcar *c, const struct parts *p, double linear[3],
                    double centre_m[3], double angular[3])
{
    double mass = parts_mass_kg(c);
    for (int k = 0; k < 3; k++) {
        linear[k] = c->sprung_kg * p->cg_mps[k];
        centre_m[k] = c->sprung_kg * p->cg_m[k] / mass;
        angular[k] = p->spin_kgm2ps[k];
    }
    for (int i = 0; i < WHEELS; i++)
        for (int k = 0; k < 3; k++) {
            double part_kg = c->axle[i < RL ? FRONT : REAR].unsprung_kg;
            linear[k] += part_kg * p->hub_mps[i][k];
            centre_m[k] += part_kg * p->hub_m[i][k] / mass;
            angular[k] += p->wheel_kgm2ps[i][k];
        }
    for (int i = -1; i < WHEELS; i++) {
        const double *at = i < 0 ? p->cg_m : p->hub_m[i], *v = i < 0 ? p->cg_mps : p->hub_mps[i];
        double part_kg = i < 0 ? c->sprung_kg : c->axle[i < RL ? FRONT : REAR].unsprung_kg;
        double arm[3] = {at[0] - centre_m[0], at[1] - centre_m[1], at[2] - centre_m[2]}, turn[3];
        cross(arm, v, turn);
        for (int k = 0; k < 3; k++)
            angular[k] += part_kg * turn[k];
    }
}
