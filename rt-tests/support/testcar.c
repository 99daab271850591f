#include "rt-tests/support/testcar.h"

#include "rt-tests/support/cars.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { GRID = 13, PATH_SIZE = 512 };
static const char *const axle_names[AXLES] = {"front", "rear"};

static void plain_axle(struct testcar_axle *a, double x_m, double y_m, double z_m)
{
    memset(a, 0, sizeof *a);
    a->map[KIN_HUB_X][0][0] = x_m;
    a->map[KIN_HUB_Y][0][0] = y_m;
    a->map[KIN_HUB_Z][0][0] = z_m;
    a->map[KIN_HUB_Z][1][0] = 1.0;
    a->map[KIN_SPRING][0][0] = a->map[KIN_DAMPER][0][0] = 0.4;
    a->map[KIN_SPRING][1][0] = a->map[KIN_DAMPER][1][0] = -1.0;
    a->unsprung_kg = 40.0;
    a->wheel_kgm2 = 1.1;
    a->transverse_kgm2 = 0.6;
    a->spring_Npm = 24e3;
    a->bar_Npm = 8e3;
    a->stop_m = 0.09;
    a->stop_Npm = 1e5;
}

void testcar_plain(struct testcar *c)
{
    memset(c, 0, sizeof *c);
    *c = (struct testcar){
        .gravity_mps2 = 9.80665,
        .sprung_kg = 1340.0,
        .cg_m = {0.12, 0.0, 0.56},
        .inertia_kgm2 = {480.0, 2050.0, 2250.0, 0.0, 0.0, 0.0},
        .travel_m = 0.15,
        .rack_m = 0.09,
        .tyre = {.radius_m = 0.316,
                 .load0_N = 4200.0,
                 .stiffness_Npm = 220e3,
                 .peak_x = 1.05,
                 .peak_y = 1.0,
                 .stiff_x = 22.0,
                 .stiff_y = 20.0,
                 .carcass_x_Npm = 400e3,
                 .carcass_y_Npm = 170e3},
        .pinion_mprad = 0.008,
        .column_Nmprad = 115.0,
        .hand_kgm2 = 0.035,
        .rack_kg = 3.0,
        .rack_stop_m = 0.07,
        .rack_stop_Npm = 2e6,
        .front_NmpPa = 18e-5,
        .rear_NmpPa = 9e-5,
    };
    plain_axle(&c->axle[FRONT], 1.3, 0.77, 0.30);
    plain_axle(&c->axle[REAR], -1.4, 0.76, 0.30);
    c->axle[REAR].unsprung_kg = 36.0;
    c->axle[REAR].spring_Npm = 21e3;
    c->axle[REAR].bar_Npm = 3e3;
    c->axle[FRONT].map[KIN_TOE][0][1] = 8.0;
}

/* Powers up to the third of each quantity, a few times as large as a real suspension's, so that no
 * term hides: travel and rack of a few centimetres change every gradient by its own size. */
static void curve(struct testcar_axle *a, double sign, int steered)
{
    static const double by_travel[KIN_QUANTITIES][3] = {
        {-0.15, -1.5, 6.0}, {0.12, -1.2, 5.0}, {1.0, 0.8, -4.0}, {0.15, 0.6, 3.0},
        {0.30, 0.9, -4.0},  {-0.5, 1.5, 5.0},  {-0.9, 0.7, 2.0}, {-0.8, -0.6, 3.0}};
    static const double by_rack[KIN_QUANTITIES][3] = {
        {-0.60, 1.5, 8.0}, {0.20, -2.5, 6.0}, {0.10, 1.2, -5.0}, {8.0, 9.0, 60.0},
        {-0.9, 2.5, 7.0},  {0.7, 2.0, -9.0},  {0.15, 0.9, 3.0},  {-0.12, 0.8, -2.0}};
    static const double both[KIN_QUANTITIES] = {1.5, -1.0, 0.8, 3.0, -2.0, 2.5, 0.9, 0.7};
    for (int q = 0; q < KIN_QUANTITIES; q++) {
        for (int k = 0; k < 3; k++) {
            double side = q == KIN_HUB_Z || q >= KIN_SPRING ? 1.0 : sign;
            a->map[q][k + 1][0] = side * by_travel[q][k];
            a->map[q][0][k + 1] = steered ? by_rack[q][k] : 0.0;
        }
        a->map[q][1][1] = steered ? both[q] : 0.0;
        a->map[q][2][1] = steered ? 4.0 * both[q] : 0.0;
        a->map[q][1][2] = steered ? -3.0 * both[q] : 0.0;
    }
    a->map[KIN_TOE][0][0] = -0.01 * sign;
    a->map[KIN_CAMBER][0][0] = 0.03;
    a->map[KIN_PITCH][0][0] = 0.05;
}

void testcar_curved(struct testcar *c)
{
    testcar_plain(c);
    static const double inertia_kgm2[6] = {480.0, 2050.0, 2250.0, 25.0, 60.0, -20.0};
    memcpy(c->inertia_kgm2, inertia_kgm2, sizeof inertia_kgm2);
    curve(&c->axle[FRONT], 1.0, 1);
    curve(&c->axle[REAR], -1.0, 0);
    c->tyre.bend = 12.0;
}

void testcar_dissipate(struct testcar *c)
{
    for (int k = 0; k < AXLES; k++) {
        c->axle[k].bump_Nspm = 1500.0;
        c->axle[k].rebound_Nspm = 2500.0;
    }
    c->column_Nmsprad = 0.35;
    c->rack_Nspm = 900.0;
    c->rack_friction_N = 80.0;
    c->hand_friction_Nm = 0.1;
    c->tyre.damping_Nspm = 150.0;
    c->tyre.rolling = 0.01;
    c->tyre.trail = 0.08;
}

/* ---- the files */

static double power_sum(const double map[TESTCAR_TERMS][TESTCAR_TERMS], double z, double s)
{
    double sum = 0.0;
    for (int a = TESTCAR_TERMS - 1; a >= 0; a--) {
        double row = 0.0;
        for (int b = TESTCAR_TERMS - 1; b >= 0; b--)
            row = row * s + map[a][b];
        sum = sum * z + row;
    }
    return sum;
}

static void write_kinematics(const struct testcar *c, int axle, FILE *to)
{
    fprintf(to,
            "travel_m,%shub_x_m,hub_y_m,hub_z_m,toe_rad,camber_rad,carrier_pitch_rad,"
            "spring_length_m,damper_length_m\n",
            axle == FRONT ? "rack_m," : "");
    for (int i = 0; i < GRID; i++) {
        double z = c->travel_m * (2.0 * i / (GRID - 1) - 1.0);
        for (int k = 0; k < (axle == FRONT ? GRID : 1); k++) {
            double s = axle == FRONT ? c->rack_m * (2.0 * k / (GRID - 1) - 1.0) : 0.0;
            fprintf(to, "%.17g", z);
            if (axle == FRONT)
                fprintf(to, ",%.17g", s);
            for (int q = 0; q < KIN_QUANTITIES; q++)
                fprintf(to, ",%.17g", power_sum(c->axle[axle].map[q], z, s));
            fprintf(to, "\n");
        }
    }
}

static void write_tyre(const struct testcar_tyre *t, FILE *to)
{
    fprintf(to, "[UNITS]\nLENGTH='meter'\nFORCE='newton'\nANGLE='radians'\nMASS='kg'\n"
                "TIME='second'\n[MODEL]\nFITTYP=61\nTYRESIDE='LEFT'\nLONGVL=16.7\n");
    fprintf(to, "[DIMENSION]\nUNLOADED_RADIUS=%.17g\nWIDTH=0.2\nRIM_RADIUS=%.17g\n", t->radius_m,
            0.6 * t->radius_m);
    fprintf(to,
            "[VERTICAL]\nFNOMIN=%.17g\nVERTICAL_STIFFNESS=%.17g\nQ_FZ2=%.17g\n"
            "VERTICAL_DAMPING=%.17g\n",
            t->load0_N, t->stiffness_Npm, t->bend, t->damping_Nspm);
    fprintf(to, "BREFF=8\nDREFF=%.17g\nFREFF=%.17g\n", t->rolling_d, t->rolling_f);
    fprintf(to, "[STRUCTURAL]\nLONGITUDINAL_STIFFNESS=%.17g\nLATERAL_STIFFNESS=%.17g\n",
            t->carcass_x_Npm, t->carcass_y_Npm);
    fprintf(to, "[VERTICAL_FORCE_RANGE]\nFZMIN=50\nFZMAX=15000\n");
    fprintf(to,
            "[LONGITUDINAL_COEFFICIENTS]\nPCX1=1.5\nPDX1=%.17g\nPDX2=-0.08\nPEX1=-0.2\n"
            "PKX1=%.17g\nRBX1=13\nRBX2=9\nRCX1=1\nREX1=-0.4\n",
            t->peak_x, t->stiff_x);
    fprintf(to,
            "[LATERAL_COEFFICIENTS]\nPCY1=1.35\nPDY1=%.17g\nPDY2=-0.12\nPEY1=-0.6\n"
            "PKY1=%.17g\nPKY2=1.9\nPKY4=2\nRBY1=10\nRBY2=7\nRCY1=1\nREY1=-0.2\n",
            t->peak_y, -t->stiff_y);
    fprintf(to, "[ALIGNING_COEFFICIENTS]\nQBZ1=10\nQCZ1=1.15\nQDZ1=%.17g\nQEZ1=-1.5\n", t->trail);
    fprintf(to, "[ROLLING_COEFFICIENTS]\nQSY1=%.17g\n", t->rolling);
}

static void write_axle(const struct testcar *c, int k, FILE *to)
{
    const struct testcar_axle *a = &c->axle[k];
    fprintf(to, "%s:\n  unsprung_mass_kg: %.17g\n  wheel_inertia_kgm2: %.17g\n", axle_names[k],
            a->unsprung_kg, a->wheel_kgm2);
    fprintf(to, "  wheel_transverse_inertia_kgm2: %.17g\n  tyre: tyre.tir\n", a->transverse_kgm2);
    fprintf(to, "  kinematics: {file: %s.csv}\n  spring: {rate_Npm: %.17g}\n", axle_names[k],
            a->spring_Npm);
    fprintf(to, "  damper: {bump_Nspm: %.17g, rebound_Nspm: %.17g}\n", a->bump_Nspm,
            a->rebound_Nspm);
    fprintf(to, "  bump_stop: {clearance_m: %.17g, rate_Npm: %.17g}\n", a->stop_m, a->stop_Npm);
    fprintf(to, "  rebound_stop: {clearance_m: %.17g, rate_Npm: %.17g}\n", a->stop_m, a->stop_Npm);
    fprintf(to, "  anti_roll_bar_Npm: %.17g\n", a->bar_Npm);
}

static void write_car(const struct testcar *c, FILE *to)
{
    const double *I = c->inertia_kgm2;
    fprintf(to, "kind: vehicle\nname: test car\nmodel: %s\nintegrator: semi-implicit\n",
            c->model ? c->model : "lumped15");
    fprintf(to, "gravity_mps2: %.17g\nbody:\n  mass_kg: %.17g\n  cg_m: [%.17g, %.17g, %.17g]\n",
            c->gravity_mps2, c->sprung_kg, c->cg_m[0], c->cg_m[1], c->cg_m[2]);
    fprintf(to,
            "  inertia_kgm2: {xx: %.17g, yy: %.17g, zz: %.17g, xy: %.17g, xz: %.17g, "
            "yz: %.17g}\n",
            I[0], I[1], I[2], I[3], I[4], I[5]);
    write_axle(c, FRONT, to);
    write_axle(c, REAR, to);
    fprintf(to,
            "steering:\n  pinion_mprad: %.17g\n  column_Nmprad: %.17g\n"
            "  column_Nmsprad: %.17g\n",
            c->pinion_mprad, c->column_Nmprad, c->column_Nmsprad);
    fprintf(to, "  hand_wheel_inertia_kgm2: %.17g\n  hand_wheel_friction_Nm: %.17g\n", c->hand_kgm2,
            c->hand_friction_Nm);
    fprintf(to,
            "  rack_mass_kg: %.17g\n  rack_damping_Nspm: %.17g\n  rack_friction_N: %.17g\n"
            "  rack_stop_m: %.17g\n  rack_stop_Npm: %.17g\n",
            c->rack_kg, c->rack_Nspm, c->rack_friction_N, c->rack_stop_m, c->rack_stop_Npm);
    fprintf(to, "brake: {front_Nmpbar: %.17g, rear_Nmpbar: %.17g, threshold_bar: 0, lag_s: 0}\n",
            c->front_NmpPa * 1e5, c->rear_NmpPa * 1e5);
    if (c->more)
        fputs(c->more, to);
}

enum { CAR_FILE, FRONT_FILE, REAR_FILE, TYRE_FILE, FILES };
static const char *const file_names[FILES] = {"car.yaml", "front.csv", "rear.csv", "tyre.tir"};

static void write_file(const struct testcar *c, int which, const char *path)
{
    FILE *to = fopen(path, "w");
    if (!to)
        fail_msg("%s cannot be written", path);
    if (which == CAR_FILE)
        write_car(c, to);
    else if (which == TYRE_FILE)
        write_tyre(&c->tyre, to);
    else
        write_kinematics(c, which == FRONT_FILE ? FRONT : REAR, to);
    if (fclose(to))
        fail_msg("%s cannot be written", path);
}

struct vehicle *testcar_load(const struct testcar *c, double step_s)
{
    const char *below = getenv("TMPDIR");
    char folder[PATH_SIZE / 2], path[FILES][PATH_SIZE];
    (void)snprintf(folder, sizeof folder, "%s/skidpad-car-XXXXXX", below ? below : "/tmp");
    if (!mkdtemp(folder))
        fail_msg("%s cannot be made", folder);
    for (int k = 0; k < FILES; k++) {
        (void)snprintf(path[k], sizeof path[k], "%s/%s", folder, file_names[k]);
        write_file(c, k, path[k]);
    }
    struct vehicle_options options = {.step_s = step_s, .integrator = MODEL_SEMI_IMPLICIT};
    struct vehicle *car = NULL;
    struct cfg_doc *doc = NULL;
    int bad = vehicle_load(path[CAR_FILE], &options, &car, &doc);
    for (int k = 0; k < FILES; k++)
        (void)unlink(path[k]);
    (void)rmdir(folder);
    if (bad && doc)
        cfg_print_messages(doc, stderr);
    cfg_close(doc);
    if (bad)
        fail_msg("the test car cannot be loaded");
    return car;
}

struct testcar_value testcar_at(const struct testcar *c, int wheel, int quantity, double travel_m,
                                double rack_m)
{
    const double(*map)[TESTCAR_TERMS] = c->axle[wheel < RL ? FRONT : REAR].map[quantity];
    double mirror = wheel == FR || wheel == RR ? -1.0 : 1.0;
    int odd = quantity == KIN_HUB_Y || quantity == KIN_TOE || quantity == KIN_CAMBER;
    double s = mirror * rack_m, even = odd ? mirror : 1.0;
    double zp[TESTCAR_TERMS] = {1.0}, sp[TESTCAR_TERMS] = {1.0};
    for (int k = 1; k < TESTCAR_TERMS; k++) {
        zp[k] = zp[k - 1] * travel_m;
        sp[k] = sp[k - 1] * s;
    }
    struct testcar_value v = {0.0, 0.0, 0.0};
    for (int a = 0; a < TESTCAR_TERMS; a++)
        for (int b = 0; b < TESTCAR_TERMS; b++) {
            v.f += even * map[a][b] * zp[a] * sp[b];
            v.z += a > 0 ? even * map[a][b] * a * zp[a - 1] * sp[b] : 0.0;
            v.s += b > 0 ? even * mirror * map[a][b] * b * zp[a] * sp[b - 1] : 0.0;
        }
    return v;
}
