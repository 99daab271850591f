/* One variant: out lap, then flying laps. */
#include "target/lap.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double lost_m = 25.0, rolled_rad = 1.2, trace_m = 3.0;
/* A car that spun and does not get going again within this: slower than a walk. */
static const double stopped_s = 20.0, stopped_mps = 0.5;

int lap_open(const struct laps *l, int variant, double grip, struct offline *o)
{
    struct cfg_change scenario[LAP_KEYS + LAP_FIXED + 1], vehicle[LAP_KEYS];
    char share[32];
    struct setup setup = setup_neutral;
    struct offline_options set = {.duration_s = -1.0,
                                  .step_s = l->step_s,
                                  .integrator = VEHICLE_AS_FILE,
                                  .vehicle = l->vehicle,
                                  .setup = &setup,
                                  .scenario_change = scenario,
                                  .vehicle_change = vehicle,
                                  .on_path = true};
    for (size_t i = 0; i < l->fixed_count; i++)
        scenario[set.scenario_changes++] = l->fixed[i];
    for (int k = 0; k < l->axes; k++) {
        const struct lap_axis *a = &l->axis[k];
        int i = l->variant[variant].index[k];
        const struct cfg_change change = {.key = a->key, .value = a->text[i]};
        if (a->target == LAP_SETUP)
            setup.value[a->setup] = a->value[i];
        else if (a->target == LAP_FRICTION)
            set.friction = a->value[i];
        else if (a->target == LAP_SCENARIO)
            scenario[set.scenario_changes++] = change;
        else
            vehicle[set.vehicle_changes++] = change;
    }
    if (grip > 0.0) {
        (void)snprintf(share, sizeof share, "%.10g", grip);
        scenario[set.scenario_changes++] = (struct cfg_change){"driver.path.limits.grip", share};
    }
    int bad = offline_open(l->scenario, &set, o);
    if (bad)
        return bad;
    const struct manoeuvre *m = &o->scenario->manoeuvre;
    if (!m->has_driver || !m->path.line.is_closed) {
        fprintf(stderr, "skidpad lap: %s: %s: laps need a driver on a closed path\n", l->scenario,
                m->has_driver ? "its path is not closed" : "has no driver");
        return -EINVAL;
    }
    return 0;
}

/* One block for all columns. */
static void trace_open(struct lap_trace *t, double lap_m)
{
    size_t room = (size_t)(lap_m / trace_m) + 3;
    double *block = malloc(6 * room * sizeof *block);
    if (!block)
        return;
    *t = (struct lap_trace){.room = room,
                            .s_m = block,
                            .x_m = block + room,
                            .y_m = block + 2 * room,
                            .speed_kmh = block + 3 * room,
                            .offset_m = block + 4 * room,
                            .plan_kmh = block + 5 * room};
}

static void trace_add(struct lap_trace *t, const struct offline *o, double s_m)
{
    if (t->count == t->room || s_m < (double)t->count * trace_m)
        return;
    size_t i = t->count++;
    t->s_m[i] = s_m;
    t->x_m[i] = o->out.pos_m[0];
    t->y_m[i] = o->out.pos_m[1];
    t->speed_kmh[i] = 3.6 * hypot(o->out.vel_mps[0], o->out.vel_mps[1]);
    t->offset_m[i] = o->course.now.path_error_m;
    t->plan_kmh[i] = 3.6 * o->course.now.set_speed_mps;
}

/* The time of a lap if its speeds are kept. */
static double planned_s(const struct path *p)
{
    double time_s = 0.0;
    int32_t piece = 0;
    const int parts = 4000;
    double lap_m = p->line.end_m - p->line.loop_m;
    for (int i = 0; i < parts; i++) {
        struct path_point at;
        path_at(p, p->line.loop_m + lap_m * (i + 0.5) / parts, &piece, &at);
        time_s += lap_m / parts / fmax(at.speed_mps, 0.1);
    }
    return time_s;
}

/* The drive so far. */
struct drive {
    const struct laps *l;
    struct lap_result *r;
    struct lap_trace *t;
    double lap_m, line_m; /* of a lap; place of the line, laps counted */
    double along_m, crossed_s;
    double offset2, slow2, flying;
};

static void look(struct drive *d, const struct offline *o)
{
    struct lap_result *r = d->r;
    double speed_mps = hypot(o->out.vel_mps[0], o->out.vel_mps[1]);
    double offset_m = o->course.now.path_error_m;
    double slow_mps = o->course.now.set_speed_mps - speed_mps;
    r->slowest_mps = fmin(r->slowest_mps, speed_mps);
    r->fastest_mps = fmax(r->fastest_mps, speed_mps);
    r->lateral_mps2 = fmax(r->lateral_mps2, fabs(o->out.level_acc_mps2[1]));
    r->sideslip_rad = fmax(r->sideslip_rad, fabs(o->out.sideslip_rad));
    r->offset_m = fmax(r->offset_m, fabs(offset_m));
    d->offset2 += offset_m * offset_m;
    d->slow2 += slow_mps * slow_mps;
    d->flying += 1.0;
    if (d->t->room && r->laps == 0)
        trace_add(d->t, o, d->along_m - d->line_m);
}

/* The moment of the line, between two ticks. */
static void cross_line(struct drive *d, const struct offline *o, double was_m)
{
    double dt_s = o->scenario->step_s, next_m = d->line_m + d->lap_m;
    bool out_lap = isnan(d->crossed_s);
    double line_m = out_lap ? d->line_m : next_m;
    if (d->along_m < line_m)
        return;
    double share = (line_m - was_m) / fmax(d->along_m - was_m, 1e-9);
    double now_s = o->out.time_s - dt_s * (1.0 - share);
    if (out_lap) {
        d->r->out_s = now_s;
    } else {
        double lap_s = now_s - d->crossed_s;
        d->r->best_s = d->r->laps ? fmin(d->r->best_s, lap_s) : lap_s;
        d->r->laps++;
        d->line_m = next_m;
    }
    d->crossed_s = now_s;
}

static int drive_on(struct drive *d, struct offline *o)
{
    uint64_t ticks = (uint64_t)offline_ticks(o);
    double moved_s = 0.0;
    while (o->tick < ticks) {
        offline_step(o);
        if (o->out.fault)
            return LAP_NOT_FINITE;
        double was_m = d->along_m;
        d->along_m = driver_along_m(&o->driver, &o->course.driver);
        cross_line(d, o, was_m);
        if (d->r->laps >= d->l->laps)
            return LAP_DONE;
        if (!isnan(d->crossed_s))
            look(d, o);
        if (fabs(o->out.roll_rad) > rolled_rad)
            return LAP_ROLLED;
        if (fabs(o->course.now.path_error_m) > lost_m)
            return LAP_LEFT_PATH;
        if (hypot(o->out.vel_mps[0], o->out.vel_mps[1]) > stopped_mps)
            moved_s = o->out.time_s;
        if (o->out.time_s - moved_s > stopped_s)
            return LAP_STOPPED;
    }
    return LAP_TOO_LONG;
}

static void drive_with(const struct laps *l, int variant, double grip, struct offline *o)
{
    struct lap_result *r = &l->variant[variant].result;
    struct drive d = {.l = l, .r = r, .t = &l->variant[variant].trace, .crossed_s = NAN};
    *r = (struct lap_result){
        .end = LAP_BAD_INPUT, .grip = NAN, .out_s = NAN, .best_s = NAN, .slowest_mps = INFINITY};
    d.t->count = 0;
    if (lap_open(l, variant, grip, o) == 0) {
        const struct path *p = &o->scenario->manoeuvre.path;
        d.lap_m = p->line.end_m - p->line.loop_m;
        /* A path that leads in has its line where the loop begins; else the out lap is a lap. */
        d.line_m = p->line.loop_m > p->line.begin_m ? p->line.loop_m : p->line.begin_m + d.lap_m;
        if (l->traces && !d.t->room)
            trace_open(d.t, d.lap_m);
        r->grip = p->grip > 0.0 ? p->grip : NAN;
        r->planned_s = planned_s(p);
        r->end = drive_on(&d, o);
        r->end_s = o->out.time_s;
        r->end_m = o->course.now.path_s_m;
        r->offset_rms_m = d.flying > 0.0 ? sqrt(d.offset2 / d.flying) : NAN;
        r->slow_rms_mps = d.flying > 0.0 ? sqrt(d.slow2 / d.flying) : NAN;
    }
    offline_close(o);
}

static bool is_near(const struct laps *l, int variant)
{
    const struct lap_result *r = &l->variant[variant].result;
    return r->end == LAP_DONE && r->offset_m <= l->seek_m;
}

/* Halves the range of grip; the last drive is with what was found. */
static void seek(const struct laps *l, int variant, struct offline *o)
{
    double low = 0.4, high = 1.1;
    drive_with(l, variant, low, o);
    if (!is_near(l, variant)) /* then nothing will do */
        return;
    for (int n = 0; n < 7; n++) { /* to 0.006 */
        double middle = 0.5 * (low + high);
        drive_with(l, variant, middle, o);
        if (is_near(l, variant))
            low = middle;
        else
            high = middle;
    }
    drive_with(l, variant, low, o);
}

void lap_drive(void *laps, int variant)
{
    const struct laps *l = laps;
    struct offline *o = malloc(sizeof *o);
    if (!o) {
        l->variant[variant].result.end = LAP_BAD_INPUT;
        return;
    }
    if (l->seek_m > 0.0)
        seek(l, variant, o);
    else
        drive_with(l, variant, 0.0, o);
    free(o);
}
