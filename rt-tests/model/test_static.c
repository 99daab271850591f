/* A car at rest: wheel loads, ride height and attitude against rigid-body statics. */
#include "rt-tests/support/cars.h"
#include "rt-tests/support/drive.h"
#include "rt-tests/support/lumped15_of.h"
#include "rt-tests/support/near.h"
#include "rt-tests/support/parts.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct rest {
    struct plane road;
    struct ground ground;
    struct lumped15_state s;
    struct plant_out o;
};

/* The start on a plane; with hold_s the brakes then hold the car for so long. */
static void rest_on(struct rest *r, const struct lumped15_model *m, double slope, double bank,
                    double hold_s)
{
    struct plant_start start = {0};
    struct plant_in in = {.brake = PLANT_BRAKE_PRESSURES};
    plane_defaults(&r->road);
    plane_incline(&r->road, slope, bank);
    r->ground = plane_ground(&r->road);
    lumped15_reset(m, &r->s, &start, &r->ground);
    for (int i = 0; i < WHEELS; i++)
        in.wheel_pressure_Pa[i] = 150e5;
    for (int n = 0; n * 1e-3 < hold_s; n++)
        lumped15_step(m, &r->s, &in, &r->ground, 1e-3);
    lumped15_ops.output(m, &r->s, &r->o);
}

static double sum4(const double x[WHEELS])
{
    return x[FL] + x[FR] + x[RL] + x[RR];
}

/* ---- the cars we ship */

static void shipped_car_stands_as_statics_say(const char *path)
{
    struct vehicle *v = car_load(path, MODEL_SEMI_IMPLICIT, 1e-3);
    struct rest r;
    struct beam b = beam_of(lumped15_of(v));
    rest_on(&r, lumped15_of(v), 0.0, 0.0, 0.0);
    double front_N = beam_load_N(&b, FL, 0.0), rear_N = beam_load_N(&b, RL, 0.0);
    /* Newton ends at steps of 1e-12 m, times 2e5 N/m of tyre: 1e-10 of the weight. */
    assert_ratio(sum4(r.o.load_N), b.weight_N, 1e-9);
    assert_ratio(r.o.load_N[FL], r.o.load_N[FR], 1e-9);
    assert_ratio(r.o.load_N[RL], r.o.load_N[RR], 1e-9);
    /* The beam is the car at travel 0 and level; it stands up to 2 mrad off. */
    assert_ratio(r.o.load_N[FL], front_N, 2e-3);
    assert_ratio(r.o.load_N[RL], rear_N, 2e-3);

    /* Springs without a given length are set for travel 0; 0.2 mm for the attitude. */
    for (int i = 0; i < WHEELS; i++)
        assert_near(r.o.travel_m[i], 0.0, 2e-4);
    /* The hubs stand one loaded radius high; camber of 1 degree or two makes 0.1 mm of it. */
    double hub_f =
        lumped15_of(v)->tyres.radius_m[FL] - tyre_deflection_m(lumped15_of(v), FL, front_N, 0.0);
    double hub_r =
        lumped15_of(v)->tyres.radius_m[RL] - tyre_deflection_m(lumped15_of(v), RL, rear_N, 0.0);
    double base_f = hub_f - b.hub_z_m[FRONT], base_r = hub_r - b.hub_z_m[REAR];
    double cg_m = base_r + (base_f - base_r) * b.rear_m / b.length_m + b.height_m;
    assert_near(r.o.pitch_rad, (base_r - base_f) / b.length_m, 2e-4);
    assert_near(r.o.pos_m[2], cg_m, 5e-4);
    assert_near(r.o.roll_rad, 0.0, 1e-12); /* mirror images: rounding */
    print_message("    %s: %.1f N front, %.1f N rear, cg %.4f m, pitch %.2f mrad\n", v->name,
                  r.o.load_N[FL], r.o.load_N[RL], r.o.pos_m[2], 1e3 * r.o.pitch_rad);
    free(v);
}

static void shipped_cars_stand_as_statics_say(void **unused)
{
    (void)unused;
    struct cars cars;
    cars_find(&cars);
    for (int k = 0; k < cars.count; k++)
        shipped_car_stands_as_statics_say(cars.path[k]);
}

/* Brakes hold a car on a slope with the nose uphill, then on a bank. */
static void shipped_car_stands_on_a_slope(const char *path)
{
    const double rise = 0.1, tilt = atan(rise);
    struct vehicle *v = car_load(path, MODEL_SEMI_IMPLICIT, 1e-3);
    struct rest r;
    struct beam b = beam_of(lumped15_of(v));
    rest_on(&r, lumped15_of(v), rise, 0.0, 8.0);
    double h = b.height_m;
    double rear_N = b.weight_N * (b.front_m * cos(tilt) + h * sin(tilt)) / b.length_m;
    /* What is left of the swinging after 8 s. */
    assert_ratio(sum4(r.o.load_N), b.weight_N * cos(tilt), 1e-6);
    assert_ratio(sum4(r.o.long_N), b.weight_N * sin(tilt), 1e-3); /* cosine of toe */
    /* The car sinks at the rear and leans over: its centre of gravity moves by up to 1 cm of the
     * 1.3 m to an axle. */
    double is_N = r.o.load_N[RL] + r.o.load_N[RR];
    assert_ratio(is_N, rear_N, 0.01);

    rest_on(&r, lumped15_of(v), 0.0, rise, 8.0);
    /* Left side high: the right wheels carry more, by the height over the mean track. */
    double track_m = (b.track_m[FRONT] * b.rear_m + b.track_m[REAR] * b.front_m) / b.length_m;
    double right_N = b.weight_N * (0.5 * cos(tilt) + h * sin(tilt) / track_m);
    assert_ratio(sum4(r.o.load_N), b.weight_N * cos(tilt), 1e-6);
    assert_ratio(sum4(r.o.lat_N), b.weight_N * sin(tilt), 3e-3); /* in axes turned by toe */
    /* Leaning over moves it by up to 1 cm of 0.75 m. */
    assert_ratio(r.o.load_N[FR] + r.o.load_N[RR], right_N, 0.02);
    print_message("    %s: rear %.0f N for %.0f N, right %.0f N for %.0f N\n", v->name, is_N,
                  rear_N, r.o.load_N[FR] + r.o.load_N[RR], right_N);
    free(v);
}

static void shipped_cars_stand_on_slopes(void **unused)
{
    (void)unused;
    struct cars cars;
    cars_find(&cars);
    for (int k = 0; k < cars.count; k++)
        shipped_car_stands_on_a_slope(cars.path[k]);
}

/* ---- test cars */

enum { PLACES = 7 };

/* The coordinates that a car can stand in: height, pitch, roll, travels. */
static void move(struct lumped15_state *s, int place, double step)
{
    if (place == 0) {
        s->pos_m[2] += step;
    } else if (place < 3) { /* about an axis of the body: a small turn on top */
        struct lumped15_state old = *s;
        const double *q = old.quat;
        double half = 0.5 * step;
        int k = place == 1 ? 2 : 1; /* pitch about y, roll about x */
        double u[4] = {1.0, 0.0, 0.0, 0.0};
        u[k] = half;
        s->quat[0] = q[0] * u[0] - q[1] * u[1] - q[2] * u[2];
        s->quat[1] = q[0] * u[1] + q[1] * u[0] - q[3] * u[2];
        s->quat[2] = q[0] * u[2] + q[2] * u[0] + q[3] * u[1];
        s->quat[3] = q[3] * u[0] + q[1] * u[2] - q[2] * u[1];
    } else {
        s->travel_m[place - 3] += step;
    }
}

static double stored_J(const struct testcar *c, const struct lumped15_model *m,
                       const struct lumped15_state *s)
{
    double free_m[AXLES] = {m->axle[FRONT].spring_free_m, m->axle[REAR].spring_free_m};
    struct parts_energy e = parts_energy(c, s, free_m);
    return e.gravity_J + e.elastic_J;
}

/* At rest the potential energy is least: it is level and bends upwards in every coordinate. */
static void stands_where_energy_is_least(const struct testcar *c)
{
    struct vehicle *v = testcar_load(c, 1e-3);
    struct rest r;
    double worst = 0.0, weight_N = parts_mass_kg(c) * c->gravity_mps2;
    rest_on(&r, lumped15_of(v), 0.0, 0.0, 0.0);
    for (int k = 0; k < PLACES; k++) {
        const double d = 1e-5;
        struct lumped15_state up = r.s, down = r.s;
        move(&up, k, d);
        move(&down, k, -d);
        double high = stored_J(c, lumped15_of(v), &up), low = stored_J(c, lumped15_of(v), &down);
        double here = stored_J(c, lumped15_of(v), &r.s);
        worst = fmax(worst, fabs(high - low) / (2.0 * d));
        assert_above(high + low - 2.0 * here, 0.0);
    }
    /* N or Nm: rounding of some 1e4 J over a difference of 2e-5 m, and its third order. */
    assert_below(worst, 1e-5 * weight_N / 100.0);
    assert_ratio(sum4(r.o.load_N), weight_N, 1e-9);
    print_message("    slope %.1e N, loads %.0f %.0f %.0f %.0f N\n", worst, r.o.load_N[FL],
                  r.o.load_N[FR], r.o.load_N[RL], r.o.load_N[RR]);
    free(v);
}

static void rest_is_where_energy_is_least(void **unused)
{
    (void)unused;
    struct testcar c;
    testcar_plain(&c);
    stands_where_energy_is_least(&c);
    testcar_curved(&c);
    stands_where_energy_is_least(&c);
    /* Half a ton more, high up, to one side and behind. */
    c.sprung_kg += 500.0;
    c.cg_m[0] -= 0.25;
    c.cg_m[1] = 0.08;
    c.cg_m[2] = 0.9;
    stands_where_energy_is_least(&c);
}

/* Forces and moments on the whole car, from the tyres' outputs and the parts' weights. */
static void forces_balance(const struct testcar *c, double slope, double bank)
{
    struct vehicle *v = testcar_load(c, 1e-3);
    struct rest r;
    struct parts p;
    double force[3] = {0.0}, moment[3] = {0.0};
    rest_on(&r, lumped15_of(v), slope, bank, 15.0);
    parts_of(c, &r.s, &p);
    const double *n = r.road.normal;
    for (int i = -1; i < WHEELS; i++) {
        double kg = i < 0 ? c->sprung_kg : c->axle[i < RL ? FRONT : REAR].unsprung_kg;
        double at[3], f[3] = {0.0, 0.0, -kg * c->gravity_mps2}, twist_Nm = 0.0;
        memcpy(at, i < 0 ? p.cg_m : p.hub_m[i], sizeof at);
        for (int k = 0; k < 3; k++) { /* weight acts where the mass is */
            force[k] += f[k];
            moment[k] += at[(k + 1) % 3] * f[(k + 2) % 3] - at[(k + 2) % 3] * f[(k + 1) % 3];
        }
        if (i < 0)
            continue;
        double e[3] = {p.carrier[i][0][1], p.carrier[i][1][1], p.carrier[i][2][1]}, ahead[3],
               left[3];
        double sine = e[0] * n[0] + e[1] * n[1] + e[2] * n[2], cosine2 = 1.0 - sine * sine;
        double height_m = at[0] * n[0] + at[1] * n[1] + at[2] * n[2];
        for (int k = 0; k < 3; k++)
            ahead[k] =
                (e[(k + 1) % 3] * n[(k + 2) % 3] - e[(k + 2) % 3] * n[(k + 1) % 3]) / sqrt(cosine2);
        for (int k = 0; k < 3; k++) {
            left[k] = n[(k + 1) % 3] * ahead[(k + 2) % 3] - n[(k + 2) % 3] * ahead[(k + 1) % 3];
            f[k] = r.o.load_N[i] * n[k] + r.o.long_N[i] * ahead[k];
        }
        for (int k = 0; k < 3; k++) {
            f[k] += r.o.lat_N[i] * left[k];
            at[k] += height_m / cosine2 * (sine * e[k] - n[k]);
        }
        twist_Nm = r.o.align_Nm[i];
        for (int k = 0; k < 3; k++) {
            force[k] += f[k];
            moment[k] += at[(k + 1) % 3] * f[(k + 2) % 3] - at[(k + 2) % 3] * f[(k + 1) % 3] +
                         twist_Nm * n[k];
        }
    }
    for (int k = 0; k < 3; k++) {
        /* Of 15 kN and 20 kNm: what still moves after 15 s. */
        assert_near(force[k], 0.0, 1e-4);
        assert_near(moment[k], 0.0, 1e-4);
    }
    print_message("    %+.1e %+.1e %+.1e N, %+.1e %+.1e %+.1e Nm\n", force[0], force[1], force[2],
                  moment[0], moment[1], moment[2]);
    free(v);
}

static void forces_balance_on_inclined_planes(void **unused)
{
    (void)unused;
    struct testcar c;
    testcar_curved(&c);
    testcar_dissipate(&c);
    c.tyre.rolling = 0.0; /* its moment is not among the outputs */
    forces_balance(&c, 0.0, 0.0);
    forces_balance(&c, 0.2, 0.0);
    forces_balance(&c, -0.1, 0.15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shipped_cars_stand_as_statics_say),
        cmocka_unit_test(shipped_cars_stand_on_slopes),
        cmocka_unit_test(rest_is_where_energy_is_least),
        cmocka_unit_test(forces_balance_on_inclined_planes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
