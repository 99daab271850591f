#include "target/driver/preview.h"

#include "target/model/math/scalar.h"
#include "target/model/math/vecmath.h"

#include <math.h> /* fabs, sqrt only */
#include <string.h>

void preview_reset(struct preview_state *s)
{
    memset(s, 0, sizeof *s);
    s->shift.gear = 1;
}

/* A filter of first order whose output moves no faster than per_s. */
static double follow(double was, double want, double lag_s, double per_s, double dt_s)
{
    double step = (want - was) * dt_s / (lag_s + dt_s);
    return was + between(step, -per_s * dt_s, per_s * dt_s);
}

static void find_place(const struct preview_model *m, struct preview_state *s,
                       const struct plant_out *now)
{
    double along_m =
        path_nearest(m->path, now->pos_m[0], now->pos_m[1], &s->car_piece, &s->offset_m);
    s->along_m = path_unwrap(m->path, along_m, s->along_m);
}

/* (D-12): how far ahead the middle point is. */
static void look_ahead(const struct preview_model *m, struct preview_state *s,
                       const struct plant_out *now, double speed_mps, double dt_s)
{
    const struct preview_settings *g = &m->set;
    struct path_point here, ahead;
    int32_t piece = s->car_piece;
    path_at(m->path, s->along_m, &piece, &here);
    path_at(m->path, s->along_m + s->distance_m, &s->piece[PREVIEW_MIDDLE], &ahead);
    double bend_1pm = at_least(fabs(here.at.curvature_1pm), fabs(ahead.at.curvature_1pm));
    double want_m = g->middle_s * speed_mps + g->per_offset * fabs(s->offset_m) -
                    g->per_curvature_m2 * bend_1pm - g->per_yaw_rate_ms * fabs(now->rate_radps[2]);
    want_m = between(want_m, g->least_m, g->most_m);
    if (!s->is_started)
        s->distance_m = want_m;
    double most_m = g->distance_mps * dt_s;
    s->distance_m += between(want_m - s->distance_m, -most_m, most_m);
}

/* (D-13), (D-14): the arc that leads from here, in the direction of travel, through the point, and
 * the hand wheel that drives it. */
static double steer_to(const struct preview_model *m, const struct plant_out *now, double x_m,
                       double y_m, double speed_mps)
{
    double sine, cosine, dx = x_m - now->pos_m[0], dy = y_m - now->pos_m[1];
    double course_rad =
        now->yaw_rad + vm_atan2(now->vel_mps[1], at_least(fabs(now->vel_mps[0]), 2.0));
    vm_sincos(course_rad, &sine, &cosine);
    double left_m = cosine * dy - sine * dx;
    double bend_1pm = 2.0 * left_m / at_least(dx * dx + dy * dy, 1.0);
    double per_bend_m = m->base_m + m->understeer_s2pm * speed_mps * speed_mps;
    double missing_1pm = bend_1pm - now->rate_radps[2] / at_least(speed_mps, 3.0);
    return steering_inverse_at(&m->car->steering,
                               per_bend_m * (bend_1pm + m->set.yaw_feedback * missing_1pm));
}

/* (D-15): the acceleration wanted, from the near point by PI, corrected by the far one. */
static double speed_control(const struct preview_model *m, struct preview_state *s,
                            const struct path_point *near, const struct path_point *far,
                            double far_m, double speed_mps, double dt_s)
{
    const struct preview_settings *g = &m->set;
    double error_mps = near->speed_mps - speed_mps;
    double coming_mps2 = (far->speed_mps * far->speed_mps - speed_mps * speed_mps) / (2.0 * far_m);
    s->mode = coming_mps2 < -g->mode_mps2 ? -1 : coming_mps2 > g->mode_mps2 ? 1 : 0;
    /* What has been gathered for the other pedal is forgotten. */
    if (s->mode * s->integral_mps2 < 0.0)
        s->integral_mps2 = 0.0;
    double want_mps2 = g->speed_1ps * error_mps + s->integral_mps2;
    if (s->mode)
        want_mps2 += g->mode_gain * coming_mps2;
    double held_mps2 =
        between(want_mps2, s->mode > 0 ? 0.0 : -g->brake_mps2, s->mode < 0 ? 0.0 : g->drive_mps2);
    bool winds_up = (want_mps2 - held_mps2) * error_mps > 0.0;
    if (!winds_up)
        s->integral_mps2 += g->speed_1ps2 * error_mps * dt_s;
    return held_mps2;
}

/* (D-16): feet. */
static void move_feet(const struct preview_model *m, struct preview_state *s, double want_mps2,
                      double dt_s)
{
    const struct preview_settings *g = &m->set;
    double throttle = clamp01(want_mps2 / g->drive_mps2);
    double brake = clamp01(-want_mps2 * m->brake_per_mps2);
    s->throttle = follow(s->throttle, throttle, g->pedal_lag_s, g->pedal_1ps, dt_s);
    s->brake = follow(s->brake, brake, g->pedal_lag_s, g->pedal_1ps, dt_s);
}

void preview_step(const struct preview_model *m, struct preview_state *s,
                  const struct plant_out *now, double dt_s, struct plant_in *in)
{
    const struct preview_settings *g = &m->set;
    double speed_mps = sqrt(now->vel_mps[0] * now->vel_mps[0] + now->vel_mps[1] * now->vel_mps[1]);
    find_place(m, s, now);
    look_ahead(m, s, now, speed_mps, dt_s);
    if (!s->is_started)
        s->hand_rad = now->hand_wheel_rad;
    s->is_started = 1;

    struct path_point at[PREVIEW_POINTS];
    const double ahead_m[PREVIEW_POINTS] = {at_least(g->near_s * speed_mps, 0.5), s->distance_m,
                                            at_least(g->far_s * speed_mps, 3.0)};
    for (int i = 0; i < PREVIEW_POINTS; i++)
        path_at(m->path, s->along_m + ahead_m[i], &s->piece[i], &at[i]);
    double x_m = at[PREVIEW_MIDDLE].at.x_m, y_m = at[PREVIEW_MIDDLE].at.y_m;
    if (g->average) {
        x_m = (at[0].at.x_m + at[1].at.x_m + at[2].at.x_m) / 3.0;
        y_m = (at[0].at.y_m + at[1].at.y_m + at[2].at.y_m) / 3.0;
    }
    double hand_rad = steer_to(m, now, x_m, y_m, speed_mps);
    double want_mps2 = speed_control(m, s, &at[PREVIEW_NEAR], &at[PREVIEW_FAR],
                                     ahead_m[PREVIEW_FAR], speed_mps, dt_s);
    s->hand_rad = follow(s->hand_rad, hand_rad, g->hand_lag_s, g->hand_wheel_radps, dt_s);
    move_feet(m, s, want_mps2, dt_s);
    in->hand_wheel_rad = s->hand_rad;
    in->steer = PLANT_STEER_ANGLE;
    in->throttle = s->throttle;
    in->brake_pedal = s->brake;
    shift_step(m->car->driveline, g->gear, &s->shift, now, s->throttle, dt_s, in);
}
