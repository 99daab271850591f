/* Their parameters as our files. */
#include "rt-tests/support/commonroad.h"

#include <math.h>
#include <stdio.h>

static const double gravity_mps2 = 9.81; /* their constant; it is not in the file */

#define N(key) commonroad_number(p, key)

struct commonroad_rest commonroad_rest(const struct commonroad *p)
{
    struct commonroad_rest r;
    double a = N("a"), b = N("b"), carried_N = N("m_s") * gravity_mps2 / (a + b);
    r.squeeze_m[FRONT] = 0.5 * (carried_N * b + N("m_uf") * gravity_mps2) / N("K_zt");
    r.squeeze_m[REAR] = 0.5 * (carried_N * a + N("m_ur") * gravity_mps2) / N("K_zt");
    r.pitch_rad = (r.squeeze_m[REAR] - r.squeeze_m[FRONT]) / (a + b);
    r.drop_m = r.squeeze_m[FRONT] + a * r.pitch_rad;
    return r;
}

/* Longitudinal. p_vx1 stands inside their sine, as a phase p_vx1 Fz; at the slips of these runs
 * that is a shift of p_vx1 Fz p_dx1 / p_kx1, proportional to the load. */
static void write_long(FILE *f, const struct commonroad *p, double load0_N)
{
    double shift = N("tire.p_vx1") * load0_N * N("tire.p_dx1") / N("tire.p_kx1");
    fprintf(f, "[LONGITUDINAL_COEFFICIENTS]\n");
    fprintf(f, "PCX1 = %.17g\nPDX1 = %.17g\nPDX3 = %.17g\nPEX1 = %.17g\nPKX1 = %.17g\n",
            N("tire.p_cx1"), N("tire.p_dx1"), N("tire.p_dx3"), N("tire.p_ex1"), N("tire.p_kx1"));
    fprintf(f, "PHX1 = %.17g\nPHX2 = %.17g\n", N("tire.p_hx1") + shift, shift);
    fprintf(f, "RBX1 = %.17g\nRBX2 = %.17g\nRCX1 = %.17g\nREX1 = %.17g\nRHX1 = %.17g\n",
            N("tire.r_bx1"), N("tire.r_bx2"), N("tire.r_cx1"), N("tire.r_ex1"), N("tire.r_hx1"));
    fprintf(f, "PTX1 = 1e-6\n");
}

/* Lateral. Their camber and their slip in the combined formulas are minus ours: what is odd in
 * these changes its sign. Their cornering stiffness is proportional to the load: of our
 * sin(2 atan(Fz / (PKY2 Fz0))) the straight beginning is used. */
static void write_lat(FILE *f, const struct commonroad *p, double camber_sign)
{
    const double straight = 1000.0;
    fprintf(f, "[LATERAL_COEFFICIENTS]\n");
    fprintf(f, "PCY1 = %.17g\nPDY1 = %.17g\nPDY3 = %.17g\nPEY1 = %.17g\n", N("tire.p_cy1"),
            N("tire.p_dy1"), N("tire.p_dy3"), N("tire.p_ey1"));
    fprintf(f, "PKY1 = %.17g\nPKY2 = %.17g\n", 0.5 * straight * N("tire.p_ky1"), straight);
    fprintf(f, "PHY1 = %.17g\nPHY3 = %.17g\nPVY1 = %.17g\nPVY3 = %.17g\n",
            -camber_sign * N("tire.p_hy1"), -N("tire.p_hy3"), -camber_sign * N("tire.p_vy1"),
            -N("tire.p_vy3"));
    fprintf(f, "RBY1 = %.17g\nRBY2 = %.17g\nRBY3 = %.17g\nRCY1 = %.17g\nREY1 = %.17g\n",
            N("tire.r_by1"), N("tire.r_by2"), N("tire.r_by3"), N("tire.r_cy1"), N("tire.r_ey1"));
    fprintf(f, "RHY1 = %.17g\nRVY1 = %.17g\nRVY3 = %.17g\nRVY4 = %.17g\nRVY5 = %.17g\n",
            -N("tire.r_hy1"), N("tire.r_vy1"), -N("tire.r_vy3"), N("tire.r_vy4"), N("tire.r_vy5"));
    fprintf(f, "RVY6 = %.17g\nPTY1 = 1e-6\nPTY2 = 1\n", -N("tire.r_vy6"));
}

/* Their wheel rolls on R_w and has R_w as the lever of its forces whatever its load. Ours has the
 * loaded radius as lever, so that is made R_w at rest; DREFF takes the static deflection off the
 * rolling radius again, at every load. K_lt moves the load sideways with the lateral force. */
static void write_tyre(const struct commonroad *p, const struct commonroad_run *run,
                       double squeeze_m, const struct validation_folder *folder, const char *name)
{
    FILE *f = validation_create(folder, name);
    double load0_N = 0.25 * N("m") * gravity_mps2, stiffness_Npm = N("K_zt");
    double radius_m = N("R_w") + squeeze_m;
    fprintf(f, "[UNITS]\nLENGTH = 'meter'\nFORCE = 'newton'\nANGLE = 'radian'\nMASS = 'kg'\n"
               "TIME = 'second'\n[MODEL]\nPROPERTY_FILE_FORMAT = 'PAC2002'\n");
    fprintf(f, "[DIMENSION]\nUNLOADED_RADIUS = %.17g\n", radius_m);
    fprintf(f, "[VERTICAL]\nFNOMIN = %.17g\nVERTICAL_STIFFNESS = %.17g\n", load0_N, stiffness_Npm);
    fprintf(f, "BREFF = 1e6\nDREFF = %.17g\nFREFF = 0\n",
            squeeze_m * stiffness_Npm / load0_N / (0.5 * 3.14159265358979323846));
    fprintf(f, "[VERTICAL_FORCE_RANGE]\nFZMIN = 0\nFZMAX = %.17g\n", 10.0 * load0_N);
    write_long(f, p, load0_N);
    write_lat(f, p, run->camber_sign);
    fprintf(f, "[OVERTURNING_COEFFICIENTS]\nQSX3 = %.17g\n", N("K_lt") * load0_N / radius_m);
    validation_close(f);
}

struct axle {
    const char *name;
    double x_m, track_m, unsprung_kg, camber_radpm, centre_m, spring_Npm, damper_Nspm, roll_Nmprad;
};

/* The roll axis at height h: a contact point moves outwards by 2 h / track per travel. */
static void write_axle(FILE *f, const struct commonroad *p, const struct axle *a)
{
    double radius_m = N("R_w");
    fprintf(f, "%s:\n  unsprung_mass_kg: %.17g\n", a->name, 0.5 * a->unsprung_kg);
    fprintf(f, "  wheel_inertia_kgm2: %.17g\n  wheel_transverse_inertia_kgm2: 0\n", N("I_y_w"));
    fprintf(f, "  tyre: %s.tir\n  kinematics:\n", a->name);
    fprintf(f, "    hub_m: [%.17g, %.17g, %.17g]\n", a->x_m, 0.5 * a->track_m, radius_m);
    fprintf(f, "    travel_m: [-0.3, 0.3]\n");
    fprintf(f, "    camber_rad: {travel: [%.17g]}\n", -a->camber_radpm);
    fprintf(f, "    hub_y_m: {travel: [%.17g]}\n",
            2.0 * a->centre_m / a->track_m + radius_m * a->camber_radpm);
    if (a->x_m > 0.0)
        fprintf(f, "    rack_m: [-0.2, 0.2]\n    toe_rad: {rack: [5]}\n");
    fprintf(f, "  spring: {rate_Npm: %.17g}\n", a->spring_Npm);
    fprintf(f, "  damper: {bump_Nspm: %.17g, rebound_Nspm: %.17g}\n", a->damper_Nspm,
            a->damper_Nspm);
    fprintf(f, "  anti_roll_bar_Npm: %.17g\n", -a->roll_Nmprad / (a->track_m * a->track_m));
    fprintf(f, "  bump_stop: {clearance_m: 0.3}\n  rebound_stop: {clearance_m: 0.3}\n");
}

/* Their I_z alone resists the moment of all tyre forces, so it is the whole car's. */
static double body_yaw_kgm2(const struct commonroad *p)
{
    double a = N("a"), b = N("b"), half_f = 0.5 * N("T_f"), half_r = 0.5 * N("T_r");
    return N("I_z") - N("m_uf") * (a * a + half_f * half_f) - N("m_ur") * (b * b + half_r * half_r);
}

static void write_vehicle(const struct commonroad *p, const struct validation_folder *folder)
{
    struct commonroad_rest rest = commonroad_rest(p);
    const struct axle front = {"front",    N("a"),    N("T_f"),   N("m_uf"), N("D_f"),
                               N("h_raf"), N("K_sf"), N("K_sdf"), N("K_tsf")};
    const struct axle rear = {"rear",     -N("b"),   N("T_r"),   N("m_ur"), N("D_r"),
                              N("h_rar"), N("K_sr"), N("K_sdr"), N("K_tsr")};
    FILE *f = validation_create(folder, "vehicle.yaml");
    fprintf(f, "kind: vehicle\nname: CommonRoad BMW 320i\nmodel: lumped15\ngravity_mps2: %.17g\n",
            gravity_mps2);
    fprintf(f, "tyre_sides: as-file\nbody:\n  mass_kg: %.17g\n", N("m_s"));
    fprintf(f, "  cg_m: [0, 0, %.17g]\n", N("h_s") - rest.drop_m);
    fprintf(f, "  inertia_kgm2: {xx: %.17g, yy: %.17g, zz: %.17g, xz: %.17g}\n", N("I_Phi_s"),
            N("I_y_s"), body_yaw_kgm2(p), -N("I_xz_s"));
    write_axle(f, p, &front);
    write_axle(f, p, &rear);
    /* Hand wheel angle = wheel angle; nothing but the column decides where the wheels point. */
    fprintf(f, "steering: {pinion_mprad: 0.2, column_Nmprad: 1e6, column_Nmsprad: 1e4, "
               "rack_mass_kg: 50,\n           rack_damping_Nspm: 0, rack_friction_N: 0, "
               "rack_stop_m: 0.2}\n");
    fprintf(f, "brake: {front_Nmpbar: 10, rear_Nmpbar: 10}\n");
    validation_close(f);
}

/* Torque of one wheel in Nm for an acceleration: theirs is m a R_w, split by T_sb or T_se. */
static double torque_Nm(const struct commonroad *p, bool front, double acc_mps2)
{
    double share = N(acc_mps2 > 0.0 ? "T_se" : "T_sb");
    return 0.5 * (front ? share : 1.0 - share) * N("m") * acc_mps2 * N("R_w");
}

/* They limit driving by power above v_switch, from the speed at that time. */
static void write_drive(FILE *f, const struct commonroad *p, const struct commonroad_run *run,
                        const struct csv *theirs, bool front)
{
    int time = csv_column(theirs, "t"), speed = csv_column(theirs, "vx_mps");
    double power = N("longitudinal.a_max") * N("longitudinal.v_switch");
    fprintf(f, "[");
    for (size_t r = 0; r < theirs->rows; r++) {
        const double *v = &theirs->values[r * theirs->columns];
        double acc_mps2 = fmin(run->acc_mps2, power / v[speed]);
        fprintf(f, "%s[%.17g, %.17g]", r ? ", " : "", v[time], torque_Nm(p, front, acc_mps2));
    }
    fprintf(f, "]");
}

static void write_scenario(const struct commonroad *p, const struct commonroad_run *run,
                           const struct csv *theirs, const struct validation_folder *folder)
{
    static const char *const wheels[WHEELS] = {"fl", "fr", "rl", "rr"};
    FILE *f = validation_create(folder, "scenario.yaml");
    fprintf(f, "kind: scenario\nname: %s\nvehicle: vehicle.yaml\nduration_s: 0.99\n", run->name);
    fprintf(f, "start: {speed_kmh: 54}\nroad: {friction: 1}\ninputs:\n");
    fprintf(f, "  hand_wheel_deg: [[0, 0], [1, %.17g]]\n",
            run->steer_radps * 180.0 / 3.14159265358979323846);
    if (run->acc_mps2 < 0.0)
        fprintf(f, "  wheel_pressure_bar:\n");
    else
        fprintf(f, "  wheel_torque_Nm:\n");
    for (int i = 0; i < WHEELS; i++) {
        fprintf(f, "    %s: ", wheels[i]);
        if (run->acc_mps2 < 0.0)
            fprintf(f, "%.17g", -torque_Nm(p, i < RL, run->acc_mps2) / 10.0);
        else
            write_drive(f, p, run, theirs, i < RL);
        fprintf(f, "\n");
    }
    validation_close(f);
}

void commonroad_write(const struct commonroad *p, const struct commonroad_run *run,
                      const struct csv *theirs, const struct validation_folder *folder)
{
    struct commonroad_rest rest = commonroad_rest(p);
    write_tyre(p, run, rest.squeeze_m[FRONT], folder, "front.tir");
    write_tyre(p, run, rest.squeeze_m[REAR], folder, "rear.tir");
    write_vehicle(p, folder);
    write_scenario(p, run, theirs, folder);
}
