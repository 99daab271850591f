#include "target/model/hydraulics_load.h"

#include "target/model/math/vecmath.h"

#include <math.h>
#include <string.h>

/* Units of the file. A flow is given in cm3/s at a pressure drop of 100 bar. */
#define BAR        1e5
#define CM3        1e-6
#define MM         1e-3
#define MS         1e-3
#define FLOW       (1e-6 / 3162.2776601683795)
#define BAR_P_CM3  1e11
#define BAR_P_CM6  1e17
#define PI_QUARTER 0.78539816339744830962

static const double cold_degC = -40.0, hot_degC = 100.0, room_degC = 20.0, kelvin = 273.15;

/* The fluid as the file gives it. */
struct fluid {
    double viscosity_m2ps[2]; /* at -40 and 100 degC */
    double transition_Pa;     /* at 20 degC */
};

static const struct fluid usual = {.viscosity_m2ps = {1300e-6, 2.2e-6},
                                   .transition_Pa = 0.05 * BAR};

/* (H-11): ln ln (nu + 0.7) is linear in ln T, nu in mm2/s. */
double hydraulics_viscosity(const double at_m2ps[2], double degC)
{
    double w0 = vm_log(vm_log(1e6 * at_m2ps[0] + 0.7)), w1 = vm_log(vm_log(1e6 * at_m2ps[1] + 0.7));
    double t0 = vm_log(cold_degC + kelvin), t1 = vm_log(hot_degC + kelvin);
    double w = w0 + (w1 - w0) * (vm_log(degC + kelvin) - t0) / (t1 - t0);
    return 1e-6 * (vm_exp(vm_exp(w)) - 0.7);
}

static void axles(double values[WHEELS], double front, double rear)
{
    values[FL] = values[FR] = front;
    values[RL] = values[RR] = rear;
}

static void set_fluid(struct hydraulics_model *m, const struct fluid *f)
{
    m->viscosity_m2ps = hydraulics_viscosity(f->viscosity_m2ps, m->fluid_degC);
    double ratio = m->viscosity_m2ps / hydraulics_viscosity(f->viscosity_m2ps, room_degC);
    m->transition_Pa = f->transition_Pa * ratio * ratio;
}

static void set_circuits(struct hydraulics_model *m)
{
    static const int32_t wheel[2][CIRCUITS][2] = {{{FL, RR}, {FR, RL}}, {{FL, FR}, {RL, RR}}};
    memcpy(m->wheel, wheel[m->split], sizeof m->wheel);
    for (int c = 0; c < CIRCUITS; c++)
        for (int k = 0; k < 2; k++)
            m->circuit[m->wheel[c][k]] = c;
}

void hydraulics_defaults(struct hydraulics_model *m)
{
    memset(m, 0, sizeof *m);
    *m = (struct hydraulics_model){
        .on = 1,
        .split = HYDRAULICS_DIAGONAL,
        .pedal_N = 400.0,
        .pedal_ratio = 3.6,
        .boost_from_N = 20.0,
        .boost = 5.0,
        .assist_N = 4900.0,
        .booster_s = 15.0 * MS,
        .piston_m2 = PI_QUARTER * 23.81 * MM * 23.81 * MM,
        .stroke_m = {18.0 * MM, 18.0 * MM},
        .spring_N = {150.0, 130.0},
        .spring_Npm = {3000.0, 3000.0},
        .stop_Npm = 1e7,
        .damping_Nspm = 2500.0,
        .port_m = 1.2 * MM,
        .master_Papm3 = 1000.0 * BAR_P_CM3,
        .port = 250.0 * FLOW,
        .refill = 250.0 * FLOW,
        .separation_check = 120.0 * FLOW,
        .lift_Pa = 0.2 * BAR,
        .relief_Pa = 200.0 * BAR,
        .separation = {120.0 * FLOW, 4.0 * MS, 3.0 * MS},
        .prime = {200.0 * FLOW, 6.0 * MS, 4.0 * MS},
        .vapour_Pa = 0.9 * BAR,
        .line_Papm3 = 3000.0 * BAR_P_CM3,
        .accumulator_m3 = 5.0 * CM3,
        .accumulator_Pa = 1.5 * BAR,
        .accumulator_Papm3 = 0.3 * BAR_P_CM3,
        .wall_Papm3 = 500.0 * BAR_P_CM3,
        .pump_m3ps = 7.0 * CM3,
        .stall_Pa = 300.0 * BAR,
        .motor_s = 40.0 * MS,
        .suction_m3 = 0.15 * CM3,
        .fluid_degC = room_degC,
    };
    for (int i = 0; i < WHEELS; i++) {
        m->inlet[i] = (struct hydraulics_valve){0.0, 1.5 * MS, 2.0 * MS};
        m->outlet[i] = (struct hydraulics_valve){0.0, 1.5 * MS, 1.5 * MS};
        m->inlet[i].flow = (i < RL ? 34.0 : 15.0) * FLOW;
        m->outlet[i].flow = (i < RL ? 32.0 : 14.0) * FLOW;
    }
    axles(m->inlet_check, 80.0 * FLOW, 40.0 * FLOW);
    axles(m->pipe, 120.0 * FLOW, 70.0 * FLOW);
    axles(m->caliper_Papm3, 8.0 * BAR_P_CM3, 18.0 * BAR_P_CM3);
    axles(m->caliper_Papm6, 7.3 * BAR_P_CM6, 45.0 * BAR_P_CM6);
    set_fluid(m, &usual);
    set_circuits(m);
}

/* ---- the file */

/* [front, rear], into every `step`th double from `to`. */
static void pair(const struct cfg_node *n, const char *key, double *to, size_t step, double factor,
                 struct cfg_range range)
{
    double both[2] = {NAN, NAN};
    cfg_doubles(n, key, both, 2, range);
    for (size_t i = 0; i < WHEELS; i++)
        if (both[i < RL ? 0 : 1] > 0.0)
            to[i * step] = factor * both[i < RL ? 0 : 1];
}

#define FLOWS CFG_BETWEEN(0.01, 1e4)
#define TIMES CFG_BETWEEN(0.01, 1e3)
enum { VALVE_STEP = sizeof(struct hydraulics_valve) / sizeof(double) };

/* on and off: the keys of the times towards the current and back. */
static void wheel_valve(const struct cfg_node *top, const char *name, const char *on,
                        const char *off, struct hydraulics_valve v[WHEELS])
{
    const struct cfg_node *n = cfg_map(top, name);
    pair(n, "flow_cm3ps", &v->flow, VALVE_STEP, FLOW, FLOWS);
    cfg_scaled(n, on, &v->on_s, MS, TIMES);
    cfg_scaled(n, off, &v->off_s, MS, TIMES);
    for (int i = 1; i < WHEELS; i++) {
        v[i].on_s = v->on_s;
        v[i].off_s = v->off_s;
    }
    cfg_done(n);
}

static void pedal_load(const struct cfg_node *top, struct hydraulics_model *m)
{
    const struct cfg_node *n = cfg_map(top, "pedal");
    cfg_double(n, "force_N", &m->pedal_N, CFG_BETWEEN(10.0, 5000.0));
    cfg_double(n, "ratio", &m->pedal_ratio, CFG_BETWEEN(0.5, 20.0));
    cfg_done(n);
    n = cfg_map(top, "booster");
    cfg_double(n, "from_N", &m->boost_from_N, CFG_BETWEEN(0.0, 1000.0));
    cfg_double(n, "gain", &m->boost, CFG_BETWEEN(1.01, 50.0));
    cfg_double(n, "assist_N", &m->assist_N, CFG_BETWEEN(0.0, 1e5));
    cfg_scaled(n, "lag_ms", &m->booster_s, MS, TIMES);
    cfg_done(n);
}

static void master_load(const struct cfg_node *top, struct hydraulics_model *m)
{
    const struct cfg_node *n = cfg_map(top, "master");
    double mm[2] = {m->stroke_m[0] / MM, m->stroke_m[1] / MM}, bore_mm = 0.0;
    double rate[2] = {m->spring_Npm[0] * MM, m->spring_Npm[1] * MM};
    cfg_double(n, "bore_mm", &bore_mm, CFG_BETWEEN(5.0, 100.0));
    if (bore_mm > 0.0)
        m->piston_m2 = PI_QUARTER * bore_mm * MM * bore_mm * MM;
    cfg_doubles(n, "stroke_mm", mm, 2, CFG_BETWEEN(1.0, 200.0));
    cfg_doubles(n, "spring_N", m->spring_N, 2, CFG_BETWEEN(1.0, 2000.0));
    cfg_doubles(n, "spring_Npmm", rate, 2, CFG_BETWEEN(0.0, 100.0));
    cfg_double(n, "damping_Nspm", &m->damping_Nspm, CFG_BETWEEN(100.0, 1e6));
    cfg_scaled(n, "port_mm", &m->port_m, MM, CFG_BETWEEN(0.1, 20.0));
    cfg_scaled(n, "port_cm3ps", &m->port, FLOW, FLOWS);
    cfg_scaled(n, "refill_cm3ps", &m->refill, FLOW, FLOWS);
    cfg_scaled(n, "stiffness_barpcm3", &m->master_Papm3, BAR_P_CM3, CFG_BETWEEN(10.0, 1e5));
    for (int c = 0; c < CIRCUITS; c++) {
        m->stroke_m[c] = mm[c] * MM;
        m->spring_Npm[c] = rate[c] / MM;
    }
    /* Or one piston would not come back to its stop, (H-13). */
    double ratio = m->spring_N[CIRCUIT_2] / m->spring_N[CIRCUIT_1];
    if (!(ratio > 0.5 && ratio < 2.0))
        cfg_complain(n, "spring_N", "the second spring must be between half and twice the first");
    cfg_done(n);
}

static void valves_load(const struct cfg_node *top, struct hydraulics_model *m)
{
    wheel_valve(top, "inlet", "close_ms", "open_ms", m->inlet);
    wheel_valve(top, "outlet", "open_ms", "close_ms", m->outlet);
    const struct cfg_node *n = cfg_map(top, "separation");
    cfg_scaled(n, "flow_cm3ps", &m->separation.flow, FLOW, FLOWS);
    cfg_scaled(n, "close_ms", &m->separation.on_s, MS, TIMES);
    cfg_scaled(n, "open_ms", &m->separation.off_s, MS, TIMES);
    cfg_scaled(n, "check_cm3ps", &m->separation_check, FLOW, FLOWS);
    cfg_scaled(n, "relief_bar", &m->relief_Pa, BAR, CFG_BETWEEN(1.0, 1000.0));
    cfg_done(n);
    n = cfg_map(top, "prime");
    cfg_scaled(n, "flow_cm3ps", &m->prime.flow, FLOW, FLOWS);
    cfg_scaled(n, "open_ms", &m->prime.on_s, MS, TIMES);
    cfg_scaled(n, "close_ms", &m->prime.off_s, MS, TIMES);
    cfg_done(n);
    n = cfg_map(top, "check");
    pair(n, "flow_cm3ps", m->inlet_check, 1, FLOW, FLOWS);
    cfg_scaled(n, "lift_bar", &m->lift_Pa, BAR, CFG_BETWEEN(0.01, 10.0));
    cfg_done(n);
}

static void places_load(const struct cfg_node *top, struct hydraulics_model *m)
{
    const struct cfg_node *n = cfg_map(top, "line");
    pair(n, "pipe_cm3ps", m->pipe, 1, FLOW, FLOWS);
    cfg_scaled(n, "stiffness_barpcm3", &m->line_Papm3, BAR_P_CM3, CFG_BETWEEN(10.0, 1e5));
    cfg_done(n);
    n = cfg_map(top, "caliper");
    pair(n, "barpcm3", m->caliper_Papm3, 1, BAR_P_CM3, CFG_BETWEEN(0.1, 1e4));
    pair(n, "barpcm6", m->caliper_Papm6, 1, BAR_P_CM6, CFG_BETWEEN(1e-6, 1e5));
    cfg_done(n);
    n = cfg_map(top, "accumulator");
    cfg_scaled(n, "cm3", &m->accumulator_m3, CM3, CFG_BETWEEN(0.1, 100.0));
    cfg_scaled(n, "preload_bar", &m->accumulator_Pa, BAR, CFG_BETWEEN(0.01, 20.0));
    cfg_scaled(n, "rate_barpcm3", &m->accumulator_Papm3, BAR_P_CM3, CFG_BETWEEN(0.001, 50.0));
    cfg_done(n);
    n = cfg_map(top, "pump");
    cfg_scaled(n, "cm3ps", &m->pump_m3ps, CM3, CFG_BETWEEN(0.01, 100.0));
    cfg_scaled(n, "stall_bar", &m->stall_Pa, BAR, CFG_BETWEEN(10.0, 2000.0));
    cfg_scaled(n, "motor_ms", &m->motor_s, MS, TIMES);
    cfg_scaled(n, "suction_cm3", &m->suction_m3, CM3, CFG_BETWEEN(0.001, 10.0));
    cfg_done(n);
}

static void fluid_load(const struct cfg_node *top, struct hydraulics_model *m)
{
    const struct cfg_node *n = cfg_map(top, "fluid");
    struct fluid f = usual;
    double mm2ps[2] = {1e6 * f.viscosity_m2ps[0], 1e6 * f.viscosity_m2ps[1]};
    cfg_double(n, "temperature_degC", &m->fluid_degC, CFG_BETWEEN(-45.0, 200.0));
    cfg_doubles(n, "viscosity_mm2ps", mm2ps, 2, CFG_BETWEEN(0.5, 1e5));
    cfg_scaled(n, "transition_bar", &f.transition_Pa, BAR, CFG_BETWEEN(1e-4, 10.0));
    if (!(mm2ps[0] > mm2ps[1]))
        cfg_complain(n, "viscosity_mm2ps", "at -40 degC it must be above that at 100 degC");
    cfg_done(n);
    f.viscosity_m2ps[0] = 1e-6 * mm2ps[0];
    f.viscosity_m2ps[1] = 1e-6 * mm2ps[1];
    set_fluid(m, &f);
}

void hydraulics_load(const struct cfg_node *n, struct hydraulics_model *m)
{
    static const char *const splits[] = {"diagonal", "front-rear", NULL};
    int split = HYDRAULICS_DIAGONAL;
    memset(m, 0, sizeof *m);
    if (!n)
        return;
    hydraulics_defaults(m);
    cfg_choice(n, "split", &split, splits);
    m->split = split;
    pedal_load(n, m);
    master_load(n, m);
    valves_load(n, m);
    places_load(n, m);
    fluid_load(n, m);
    set_circuits(m);
    cfg_done(n);
}
