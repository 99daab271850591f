#include "target/scenario/manoeuvre.h"

#include "target/model/math/vecmath.h"

#include <math.h> /* fabs only */
#include <string.h>

const char *const manoeuvre_extra_name[EXTRAS] = {"phase",        "phase_time_s",  "path_s_m",
                                                  "path_error_m", "set_speed_mps", "cones_hit",
                                                  "road_s_m",     "road_n_m",      "off_road"};
const char *const manoeuvre_extra_unit[EXTRAS] = {"1", "s", "m", "m", "m/s", "1", "m", "m", "1"};

void manoeuvre_reset(const struct manoeuvre *m, struct manoeuvre_state *s)
{
    (void)m;
    memset(s, 0, sizeof *s);
    driver_reset(&s->driver);
}

/* A cone is touched if it lies within the outline of the body, seen from above. */
static void watch_cones(const struct manoeuvre *m, struct manoeuvre_state *s,
                        const struct manoeuvre_view *v)
{
    const struct hull_model *h = &v->car->hull;
    double sine, cosine;
    vm_sincos(v->now->yaw_rad, &sine, &cosine);
    for (int i = 0; i < m->cones; i++) {
        if (s->touched[i / 32] >> (i % 32) & 1u)
            continue;
        double dx = m->cone_m[i][0] - v->now->pos_m[0], dy = m->cone_m[i][1] - v->now->pos_m[1];
        double along_m = cosine * dx + sine * dy + v->car->cg_m.x;
        double left_m = cosine * dy - sine * dx + v->car->cg_m.y, r = m->cone_radius_m;
        if (fabs(along_m - h->centre_m.x) > h->half_m.x + r ||
            fabs(left_m - h->centre_m.y) > h->half_m.y + r)
            continue;
        s->touched[i / 32] |= 1u << (i % 32);
        s->extra[EXTRA_CONES] += 1.0;
    }
}

static void watch_road(struct manoeuvre_state *s, const struct manoeuvre_view *v)
{
    struct segments_place at;
    segments_find(v->road, v->now->pos_m[0], v->now->pos_m[1], &at);
    s->extra[EXTRA_ROAD_S] = at.s_m;
    s->extra[EXTRA_ROAD_N] = at.n_m;
    s->extra[EXTRA_OFF_ROAD] = at.is_inside ? 0.0 : 1.0;
}

void manoeuvre_watch(const struct manoeuvre *m, struct manoeuvre_state *s,
                     const struct manoeuvre_view *v)
{
    double time_s = v->now->time_s;
    if (m->cones > 0)
        watch_cones(m, s, v);
    if (v->road)
        watch_road(s, v);
    if (m->has_driver) {
        struct path_point p;
        int32_t piece = s->path_piece;
        s->extra[EXTRA_PATH_S] = path_nearest(&m->path, v->now->pos_m[0], v->now->pos_m[1],
                                              &s->path_piece, &s->extra[EXTRA_PATH_ERROR]);
        path_at(&m->path, s->extra[EXTRA_PATH_S], &piece, &p);
        s->extra[EXTRA_SET_SPEED] = p.speed_mps;
    }
    s->extra[EXTRA_PHASE_TIME] = time_s - s->phase_begin_s;
    s->extra[EXTRA_PHASE] = s->phase;
    if (m->has_stop && expr_holds(&m->stop, v->last, s->extra))
        s->is_over = 1;
    if (s->phase >= m->phases || !m->phase[s->phase].has_until ||
        !expr_holds(&m->phase[s->phase].until, v->last, s->extra))
        return;
    if (s->phase + 1 < m->phases)
        s->phase++;
    else
        s->is_over = 1;
    s->phase_begin_s = time_s;
    s->held_rad = v->last->in_hand_wheel_rad;
    s->held_throttle = v->last->in_throttle;
    s->extra[EXTRA_PHASE_TIME] = 0.0;
    s->extra[EXTRA_PHASE] = s->phase;
}

void manoeuvre_command(const struct manoeuvre *m, struct manoeuvre_state *s,
                       const struct manoeuvre_view *v, const struct script *base, double time_s,
                       double end_s, struct plant_in *in)
{
    const struct phase *p = m->phases > 0 ? &m->phase[s->phase] : NULL;
    if (p)
        script_at(&p->script, time_s - s->phase_begin_s, end_s - s->phase_begin_s, in);
    else
        script_at(base, time_s, end_s, in);
    if (p && p->hold_hand_wheel)
        in->hand_wheel_rad = s->held_rad;
    if (p && p->hold_throttle)
        in->throttle = s->held_throttle;
    bool steers = p ? p->driver_steers : m->has_driver;
    bool pedals = p ? p->driver_pedals : m->has_driver;
    if (!v->driver || !(steers || pedals)) {
        driver_let_steer(&s->driver, in->hand_wheel_rad);
        return;
    }
    struct plant_in scripted = *in;
    driver_step(v->driver, &s->driver, v->now, end_s - time_s, in);
    if (!steers) {
        in->hand_wheel_rad = scripted.hand_wheel_rad;
        in->steer = scripted.steer;
        driver_let_steer(&s->driver, scripted.hand_wheel_rad);
    }
    if (!pedals) {
        in->throttle = scripted.throttle;
        in->brake_pedal = scripted.brake_pedal;
        in->clutch_pedal = scripted.clutch_pedal;
        in->gear = scripted.gear;
    }
}
