#include "target/scenario/manoeuvre.h"

#include "target/model/math/vecmath.h"

#include <math.h> /* fabs only */
#include <string.h>

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
    const struct hull_model *h = v->car->hull;
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
        s->now.cones_hit++;
    }
}

static void watch_road(struct manoeuvre_state *s, const struct manoeuvre_view *v)
{
    struct segments_place at;
    if (v->surface) {
        struct crg_place on;
        crg_find(v->surface, v->now->pos_m[0], v->now->pos_m[1], &on);
        s->now.road_s_m = on.u_m;
        s->now.road_n_m = on.v_m;
        s->now.off_road = on.is_inside ? 0 : 1;
        return;
    }
    segments_find(v->road, v->now->pos_m[0], v->now->pos_m[1], &at);
    s->now.road_s_m = at.s_m;
    s->now.road_n_m = at.n_m;
    s->now.off_road = at.is_inside ? 0 : 1;
}

void manoeuvre_fill(const struct manoeuvre_state *s, struct signals *record)
{
    const struct course *c = &s->now;
    record->phase = (uint32_t)s->phase;
    record->phase_time_s = c->phase_time_s;
    record->path_s_m = c->path_s_m;
    record->path_error_m = c->path_error_m;
    record->set_speed_mps = c->set_speed_mps;
    record->cones_hit = c->cones_hit;
    record->road_s_m = c->road_s_m;
    record->road_n_m = c->road_n_m;
    record->off_road = c->off_road;
}

void manoeuvre_watch(const struct manoeuvre *m, struct manoeuvre_state *s,
                     const struct manoeuvre_view *v)
{
    double time_s = v->now->time_s;
    if (m->cones > 0)
        watch_cones(m, s, v);
    if (v->road || v->surface)
        watch_road(s, v);
    if (m->has_driver) {
        struct path_point p;
        int32_t piece = s->path_piece;
        s->now.path_s_m = path_nearest(&m->path, v->now->pos_m[0], v->now->pos_m[1], &s->path_piece,
                                       &s->now.path_error_m);
        path_at(&m->path, s->now.path_s_m, &piece, &p);
        s->now.set_speed_mps = p.speed_mps;
    }
    s->now.phase_time_s = time_s - s->phase_begin_s;
    manoeuvre_fill(s, v->last);
    if (m->has_stop && expr_holds(&m->stop, v->last))
        s->is_over = 1;
    if (s->phase >= m->phases || !m->phase[s->phase].has_until ||
        !expr_holds(&m->phase[s->phase].until, v->last))
        return;
    if (s->phase + 1 < m->phases)
        s->phase++;
    else
        s->is_over = 1;
    s->phase_begin_s = time_s;
    s->held_rad = v->last->in_hand_wheel_rad;
    s->held_throttle = v->last->in_throttle;
    s->held_brake = v->last->in_brake_pedal;
    s->held_clutch = v->last->in_clutch_pedal;
    s->held_gear = v->last->in_gear;
    s->now.phase_time_s = 0.0;
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
    if (p && p->hold_pedals) {
        in->throttle = s->held_throttle;
        in->brake_pedal = s->held_brake;
        in->clutch_pedal = s->held_clutch;
        in->gear = s->held_gear;
    }
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
