/* Corners, slips and tyre forces. docs/two-track.md (P-4), (P-13) to (P-15); docs/model.md (C-6) to
 * (C-9) */
#ifndef SKIDPAD_TWO_TRACK_KERNEL_CONTACT_H
#define SKIDPAD_TWO_TRACK_KERNEL_CONTACT_H

#include "target/model/math/scalar.h"
#include "target/model/math/v4_fast.h"
#include "target/model/two_track/work.h"

/* (P-4): a front corner over the rack, as the left side sees it: values and slopes of two blocks.
 * Beyond the table it goes on linearly. */
V4_INLINE void corner_blocks(const struct two_track_steer *t, double rack_m, v4 f[2], v4 fs[2])
{
    double last = (double)(t->points - 1), place = (rack_m - t->rack0_m) * t->rack_per_1pm;
    double inside = between(place, 0.0, last), out_m = (place - inside) * t->rack_step_m;
    int cell = (int)inside < t->points - 1 ? (int)inside : t->points - 2;
    double x = inside - (double)cell, u = 1.0 - x, xx = x * x, uu = u * u;
    double half = 0.5 * t->rack_per_1pm;
    /* Weights of the four coefficients around it, and their slopes. */
    double b0 = uu * u * (1.0 / 6.0), b1 = (4.0 + xx * (3.0 * x - 6.0)) * (1.0 / 6.0);
    double b2 = (4.0 + uu * (3.0 * u - 6.0)) * (1.0 / 6.0), b3 = xx * x * (1.0 / 6.0);
    double s0 = -half * uu, s1 = half * x * (3.0 * x - 4.0);
    double s2 = -half * u * (3.0 * u - 4.0), s3 = half * xx;
    _Pragma("GCC unroll 2") for (int k = 0; k < 2; k++)
    {
        const double *c = &t->coef[cell][4 * k];
        v4 c0 = v4_load(c), c1 = v4_load(c + TRACK_QUANTITIES);
        v4 c2 = v4_load(c + 2 * TRACK_QUANTITIES), c3 = v4_load(c + 3 * TRACK_QUANTITIES);
        fs[k] = (s0 * c0 + s1 * c1) + (s2 * c2 + s3 * c3);
        f[k] = (b0 * c0 + b1 * c1) + (b2 * c2 + b3 * c3) + out_m * fs[k];
    }
}

/* Where the wheels are and how they are turned: steering, roll, (P-13). */
V4_INLINE void contact_corners(const struct two_track_model *m, const struct two_track_state *s,
                               struct work *w)
{
    /* The mirror image: these change their sign, and so does every slope over the rack. */
    const v4 odd[2] = {{1.0, -1.0, 1.0, -1.0}, {-1.0, 1.0, -1.0, -1.0}};
    const v4 zero = v4_all(0.0);
    v4 l[2], ls[2], r[2], rs[2];
    corner_blocks(&m->steer, s->rack_m, l, ls);
    corner_blocks(&m->steer, -s->rack_m, r, rs);
    v4 f[TRACK_QUANTITIES], fs[TRACK_QUANTITIES];
    for (int b = 0; b < 2; b++) {
        v4 *q = &f[4 * b], *qs = &fs[4 * b];
        q[0] = l[b];
        q[1] = odd[b] * r[b];
        q[2] = v4_load(&m->rear[0][4 * b]);
        q[3] = v4_load(&m->rear[1][4 * b]);
        qs[0] = ls[b];
        qs[1] = -odd[b] * rs[b];
        qs[2] = qs[3] = zero;
        v4_transpose(&q[0], &q[1], &q[2], &q[3]);
        v4_transpose(&qs[0], &qs[1], &qs[2], &qs[3]);
    }
    double df = w->dive_m[FRONT], lf = w->lean_m[FRONT];
    double dr = w->dive_m[REAR], lr = w->lean_m[REAR];
    v4 z = {df - lf, df + lf, dr - lr, dr + lr};
    w->travel_m = z;
    w->toe_rad = f[TRACK_TOE] + z * f[TRACK_TOE_Z];
    w->camber_rad = f[TRACK_CAMBER] + z * f[TRACK_CAMBER_Z];
    w->gamma_rad = w->camber_rad + w->roll_rad;
    w->hub.x = f[TRACK_HUB_X] - m->cg_m.x;
    w->hub.y = f[TRACK_HUB_Y] - m->cg_m.y;
    w->hub_s = w3(fs[TRACK_HUB_X], fs[TRACK_HUB_Y], fs[TRACK_HUB_Z]);
    w->toe_s = fs[TRACK_TOE];
    w->camber_s = fs[TRACK_CAMBER];
    w->pitch_s = fs[TRACK_PITCH];
    w->sin_toe = v4_fast_sin(w->toe_rad);
    w->cos_toe = v4_fast_cos(w->toe_rad);
}

/* (P-14): speeds of the contact points. */
V4_INLINE void contact_speeds(const struct two_track_model *m, const struct two_track_state *s,
                              struct work *w)
{
    double loaded_m[WHEELS], rolling_m[WHEELS];
    tyre_radii(&m->tyres, w->tyre_in.load_N, s->spin_radps, m->inflation_Pa, loaded_m, rolling_m);
    w->radius_m = v4_load(loaded_m);
    w->hub.z = w->radius_m;
    w->place_y_m = w->hub.y + w->radius_m * w->camber_rad + m->height_m * w->roll_rad;
    v4 ux = w->vx_mps - s->yaw_radps * w->place_y_m, uy = w->vy_mps + s->yaw_radps * w->hub.x;
    w->slip.rolling_m = v4_load(rolling_m);
    w->slip.vx_mps = w->cos_toe * ux + w->sin_toe * uy;
    w->slip.vsy_mps = w->cos_toe * uy - w->sin_toe * ux;
    w->slip.vsx_mps = w->slip.vx_mps - w->slip.rolling_m * v4_load(s->spin_radps);
    v4_store(w->tyre_in.gamma_rad, w->gamma_rad);
    v4_store(w->tyre_in.vx_mps, w->slip.vx_mps);
    memcpy(w->tyre_in.pressure_Pa, m->inflation_Pa, sizeof w->tyre_in.pressure_Pa);
}

V4_INLINE void kernel_contact(const struct two_track_model *m, const struct two_track_state *s,
                              double implicit_s, double step_s, struct work *w)
{
    struct tyre_grip grip;
    struct tyre_set mixed;
    v4 zero = v4_all(0.0);
    contact_corners(m, s, w);
    contact_speeds(m, s, w);
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
