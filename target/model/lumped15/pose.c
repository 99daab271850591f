/* Where everything is and how it moves: body frame, hubs, carriers. docs/model.md (K-1) to (K-6) */
#include "target/model/lumped15/work.h"
#include "target/model/math/vecmath.h"

static struct vec3 hub_part(const double *f)
{
    return v3(f[KIN_HUB_X], f[KIN_HUB_Y], f[KIN_HUB_Z]);
}

/* Rotation rate of the carrier Rz(toe) Rx(camber) Ry(pitch) per unit of one coordinate. */
static struct vec3 turn(const double *f, double sin_toe, double cos_toe, struct vec3 axis)
{
    struct vec3 r = v3(f[KIN_CAMBER] * cos_toe, f[KIN_CAMBER] * sin_toe, f[KIN_TOE]);
    return v3_madd(r, f[KIN_PITCH], axis);
}

static void corner_map(const struct lumped15_state *s, int i, const struct kinematics_out *k,
                       struct corner *c)
{
    double z = s->travel_mps[i], r = s->rack_mps;
    c->hub = hub_part(k->f);
    c->hub_z = hub_part(k->fz);
    c->hub_s = hub_part(k->fs);
    c->curve_mps2 = v3_madd(v3_madd(v3_scale(z * z, hub_part(k->fzz)), 2.0 * z * r, hub_part(k->fzs)),
                            r * r, hub_part(k->fss));
    c->spring_m = k->f[KIN_SPRING];
    c->spring_z = k->fz[KIN_SPRING];
    c->spring_s = k->fs[KIN_SPRING];
    c->damper_z = k->fz[KIN_DAMPER];
    c->damper_s = k->fs[KIN_DAMPER];
    c->toe_rad = k->f[KIN_TOE];
    c->camber_rad = k->f[KIN_CAMBER];
}

static void corner_motion(const struct lumped15_state *s, int i, struct work *w)
{
    struct corner *c = &w->c[i];
    struct vec3 v = v3_add(w->vel, v3_cross(w->rate, c->hub));
    v = v3_madd(v, s->travel_mps[i], c->hub_z);
    c->hub_mps = v3_madd(v, s->rack_mps, c->hub_s);
    c->carrier_radps =
        v3_madd(v3_madd(w->rate, s->travel_mps[i], c->turn_z), s->rack_mps, c->turn_s);
}

void lumped15_pose(const struct lumped15_model *m, const struct lumped15_state *s, struct work *w)
{
    struct kinematics_out k[WHEELS];
    double toe[WHEELS], camber[WHEELS], st[WHEELS], ct[WHEELS], sc[WHEELS], cc[WHEELS];

    w->R = quat_matrix(quat_of(s->quat));
    w->vel = m3_tmul(&w->R, vec3_of(s->vel_mps));
    w->rate = vec3_of(s->rate_radps);
    w->gravity = v3_scale(-m->gravity_mps2, w->R.r2);
    for (int i = 0; i < WHEELS; i++) {
        double side = i == FL || i == RL ? 1.0 : -1.0;
        kinematics_at(&m->axle[i < RL ? FRONT : REAR].kin, s->travel_m[i], s->rack_m, side, &k[i]);
        toe[i] = k[i].f[KIN_TOE];
        camber[i] = k[i].f[KIN_CAMBER];
    }
    vm_sincos4(toe, st, ct);
    vm_sincos4(camber, sc, cc);
    for (int i = 0; i < WHEELS; i++) {
        struct corner *c = &w->c[i];
        corner_map(s, i, &k[i], c);
        c->axis = v3(-st[i] * cc[i], ct[i] * cc[i], sc[i]);
        c->turn_z = turn(k[i].fz, st[i], ct[i], c->axis);
        c->turn_s = turn(k[i].fs, st[i], ct[i], c->axis);
        corner_motion(s, i, w);
    }
}
