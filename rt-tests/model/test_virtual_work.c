/* The equations of motion, coordinate by coordinate, at states and inputs drawn at random:
 *
 *     sum over bodies of (dp/dt . dv/du_j + dH/dt . dw/du_j) = power of all forces per du_j
 *
 * for each of the 15 generalised speeds u_j (Kane). Momenta p and H come from parts.c and are
 * differentiated numerically along the motion that the model's rates describe; partial velocities
 * are velocities at unit speeds; partial rotations come from rotation matrices a little apart.
 * Nothing of the model's own algebra is used, so any wrong term in it shows, also those that do no
 * work, and brake and drive reactions, tyre forces on curved paths, an inclined road. */
#include "rt-tests/support/lumped15_of.h"
#include "rt-tests/support/near.h"
#include "rt-tests/support/parts.h"
#include "target/road/plane.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SPEEDS = 15, RACK = 10, SPIN = 11, STATES = 40 };
static const double nudge = 1e-4; /* of time or coordinate: differences of fourth order */

struct scene {
    struct testcar car;
    struct vehicle *vehicle;
    struct plane road;
    struct ground ground;
    struct lumped15_state s;
    struct plant_in in;
    struct plant_out out;             /* forces that act at s */
    double rate[LUMPED15_MOTION + 1]; /* of the state vector */
};

/* Where one speed stands in a state. */
static double *speed_at(struct lumped15_state *s, int j)
{
    if (j < 6)
        return j < 3 ? &s->vel_mps[j] : &s->rate_radps[j - 3];
    if (j < RACK)
        return &s->travel_mps[j - 6];
    return j == RACK ? &s->rack_mps : &s->spin_radps[j - SPIN];
}

/* ---- differences */

/* The state a moment later (or earlier) along a direction of the state vector. */
static struct lumped15_state along(const struct scene *c, const double *direction, double step)
{
    struct lumped15_state s = c->s;
    double x[LUMPED15_MOTION + 1];
    lumped15_ops.x_get(lumped15_of(c->vehicle), &s, x);
    for (int k = 0; k < LUMPED15_MOTION + 1; k++)
        x[k] += step * direction[k];
    lumped15_ops.x_set(lumped15_of(c->vehicle), &s, x);
    return s;
}

/* Derivative of all of parts, field by field: it is nothing but doubles. */
static void parts_rate(const struct scene *c, const double *direction, struct parts *rate)
{
    static const double step[4] = {-2.0, -1.0, 1.0, 2.0};
    static const double weight[4] = {1.0 / 12.0, -8.0 / 12.0, 8.0 / 12.0, -1.0 / 12.0};
    memset(rate, 0, sizeof *rate);
    for (int n = 0; n < 4; n++) {
        struct parts p;
        struct lumped15_state s = along(c, direction, step[n] * nudge);
        parts_of(&c->car, &s, &p);
        for (size_t k = 0; k < sizeof p / sizeof(double); k++)
            ((double *)(void *)rate)[k] += weight[n] / nudge * ((double *)(void *)&p)[k];
    }
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* Rotation speed from a rotation matrix C and its rate: the skew part of dC C^T. */
static void rotation_of(const double C[3][3], const double rate[3][3], double w[3])
{
    for (int k = 0; k < 3; k++)
        w[k] =
            0.5 * (dot(rate[(k + 2) % 3], C[(k + 1) % 3]) - dot(rate[(k + 1) % 3], C[(k + 2) % 3]));
}

/* ---- partial velocities: everything's speed while u_j is 1 and all others 0 */

struct partial {
    double cg[3], body[3], hub[WHEELS][3], carrier[WHEELS][3], wheel[WHEELS][3];
    double length_spring[WHEELS], length_damper[WHEELS], travel[WHEELS], rack;
};

static void partial_of(const struct scene *c, const struct parts *now, int j, struct partial *out)
{
    struct scene unit = *c;
    struct parts p, rate;
    double direction[LUMPED15_MOTION + 1];
    memset(&unit.in, 0, sizeof unit.in);
    for (int k = 0; k < SPEEDS; k++)
        *speed_at(&unit.s, k) = k == j ? 1.0 : 0.0;
    lumped15_ops.deriv(lumped15_of(c->vehicle), &unit.s, &unit.in, &c->ground, direction);
    parts_of(&c->car, &unit.s, &p);
    parts_rate(&unit, direction, &rate);
    memcpy(out->cg, p.cg_mps, sizeof out->cg);
    memcpy(out->body, p.rate_radps, sizeof out->body);
    memcpy(out->hub, p.hub_mps, sizeof out->hub);
    for (int i = 0; i < WHEELS; i++) {
        double axis[3] = {now->carrier[i][0][1], now->carrier[i][1][1], now->carrier[i][2][1]};
        double z = c->s.travel_m[i], r = c->s.rack_m;
        rotation_of(p.carrier[i], rate.carrier[i], out->carrier[i]);
        double about = dot(axis, out->carrier[i]);
        for (int k = 0; k < 3; k++)
            out->wheel[i][k] = out->carrier[i][k] + axis[k] * (unit.s.spin_radps[i] - about);
        struct testcar_value spring = testcar_at(&c->car, i, KIN_SPRING, z, r);
        struct testcar_value damper = testcar_at(&c->car, i, KIN_DAMPER, z, r);
        out->travel[i] = unit.s.travel_mps[i];
        out->length_spring[i] = spring.z * unit.s.travel_mps[i] + spring.s * unit.s.rack_mps;
        out->length_damper[i] = damper.z * unit.s.travel_mps[i] + damper.s * unit.s.rack_mps;
    }
    out->rack = unit.s.rack_mps;
}

/* ---- forces */

/* Power of the tyre's force at the contact point and of its moment; of brake and half shaft. */
static double wheel_power(const struct scene *c, const struct parts *now, int i,
                          const struct partial *v)
{
    double axis[3], ahead[3], left[3], arm[3], force[3], moment[3], lever[3], speed[3];
    const double *n = c->road.normal, *hub = now->hub_m[i];
    for (int k = 0; k < 3; k++)
        axis[k] = now->carrier[i][k][1];
    double sine = dot(axis, n), cosine = sqrt(1.0 - sine * sine);
    double height_m = dot(n, hub);
    cross(axis, n, ahead);
    for (int k = 0; k < 3; k++) {
        ahead[k] /= cosine;
        /* from the hub in the wheel's plane, steepest down, to the ground */
        arm[k] = height_m / (cosine * cosine) * (sine * axis[k] - n[k]);
    }
    cross(n, ahead, left);
    for (int k = 0; k < 3; k++) {
        force[k] =
            c->out.load_N[i] * n[k] + c->out.long_N[i] * ahead[k] + c->out.lat_N[i] * left[k];
        moment[k] = c->out.align_Nm[i] * n[k];
    }
    cross(v->wheel[i], arm, lever);
    for (int k = 0; k < 3; k++)
        speed[k] = v->hub[i][k] + lever[k];
    double wheel = dot(axis, v->wheel[i]), carrier = dot(axis, v->carrier[i]);
    return dot(force, speed) + dot(moment, v->wheel[i]) - c->out.brake_Nm[i] * (wheel - carrier) +
           c->out.drive_Nm[i] * (wheel - dot(axis, v->body));
}

/* Springs, dampers, stops, bars by what they store or lose. */
static double suspension_power(const struct scene *c, int i, const struct partial *v)
{
    int axle = i < RL ? FRONT : REAR;
    const struct testcar_axle *a = &c->car.axle[axle];
    const struct lumped15_state *s = &c->s;
    double z = s->travel_m[i], r = s->rack_m;
    double squeeze_m = lumped15_of(c->vehicle)->axle[axle].spring_free_m -
                       testcar_at(&c->car, i, KIN_SPRING, z, r).f;
    struct testcar_value damper = testcar_at(&c->car, i, KIN_DAMPER, z, r);
    double squeeze_mps = -(damper.z * s->travel_mps[i] + damper.s * s->rack_mps);
    double damper_N = (squeeze_mps > 0.0 ? a->bump_Nspm : a->rebound_Nspm) * squeeze_mps;
    double bar_N = a->bar_Npm * (z - s->travel_m[i ^ 1]);
    double over_m = z > a->stop_m ? z - a->stop_m : z < -a->stop_m ? z + a->stop_m : 0.0;
    return a->spring_Npm * squeeze_m * v->length_spring[i] + damper_N * v->length_damper[i] -
           (bar_N + a->stop_Npm * over_m) * v->travel[i];
}

static double rack_power(const struct scene *c, const struct partial *v)
{
    const struct testcar *t = &c->car;
    const struct lumped15_state *s = &c->s;
    double twist = s->hand_rad - s->rack_m / t->pinion_mprad;
    double twist_rate = s->hand_radps - s->rack_mps / t->pinion_mprad;
    double column_Nm = t->column_Nmprad * twist + t->column_Nmsprad * twist_rate;
    return v->rack * (column_Nm / t->pinion_mprad - t->rack_Nspm * s->rack_mps);
}

/* ---- the check */

static double random_unit(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 4503599627370496.0 - 1.0; /* -1 to 1 */
}

static void draw(struct scene *c, uint64_t *seed, int standing)
{
    struct lumped15_state *s = &c->s;
    struct plant_start start = {0};
    lumped15_reset(lumped15_of(c->vehicle), s, &start, &c->ground);
    double turn = standing ? 0.01 : 1.0, lift = standing ? -0.03 : 20.0;
    for (int k = 0; k < 4; k++)
        s->quat[k] += turn * random_unit(seed);
    double norm = sqrt(s->quat[0] * s->quat[0] + dot(s->quat + 1, s->quat + 1));
    for (int k = 0; k < 4; k++)
        s->quat[k] /= norm;
    s->pos_m[2] += lift;
    for (int k = 0; k < 3; k++) {
        s->vel_mps[k] = 10.0 * random_unit(seed);
        s->rate_radps[k] = 3.0 * random_unit(seed);
        c->in.push_N[k] = 3000.0 * random_unit(seed);
    }
    c->in.brake = PLANT_BRAKE_PRESSURES;
    for (int i = 0; i < WHEELS; i++) {
        s->travel_m[i] = 0.1 * random_unit(seed) * (standing ? 0.3 : 1.0);
        s->travel_mps[i] = random_unit(seed);
        s->spin_radps[i] = 80.0 * random_unit(seed);
        s->slip_x_m[i] = 0.02 * random_unit(seed);
        s->slip_y_m[i] = 0.02 * random_unit(seed);
        c->in.wheel_torque_Nm[i] = 800.0 * random_unit(seed);
        c->in.wheel_pressure_Pa[i] = 20e5 * (1.0 + random_unit(seed));
    }
    s->rack_m = 0.05 * random_unit(seed);
    s->rack_mps = random_unit(seed);
    s->hand_rad = random_unit(seed);
    c->in.hand_wheel_rad = s->hand_rad;
}

/* Forces that act in this state: those that a step too short to change anything reports. */
static void observe(struct scene *c)
{
    struct lumped15_state s = c->s;
    lumped15_of(c->vehicle)->integrator = MODEL_FORWARD;
    lumped15_step(lumped15_of(c->vehicle), &s, &c->in, &c->ground, 1e-9);
    lumped15_ops.output(lumped15_of(c->vehicle), &s, &c->out);
    lumped15_ops.deriv(lumped15_of(c->vehicle), &c->s, &c->in, &c->ground, c->rate);
}

/* Inertia against forces in one speed; *size gets the largest part of the sum. */
static double unbalance(const struct scene *c, const struct parts *now, const struct parts *rate,
                        int j, double *size)
{
    struct partial v;
    const struct testcar *t = &c->car;
    struct lumped15_state rates = c->s;
    double gravity[3] = {0.0, 0.0, -t->gravity_mps2};
    partial_of(c, now, j, &v);
    lumped15_ops.x_set(lumped15_of(c->vehicle), &rates, c->rate);
    double inertia = t->sprung_kg * dot(rate->cg_mps, v.cg) + dot(rate->spin_kgm2ps, v.body) +
                     parts_rack_kg(t) * rates.rack_mps * v.rack;
    double power = t->sprung_kg * dot(gravity, v.cg) + dot(c->in.push_N, v.cg) + rack_power(c, &v);
    *size = fabs(inertia) + fabs(power);
    for (int i = 0; i < WHEELS; i++) {
        double kg = t->axle[i < RL ? FRONT : REAR].unsprung_kg;
        double part = kg * dot(rate->hub_mps[i], v.hub[i]) + dot(rate->wheel_kgm2ps[i], v.wheel[i]);
        double push =
            kg * dot(gravity, v.hub[i]) + wheel_power(c, now, i, &v) + suspension_power(c, i, &v);
        *size += fabs(part) + fabs(push);
        inertia += part;
        power += push;
    }
    return inertia - power;
}

/* Load from the geometry alone: radial spring and damper, normal to the ground. */
static void check_loads(const struct scene *c, const struct parts *now, const struct parts *rate)
{
    const struct testcar_tyre *t = &c->car.tyre;
    const double *n = c->road.normal;
    double slope = t->stiffness_Npm * t->radius_m / t->load0_N;
    double q1 = sqrt(slope * slope - 4.0 * t->bend);
    for (int i = 0; i < WHEELS; i++) {
        double axis[3], turn[3];
        for (int k = 0; k < 3; k++) {
            axis[k] = now->carrier[i][k][1];
            turn[k] = rate->carrier[i][k][1];
        }
        double sine = dot(axis, n), cosine = sqrt(1.0 - sine * sine);
        double cosine_rate = -sine * dot(turn, n) / cosine, height_m = dot(n, now->hub_m[i]);
        double radius_rate = (dot(n, now->hub_mps[i]) - height_m * cosine_rate / cosine) / cosine;
        double x = (t->radius_m - height_m / cosine) / t->radius_m;
        double spring_N = t->load0_N * (q1 * x + t->bend * x * x);
        double want_N = x > 0.0 ? (spring_N - t->damping_Nspm * radius_rate) / cosine : 0.0;
        /* 1e-9 of a usual load: rates by differences. */
        if (x <= 0.0 || x * t->radius_m > 0.002) /* the damper is there from 2 mm on */
            assert_near(c->out.load_N[i], want_N > 0.0 ? want_N : 0.0, 1e-5);
    }
}

/* Speeds of the contact over the road, from the path of the contact point: the tread of a wheel
 * that leans, lifts or sinks moves sideways. With undeflected tyres they are the slip rates. */
static void check_slips(const struct scene *c)
{
    struct scene still = *c;
    struct lumped15_state rates = c->s;
    struct parts now, rate;
    double x[LUMPED15_MOTION + 1], re[WHEELS];
    const double *n = c->road.normal;
    for (int i = 0; i < WHEELS; i++)
        still.s.slip_x_m[i] = still.s.slip_y_m[i] = 0.0;
    lumped15_ops.deriv(lumped15_of(c->vehicle), &still.s, &c->in, &c->ground, x);
    lumped15_ops.x_set(lumped15_of(c->vehicle), &rates, x);
    parts_of(&c->car, &c->s, &now);
    parts_rate(c, c->rate, &rate);
    tyre_rolling_radius(&lumped15_of(c->vehicle)->tyres, c->out.load_N, c->s.spin_radps,
                        lumped15_of(c->vehicle)->inflation_Pa, re);
    for (int i = 0; i < WHEELS; i++) {
        double e[3], turn[3], ahead[3], left[3], path[3];
        for (int k = 0; k < 3; k++) {
            e[k] = now.carrier[i][k][1];
            turn[k] = rate.carrier[i][k][1];
        }
        double sine = dot(e, n), cosine2 = 1.0 - sine * sine, sine_rate = dot(turn, n);
        cross(e, n, ahead);
        cross(n, ahead, left);
        /* the point is hub + q (sine e - n), q = height / cosine^2 */
        double q = dot(n, now.hub_m[i]) / cosine2;
        double q_rate = dot(n, now.hub_mps[i]) / cosine2 + 2.0 * q * sine * sine_rate / cosine2;
        for (int k = 0; k < 3; k++)
            path[k] = now.hub_mps[i][k] + q_rate * (sine * e[k] - n[k]) +
                      q * (sine_rate * e[k] + sine * turn[k]);
        double vx = dot(ahead, now.hub_mps[i]) / sqrt(cosine2),
               vy = dot(left, path) / sqrt(cosine2);
        /* m/s of 20: rates by differences */
        assert_near(rates.slip_x_m[i], re[i] * c->s.spin_radps[i] - vx, 1e-8);
        assert_near(rates.slip_y_m[i], -vy, 1e-8);
    }
}

static void motion_balances_forces(int standing, double slope, double bank)
{
    struct scene *c = calloc(1, sizeof *c);
    assert_non_null(c);
    uint64_t seed = 7;
    double worst = 0.0;
    testcar_curved(&c->car);
    testcar_dissipate(&c->car);
    c->car.tyre.rolling = 0.0;    /* acts from the ground on the wheel: no partner to check */
    c->car.rack_friction_N = 0.0; /* not in the outputs */
    c->car.rack_stop_m = 1.0;
    c->vehicle = testcar_load(&c->car, 1e-3);
    plane_defaults(&c->road);
    plane_incline(&c->road, slope, bank);
    c->ground = plane_ground(&c->road);
    for (int n = 0; n < STATES; n++) {
        struct parts now, rate;
        draw(c, &seed, standing);
        observe(c);
        parts_of(&c->car, &c->s, &now);
        parts_rate(c, c->rate, &rate);
        check_loads(c, &now, &rate);
        if (standing)
            check_slips(c);
        for (int j = 0; j < SPEEDS; j++) {
            double size, off = unbalance(c, &now, &rate, j, &size);
            worst = fmax(worst, fabs(off) / size);
            /* Of the sum of all parts: differences of fourth order and their rounding. */
            if (!(fabs(off) < 1e-8 * size))
                fail_msg("state %d, speed %d: off by %g of %g", n, j, off, size);
        }
    }
    print_message("    worst unbalance %.1e of the forces\n", worst);
    free(c->vehicle);
    free(c);
}

static void in_the_air(void **unused)
{
    (void)unused;
    motion_balances_forces(0, 0.0, 0.0);
}

static void on_level_ground(void **unused)
{
    (void)unused;
    motion_balances_forces(1, 0.0, 0.0);
}

static void on_an_inclined_road(void **unused)
{
    (void)unused;
    motion_balances_forces(1, 0.25, -0.15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_the_air),
        cmocka_unit_test(on_level_ground),
        cmocka_unit_test(on_an_inclined_road),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
