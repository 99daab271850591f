#include "target/sim_summary.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const double deg = 180.0 / 3.14159265358979323846;
static const double standstill_mps = 0.05, lock_counts_mps = 15.0 / 3.6;

static double speed_of(const struct plant_out *p)
{
    return hypot(p->vel_mps[0], p->vel_mps[1]);
}

static void largest(double *most, double value)
{
    if (fabs(value) > *most)
        *most = fabs(value);
}

void sim_summary_begin(struct sim_summary *s, const struct offline *o)
{
    memset(s, 0, sizeof *s);
    s->begin_mps = speed_of(&o->out);
    s->last_x_m = o->out.pos_m[0];
    s->last_y_m = o->out.pos_m[1];
    s->stop_s = s->brake_s = -1.0;
}

void sim_summary_add(struct sim_summary *s, const struct offline *o)
{
    const struct plant_out *p = &o->out;
    double dt = o->scenario->step_s, speed = speed_of(p);
    /* The pedal acts from the beginning of this step. */
    if (s->brake_s < 0.0 && s->stop_s < 0.0 && o->in.brake_pedal > 0.0) {
        s->brake_s = p->time_s - dt;
        s->brake_m = s->path_m;
    }
    s->path_m += hypot(p->pos_m[0] - s->last_x_m, p->pos_m[1] - s->last_y_m);
    s->last_x_m = p->pos_m[0];
    s->last_y_m = p->pos_m[1];
    largest(&s->ax_mps2, p->level_acc_mps2[0]);
    largest(&s->ay_mps2, p->level_acc_mps2[1]);
    largest(&s->yaw_radps, p->rate_radps[2]);
    largest(&s->roll_rad, p->roll_rad);
    if (speed > 1.0)
        largest(&s->sideslip_rad, p->sideslip_rad);
    if (s->stop_s < 0.0 && speed < standstill_mps && s->begin_mps > 1.0) {
        s->stop_s = p->time_s;
        s->stop_m = s->path_m;
    }
    for (int i = 0; i < WHEELS; i++)
        if ((p->locked >> i & 1u) && speed > lock_counts_mps)
            s->locked_s[i] += dt;
    if (p->airborne)
        s->airborne_s += dt;
}

double sim_summary_braking_s(const struct sim_summary *s)
{
    return s->stop_s - fmax(s->brake_s, 0.0);
}

double sim_summary_braking_m(const struct sim_summary *s)
{
    return s->stop_m - (s->brake_s >= 0.0 ? s->brake_m : 0.0);
}

void sim_summary_print(const struct sim_summary *s, const struct offline *o, const char *table,
                       FILE *to)
{
    const struct scenario *sc = o->scenario;
    const struct car_facts *car = &o->vehicle->facts;
    double time_s = (double)o->tick * sc->step_s;
    fprintf(to, "scenario   %s\n", sc->name);
    fprintf(to, "car        %s (%s, %s Euler, step %g ms", o->vehicle->name, o->vehicle->ops->name,
            model_integrator_name(car->integrator), 1e3 * sc->step_s);
    if (car->substeps > 1)
        fprintf(to, ", %d substeps", car->substeps);
    fprintf(to, ")\n");
    fprintf(to, "drive      %.2f s, %.2f m, from %.1f to %.1f km/h\n", time_s, s->path_m,
            3.6 * s->begin_mps, 3.6 * speed_of(&o->out));
    if (s->stop_s >= 0.0 && s->brake_s > 0.0)
        fprintf(to, "stop       after %.2f s, %.2f m; from the pedal %.2f s, %.2f m\n", s->stop_s,
                s->stop_m, sim_summary_braking_s(s), sim_summary_braking_m(s));
    else if (s->stop_s >= 0.0)
        fprintf(to, "stop       after %.2f s, %.2f m\n", s->stop_s, s->stop_m);
    fprintf(to,
            "largest    ax %.2f m/s2, ay %.2f m/s2, yaw rate %.1f deg/s, roll %.2f deg, "
            "sideslip %.1f deg\n",
            s->ax_mps2, s->ay_mps2, s->yaw_radps * deg, s->roll_rad * deg, s->sideslip_rad * deg);
    if (s->locked_s[FL] + s->locked_s[FR] + s->locked_s[RL] + s->locked_s[RR] > 0.0)
        fprintf(to, "locked     fl %.2f s, fr %.2f s, rl %.2f s, rr %.2f s above 15 km/h\n",
                s->locked_s[FL], s->locked_s[FR], s->locked_s[RL], s->locked_s[RR]);
    if (s->airborne_s > 0.0)
        fprintf(to, "airborne   %.2f s with a wheel off the ground\n", s->airborne_s);
    fprintf(to, "state      %016" PRIx64 " after %" PRIu64 " steps, %.0f times real time\n",
            offline_hash(o), o->tick, s->wall_s > 0.0 ? time_s / s->wall_s : 0.0);
    if (strcmp(table, "-") != 0)
        fprintf(to, "table      %s\n", table);
}
