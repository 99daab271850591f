/* Corners, slips and tyre forces. docs/two-track.md (P-4), (P-13) to (P-15); docs/model.md (C-6) to
 * (C-9) */
#ifndef SKIDPAD_TWO_TRACK_KERNEL_CONTACT_H
#define SKIDPAD_TWO_TRACK_KERNEL_CONTACT_H

#include "target/model/math/scalar.h"
#include "target/model/math/v4_fast.h"
#include "target/model/two_track/work.h"

/* Where the wheels are and how they are turned: steering, dive, roll. (P-4), (P-13) */
V4_INLINE void contact_corners(const struct two_track_model *m, const struct two_track_state *s,
                               struct work *w)
{
    const struct two_track_steer *t = &m->steer;
    double place = (s->rack_m + t->end_m) * t->per_1pm;
    int cell = (int)between(place, 0.0, (double)(TRACK_POINTS - 2));
    double share = place - (double)cell;
    v4 f[TRACK_QUANTITIES];
    _Pragma("GCC unroll 12") for (int q = 0; q < TRACK_QUANTITIES; q++)
    {
        v4 here = v4_load(t->point[cell][q]), next = v4_load(t->point[cell + 1][q]);
        f[q] = here + share * (next - here);
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
    w->hub_s = w3(f[TRACK_HUB_XS], f[TRACK_HUB_YS], f[TRACK_HUB_ZS]);
    w->toe_s = f[TRACK_TOE_S];
    w->camber_s = f[TRACK_CAMBER_S];
    w->pitch_s = f[TRACK_PITCH_S];
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
