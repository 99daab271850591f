#include "rt-tests/support/chrono_sedan.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const double gravity_mps2 = 9.81; /* Chrono's default */

/* ---- masses */

/* Parts of one left corner: Sedan_DoubleWishbone, Sedan_Wheel and Sedan_Pac02Tire. lift is how much
 * a part's centre of gravity rises per rise of the hub at rest, from the hardpoints: 1 for what
 * turns with the hub, about a half for the arms. */
struct part {
    double kg, at_m[3], lift, inertia_kgm2[3];
};
enum { TYRE, RIM, SPINDLE, UPRIGHT, UPPER_ARM, LOWER_ARM, CORNER_PARTS };
static const struct part corner_parts[CORNER_PARTS] = {
    [TYRE] = {11.5, {0.0, 0.7979, -0.1199}, 1.0, {0.156, 0.679, 0.156}},
    [RIM] = {13.2, {0.0, 0.7979, -0.1199}, 1.0, {0.24, 0.42, 0.24}},
    [SPINDLE] = {1.103, {0.0, 0.7979, -0.1199}, 1.0, {0.000478, 0.000496, 0.000478}},
    [UPRIGHT] = {1.397, {-0.0224, 0.7470, -0.1118}, 0.976, {0.0138, 0.0146, 0.00283}},
    [UPPER_ARM] = {1.032, {-0.1083, 0.5972, 0.1063}, 0.493, {0.00591, 0.00190, 0.00769}},
    [LOWER_ARM] = {1.611, {0.0048, 0.6112, -0.2932}, 0.508, {0.0151, 0.0207, 0.0355}},
};
/* Sedan_Chassis, Sedan_RackPinion at its location in Sedan_Vehicle. */
static const struct part body_parts[] = {
    {1550.0, {0.0, 0.0, 0.7}, 0.0, {222.8, 944.1, 1053.5}},
    {1.889, {1.2, 0.0, 0.14}, 0.0, {0.138, 0.00009, 0.138}},
};
/* Suspension Location in Sedan_Vehicle; rise of the hub from the build position to rest and the
 * hub's place at rest: KINEMATICS.md, static point. */
struct place {
    double x_m, z_m, rise_m, hub_m[3];
};
static const struct place places[2] = {
    {1.388, 0.25, 0.03161, {1.38758, 0.79906, 0.16171}},
    {-1.388, 0.125, 0.03045, {-1.38840, 0.79908, 0.03555}},
};
/* Sedan_DoubleWishbone: the axle shaft turns with its wheel, front and rear. */
static const double axle_shaft_kgm2 = 0.4;
/* Sedan_Driveline2WD: propeller shaft, differential box, and bevel gear: box over shaft speed. */
static const double propeller_kgm2 = 0.5, box_kgm2 = 0.6, bevel = 0.2;

enum { BODIES = 2 + 2 * 2 * CORNER_PARTS };

/* All parts in the chassis frame, as built or at rest. Returns how many. */
static int bodies(bool as_stated, struct part out[BODIES])
{
    int count = 0;
    for (int k = 0; k < 2; k++)
        out[count++] = body_parts[k];
    for (int axle = 0; axle < 2; axle++) {
        const struct place *at = &places[axle];
        for (int k = as_stated ? RIM : TYRE; k < CORNER_PARTS; k++) {
            struct part p = corner_parts[k];
            p.at_m[0] += at->x_m;
            p.at_m[2] += at->z_m + (as_stated ? 0.0 : p.lift * at->rise_m);
            if (!as_stated && k <= SPINDLE)
                p.inertia_kgm2[1] = 0.0; /* the spin is a coordinate of its own */
            out[count++] = p;
            p.at_m[1] = -p.at_m[1];
            out[count++] = p;
        }
    }
    return count;
}

/* Adds a point mass to an inertia about another point. */
static void add_point(double kg, const double at_m[3], const double about_m[3], double inertia[4])
{
    double x = at_m[0] - about_m[0], y = at_m[1] - about_m[1], z = at_m[2] - about_m[2];
    inertia[0] += kg * (y * y + z * z);
    inertia[1] += kg * (x * x + z * z);
    inertia[2] += kg * (x * x + y * y);
    inertia[3] -= kg * x * z;
}

struct chrono_mass chrono_mass(bool as_stated)
{
    struct part all[BODIES];
    struct chrono_mass m = {0};
    int count = bodies(as_stated, all);
    for (int i = 0; i < count; i++) {
        m.kg += all[i].kg;
        for (int k = 0; k < 3; k++)
            m.cg_m[k] += all[i].kg * all[i].at_m[k];
    }
    for (int k = 0; k < 3; k++)
        m.cg_m[k] /= m.kg;
    for (int i = 0; i < count; i++) {
        add_point(all[i].kg, all[i].at_m, m.cg_m, m.inertia_kgm2);
        for (int k = 0; k < 3; k++)
            m.inertia_kgm2[k] += all[i].inertia_kgm2[k];
    }
    return m;
}

/* Shares of the arms and of the upright by their lift: then gravity loads the springs as theirs. */
double chrono_unsprung_kg(void)
{
    double kg = 0.0;
    for (int k = 0; k < CORNER_PARTS; k++)
        kg += corner_parts[k].kg * corner_parts[k].lift;
    return kg;
}

static double wheel_kgm2(int axis)
{
    return corner_parts[TYRE].inertia_kgm2[axis] + corner_parts[RIM].inertia_kgm2[axis] +
           corner_parts[SPINDLE].inertia_kgm2[axis];
}

/* What is left for the sprung body when points at the hubs are taken off, so that the whole car is
 * theirs. Our model adds the wheels' transverse inertia by itself. */
static struct chrono_mass sprung(void)
{
    struct chrono_mass all = chrono_mass(false), s = all;
    double point_kg = chrono_unsprung_kg();
    s.kg -= 4.0 * point_kg;
    for (int k = 0; k < 3; k++)
        s.cg_m[k] *= all.kg / s.kg;
    for (int axle = 0; axle < 2; axle++) {
        s.cg_m[0] -= 2.0 * point_kg * places[axle].hub_m[0] / s.kg;
        s.cg_m[2] -= 2.0 * point_kg * places[axle].hub_m[2] / s.kg;
        add_point(-2.0 * point_kg, places[axle].hub_m, all.cg_m, s.inertia_kgm2);
    }
    add_point(-s.kg, s.cg_m, all.cg_m, s.inertia_kgm2);
    s.inertia_kgm2[0] -= 4.0 * wheel_kgm2(0);
    s.inertia_kgm2[2] -= 4.0 * wheel_kgm2(2);
    return s;
}

/* ---- tyre */

/* ChPac02Tire.cpp reads the same coefficients in another way; each line says how. */
struct change {
    const char *key, *value;
};
static const struct change changes[] = {
    /* It computes with slip and force to the right (SAE) but takes the offsets as they are, and
     * mirrors them on the right: in our axes each side has the offsets of the other. */
    {"TYRESIDE", "'RIGHT'"},
    /* m_states.gamma is never set: inclination is 0 in every formula. */
    {"LGAX", "0"},
    {"LGAY", "0"},
    {"LGAZ", "0"},
    /* Steady state only, CalcSigmaK and CalcSigmaA are not called: no relaxation. */
    {"LSGKP", "0"},
    {"LSGAL", "0"},
    /* R_eff = (2 R0 + (R0 - depth)) / 3 in place of BREFF, DREFF, FREFF: R0 - depth / 3. */
    {"DREFF", "0"},
    {"FREFF", "0.33333333333333333"},
    /* The trail is divided by FNOMIN LFZO, not by FNOMIN: longer by 1 / 0.81. */
    {"LTR", "1.2345679012345679"},
};
enum { CHANGES = sizeof changes / sizeof changes[0] };

/* Index of the change that a line is subject to, or -1. */
static int change_of(const char *line)
{
    size_t length = strcspn(line, " =");
    for (int i = 0; i < CHANGES; i++)
        if (strlen(changes[i].key) == length && strncmp(line, changes[i].key, length) == 0)
            return i;
    return -1;
}

void chrono_write_tyre(const struct validation_folder *f)
{
    char path[VALIDATION_PATH], line[300];
    int made = 0;
    FILE *from = fopen(validation_data("tyres/sedan_pac2002.tir", path), "r");
    if (!from)
        fail_msg("%s cannot be read", path);
    FILE *to = validation_create(f, "tyre.tir");
    while (fgets(line, sizeof line, from)) {
        int k = change_of(line);
        if (k < 0)
            fputs(line, to);
        else
            fprintf(to, "%s = %s\n", changes[k].key, changes[k].value);
        made += k >= 0;
    }
    (void)fclose(from);
    validation_close(to);
    assert_int_equal(made, CHANGES);
}

/* ---- car */

static void write_axle(FILE *to, const char *name, double shaft_kgm2)
{
    char path[VALIDATION_PATH], table[80];
    (void)snprintf(table, sizeof table, "reference/chrono_sedan/kc_%s.csv", name);
    fprintf(to, "%s:\n  unsprung_mass_kg: %.12g\n", name, chrono_unsprung_kg());
    fprintf(to, "  wheel_inertia_kgm2: %.9g\n", wheel_kgm2(1) + axle_shaft_kgm2 + shaft_kgm2);
    fprintf(to, "  wheel_transverse_inertia_kgm2: %.9g\n", wheel_kgm2(0));
    fprintf(to, "  tyre: tyre.tir\n  kinematics: {file: \"%s\"}\n", validation_data(table, path));
    /* Sedan_DoubleWishbone, Spring and Shock; it has no stops, so ours are out of reach. */
    fprintf(to, "  spring: {rate_Npm: 500e3, free_length_m: 0.51}\n"
                "  damper: {bump_Nspm: 10e3, rebound_Nspm: 10e3}\n"
                "  bump_stop: {clearance_m: 0.3}\n"
                "  rebound_stop: {clearance_m: 0.3}\n");
}

/* Sedan_EngineSimpleMap, both maps: rpm, torque without throttle (between its points linear) and
 * with full throttle. It has neither idle governor nor inertia, and is never declutched. */
static const double engine_map[][3] = {
    {-10, 0, 104.64},   {10, 0, 107.25703},  {1000, -10, 236.8}, {1200, -10, 296},
    {1400, -10, 338.3}, {1500, -10, 355.2},  {1600, -11, 370},   {2000, -15, 370},
    {2500, -15, 370},   {3000, -15, 370},    {3500, -20, 370},   {4000, -20, 370},
    {4500, -30, 370},   {4600, -34, 369.3},  {4800, -42, 364},   {5000, -50, 353.3},
    {5200, -54, 339.7}, {5500, -60, 321.2},  {5700, -64, 309.9}, {6000, -70, 294.4},
    {6200, -82, 280.4}, {6500, -100, 244.6},
};
/* Sedan_AutomaticTransmissionSimpleMap: engine over propeller shaft speed is 1 over these. */
static const double forward[] = {0.265, 0.489, 0.784, 1.063, 1.276, 1.499};

static void write_driveline(FILE *to, enum chrono_shaft shaft)
{
    /* At the engine in third gear; where it is at the wheels, an engine of next to nothing. */
    double engine_kgm2 = (propeller_kgm2 + box_kgm2 * bevel * bevel) * forward[2] * forward[2];
    if (shaft == CHRONO_SHAFT_AT_WHEELS)
        engine_kgm2 = 1e-5;
    /* Their differential has a clutch that should be open (ChShaftsDriveline2WD) but holds:
     * rear wheel speeds of every row are equal. 1e5 Nm is more than it ever has to hold. */
    fprintf(to, "driveline:\n  drive: rear\n  rear_lock_Nm: 1e5\n");
    fprintf(to, "  engine:\n    inertia_kgm2: %.9g\n", engine_kgm2);
    fprintf(to, "    idle_rpm: 0\n    stall_rpm: 0\n    limit_rpm: 6500\n");
    fprintf(to, "    torque_map:\n      pedal: [0, 1]\n      rows:\n");
    for (size_t i = 0; i < sizeof engine_map / sizeof engine_map[0]; i++)
        fprintf(to, "        - [%g, %g, %.9g]\n", engine_map[i][0], engine_map[i][1],
                engine_map[i][2]);
    fprintf(to, "  clutch: {kind: locked, capacity_Nm: 1e4}\n");
    fprintf(to, "  gearbox:\n    final: %.9g\n    shift_s: 0\n    shift_rest_s: 0\n    ratios: [",
            1.0 / bevel);
    for (size_t i = 0; i < sizeof forward / sizeof forward[0]; i++)
        fprintf(to, "%s%.12g", i ? ", " : "", 1.0 / forward[i]);
    fprintf(to, "]\n");
}

void chrono_write_car(const struct validation_folder *f, enum chrono_shaft shaft)
{
    struct chrono_mass s = sprung();
    /* Half of what the differential turns, for each rear wheel. */
    double rear_kgm2 = 0.5 * (propeller_kgm2 / (bevel * bevel) + box_kgm2);
    chrono_write_tyre(f);
    FILE *to = validation_create(f, "car.yaml");
    fprintf(to, "kind: vehicle\nname: Chrono sedan\nmodel: lumped15\n");
    fprintf(to, "gravity_mps2: %g\ntyre_sides: mirror\n", gravity_mps2);
    fprintf(to, "body:\n  mass_kg: %.12g\n  cg_m: [%.12g, 0, %.12g]\n", s.kg, s.cg_m[0], s.cg_m[2]);
    fprintf(to, "  inertia_kgm2: {xx: %.9g, yy: %.9g, zz: %.9g, xz: %.9g}\n", s.inertia_kgm2[0],
            s.inertia_kgm2[1], s.inertia_kgm2[2], s.inertia_kgm2[3]);
    write_axle(to, "front", 0.0);
    write_axle(to, "rear", shaft == CHRONO_SHAFT_AT_WHEELS ? rear_kgm2 : 0.0);
    /* Their steering input sets the rack: 0.3 m * 15.5 deg to the right at 1 (KINEMATICS.md). Ours
     * gets the input as hand wheel angle in rad, over a column so stiff that the rack follows
     * within 0.05 mm. */
    fprintf(to, "steering:\n  pinion_mprad: -0.0811578\n  rack_mass_kg: %g\n", body_parts[1].kg);
    fprintf(to, "  column_Nmprad: 2e5\n  column_Nmsprad: 200\n  rack_friction_N: 0\n"
                "  rack_damping_Nspm: 0\n  rack_stop_m: 0.0825\n");
    /* Sedan_BrakeSimple: 2000 Nm per wheel at full pedal. */
    fprintf(to, "brake: {front_Nmpbar: 20, rear_Nmpbar: 20, pedal_bar: 100}\n");
    write_driveline(to, shaft);
    validation_close(to);
}

/* ---- runs */

void chrono_read(const char *name, struct csv *theirs)
{
    char file[100], path[VALIDATION_PATH];
    (void)snprintf(file, sizeof file, "reference/chrono_sedan/sedan_pac02_%s_h2.5e-4.csv", name);
    validation_read(validation_data(file, path), theirs);
}

/* A logged column as a table over time. What changes by more than 0.1 from row to row has jumped:
 * pedals at the later row; a gear, which is only logged after it was engaged, half a row before. */
static void write_input(FILE *to, const char *key, const struct csv *theirs, const char *column,
                        double factor, double lead_s)
{
    bool gear = strcmp(column, "gear") == 0;
    double last = validation_cell(theirs, 0, column);
    fprintf(to, "  %s:\n", key);
    for (size_t row = 0; row < theirs->rows; row++) {
        double v = validation_cell(theirs, row, column);
        double time_s = lead_s + validation_cell(theirs, row, "t");
        bool jumped = fabs(v - last) > 0.1;
        if (jumped && !gear)
            fprintf(to, "    - [%.6f, %.12g]\n", time_s - 1e-3, factor * last);
        if (!gear || jumped || row == 0)
            fprintf(to, "    - [%.6f, %.12g]\n", gear && row > 0 ? time_s - 5e-3 : time_s,
                    factor * v);
        last = v;
    }
}

void chrono_write_scenario(const struct validation_folder *f, const struct csv *theirs,
                           double lead_s)
{
    const double deg = 180.0 / 3.14159265358979323846;
    /* Along the road; theirs is along the chassis, which stands nose down. It is slightly slowing
     * down at the start. A car at rest starts at rest. */
    double vx_mps = validation_cell(theirs, 0, "vx"), ax = validation_cell(theirs, 0, "ax");
    double speed_mps = vx_mps / cos(validation_cell(theirs, 0, "pitch")) - lead_s * ax;
    if (fabs(vx_mps) < 1.0)
        speed_mps = 0.0;
    double end_s = lead_s + validation_cell(theirs, theirs->rows - 1, "t");
    FILE *to = validation_create(f, "scenario.yaml");
    fprintf(to, "kind: scenario\nname: chrono\nvehicle: car.yaml\n");
    fprintf(to, "duration_s: %.9g\nstart: {speed_kmh: %.9g, gear: %g}\n", end_s, 3.6 * speed_mps,
            validation_cell(theirs, 0, "gear"));
    /* Their friction of 0.8 is that of the road on which the tyre was measured, "Coefficient of
     * Friction" in Sedan_Pac02Tire: only the ratio of both counts (mu_scale). */
    fprintf(to, "road: {friction: 1.0}\noutput: {rate_hz: 100}\ninputs:\n");
    write_input(to, "hand_wheel_deg", theirs, "steer_in", deg, lead_s);
    write_input(to, "throttle", theirs, "throttle_in", 1.0, lead_s);
    write_input(to, "brake_pedal", theirs, "brake_in", 1.0, lead_s);
    write_input(to, "gear", theirs, "gear", 1.0, lead_s);
    validation_close(to);
}
