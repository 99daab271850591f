#include "target/model/driveline_load.h"

#include <stdlib.h>
#include <string.h>

static const double rpm = 2.0 * 3.14159265358979323846 / 60.0; /* rad/s */

/* Wide enough for any engine and gearbox; beyond them a tick would not stay finite. */
static const struct cfg_range speeds_rpm = {0.0, 1e5, false, false};
static const struct cfg_range speeds_above_0_rpm = {0.0, 1e5, true, false};
static const struct cfg_range inertias_kgm2 = {1e-7, 1e3, false, false};
static const struct cfg_range torques_Nm = {0.0, 1e5, false, false};
static const struct cfg_range capacities_Nm = {0.0, 1e6, true, false};
static const struct cfg_range ratios = {0.01, 100.0, false, false};

static void defaults(struct driveline_model *m)
{
    memset(m, 0, sizeof *m);
    m->inertia_kgm2 = 0.15;
    m->idle_radps = 800.0 * rpm;
    m->idle_gain_Nmspr = 1.0;
    m->idle_max_Nm = 40.0;
    m->stall_radps = 300.0 * rpm;
    m->limit_radps = 6500.0 * rpm;
    m->clutch_Nm = 400.0;
    m->engage_low_radps = 900.0 * rpm;
    m->engage_high_radps = 1800.0 * rpm;
    m->request_lag_s = 0.04;
    m->shift_s = 0.25;
    m->shift_rest_s = 0.75;
    m->clutch = CLUTCH_AUTOMATIC;
}

/* Speeds and torques of the map, each within its range. */
static void check_map(const struct cfg_node *n, const double *v, size_t rows, size_t columns)
{
    const struct cfg_node *list = cfg_list(n, "rows");
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < columns; k++) {
            double x = v[i * columns + k], low = k == 0 ? -speeds_rpm.high : -torques_Nm.high;
            double high = k == 0 ? speeds_rpm.high : torques_Nm.high;
            if (!(x >= low && x <= high))
                cfg_complain(cfg_item(cfg_item(list, i), k), NULL,
                             "must be >= %g and <= %g (%s), is %g", low, high,
                             k == 0 ? "rpm" : "Nm", x);
        }
}

/* torque_map: {pedal: [0, 0.5, 1], rows: [[rpm, Nm, Nm, Nm], ...]} */
static void map_load(const struct cfg_node *engine, struct driveline_model *m)
{
    const struct cfg_node *n = cfg_need_map(engine, "torque_map");
    cfg_need(n, "pedal");
    cfg_need(n, "rows");
    size_t pedals = cfg_doubles_upto(n, "pedal", m->pedal, 2, ENGINE_PEDALS_MAX, CFG_BETWEEN(0, 1));
    size_t rows = 0;
    double *v = pedals >= 2 ? cfg_table(n, "rows", pedals + 1, 2, &rows) : NULL;
    for (size_t k = 1; k < pedals; k++)
        if (!(m->pedal[k] > m->pedal[k - 1]))
            cfg_complain(n, "pedal", "must rise strictly");
    if (rows > ENGINE_SPEEDS_MAX) {
        cfg_complain(n, "rows", "has %zu rows, at most %d are allowed", rows, ENGINE_SPEEDS_MAX);
        rows = 0;
    }
    check_map(n, v, rows, pedals + 1);
    for (size_t i = 0; i < rows; i++) {
        m->speed_radps[i] = v[i * (pedals + 1)] * rpm;
        for (size_t k = 0; k < pedals; k++)
            m->torque_Nm[i][k] = v[i * (pedals + 1) + 1 + k];
    }
    m->pedals = (int32_t)pedals;
    m->speeds = (int32_t)rows;
    free(v);
    if (pedals < 2)
        (void)cfg_has(n, "rows");
    cfg_done(n);
}

static void engine_load(const struct cfg_node *map, struct driveline_model *m)
{
    const struct cfg_node *n = cfg_need_map(map, "engine");
    cfg_double(n, "inertia_kgm2", &m->inertia_kgm2, inertias_kgm2);
    cfg_scaled(n, "idle_rpm", &m->idle_radps, rpm, speeds_rpm);
    cfg_double(n, "idle_gain_Nmspr", &m->idle_gain_Nmspr, CFG_BETWEEN(0.0, 1e4));
    cfg_double(n, "idle_max_Nm", &m->idle_max_Nm, torques_Nm);
    cfg_scaled(n, "stall_rpm", &m->stall_radps, rpm, speeds_rpm);
    cfg_scaled(n, "limit_rpm", &m->limit_radps, rpm, speeds_above_0_rpm);
    cfg_double(n, "request_lag_s", &m->request_lag_s, CFG_BETWEEN(0.0, 2.0));
    if (!(m->limit_radps > m->idle_radps))
        cfg_complain(n, "limit_rpm", "must be above idle_rpm");
    map_load(n, m);
    cfg_done(n);
}

static void clutch_load(const struct cfg_node *map, struct driveline_model *m)
{
    static const char *const kinds[] = {"automatic", "pedal", "locked", NULL};
    const struct cfg_node *n = cfg_map(map, "clutch");
    if (!n)
        return;
    int kind = m->clutch;
    double bite[2] = {m->engage_low_radps / rpm, m->engage_high_radps / rpm};
    cfg_choice(n, "kind", &kind, kinds);
    cfg_double(n, "capacity_Nm", &m->clutch_Nm, capacities_Nm);
    cfg_doubles(n, "bite_rpm", bite, 2, speeds_rpm);
    if (!(bite[1] > bite[0]))
        cfg_complain(n, "bite_rpm", "the second speed must be above the first");
    m->clutch = kind;
    m->engage_low_radps = bite[0] * rpm;
    m->engage_high_radps = bite[1] * rpm;
    cfg_done(n);
}

/* Shift speeds: [rpm at pedal 0, rpm at pedal 1], the same for all gears. */
static void shift_load(const struct cfg_node *n, const char *key, double at_0, double at_1,
                       double out[GEARS_MAX][2])
{
    double both[2] = {at_0, at_1};
    cfg_doubles(n, key, both, 2, speeds_above_0_rpm);
    for (int g = 0; g < GEARS_MAX; g++) {
        out[g][0] = both[0] * rpm;
        out[g][1] = both[1] * rpm;
    }
}

static void gearbox_load(const struct cfg_node *map, struct driveline_model *m)
{
    const struct cfg_node *n = cfg_need_map(map, "gearbox");
    double final = 1.0, reverse = 3.5;
    cfg_need(n, "ratios");
    m->gears = (int32_t)cfg_doubles_upto(n, "ratios", m->ratio, 1, GEARS_MAX, ratios);
    cfg_double(n, "reverse", &reverse, ratios);
    cfg_double(n, "final", &final, ratios);
    shift_load(n, "up_rpm", 2200.0, 5800.0, m->up_radps);
    shift_load(n, "down_rpm", 1100.0, 2600.0, m->down_radps);
    for (int k = 0; k < 2; k++)
        if (!(m->up_radps[0][k] > m->down_radps[0][k]))
            cfg_complain(n, "up_rpm", "must be above down_rpm, or the gearbox hunts");
    cfg_double(n, "shift_s", &m->shift_s, CFG_BETWEEN(0.0, 5.0));
    cfg_double(n, "shift_rest_s", &m->shift_rest_s, CFG_BETWEEN(0.0, 10.0));
    for (int g = 0; g < m->gears; g++)
        m->ratio[g] *= final;
    m->reverse_ratio = reverse * final;
    cfg_done(n);
}

void driveline_load(const struct cfg_node *map, struct driveline_model *m)
{
    static const char *const drives[] = {"front", "rear", "all", NULL};
    int drive = 0;
    double front = 0.5;
    defaults(m);
    if (!map)
        return;
    m->present = 1;
    cfg_need(map, "drive");
    cfg_choice(map, "drive", &drive, drives);
    if (drive == 2)
        cfg_double(map, "front_share", &front, CFG_BETWEEN(0.0, 1.0));
    else
        front = drive == 0 ? 1.0 : 0.0;
    m->share[FL] = m->share[FR] = 0.5 * front;
    m->share[RL] = m->share[RR] = 0.5 * (1.0 - front);
    cfg_double(map, "front_lock_Nm", &m->lock_Nm[0], torques_Nm);
    cfg_double(map, "rear_lock_Nm", &m->lock_Nm[1], torques_Nm);
    engine_load(map, m);
    clutch_load(map, m);
    gearbox_load(map, m);
    cfg_done(map);
}
