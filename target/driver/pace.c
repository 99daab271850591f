#include "target/driver/pace.h"

#include "target/model/footing.h"
#include "target/model/math/scalar.h"

#include <math.h> /* fabs, sqrt only */
#include <string.h>

static const double no_limit = 1e6;

static void air_of(struct pace *p, const struct car_facts *car)
{
    struct vec3 force_N, moment_Nm;
    aero_force(car->aero, v3(-10.0, 0.0, 0.0), &force_N, &moment_Nm);
    p->drag_Nm2ps2 = -force_N.x / 100.0;
    p->down_Nm2ps2 = -force_N.z / 100.0;
}

/* (D-17): side grip of the worse axle at the loads of a turn at the limit: the outer wheels carry
 * more, and tyres give less for it. */
static double side_friction(const struct car_facts *car, const struct footing *f)
{
    double friction = 1.0;
    for (int n = 0; n < 8; n++) {
        struct tyre_in in;
        struct tyre_out out;
        memset(&in, 0, sizeof in);
        for (int i = 0; i < WHEELS; i++) {
            double side_m = car->hub_m[i < RL ? FL : RL][1];
            double over = at_most(friction * car->cg_m.z / side_m, 1.0);
            in.load_N[i] = f->load_N[i] * (i == FL || i == RL ? 1.0 - over : 1.0 + over);
            in.vx_mps[i] = 15.0;
            in.pressure_Pa[i] = car->inflation_Pa[i];
            in.friction[i] = 1.0;
        }
        tyre_forces(car->tyres, &in, &out);
        double front = (out.peak_y_N[FL] + out.peak_y_N[FR]) / (2.0 * f->load_N[FL]);
        double rear = (out.peak_y_N[RL] + out.peak_y_N[RR]) / (2.0 * f->load_N[RL]);
        friction = at_most(front, rear);
    }
    return friction;
}

/* (D-18): the best gear at a speed, and what turns with the engine in it. */
static void engine_of(struct pace *p, const struct car_facts *car, double radius_m, int i)
{
    const struct driveline_model *d = car->driveline;
    double wheel_radps = (double)i / p->per_mps / radius_m, best_N = 0.0, wheels_kgm2 = 0.0;
    for (int k = 0; k < WHEELS; k++)
        wheels_kgm2 += car->wheel_kgm2[k];
    p->turning_kg[i] = wheels_kgm2 / (radius_m * radius_m);
    for (int g = 0; d->present && g < d->gears; g++) {
        double engine_radps = wheel_radps * d->ratio[g];
        /* The clutch slips below: the engine turns as fast as it has to. */
        double slips_radps = at_least(engine_radps, d->engage_high_radps);
        if (engine_radps > d->limit_radps)
            continue;
        double force_N = driveline_engine_Nm(d, slips_radps, 1.0) * d->ratio[g] / radius_m;
        if (force_N <= best_N)
            continue;
        best_N = force_N;
        p->turning_kg[i] =
            (wheels_kgm2 + d->inertia_kgm2 * d->ratio[g] * d->ratio[g]) / (radius_m * radius_m);
    }
    p->drive_N[i] = best_N;
}

void pace_of(struct pace *p, const struct car_facts *car, double top_mps)
{
    struct footing f;
    memset(p, 0, sizeof *p);
    footing_of(car, &f);
    p->mass_kg = car->total_kg;
    p->gravity_mps2 = car->gravity_mps2;
    p->friction_x = 10.0;
    p->friction_y = side_friction(car, &f);
    double base_m = f.front_m + f.rear_m, brake_N[AXLES] = {0.0, 0.0};
    for (int i = 0; i < WHEELS; i++) {
        int k = i < RL ? FRONT : REAR;
        brake_N[k] += car->brake->gain_NmpPa[i] / f.radius_m[i];
        p->driven[k] += car->driveline->share[i];
    }
    for (int k = 0; k < AXLES; k++) {
        double load_N = f.load_N[k == FRONT ? FL : RL] * 2.0;
        p->share[k] = load_N / (p->mass_kg * p->gravity_mps2);
        p->friction_x = at_most(p->friction_x, f.peak_x_N[k] / load_N);
        p->braked[k] = brake_N[k] / (brake_N[FRONT] + brake_N[REAR]);
    }
    p->height = car->cg_m.z / base_m;
    p->brake_N = f.brake_N;
    p->rolling_N = 0.01 * p->mass_kg * p->gravity_mps2;
    air_of(p, car);
    p->per_mps = (double)(PACE_SPEEDS - 1) / top_mps;
    for (int i = 0; i < PACE_SPEEDS; i++)
        engine_of(p, car, f.radius_m[p->driven[FRONT] > p->driven[REAR] ? FL : RL], i);
}

static double load_N(const struct pace *p, const struct pace_place *at, double speed2)
{
    double press = p->gravity_mps2 + speed2 * at->curvature_1pm * at->lean;
    return at_least(p->mass_kg * press + p->down_Nm2ps2 * speed2, 1.0);
}

/* (D-17) */
double pace_turn2(const struct pace *p, const struct pace_place *at)
{
    double side = at->curvature_1pm < 0.0 ? -1.0 : 1.0, bend_1pm = fabs(at->curvature_1pm);
    double lean = side * at->lean, grip = p->friction_y * at->friction;
    double have_N = p->mass_kg * p->gravity_mps2 * (grip + lean);
    double need_kgpm = p->mass_kg * bend_1pm * (1.0 - grip * lean) - grip * p->down_Nm2ps2;
    return need_kgpm * no_limit > have_N ? at_least(have_N, 0.0) / need_kgpm : no_limit;
}

/* Share of the grip along the path that the turn leaves: an ellipse. */
static double left_over(const struct pace *p, const struct pace_place *at, double speed2)
{
    double side_N = p->mass_kg * (speed2 * at->curvature_1pm - p->gravity_mps2 * at->lean);
    double used = side_N / (p->friction_y * at->friction * load_N(p, at, speed2));
    return sqrt(at_least(1.0 - used * used, 0.0));
}

/* (D-19): the force of both axles at which the one that is first has no more grip; ahead: 1 if the
 * force pushes the car on and takes load off the front axle, -1 if it brakes. */
static double axle_limit_N(const struct pace *p, const double of[AXLES], double ahead, double grip,
                           double load)
{
    double most_N = grip * load;
    for (int k = 0; k < AXLES; k++) {
        double shift = (k == FRONT ? ahead : -ahead) * p->height;
        double per_N = of[k] + grip * shift;
        if (per_N > 0.0)
            most_N = at_most(most_N, grip * p->share[k] * load / per_N);
    }
    return most_N;
}

static double look_up(const double *table, double x)
{
    x = between(x, 0.0, (double)(PACE_SPEEDS - 1));
    int i = (int)x < PACE_SPEEDS - 1 ? (int)x : PACE_SPEEDS - 2;
    return table[i] + (x - (double)i) * (table[i + 1] - table[i]);
}

double pace_drive_mps2(const struct pace *p, const struct pace_place *at, double speed2)
{
    double speed_mps = sqrt(at_least(speed2, 0.0)), at_grid = speed_mps * p->per_mps;
    double grip = p->friction_x * at->friction * left_over(p, at, speed2);
    double tyres_N = axle_limit_N(p, p->driven, 1.0, grip, load_N(p, at, speed2));
    double force_N = at_most(look_up(p->drive_N, at_grid), tyres_N);
    double hinder_N = p->drag_Nm2ps2 * speed2 + p->rolling_N;
    double pull_N = p->mass_kg * p->gravity_mps2 * at->fall;
    return (force_N - hinder_N + pull_N) / (p->mass_kg + look_up(p->turning_kg, at_grid));
}

double pace_brake_mps2(const struct pace *p, const struct pace_place *at, double speed2)
{
    double grip = p->friction_x * at->friction * left_over(p, at, speed2);
    double tyres_N = axle_limit_N(p, p->braked, -1.0, grip, load_N(p, at, speed2));
    double force_N = at_most(p->brake_N, tyres_N) + p->drag_Nm2ps2 * speed2 + p->rolling_N;
    return force_N / p->mass_kg - p->gravity_mps2 * at->fall;
}
