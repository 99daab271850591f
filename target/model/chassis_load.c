#include "target/model/chassis_load.h"

#include "target/model/aero_load.h"
#include "target/model/axle_load.h"
#include "target/model/contact_load.h"
#include "target/model/driveline_load.h"
#include "target/model/hydraulics_load.h"
#include "target/model/model.h"
#include "target/model/setup_load.h"
#include "target/model/steering_load.h"
#include "target/model/tyre/tyre_grip.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void inertia_load(const struct cfg_node *body, double I[6])
{
    static const char *const keys[6] = {"xx", "yy", "zz", "xy", "xz", "yz"};
    const struct cfg_node *n = cfg_need_map(body, "inertia_kgm2");
    for (int k = 0; k < 6; k++) {
        if (k < 3)
            cfg_need(n, keys[k]);
        cfg_double(n, keys[k], &I[k], k < 3 ? CFG_POSITIVE : CFG_ANY);
    }
    double det2 = I[0] * I[1] - I[3] * I[3];
    double det3 = I[0] * (I[1] * I[2] - I[5] * I[5]) - I[3] * (I[3] * I[2] - I[5] * I[4]) +
                  I[4] * (I[3] * I[5] - I[1] * I[4]);
    if (!(det2 > 0.0 && det3 > 0.0))
        cfg_complain(n, NULL, "is no inertia tensor: its determinants must be > 0");
    else if (!(I[0] + I[1] >= I[2] && I[1] + I[2] >= I[0] && I[2] + I[0] >= I[1]))
        cfg_complain(n, NULL,
                     "no body has these: each of xx, yy, zz is at most the sum of the "
                     "other two");
    cfg_done(n);
}

/* Eight corners of a box, or the points of the file. */
static void hull_load(const struct cfg_node *body, struct hull_model *h)
{
    const struct cfg_node *n = cfg_map(body, "hull");
    h->stiffness_Npm = 2e5;
    h->damping_Nspm = 5e3;
    h->friction = 0.6;
    h->count = 0;
    if (!n)
        return;
    double from[3] = {0.0, 0.0, 0.0}, to[3] = {0.0, 0.0, 0.0};
    cfg_need(n, "from_m");
    cfg_need(n, "to_m");
    cfg_doubles(n, "from_m", from, 3, CFG_BETWEEN(-20.0, 20.0));
    cfg_doubles(n, "to_m", to, 3, CFG_BETWEEN(-20.0, 20.0));
    for (int k = 0; k < 3; k++)
        if (!(to[k] > from[k]))
            cfg_complain(n, "to_m", "each number must be above that of from_m");
    cfg_double(n, "stiffness_Npm", &h->stiffness_Npm, CFG_POSITIVE);
    cfg_double(n, "damping_Nspm", &h->damping_Nspm, CFG_NOT_NEGATIVE);
    cfg_double(n, "friction", &h->friction, CFG_NOT_NEGATIVE);
    cfg_done(n);
    for (int k = 0; k < 8; k++)
        h->point_m[h->count++] =
            v3(k & 1 ? to[0] : from[0], k & 2 ? to[1] : from[1], k & 4 ? to[2] : from[2]);
    hull_finish(h);
}

static void body_load(const struct cfg_node *root, struct chassis *c)
{
    const struct cfg_node *n = cfg_need_map(root, "body");
    double cg[3] = {0.0, 0.0, 0.0};
    cfg_need(n, "mass_kg");
    cfg_double(n, "mass_kg", &c->sprung_kg, CFG_POSITIVE);
    cfg_need(n, "cg_m");
    cfg_doubles(n, "cg_m", cg, 3, CFG_BETWEEN(-20.0, 20.0));
    c->sprung_cg_m = v3(cg[0], cg[1], cg[2]);
    inertia_load(n, c->inertia_kgm2);
    hull_load(n, &c->hull);
    cfg_done(n);
}

/* gain: torque per pressure from the caliper, or given. */
static void brake_load(const struct cfg_node *root, struct brake_model *b,
                       struct hydraulics_model *h)
{
    const struct cfg_node *n = cfg_need_map(root, "brake");
    double front = 0.0, rear = 0.0;
    memset(b, 0, sizeof *b);
    b->pedal_Pa = 150e5;
    b->rear_knee_Pa = 1e9;
    b->rear_slope = 1.0;
    cfg_need(n, "front_Nmpbar");
    cfg_need(n, "rear_Nmpbar");
    cfg_scaled(n, "front_Nmpbar", &front, 1e-5, CFG_NOT_NEGATIVE);
    cfg_scaled(n, "rear_Nmpbar", &rear, 1e-5, CFG_NOT_NEGATIVE);
    cfg_scaled(n, "threshold_bar", &b->threshold_Pa, 1e5, CFG_BETWEEN(0.0, 50.0));
    cfg_scaled(n, "pedal_bar", &b->pedal_Pa, 1e5, CFG_POSITIVE);
    cfg_scaled(n, "rear_knee_bar", &b->rear_knee_Pa, 1e5, CFG_NOT_NEGATIVE);
    cfg_double(n, "rear_slope", &b->rear_slope, CFG_BETWEEN(0.0, 1.0));
    cfg_double(n, "lag_s", &b->lag_s, CFG_BETWEEN(0.0, 1.0));
    for (int i = 0; i < WHEELS; i++)
        b->gain_NmpPa[i] = i < RL ? front : rear;
    hydraulics_load(cfg_map(n, "hydraulics"), h);
    if (h->on && cfg_has(n, "rear_knee_bar"))
        cfg_complain(n, "rear_knee_bar",
                     "the hydraulics have no proportioning valve: leave one out");
    cfg_done(n);
}

/* Whole car, from the parts; and what would make no car. */
static void totals(const struct cfg_node *root, struct chassis *c)
{
    struct kinematics_out f, r;
    kinematics_at(&c->axle[FRONT].kin, 0.0, 0.0, 1.0, &f);
    kinematics_at(&c->axle[REAR].kin, 0.0, 0.0, 1.0, &r);
    double mf = 2.0 * c->unsprung_kg[FL], mr = 2.0 * c->unsprung_kg[RL];
    c->total_kg = c->sprung_kg + mf + mr;
    struct vec3 sum = v3_scale(c->sprung_kg, c->sprung_cg_m);
    sum = v3_madd(sum, mf, v3(f.f[KIN_HUB_X], 0.0, f.f[KIN_HUB_Z]));
    sum = v3_madd(sum, mr, v3(r.f[KIN_HUB_X], 0.0, r.f[KIN_HUB_Z]));
    c->cg_m = v3_scale(1.0 / c->total_kg, sum);
    if (!(f.f[KIN_HUB_X] > r.f[KIN_HUB_X]))
        cfg_complain(root, "front", "the front hubs must be ahead of the rear ones (larger x)");
    else if (!(c->cg_m.x > r.f[KIN_HUB_X] && c->cg_m.x < f.f[KIN_HUB_X]))
        cfg_complain(cfg_need_map(root, "body"), "cg_m",
                     "the car's centre of gravity at x = %.3f m must lie between its axles at "
                     "%.3f and %.3f m",
                     c->cg_m.x, r.f[KIN_HUB_X], f.f[KIN_HUB_X]);
}

/* Carcass damping at a crawl as a share of critical damping of a quarter car on its tyre, (C-9). */
static void crawl_load(const struct cfg_node *n, struct chassis *c)
{
    double ratio = 0.25;
    c->slip.crawl_mps = 2.5;
    if (n) {
        cfg_scaled(n, "below_kmh", &c->slip.crawl_mps, 1.0 / 3.6, CFG_POSITIVE);
        cfg_double(n, "damping_ratio", &ratio, CFG_BETWEEN(0.0, 2.0));
        cfg_done(n);
    }
    struct tyre_in in;
    struct tyre_grip g;
    memset(&in, 0, sizeof in);
    double quarter_kg = 0.25 * c->total_kg, kx = 0.0, ky = 0.0, cx = 0.0, cy = 0.0;
    for (int i = 0; i < WHEELS; i++) {
        in.load_N[i] = quarter_kg * c->gravity_mps2;
        in.pressure_Pa[i] = c->inflation_Pa[i];
        in.friction[i] = 1.0;
    }
    tyre_grip(&c->tyres, &in, &g);
    for (int i = 0; i < WHEELS; i++) {
        kx += g.stiff_x_N[i];
        ky += g.stiff_y_N[i];
        cx += g.stiff_x_N[i] / g.relax_x_m[i];
        cy += g.stiff_y_N[i] / g.relax_y_m[i];
    }
    c->slip.damping_spm[0] = 2.0 * ratio * sqrt(0.25 * cx * quarter_kg) / (0.25 * kx);
    c->slip.damping_spm[1] = 2.0 * ratio * sqrt(0.25 * cy * quarter_kg) / (0.25 * ky);
}

static void read_chassis(const struct cfg_node *root, const struct setup *setup, struct chassis *c)
{
    static const char *const integrators[] = {"forward", "semi-implicit", NULL};
    struct axle_extra extra[AXLES];
    c->gravity_mps2 = 9.80665;
    c->integrator = MODEL_SEMI_IMPLICIT;
    cfg_double(root, "gravity_mps2", &c->gravity_mps2, CFG_BETWEEN(0.0, 30.0));
    cfg_choice(root, "integrator", &c->integrator, integrators);
    body_load(root, c);
    brake_load(root, &c->brake, &c->hydraulics);
    steering_load(cfg_need_map(root, "steering"), &c->steering);
    driveline_load(cfg_map(root, "driveline"), &c->driveline);
    contact_load(cfg_map(root, "contact"), &c->contact);
    /* Asked for before anything ends early, so that they are no unknown keys then. */
    const struct cfg_node *aero = cfg_map(root, "aero"), *standstill = cfg_map(root, "standstill");
    if (!axle_load(root, c, extra))
        return; /* what follows needs both axles */
    setup_load(setup, c);
    totals(root, c);
    if (!axle_finish(root, c, extra))
        return;
    crawl_load(standstill, c);
    struct kinematics_out f, r;
    kinematics_at(&c->axle[FRONT].kin, 0.0, 0.0, 1.0, &f);
    kinematics_at(&c->axle[REAR].kin, 0.0, 0.0, 1.0, &r);
    aero_defaults(&c->aero, f.f[KIN_HUB_X], r.f[KIN_HUB_X], c->cg_m.z);
    aero_load(aero, &c->aero);
}

struct chassis *chassis_load(const struct cfg_node *root, const struct setup *setup)
{
    _Static_assert(_Alignof(struct chassis) <= MODEL_ALIGNMENT, "fits its alignment");
    size_t blocks = (sizeof(struct chassis) + MODEL_ALIGNMENT - 1) / MODEL_ALIGNMENT;
    struct chassis *c = aligned_alloc(MODEL_ALIGNMENT, blocks * MODEL_ALIGNMENT);
    if (!c)
        return NULL;
    memset(c, 0, sizeof *c);
    read_chassis(root, setup, c);
    return c;
}
