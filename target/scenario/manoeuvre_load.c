#include "target/scenario/manoeuvre_load.h"

#include "target/road/path_load.h"
#include "target/scenario/expr_load.h"
#include "target/scenario/script_load.h"

#include <math.h>
#include <stdlib.h>

static const double deg = 3.14159265358979323846 / 180.0;

static void position_load(const struct cfg_node *n, struct position_settings *s)
{
    position_defaults(s);
    cfg_double(n, "lateral_radps", &s->lateral_radps, CFG_BETWEEN(0.1, 50.0));
    cfg_double(n, "lateral_damping", &s->lateral_damping, CFG_BETWEEN(0.05, 5.0));
    cfg_double(n, "along_1ps", &s->along_1ps, CFG_BETWEEN(0.05, 50.0));
    cfg_double(n, "lead_s", &s->lead_s, CFG_BETWEEN(0.0, 1.0));
    cfg_double(n, "leash_m", &s->leash_m, CFG_BETWEEN(0.01, 100.0));
    cfg_scaled(n, "hand_wheel_degps", &s->hand_wheel_radps, deg, CFG_BETWEEN(10.0, 5000.0));
    cfg_double(n, "grip", &s->grip, CFG_BETWEEN(0.05, 1.0));
    cfg_double(n, "pedal_1ps", &s->pedal_1ps, CFG_BETWEEN(0.1, 1000.0));
    int64_t gear = 0;
    cfg_int(n, "gear", &gear, 1, 20);
    s->gear = (int32_t)gear;
}

static void preview_load(const struct cfg_node *n, struct preview_settings *s)
{
    static const char *const styles[] = {"aggressive", "relaxed", NULL};
    int style = PREVIEW_AGGRESSIVE;
    cfg_choice(n, "style", &style, styles);
    preview_defaults(s, (enum preview_style)style);
    cfg_double(n, "middle_s", &s->middle_s, CFG_BETWEEN(0.0, 10.0));
    cfg_double(n, "least_m", &s->least_m, CFG_BETWEEN(1.0, 1000.0));
    cfg_double(n, "most_m", &s->most_m, CFG_BETWEEN(1.0, 1000.0));
    cfg_double(n, "per_offset", &s->per_offset, CFG_BETWEEN(0.0, 100.0));
    cfg_double(n, "per_curvature_m2", &s->per_curvature_m2, CFG_BETWEEN(0.0, 1e4));
    cfg_double(n, "per_yaw_rate_ms", &s->per_yaw_rate_ms, CFG_BETWEEN(0.0, 100.0));
    cfg_double(n, "distance_mps", &s->distance_mps, CFG_BETWEEN(0.1, 1000.0));
    cfg_double(n, "yaw_feedback", &s->yaw_feedback, CFG_BETWEEN(0.0, 10.0));
    cfg_double(n, "near_s", &s->near_s, CFG_BETWEEN(0.0, 10.0));
    cfg_double(n, "far_s", &s->far_s, CFG_BETWEEN(0.05, 20.0));
    cfg_double(n, "speed_1ps", &s->speed_1ps, CFG_BETWEEN(0.0, 50.0));
    cfg_double(n, "speed_1ps2", &s->speed_1ps2, CFG_BETWEEN(0.0, 50.0));
    cfg_double(n, "mode_mps2", &s->mode_mps2, CFG_BETWEEN(0.0, 50.0));
    cfg_double(n, "mode_gain", &s->mode_gain, CFG_BETWEEN(0.0, 5.0));
    cfg_double(n, "drive_mps2", &s->drive_mps2, CFG_BETWEEN(0.1, 50.0));
    cfg_double(n, "brake_mps2", &s->brake_mps2, CFG_BETWEEN(0.1, 50.0));
    cfg_double(n, "hand_lag_s", &s->hand_lag_s, CFG_BETWEEN(0.0, 2.0));
    cfg_scaled(n, "hand_wheel_degps", &s->hand_wheel_radps, deg, CFG_BETWEEN(10.0, 5000.0));
    cfg_double(n, "pedal_lag_s", &s->pedal_lag_s, CFG_BETWEEN(0.0, 2.0));
    cfg_double(n, "pedal_1ps", &s->pedal_1ps, CFG_BETWEEN(0.1, 1000.0));
    bool average = s->average != 0;
    cfg_bool(n, "average", &average);
    s->average = average;
    int64_t gear = 0;
    cfg_int(n, "gear", &gear, 1, 20);
    s->gear = (int32_t)gear;
    if (!(s->most_m >= s->least_m))
        cfg_complain(n, "most_m", "must not be below least_m (%g m)", s->least_m);
}

static void driver_load(const struct cfg_node *n, const struct road *road, struct manoeuvre *m)
{
    static const char *const kinds[] = {"position", "preview", NULL};
    m->driver.kind = DRIVER_POSITION;
    cfg_choice(n, "kind", &m->driver.kind, kinds);
    if (m->driver.kind == DRIVER_PREVIEW)
        preview_load(n, &m->driver.preview);
    else
        position_load(n, &m->driver.position);
    const struct cfg_node *path = cfg_need_map(n, "path");
    m->has_driver = path_load(path, road, &m->path);
    cfg_done(n);
}

static void phase_load(const struct cfg_node *n, bool has_driver, bool is_last, struct phase *p)
{
    static const char *const who[] = {"driver", "inputs", "hold", NULL};
    int steer = has_driver ? 0 : 1, pedals = steer;
    cfg_need(n, "name");
    cfg_string(n, "name", p->name, sizeof p->name);
    script_load(cfg_map(n, "inputs"), &p->script);
    cfg_choice(n, "steer", &steer, who);
    cfg_choice(n, "pedals", &pedals, who);
    p->driver_steers = steer == 0;
    p->driver_pedals = pedals == 0;
    p->hold_hand_wheel = steer == 2;
    p->hold_pedals = pedals == 2;
    if ((p->driver_steers || p->driver_pedals) && !has_driver)
        cfg_complain(n, p->driver_steers ? "steer" : "pedals", "the scenario has no driver");
    if (cfg_has(n, "until"))
        p->has_until = expr_load(n, "until", EXPR_CONDITION, NULL, &p->until);
    else if (!is_last)
        cfg_complain(n, NULL, "only the last phase may lack `until`");
    cfg_done(n);
}

static void phases_load(const struct cfg_node *root, struct manoeuvre *m)
{
    const struct cfg_node *list = cfg_list(root, "phases");
    size_t count = cfg_count(list);
    if (count > MANOEUVRE_PHASES) {
        cfg_complain(root, "phases", "%zu phases, at most %d", count, MANOEUVRE_PHASES);
        count = MANOEUVRE_PHASES;
    }
    if (count && cfg_has(root, "inputs"))
        cfg_complain(root, "inputs", "with phases, each phase has its own inputs");
    for (size_t i = 0; i < count; i++)
        phase_load(cfg_item(list, i), m->has_driver, i + 1 == count, &m->phase[i]);
    m->phases = (int)count;
}

static void cone_add(struct manoeuvre *m, double x_m, double y_m)
{
    m->cone_m[m->cones][0] = x_m;
    m->cone_m[m->cones++][1] = y_m;
}

static bool room_for(const struct cfg_node *n, const char *key, size_t more, struct manoeuvre *m)
{
    if ((size_t)m->cones + more <= MANOEUVRE_CONES)
        return true;
    cfg_complain(n, key, "more than %d cones", MANOEUVRE_CONES);
    return false;
}

/* [from, to, centre, width, cones on each side]: its width is free between the cones. */
static void gate_add(const struct cfg_node *n, size_t i, const double *g, struct manoeuvre *m)
{
    if (!(g[1] > g[0]) || !(g[3] > 0.0) || !(g[4] >= 2.0 && g[4] <= 50.0) || g[4] != rint(g[4])) {
        cfg_complain(n, "gates_m",
                     "row %zu: gates are [from, to, centre, width, cones on each side (2 to 50)]",
                     i + 1);
        return;
    }
    int each = (int)g[4];
    if (!room_for(n, "gates_m", 2 * (size_t)each, m))
        return;
    for (int k = 0; k < 2 * each; k++) {
        double side = k < each ? 1.0 : -1.0;
        cone_add(m, g[0] + (g[1] - g[0]) * (k % each) / (each - 1),
                 g[2] + side * (0.5 * g[3] + m->cone_radius_m));
    }
}

static void cones_load(const struct cfg_node *root, struct manoeuvre *m)
{
    const struct cfg_node *n = cfg_map(root, "cones");
    size_t rows = 0;
    m->cone_radius_m = 0.15;
    if (!n)
        return;
    cfg_double(n, "radius_m", &m->cone_radius_m, CFG_BETWEEN(0.0, 2.0));
    double *row = cfg_rows(n, "at_m", 2, &rows);
    if (row && room_for(n, "at_m", rows, m))
        for (size_t i = 0; i < rows; i++)
            cone_add(m, row[2 * i], row[2 * i + 1]);
    free(row);
    row = cfg_rows(n, "gates_m", 5, &rows);
    for (size_t i = 0; row && i < rows; i++)
        gate_add(n, i, &row[5 * i], m);
    free(row);
    cfg_done(n);
}

void manoeuvre_load(const struct cfg_node *root, const struct road *road, struct manoeuvre *m)
{
    bool person = cfg_text(cfg_value(root, "driver")) != NULL; /* the scenario's own matter */
    const struct cfg_node *driver = person ? NULL : cfg_map(root, "driver");
    if (driver)
        driver_load(driver, road, m);
    phases_load(root, m);
    cones_load(root, m);
    m->has_stop = expr_load(root, "stop", EXPR_CONDITION, NULL, &m->stop);
}

void manoeuvre_free(struct manoeuvre *m)
{
    for (int i = 0; i < m->phases; i++)
        script_free(&m->phase[i].script);
    path_free(&m->path);
}
