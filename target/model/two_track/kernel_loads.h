/* The car on its plane: axes, gravity, air, and the loads that follow from the forces of the last
 * step. docs/two-track.md (P-1) to (P-12) */
#ifndef SKIDPAD_TWO_TRACK_KERNEL_LOADS_H
#define SKIDPAD_TWO_TRACK_KERNEL_LOADS_H

#include "target/model/math/scalar.h"
#include "target/model/two_track/work.h"

/* (P-1): axes of a plane from its normal, by the shortest turn from level. */
V4_INLINE void loads_plane(struct vec3 n, struct vec3 *first, struct vec3 *second)
{
    double k = 1.0 / (1.0 + n.z);
    *first = v3(1.0 - k * n.x * n.x, -k * n.x * n.y, -n.x);
    *second = v3(-k * n.x * n.y, 1.0 - k * n.y * n.y, -n.y);
}

/* The plane under the car, its axes, and the friction under the wheels. These are looked for as if
 * the plane were level: on one of 10 % that is 5 mm beside the place. */
V4_INLINE void loads_ground(const struct two_track_model *m, const struct two_track_state *s,
                            const struct ground *ground, struct work *w)
{
    double a = s->heading[0], b = s->heading[1], cosine = a * a - b * b, sine = 2.0 * a * b;
    v4 px = v4_load(m->place_x_m), py = v4_load(m->place_y_m);
    double x[WHEELS], y[WHEELS];
    v4_store(x, s->pos_m[0] + cosine * px - sine * py);
    v4_store(y, s->pos_m[1] + sine * px + cosine * py);
    struct ground_point g;
    for (int i = WHEELS - 1; i >= FL; i--) {
        ground->query(ground->road, x[i], y[i], &g);
        w->friction[i] = g.friction;
        w->weather[i] = g.weather;
    }
    struct vec3 n = vec3_of(g.normal);
    w->normal = n;
    w->offset_m = v3_dot(n, v3(x[FL], y[FL], g.z_m));
    loads_plane(n, &w->first, &w->second);
    w->ahead = v3_madd(v3_scale(cosine, w->first), sine, w->second);
    w->left = v3_madd(v3_scale(-sine, w->first), cosine, w->second);
    w->vx_mps = cosine * s->vel_mps[0] + sine * s->vel_mps[1];
    w->vy_mps = cosine * s->vel_mps[1] - sine * s->vel_mps[0];
}

/* (P-2), (P-3): what acts besides the tyres. */
V4_INLINE void loads_body(const struct two_track_model *m, const struct two_track_state *s,
                          const struct plant_in *in, struct work *w)
{
    const struct mat3 H = {w->ahead, w->left, w->normal}; /* world to car */
    double r = s->yaw_radps;
    /* The air meets the body's origin, as in the other models. */
    struct vec3 origin_mps = v3(w->vx_mps + r * m->cg_m.y, w->vy_mps - r * m->cg_m.x, 0.0), air_Nm;
    aero_force(&m->aero, v3_sub(m3_mul(&H, vec3_of(in->wind_mps)), origin_mps), &w->aero_N,
               &air_Nm);
    struct vec3 push = m3_mul(&H, vec3_of(in->push_N));
    struct vec3 weight =
        v3_scale(-m->total_kg * m->gravity_mps2, v3(w->ahead.z, w->left.z, w->normal.z));
    w->force_N = v3_add(v3_add(weight, push), w->aero_N);
    w->moment_Nm = v3_sub(air_Nm, v3_cross(m->cg_m, w->aero_N));
    w->moment_Nm = v3_add(w->moment_Nm, v3_cross(v3_sub(m->sprung_cg_m, m->cg_m), push));
}

/* (P-12): the roll moment that an axle can carry ends where its inner wheel leaves the ground; the
 * other one takes what is left. */
V4_INLINE void loads_limit(const struct two_track_model *m, const double axle_N[AXLES],
                           double roll_Nm[AXLES], struct work *w)
{
    double most_f = axle_N[FRONT] / m->axle[FRONT].per_half_1pm;
    double most_r = axle_N[REAR] / m->axle[REAR].per_half_1pm;
    double sum = roll_Nm[FRONT] + roll_Nm[REAR];
    double front = between(roll_Nm[FRONT], -most_f, most_f);
    double rear = between(sum - front, -most_r, most_r);
    double left = between(sum - rear, -most_f, most_f);
    /* What neither can carry tips the car. */
    if (fabs(sum) > most_f + most_r)
        w->lifted = 1;
    roll_Nm[FRONT] = left;
    roll_Nm[REAR] = rear;
}

/* (P-6): how far the axles go down, and the pitch that makes. */
V4_INLINE void loads_dive(const struct two_track_model *m, const struct two_track_carry *c,
                          const double axle_N[AXLES], double along_N, struct work *w)
{
    double down_m[AXLES];
    for (int k = 0; k < AXLES; k++) {
        const struct two_track_axle *a = &m->axle[k];
        double more_N = axle_N[k] - a->load_N;
        w->dive_m[k] =
            a->rate_mpN * (a->lift * more_N + a->slide * (c->along_N[k] - a->unsprung * along_N) +
                           a->turn_1pm * c->brake_Nm[k]);
        down_m[k] = w->dive_m[k] + a->squash_mpN * more_N;
    }
    w->pitch_rad = m->pitch_rad + (down_m[FRONT] - down_m[REAR]) * m->per_base_1pm;
}

/* (P-5), (P-7) to (P-11) */
V4_INLINE void loads_of(const struct two_track_model *m, const struct two_track_carry *c,
                        struct work *w)
{
    const struct two_track_axle *f = &m->axle[FRONT], *r = &m->axle[REAR];
    double all_N = at_least(-w->force_N.z, 0.0), across_N = c->across_N[FRONT] + c->across_N[REAR];
    double along_N = c->along_N[FRONT] + c->along_N[REAR], axle_N[AXLES], roll_Nm[AXLES];
    double pitch_Nm = w->moment_Nm.y - m->height_m * along_N - r->x_m * all_N;
    double wanted_N = pitch_Nm * m->per_base_1pm;
    axle_N[FRONT] = between(wanted_N, 0.0, all_N);
    axle_N[REAR] = all_N - axle_N[FRONT];
    w->lifted = wanted_N < 0.0 || wanted_N > all_N || !(all_N > 0.0);
    loads_dive(m, c, axle_N, along_N, w);

    double moment_Nm = m->height_m * across_N + c->roll_Nm + w->moment_Nm.x - m->cg_m.y * all_N;
    for (int k = 0; k < AXLES; k++)
        roll_Nm[k] = m->axle[k].give *
                     (m->axle[k].geometric_m * c->across_N[k] + m->axle[k].unsprung_m * across_N);
    w->roll_rad = m->roll_radpNm * (moment_Nm - roll_Nm[FRONT] - roll_Nm[REAR]);
    for (int k = 0; k < AXLES; k++) {
        const struct two_track_axle *a = &m->axle[k];
        roll_Nm[k] += a->give * a->stiff_Nmprad * w->roll_rad;
        w->lean_m[k] = a->travel_mprad * (w->roll_rad - a->tyre_1pNm * roll_Nm[k]);
    }
    loads_limit(m, axle_N, roll_Nm, w);
    double df = roll_Nm[FRONT] * f->per_half_1pm, dr = roll_Nm[REAR] * r->per_half_1pm;
    v4 half = {axle_N[FRONT] - df, axle_N[FRONT] + df, axle_N[REAR] - dr, axle_N[REAR] + dr};
    v4_store(w->tyre_in.load_N, v4_max(0.5 * half, v4_all(0.0)));
}

V4_INLINE void kernel_loads(const struct two_track_model *m, const struct two_track_state *s,
                            const struct plant_in *in, const struct ground *ground, struct work *w)
{
    loads_ground(m, s, ground, w);
    loads_body(m, s, in, w);
    loads_of(m, &s->carry, w);
}

#endif
