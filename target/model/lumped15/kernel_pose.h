/* Where everything is and how it moves: body frame, hubs, carriers. docs/model.md (K-1) to (K-6) */
#ifndef SKIDPAD_LUMPED15_KERNEL_POSE_H
#define SKIDPAD_LUMPED15_KERNEL_POSE_H

#include "target/model/kinematics_kernel.h"
#include "target/model/lumped15/work.h"
#include "target/model/math/v4_fast.h"

/* What the four corners' maps give, one lane a wheel, right side mirrored. */
struct maps {
    v4 f[KIN_QUANTITIES], fz[KIN_QUANTITIES], fs[KIN_QUANTITIES], curve[4];
};

/* Block `block` of all wheels, turned from one value a wheel to one lane a wheel. */
#define LUMPED15_LANES(out, k, part)                                                               \
    do {                                                                                           \
        (out)[0] = (k)[FL].part;                                                                   \
        (out)[1] = (k)[FR].part;                                                                   \
        (out)[2] = (k)[RL].part;                                                                   \
        (out)[3] = (k)[RR].part;                                                                   \
        v4_transpose(&(out)[0], &(out)[1], &(out)[2], &(out)[3]);                                  \
    } while (0)

V4_INLINE void pose_maps(const struct lumped15_model *m, const struct lumped15_state *s,
                         struct maps *o)
{
    static const double sides[WHEELS] = {1.0, -1.0, 1.0, -1.0};
    static const int odd[3] = {KIN_HUB_Y, KIN_TOE, KIN_CAMBER};
    const struct kinematics_model *front = &m->axle[FRONT].kin, *rear = &m->axle[REAR].kin;
    struct kin_grid travel = kin_travel_grid(front, rear), rack = kin_rack_grid(front);
    struct kin_place at_travel, at_rack;
    struct kin_blocks k[WHEELS];
    v4 curve[WHEELS], side = v4_load(sides);
    kin_find(v4_load(s->travel_m), &travel, &at_travel);
    kin_find(side * s->rack_m, &rack, &at_rack);
    for (int i = 0; i < WHEELS; i++) {
        kin_blocks_at(i < RL ? front : rear, &at_travel, &at_rack, i, &k[i]);
        double z = s->travel_mps[i], r = sides[i] * s->rack_mps;
        curve[i] = z * z * k[i].fzz + 2.0 * z * r * k[i].fzs[KIN_GUIDE] + r * r * k[i].fss;
    }
    for (int b = 0; b < KIN_BLOCKS; b++) {
        LUMPED15_LANES(&o->f[4 * b], k, f[b]);
        LUMPED15_LANES(&o->fz[4 * b], k, fz[b]);
        LUMPED15_LANES(&o->fs[4 * b], k, fs[b]);
    }
    v4_transpose(&curve[0], &curve[1], &curve[2], &curve[3]);
    for (int q = 0; q < 4; q++)
        o->curve[q] = curve[q];
    o->curve[KIN_HUB_Y] *= side;
    for (int q = 0; q < KIN_QUANTITIES; q++)
        o->fs[q] *= side;
    for (int n = 0; n < 3; n++) {
        o->f[odd[n]] *= side;
        o->fz[odd[n]] *= side;
        o->fs[odd[n]] *= side;
    }
}

/* (K-3): rotation of the carrier Rz(toe) Rx(camber) Ry(pitch) per unit of one coordinate. */
V4_INLINE struct v4x3 pose_turn(const v4 *f, v4 sin_toe, v4 cos_toe, struct v4x3 axis)
{
    struct v4x3 r = w3(f[KIN_CAMBER] * cos_toe, f[KIN_CAMBER] * sin_toe, f[KIN_TOE]);
    return w3_madd(r, f[KIN_PITCH], axis);
}

V4_INLINE void kernel_pose(const struct lumped15_model *m, const struct lumped15_state *s,
                           struct work *w)
{
    struct maps k;
    pose_maps(m, s, &k);
    v4 toe = k.f[KIN_TOE], camber = k.f[KIN_CAMBER];
    v4 st = v4_fast_sin(toe), ct = v4_fast_cos(toe);
    v4 sc = v4_fast_sin(camber), cc = v4_fast_cos(camber);

    w->R = quat_matrix(quat_of(s->quat));
    w->vel = m3_tmul(&w->R, vec3_of(s->vel_mps));
    w->rate = vec3_of(s->rate_radps);
    w->gravity = v3_scale(-m->gravity_mps2, w->R.r2);
    w->hub = w3(k.f[KIN_HUB_X], k.f[KIN_HUB_Y], k.f[KIN_HUB_Z]);
    w->hub_z = w3(k.fz[KIN_HUB_X], k.fz[KIN_HUB_Y], k.fz[KIN_HUB_Z]);
    w->hub_s = w3(k.fs[KIN_HUB_X], k.fs[KIN_HUB_Y], k.fs[KIN_HUB_Z]);
    w->curve_mps2 = w3(k.curve[KIN_HUB_X], k.curve[KIN_HUB_Y], k.curve[KIN_HUB_Z]);
    w->axis = w3(-st * cc, ct * cc, sc);
    w->turn_z = pose_turn(k.fz, st, ct, w->axis);
    w->turn_s = pose_turn(k.fs, st, ct, w->axis);
    w->toe_rad = toe;
    w->camber_rad = camber;
    w->spring_m = k.f[KIN_SPRING];
    w->spring_z = k.fz[KIN_SPRING];
    w->spring_s = k.fs[KIN_SPRING];
    w->damper_z = k.fz[KIN_DAMPER];
    w->damper_s = k.fs[KIN_DAMPER];

    v4 z = v4_load(s->travel_mps), r = v4_all(s->rack_mps);
    struct v4x3 rate = w3_all(w->rate);
    struct v4x3 v = w3_add(w3_all(w->vel), w3_cross(rate, w->hub));
    w->hub_mps = w3_madd(w3_madd(v, z, w->hub_z), r, w->hub_s);
    w->carrier_radps = w3_madd(w3_madd(rate, z, w->turn_z), r, w->turn_s);
}

#endif
