#include "target/model/axle_load.h"

#include "target/model/corner.h"
#include "target/model/kinematics_load.h"
#include "target/model/math/table1_load.h"
#include "target/model/tyre/tyre_file.h"

#include <math.h>
#include <string.h>

static const char *const axle_keys[AXLES] = {"front", "rear"};

static void spring_load(const struct cfg_node *axle, struct axle_model *a, struct axle_extra *extra)
{
    const struct cfg_node *n = cfg_need_map(axle, "spring");
    double rate_Npm = 0.0;
    if (!table1_load(n, "force_N", &a->spring_N)) {
        if (!cfg_has(n, "force_N"))
            cfg_need(n, "rate_Npm");
        cfg_double(n, "rate_Npm", &rate_Npm, CFG_POSITIVE);
        table1_line(&a->spring_N, 0.0, 0.0, rate_Npm);
    } else if (cfg_has(n, "rate_Npm")) {
        cfg_complain(n, "rate_Npm", "give either rate_Npm or force_N");
    }
    for (int i = 0; i < a->spring_N.count; i++)
        if (!(a->spring_N.slope[i] >= 0.0))
            cfg_complain(n, "force_N", "must not fall: a spring resists compression");
    extra->find_preload = !cfg_has(n, "free_length_m");
    cfg_double(n, "free_length_m", &a->spring_free_m, CFG_BETWEEN(0.0, 10.0));
    cfg_done(n);
}

/* damper: {bump_Nspm, rebound_Nspm} or {force_N: [[compression m/s, N], ...]} */
static void damper_load(const struct cfg_node *axle, struct axle_model *a)
{
    const struct cfg_node *n = cfg_need_map(axle, "damper");
    double bump = 0.0, rebound = 0.0;
    if (!table1_load(n, "force_N", &a->damper_N)) {
        if (!cfg_has(n, "force_N")) {
            cfg_need(n, "bump_Nspm");
            cfg_need(n, "rebound_Nspm");
        }
        cfg_double(n, "bump_Nspm", &bump, CFG_NOT_NEGATIVE);
        cfg_double(n, "rebound_Nspm", &rebound, CFG_NOT_NEGATIVE);
        a->damper_N =
            (struct table1){.count = 3, .x = {-1.0, 0.0, 1.0}, .y = {-rebound, 0.0, bump}};
        table1_finish(&a->damper_N);
    }
    for (int i = 0; i < a->damper_N.count; i++)
        if (!(a->damper_N.slope[i] >= 0.0))
            cfg_complain(n, "force_N", "must not fall: a damper resists");
    cfg_done(n);
}

/* A stop: nothing up to its clearance, then a table over the travel beyond. */
static void stop_load(const struct cfg_node *axle, const char *key, double default_m,
                      struct table1 *t)
{
    const struct cfg_node *n = cfg_map(axle, key);
    struct table1 beyond;
    double clearance_m = default_m, rate_Npm = 2e5;
    table1_line(&beyond, 0.0, 0.0, rate_Npm);
    if (n) {
        cfg_double(n, "clearance_m", &clearance_m, CFG_BETWEEN(0.0, 1.0));
        if (!table1_load(n, "force_N", &beyond)) {
            cfg_double(n, "rate_Npm", &rate_Npm, CFG_POSITIVE);
            table1_line(&beyond, 0.0, 0.0, rate_Npm);
        }
        if (!(fabs(beyond.x[0]) <= 0.0 && fabs(beyond.y[0]) <= 0.0))
            cfg_complain(n, "force_N", "must begin with [0, 0]: travel beyond the clearance");
        if (beyond.count >= TABLE1_MAX) {
            cfg_complain(n, "force_N", "at most %d rows are allowed", TABLE1_MAX - 1);
            beyond.count = 2;
        }
        for (int i = 0; i < beyond.count; i++)
            if (!(beyond.slope[i] >= 0.0))
                cfg_complain(n, "force_N", "must not fall");
        cfg_done(n);
    }
    t->count = beyond.count + 1;
    t->x[0] = clearance_m - 1.0;
    t->y[0] = 0.0;
    for (int i = 0; i < beyond.count; i++) {
        t->x[i + 1] = clearance_m + beyond.x[i];
        t->y[i + 1] = beyond.y[i];
    }
    table1_finish(t);
}

/* Tyres of an axle: the usual one, and those for other weather. */
struct axle_tyres {
    struct tyre_model tyre[GROUND_WEATHERS];
    bool has[GROUND_WEATHERS];
};

static bool tyre_file(const struct cfg_node *map, const char *key, struct tyre_model *tyre)
{
    char path[1024] = "";
    struct err e = {""};
    cfg_path(map, key, path, sizeof path);
    if (path[0] == '\0')
        return false;
    if (tyre_model_read(path, tyre, NULL, &e)) {
        cfg_complain(map, key, "%s", e.text);
        return false;
    }
    return true;
}

static bool tyre_files(const struct cfg_node *axle, struct axle_tyres *t)
{
    static const char *const keys[GROUND_WEATHERS] = {"dry", "wet", "snow", "ice"};
    const struct cfg_node *others = cfg_map(axle, "tyres");
    cfg_need(axle, "tyre");
    t->has[GROUND_DRY] = tyre_file(axle, "tyre", &t->tyre[GROUND_DRY]);
    for (int k = GROUND_WET; k < GROUND_WEATHERS; k++)
        t->has[k] = others && cfg_has(others, keys[k]) && tyre_file(others, keys[k], &t->tyre[k]);
    cfg_done(others);
    return t->has[GROUND_DRY];
}

static bool one_axle(const struct cfg_node *root, int k, struct chassis *c,
                     struct axle_extra *extra, struct axle_tyres *tyres)
{
    const struct cfg_node *n = cfg_need_map(root, axle_keys[k]);
    struct axle_model *a = &c->axle[k];
    double inflation_Pa = 0.0; /* the file's */
    cfg_need(n, "unsprung_mass_kg");
    double unsprung_kg = 1.0, wheel_kgm2 = 1.0, bar_Npm = 0.0;
    cfg_double(n, "unsprung_mass_kg", &unsprung_kg, CFG_POSITIVE);
    cfg_need(n, "wheel_inertia_kgm2");
    cfg_double(n, "wheel_inertia_kgm2", &wheel_kgm2, CFG_POSITIVE);
    extra->transverse_kgm2 = 0.5 * wheel_kgm2;
    cfg_double(n, "wheel_transverse_inertia_kgm2", &extra->transverse_kgm2, CFG_NOT_NEGATIVE);
    kinematics_load(cfg_need_map(n, "kinematics"), k == FRONT, &a->kin);
    bool usable = a->kin.travel_points > 0;
    double up_m =
        usable ? a->kin.travel0_m + (a->kin.travel_points - 1) * a->kin.travel_step_m : 0.1;
    double down_m = usable ? -a->kin.travel0_m : 0.1;
    spring_load(n, a, extra);
    damper_load(n, a);
    stop_load(n, "bump_stop", 0.8 * up_m, &a->bump_N);
    stop_load(n, "rebound_stop", 0.8 * down_m, &a->rebound_N);
    cfg_double(n, "anti_roll_bar_Npm", &bar_Npm, CFG_NOT_NEGATIVE);
    cfg_scaled(n, "inflation_kPa", &inflation_Pa, 1e3, CFG_BETWEEN(50.0, 1000.0));
    for (int i = 0; i < WHEELS; i++) {
        if (axle_of(i) != k)
            continue;
        c->unsprung_kg[i] = unsprung_kg;
        c->wheel_kgm2[i] = wheel_kgm2;
        c->bar_Npm[i] = bar_Npm;
        c->inflation_Pa[i] = inflation_Pa;
    }
    usable = tyre_files(n, tyres) && usable;
    cfg_done(n);
    return usable;
}

bool axle_load(const struct cfg_node *root, struct chassis *c, struct axle_extra extra[AXLES])
{
    static const char *const sides[] = {"mirror", "as-file", "symmetric", NULL};
    struct axle_tyres tyres[AXLES];
    int side = TYRE_SIDES_MIRROR;
    bool usable = one_axle(root, FRONT, c, &extra[FRONT], &tyres[FRONT]);
    usable = one_axle(root, REAR, c, &extra[REAR], &tyres[REAR]) && usable;
    cfg_choice(root, "tyre_sides", &side, sides);
    if (!usable)
        return false;
    c->weathers = 0;
    for (int k = 0; k < GROUND_WEATHERS; k++) {
        const struct tyre_model *front = &tyres[FRONT].tyre[k], *rear = &tyres[REAR].tyre[k];
        const struct tyre_model *const four[WHEELS] = {front, front, rear, rear};
        if (tyres[FRONT].has[k] != tyres[REAR].has[k])
            cfg_complain(root, axle_keys[tyres[FRONT].has[k] ? REAR : FRONT],
                         "tyres for the same weather are needed on both axles");
        else if (tyres[FRONT].has[k])
            tyre_set_init(k == GROUND_DRY ? &c->tyres : &c->weather_tyres[k], four,
                          (enum tyre_sides)side);
        c->weathers |= k != GROUND_DRY && tyres[FRONT].has[k] ? 1u << k : 0u;
    }
    return true;
}

/* Compression at which the spring gives force_N; false if it never does. */
static bool compression_of(const struct table1 *t, double force_N, double *x_m)
{
    double low = t->x[0] - 10.0, high = t->x[t->count - 1] + 10.0, unused;
    if (!(table1_at(t, low, &unused) <= force_N && table1_at(t, high, &unused) >= force_N))
        return false;
    for (int n = 0; n < 200; n++) {
        double middle = 0.5 * (low + high);
        if (table1_at(t, middle, &unused) < force_N)
            low = middle;
        else
            high = middle;
    }
    *x_m = 0.5 * (low + high);
    return true;
}

/* Spring force that holds a wheel at travel 0 under its static load, by virtual work, (R-3). */
static double static_spring_N(const struct chassis *c, const struct corner *k, int wheel,
                              double load_N)
{
    double mass = c->unsprung_kg[wheel], sine = k->axis.z, cosine = sqrt(1.0 - sine * sine);
    double radius_m =
        c->tyres.radius_m[wheel] - tyre_static_deflection_m(&c->tyres, wheel, load_N * cosine);
    struct vec3 lift = v3_add(k->hub_z, v3_cross(k->turn_z, corner_arm_m(k, radius_m)));
    double work_N = load_N * lift.z - mass * c->gravity_mps2 * k->hub_z.z;
    return -work_N / k->spring_z;
}

bool axle_finish(const struct cfg_node *root, struct chassis *c,
                 const struct axle_extra extra[AXLES])
{
    struct corner corner[AXLES];
    for (int k = 0; k < AXLES; k++)
        corner_at(&c->axle[k].kin, 0.0, 0.0, 1.0, &corner[k]);
    double front_x = corner[FRONT].hub_m.x, rear_x = corner[REAR].hub_m.x;
    double weight_N = c->total_kg * c->gravity_mps2;
    double share = (c->cg_m.x - rear_x) / (front_x - rear_x);
    for (int k = 0; k < AXLES; k++) {
        struct axle_model *a = &c->axle[k];
        int wheel = k == FRONT ? FL : RL;
        double load_N = 0.5 * weight_N * (k == FRONT ? share : 1.0 - share);
        double squeeze_m = 0.0;
        if (extra[k].find_preload) {
            double force_N = static_spring_N(c, &corner[k], wheel, load_N);
            if (!compression_of(&a->spring_N, force_N, &squeeze_m)) {
                cfg_complain(cfg_need_map(root, axle_keys[k]), "spring",
                             "cannot carry %.0f N, the wheel's share of the car at rest", force_N);
                return false;
            }
            a->spring_free_m = corner[k].spring_m + squeeze_m;
        }
        /* Turning with the body; about the steering axis the inertia hangs on the rack. */
        c->inertia_kgm2[0] += 2.0 * extra[k].transverse_kgm2;
        c->inertia_kgm2[2] += 2.0 * extra[k].transverse_kgm2;
        double turn = corner[k].turn_s.z;
        c->steering.rack_kg += 2.0 * extra[k].transverse_kgm2 * turn * turn;
    }
    return true;
}
