/* Steady cornering against a two-track model that is solved here: tyre curves at the loads that
 * roll stiffness, roll centres and the height of the centre of gravity make, with the toe and
 * camber that rack and roll give. From it the understeer gradient at small lateral acceleration,
 * and the rack that a turn takes up to 0.55 g. */
#include "rt-tests/support/cars.h"
#include "rt-tests/support/lumped15_of.h"
#include "rt-tests/support/near.h"
#include "rt-tests/support/testcar.h"
#include "target/road/plane.h"
#include "target/steady.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const double speed_mps = 20.0;

/* ---- the two-track model */

struct axle {
    double x_m, half_m; /* from the centre of gravity; half the track */
    double load_N;      /* of one wheel, straight on */
    double roll_Npm;    /* force at the wheel per opposite travel: spring and bar */
    double tyre_Npm;
    double path; /* how far the contact moves out per travel: the roll centre */
    double lean; /* camber per travel */
    double radius_m;
    double turned_N; /* solved: load moved to the right wheel */
    double travel_m; /* solved: of the right wheel, the left one the opposite */
};

/* What the tyres of an axle do. */
struct pull {
    double side_N[AXLES], over_Nm[AXLES]; /* side force, overturning moment */
    double yaw_Nm;                        /* of all */
    double drag_N, rolling_Nm;            /* the push against it, and what needs no push */
};

struct track {
    const struct lumped15_model *m;
    double kg, height_m, length_m;
    struct axle axle[AXLES];
    double push_m;           /* height at which the push acts that keeps the speed */
    double roll_rad, nose_N; /* solved: roll, and load moved to each front wheel by the push */
    struct tyre_in in;
    struct tyre_out out;
    double toe_rad[WHEELS];
};

static void axle_of_car(struct track *t, int k, double cg_x_m, double share)
{
    const struct lumped15_model *m = t->m;
    struct axle *a = &t->axle[k];
    struct kinematics_out f;
    int wheel = k == FRONT ? FL : RL;
    double deflection[WHEELS], still[WHEELS] = {0.0}, load[WHEELS], stiff[WHEELS], damp[WHEELS];
    kinematics_at(&m->axle[k].kin, 0.0, 0.0, 1.0, &f);
    a->x_m = f.f[KIN_HUB_X] - cg_x_m;
    a->half_m = f.f[KIN_HUB_Y];
    a->load_N = 0.5 * share * t->kg * m->gravity_mps2;
    for (int i = 0; i < WHEELS; i++)
        deflection[i] = tyre_static_deflection_m(&m->tyres, wheel, a->load_N);
    tyre_load(&m->tyres, deflection, still, still, m->inflation_Pa, load, stiff, damp);
    a->tyre_Npm = stiff[wheel];
    a->radius_m = m->tyres.radius_m[wheel] - deflection[wheel];
    a->roll_Npm = m->axle[k].spring_N.slope[0] * f.fz[KIN_SPRING] * f.fz[KIN_SPRING] +
                  2.0 * m->bar_Npm[wheel];
    a->lean = f.fz[KIN_CAMBER];
    a->path = f.fz[KIN_HUB_Y] + a->radius_m * f.fz[KIN_CAMBER];
}

static void track_of(struct track *t, const struct lumped15_model *m)
{
    struct kinematics_out f, r;
    memset(t, 0, sizeof *t);
    t->m = m;
    t->kg = m->total_kg;
    kinematics_at(&m->axle[FRONT].kin, 0.0, 0.0, 1.0, &f);
    kinematics_at(&m->axle[REAR].kin, 0.0, 0.0, 1.0, &r);
    t->length_m = f.f[KIN_HUB_X] - r.f[KIN_HUB_X];
    double front = (m->cg_m.x - r.f[KIN_HUB_X]) / t->length_m;
    axle_of_car(t, FRONT, m->cg_m.x, front);
    axle_of_car(t, REAR, m->cg_m.x, 1.0 - front);
    /* The centre of gravity over the road: hubs stand a loaded radius high. */
    double base_f = t->axle[FRONT].radius_m - f.f[KIN_HUB_Z];
    double base_r = t->axle[REAR].radius_m - r.f[KIN_HUB_Z];
    t->height_m = m->cg_m.z + front * base_f + (1.0 - front) * base_r;
    t->push_m = t->height_m + m->sprung_cg_m.z - m->cg_m.z;
}

/* Roll and load transfer, by virtual work. In each axle, with Y the side force and X the tyres'
 * overturning moments,
 *     moved load = roll rate * travel + (Y path + X camber gradient) / 2,
 *     travel = half track * roll - moved load / tyre rate,
 * and all moved loads together balance inertia force, the weight that leans over the contacts, the
 * overturning moments and the gyroscopic moment of the wheels. */
static void load_transfer(struct track *t, const struct pull *p, double ay)
{
    double weight_N = t->kg * t->m->gravity_mps2, spin = 0.0;
    for (int i = 0; i < WHEELS; i++)
        spin += t->m->wheel_kgm2[i] * speed_mps / t->axle[i < RL ? FRONT : REAR].radius_m;
    for (int n = 0; n < 20; n++) {
        double stiff = 0.0, kept = 0.0, lean = t->height_m * weight_N * t->roll_rad;
        for (int k = 0; k < AXLES; k++) {
            struct axle *a = &t->axle[k];
            double soft = 1.0 / (1.0 + a->roll_Npm / a->tyre_Npm);
            double tilt = 0.5 * (p->side_N[k] * a->path + p->over_Nm[k] * a->lean);
            a->turned_N = soft * (a->roll_Npm * a->half_m * t->roll_rad + tilt);
            a->travel_m = a->half_m * t->roll_rad - a->turned_N / a->tyre_Npm;
            stiff += 2.0 * a->half_m * a->roll_Npm * soft * a->half_m;
            kept += 2.0 * a->half_m * tilt * soft;
            lean += p->over_Nm[k] - 2.0 * a->load_N * a->path * a->travel_m;
        }
        t->roll_rad = (t->kg * ay * t->height_m + lean + spin * ay / speed_mps - kept) / stiff;
    }
}

/* Tyre forces at a slip of the body and a rack; sums of side force and yaw moment. */
static void track_forces(struct track *t, double ay, double slip_rad, double rack_m, struct pull *p)
{
    double rate = ay / speed_mps;
    for (int i = 0; i < WHEELS; i++) {
        int k = i < RL ? FRONT : REAR;
        double side = i == FL || i == RL ? 1.0 : -1.0;
        const struct axle *a = &t->axle[k];
        struct kinematics_out f;
        kinematics_at(&t->m->axle[k].kin, -side * a->travel_m, rack_m, side, &f);
        double x = speed_mps * cos(slip_rad) - rate * side * a->half_m;
        double y = speed_mps * sin(slip_rad) + rate * a->x_m;
        double toe = f.f[KIN_TOE], along = x * cos(toe) + y * sin(toe);
        t->toe_rad[i] = toe;
        t->in.load_N[i] = a->load_N - side * a->turned_N + (k == FRONT ? t->nose_N : -t->nose_N);
        t->in.gamma_rad[i] = f.f[KIN_CAMBER] + t->roll_rad;
        t->in.vx_mps[i] = along;
        t->in.tan_alpha[i] = (y * cos(toe) - x * sin(toe)) / along;
        t->in.kappa[i] = 0.0;
        t->in.pressure_Pa[i] = t->m->inflation_Pa[i];
        t->in.friction[i] = 1.0;
    }
    tyre_forces(&t->m->tyres, &t->in, &t->out);
    memset(p, 0, sizeof *p);
    for (int i = 0; i < WHEELS; i++) {
        int k = i < RL ? FRONT : REAR;
        double side = i == FL || i == RL ? 1.0 : -1.0, s = sin(t->toe_rad[i]),
               c = cos(t->toe_rad[i]);
        double fy = t->out.fy_N[i], fx = -t->out.rolling_Nm[i] / t->axle[k].radius_m;
        p->side_N[k] += fy * c + fx * s;
        p->over_Nm[k] += t->out.mx_Nm[i];
        p->drag_N += (fy * s - fx * c) * cos(slip_rad) - (fy * c + fx * s) * sin(slip_rad);
        p->rolling_Nm += t->out.rolling_Nm[i];
        p->yaw_Nm += t->axle[k].x_m * (fy * c + fx * s) + t->out.mz_Nm[i] -
                     side * t->axle[k].half_m * (fx * c - fy * s);
    }
}

static void track_unbalance(struct track *t, double ay, const double u[2], double r[2])
{
    struct pull p = {.side_N = {0.5 * t->kg * ay, 0.5 * t->kg * ay}};
    for (int n = 0; n < 8; n++) { /* loads and side forces find each other */
        load_transfer(t, &p, ay);
        track_forces(t, ay, u[0], u[1], &p);
        /* the push acts high up and presses the nose down; rolling resistance holds it up */
        t->nose_N = 0.5 * (p.drag_N * t->push_m - p.rolling_Nm) / t->length_m;
    }
    r[0] = p.side_N[FRONT] + p.side_N[REAR] - t->kg * ay * cos(u[0]);
    r[1] = p.yaw_Nm / t->length_m;
}

/* The rack that a turn of this lateral acceleration takes at speed_mps. Newton in slip and rack. */
static double track_rack_m(struct track *t, double ay)
{
    double u[2] = {0.0, 0.001};
    for (int n = 0; n < 30; n++) {
        double r[2], rs[2], rr[2], d = 1e-6, slip[2] = {u[0] + d, u[1]}, rack[2] = {u[0], u[1] + d};
        track_unbalance(t, ay, u, r);
        track_unbalance(t, ay, slip, rs);
        track_unbalance(t, ay, rack, rr);
        double a = (rs[0] - r[0]) / d, b = (rr[0] - r[0]) / d;
        double c = (rs[1] - r[1]) / d, e = (rr[1] - r[1]) / d, det = a * e - b * c;
        u[0] -= (e * r[0] - b * r[1]) / det;
        u[1] -= (a * r[1] - c * r[0]) / det;
    }
    double r[2];
    track_unbalance(t, ay, u, r);
    assert_near(r[0], 0.0, 1e-3);
    assert_near(r[1], 0.0, 1e-3);
    return u[1];
}

/* Mean steer angle of the front wheels over the rack, without roll. */
static double steer_rad(const struct lumped15_model *m, double rack_m)
{
    struct kinematics_out l, r;
    kinematics_at(&m->axle[FRONT].kin, 0.0, rack_m, 1.0, &l);
    kinematics_at(&m->axle[FRONT].kin, 0.0, rack_m, -1.0, &r);
    return 0.5 * (l.f[KIN_TOE] + r.f[KIN_TOE]);
}

/* ---- the car in its turn */

struct turn {
    double ay_mps2, rate_radps, rack_m, roll_rad, load_N[WHEELS];
};

/* Holds the hand wheel and, by a push along its way, the speed, until nothing changes. */
static struct turn corner_at(const struct lumped15_model *m, double hand_rad)
{
    struct plane road;
    plane_defaults(&road);
    struct ground ground = plane_ground(&road);
    struct plant_start start = {.speed_mps = speed_mps, .gear = PLANT_GEAR_NEUTRAL};
    struct plant_in in = {.gear = PLANT_GEAR_NEUTRAL};
    struct lumped15_state s;
    struct plant_out o;
    double held_N = 0.0;
    lumped15_reset(m, &s, &start, &ground);
    for (int n = 0; n < 12000; n++) {
        lumped15_ops.output(m, &s, &o);
        double v = hypot(o.vel_mps[0], o.vel_mps[1]), way = o.yaw_rad + o.sideslip_rad;
        held_N += 3.0 * (speed_mps - v);
        double push_N = held_N + 5000.0 * (speed_mps - v);
        in.push_N[0] = push_N * cos(way);
        in.push_N[1] = push_N * sin(way);
        in.hand_wheel_rad = hand_rad * fmin(n * 5e-4, 1.0);
        lumped15_step(m, &s, &in, &ground, 1e-3);
    }
    lumped15_ops.output(m, &s, &o);
    assert_int_equal(o.fault, 0);
    assert_near(hypot(o.vel_mps[0], o.vel_mps[1]), speed_mps, 1e-3);
    struct turn t = {.ay_mps2 = o.rate_radps[2] * speed_mps,
                     .rate_radps = o.rate_radps[2],
                     .rack_m = o.rack_m,
                     .roll_rad = o.roll_rad};
    memcpy(t.load_N, o.load_N, sizeof t.load_N);
    return t;
}

struct allowed {
    double gradient_mrad;    /* per m/s2, up to 2 m/s2: of 1 to 2 of a usual car */
    double rack, load, roll; /* shares up to 4.2 m/s2; above it twice as much */
};

/* The same of the equilibrium that target/steady.c finds, without the rack's friction. */
static void compare_solver(struct track *t, const struct vehicle *v, const char *name,
                           const struct allowed *allowed, double most)
{
    const struct lumped15_model *m = lumped15_of(v);
    struct steady solver;
    assert_int_equal(steady_open(&solver, v, 1.0, STEADY_PUSH), 0);
    for (int i = 1; i <= 3 && 0.5 * i < most; i++) {
        double ay = 0.5 * i;
        struct steady_point p;
        steady_solve(&solver, speed_mps, ay / (speed_mps * speed_mps), &p);
        double want_m = track_rack_m(t, ay);
        assert_below(p.rest_mps2, 1e-6);
        assert_ratio(p.rack_m, want_m, allowed->rack);
        assert_ratio(p.roll_rad, t->roll_rad, allowed->roll);
        double arc = t->length_m * ay / (speed_mps * speed_mps);
        double is = 1e3 * (steer_rad(m, p.rack_m) - arc) / ay;
        double want = 1e3 * (steer_rad(m, want_m) - arc) / ay;
        print_message("    %s %.2f m/s2: steady %.3f for %.3f mrad/(m/s2)\n", name, ay, is, want);
        assert_near(is, want, allowed->gradient_mrad);
    }
    steady_close(&solver);
}

static void compare(struct vehicle *v, const char *name, const struct allowed *allowed)
{
    static const double aims[] = {0.5, 2.0, 4.0, 5.5};
    struct lumped15_model *m = lumped15_of(v);
    struct track t;
    m->aero.area_m2 = 0.0; /* air and locks are other tests' */
    m->driveline.lock_Nm[FRONT] = m->driveline.lock_Nm[REAR] = 0.0;
    track_of(&t, m);
    /* Well below where it would fall over. */
    double most = 0.6 * m->gravity_mps2 * t.axle[FRONT].half_m / t.height_m;
    for (int n = 0; n < 4 && aims[n] < most; n++) {
        double rack_m = track_rack_m(&t, aims[n]);
        struct turn is = corner_at(m, rack_m / m->steering.pinion_mprad * 1.05);
        double want_m = track_rack_m(&t, is.ay_mps2);
        double arc = t.length_m * is.rate_radps / speed_mps;
        double is_mrad = 1e3 * (steer_rad(m, is.rack_m) - arc) / is.ay_mps2;
        double want_mrad = 1e3 * (steer_rad(m, want_m) - arc) / is.ay_mps2;
        double moved_N = t.axle[FRONT].turned_N, roll = t.roll_rad;
        double is_N = 0.5 * (is.load_N[FR] - is.load_N[FL]);
        print_message("    %s %.2f m/s2: rack %.3f mm for %.3f, steer less arc %.3f for %.3f "
                      "mrad/(m/s2), roll %.2f for %.2f mrad, front moved %.1f for %.1f N\n",
                      name, is.ay_mps2, 1e3 * is.rack_m, 1e3 * want_m, is_mrad, want_mrad,
                      1e3 * is.roll_rad, 1e3 * roll, is_N, moved_N);
        if (is.ay_mps2 < 2.1)
            assert_near(is_mrad, want_mrad, allowed->gradient_mrad);
        double more = is.ay_mps2 < 4.2 ? 1.0 : 2.0;
        assert_ratio(is.rack_m, want_m, more * allowed->rack);
        assert_ratio(is.roll_rad, roll, more * allowed->roll);
        assert_ratio(is_N, moved_N, more * allowed->load);
    }
    compare_solver(&t, v, name, allowed, most);
    free(v);
}

static void plain_car(void **unused)
{
    (void)unused;
    struct testcar c;
    /* The two-track model is linear in roll and travel: a body that leans 50 mrad sinks a little
     * and its wheels stand closer together. */
    struct allowed a = {0.01, 0.004, 0.005, 0.015};
    testcar_plain(&c);
    testcar_dissipate(&c);
    compare(testcar_load(&c, 1e-3), "plain", &a);
}

static void shipped_cars(void **unused)
{
    (void)unused;
    struct cars cars;
    /* Further, the two-track model knows the gradients of the suspension at rest only, and no body
     * that is jacked up by side forces. */
    struct allowed a = {0.07, 0.017, 0.017, 0.05};
    cars_find(&cars);
    for (int k = 0; k < cars.count; k++) {
        char name[64];
        compare(car_load(cars.path[k], MODEL_SEMI_IMPLICIT, 1e-3),
                car_name(cars.path[k], name, sizeof name), &a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_car),
        cmocka_unit_test(shipped_cars),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
