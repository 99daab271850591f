#include "target/scenario/scenario_load.h"

#include "shared/base/nearest.h"
#include "shared/wire/signals.h"
#include "target/road/plane_load.h"
#include "target/road/segments_load.h"
#include "target/scenario/wind_load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const double deg = 3.14159265358979323846 / 180.0;
static const char *const wheel_keys[WHEELS] = {"fl", "fr", "rl", "rr"};

/* key: [[time_s, value], ...], or one number that holds throughout. */
static void series_load(const struct cfg_node *map, const char *key, double factor,
                        struct cfg_range range, struct series *s)
{
    size_t rows = 0;
    if (!cfg_has(map, key))
        return;
    double *v = NULL;
    if (cfg_is_list(map, key)) {
        v = cfg_table(map, key, 2, 1, &rows);
    } else {
        double one = 0.0;
        cfg_double(map, key, &one, range);
        v = calloc(2, sizeof *v);
        rows = v ? 1 : 0;
        if (v)
            v[1] = one;
    }
    if (!v)
        return;
    double *time_s = malloc(rows * sizeof *time_s), *value = malloc(rows * sizeof *value);
    if (!time_s || !value) {
        free(time_s);
        free(value);
        free(v);
        cfg_complain(map, key, "out of memory");
        return;
    }
    for (size_t i = 0; i < rows; i++) {
        time_s[i] = v[2 * i];
        value[i] = v[2 * i + 1] * factor;
        if (!(v[2 * i + 1] >= range.low && v[2 * i + 1] <= range.high))
            cfg_complain(map, key, "row %zu: the value must be between %g and %g, is %g", i + 1,
                         range.low, range.high, v[2 * i + 1]);
    }
    free(v);
    s->count = (int)rows;
    s->time_s = time_s;
    s->value = value;
}

static void wheels_load(const struct cfg_node *map, const char *key, double factor,
                        struct cfg_range range, struct series s[WHEELS])
{
    const struct cfg_node *n = cfg_map(map, key);
    if (!n)
        return;
    for (int i = 0; i < WHEELS; i++)
        series_load(n, wheel_keys[i], factor, range, &s[i]);
    cfg_done(n);
}

/* "auto", "neutral", "reverse" or a number, as one word. */
static int32_t gear_word(const struct cfg_node *map, const char *key, int32_t gear)
{
    char word[16] = "";
    cfg_string(map, key, word, sizeof word);
    if (word[0] == '\0')
        return gear;
    if (strcmp(word, "auto") == 0)
        return PLANT_GEAR_AUTO;
    if (strcmp(word, "neutral") == 0)
        return PLANT_GEAR_NEUTRAL;
    if (strcmp(word, "reverse") == 0)
        return PLANT_GEAR_REVERSE;
    char *end;
    long g = strtol(word, &end, 10);
    if (*end != '\0' || g < PLANT_GEAR_REVERSE || g > 20)
        cfg_complain(map, key, "is \"%s\"; allowed are auto, neutral, reverse and a gear number",
                     word);
    return (int32_t)g;
}

static void straight_load(const struct cfg_node *inputs, struct straight_model *m)
{
    const struct cfg_node *n = cfg_map(inputs, "keep_straight");
    straight_defaults(m);
    m->on = n != NULL;
    if (!n)
        return;
    cfg_double(n, "heading", &m->heading, CFG_BETWEEN(0.0, 100.0));
    cfg_scaled(n, "offset_degpm", &m->offset_radpm, deg, CFG_BETWEEN(0.0, 1000.0));
    cfg_double(n, "damping_s", &m->damping_s, CFG_BETWEEN(0.0, 100.0));
    cfg_double(n, "lag_s", &m->lag_s, CFG_BETWEEN(0.0, 2.0));
    cfg_scaled(n, "rate_degps", &m->rate_radps, deg, CFG_BETWEEN(1.0, 5000.0));
    cfg_scaled(n, "most_deg", &m->most_rad, deg, CFG_BETWEEN(1.0, 2000.0));
    cfg_done(n);
}

static void inputs_load(const struct cfg_node *root, struct scenario *sc)
{
    static const char *const axes[3] = {"x", "y", "z"};
    struct script *s = &sc->script;
    s->default_gear = PLANT_GEAR_AUTO;
    const struct cfg_node *n = cfg_map(root, "inputs");
    if (!n)
        return;
    series_load(n, "hand_wheel_deg", deg, CFG_BETWEEN(-2000.0, 2000.0), &s->hand_wheel_rad);
    series_load(n, "hand_wheel_Nm", 1.0, CFG_BETWEEN(-500.0, 500.0), &s->hand_wheel_Nm);
    if (s->hand_wheel_Nm.count > 0) {
        s->steer = PLANT_STEER_TORQUE;
        if (s->hand_wheel_rad.count > 0)
            cfg_complain(n, "hand_wheel_Nm", "give either hand_wheel_deg or hand_wheel_Nm");
    }
    series_load(n, "throttle", 1.0, CFG_BETWEEN(0.0, 1.0), &s->throttle);
    series_load(n, "brake_pedal", 1.0, CFG_BETWEEN(0.0, 1.0), &s->brake_pedal);
    series_load(n, "clutch_pedal", 1.0, CFG_BETWEEN(0.0, 1.0), &s->clutch_pedal);
    s->gear.last_value = 1;
    if (cfg_is_list(n, "gear"))
        series_load(n, "gear", 1.0, CFG_BETWEEN(-1.0, 20.0), &s->gear);
    else
        s->default_gear = gear_word(n, "gear", PLANT_GEAR_AUTO);
    wheels_load(n, "wheel_torque_Nm", 1.0, CFG_BETWEEN(-20000.0, 20000.0), s->torque_Nm);
    wheels_load(n, "wheel_pressure_bar", 1e5, CFG_BETWEEN(0.0, 500.0), s->pressure_Pa);
    s->use_pressures = cfg_has(n, "wheel_pressure_bar");
    const struct cfg_node *push = cfg_map(n, "push_N");
    if (push) {
        for (int k = 0; k < 3; k++)
            series_load(push, axes[k], 1.0, CFG_BETWEEN(-1e6, 1e6), &s->push_N[k]);
        cfg_done(push);
    }
    straight_load(n, &sc->straight);
    if (sc->straight.on && s->hand_wheel_rad.count + s->hand_wheel_Nm.count > 0)
        cfg_complain(n, "keep_straight", "the hand wheel has either a script or a driver");
    cfg_done(n);
}

static void start_load(const struct cfg_node *root, struct scenario *sc)
{
    sc->start.gear = sc->script.default_gear;
    const struct cfg_node *n = cfg_map(root, "start");
    if (!n)
        return;
    cfg_scaled(n, "speed_kmh", &sc->start.speed_mps, 1.0 / 3.6, CFG_BETWEEN(-500.0, 500.0));
    cfg_double(n, "x_m", &sc->start.x_m, CFG_BETWEEN(-1e6, 1e6));
    cfg_double(n, "y_m", &sc->start.y_m, CFG_BETWEEN(-1e6, 1e6));
    cfg_scaled(n, "yaw_deg", &sc->start.yaw_rad, deg, CFG_BETWEEN(-360.0, 360.0));
    sc->start.gear = gear_word(n, "gear", sc->start.gear);
    cfg_done(n);
}

static void complain_signal(const struct cfg_node *item, const char *name)
{
    const char *names[SCENARIO_SIGNALS];
    size_t count = 0;
    for (; count < signal_count && count < SCENARIO_SIGNALS; count++)
        names[count] = signal_table[count].name;
    const char *near = nearest_word(name, names, count);
    if (near)
        cfg_complain(item, NULL, "no signal \"%s\", did you mean \"%s\"?", name, near);
    else
        cfg_complain(item, NULL, "no signal \"%s\"; `skidpad signals` lists them", name);
}

static void output_load(const struct cfg_node *root, struct scenario *sc)
{
    sc->output_hz = 100.0;
    const struct cfg_node *n = cfg_map(root, "output");
    if (!n)
        return;
    cfg_double(n, "rate_hz", &sc->output_hz, CFG_BETWEEN(0.01, 1e6));
    const struct cfg_node *list = cfg_list(n, "signals");
    if (list && cfg_count(list) > SCENARIO_SIGNALS)
        cfg_complain(n, "signals", "at most %d are allowed", SCENARIO_SIGNALS);
    for (size_t i = 0; list && i < cfg_count(list) && i < SCENARIO_SIGNALS; i++) {
        const char *name = cfg_text(cfg_item(list, i));
        int found = name ? signal_find(name) : -1;
        if (found >= 0)
            sc->signal[sc->signals++] = found;
        else
            complain_signal(cfg_item(list, i), name ? name : "");
    }
    cfg_done(n);
}

/* A plane, a road of its own file, or one with segments in place. */
static void road_load(const struct cfg_node *root, struct scenario *sc, const struct cfg_doc *doc)
{
    const struct cfg_node *n = cfg_map(root, "road");
    plane_defaults(&sc->road);
    if (cfg_has(n, "file")) {
        cfg_path(n, "file", sc->road_file, sizeof sc->road_file);
        cfg_done(n);
    } else if (cfg_has(n, "segments")) {
        sc->segments = segments_load_map(n, doc);
    } else {
        plane_load(n, &sc->road);
    }
}

static void read_scenario(const struct cfg_node *root, struct scenario *sc,
                          const struct cfg_doc *doc)
{
    static const char *const kinds[] = {"scenario", NULL};
    static const char *const integrators[] = {"forward", "semi-implicit", NULL};
    int kind = 0;
    cfg_need(root, "kind");
    cfg_choice(root, "kind", &kind, kinds);
    cfg_need(root, "name");
    cfg_string(root, "name", sc->name, sizeof sc->name);
    cfg_need(root, "vehicle");
    cfg_path(root, "vehicle", sc->vehicle, sizeof sc->vehicle);
    sc->duration_s = 10.0;
    sc->step_s = 1e-3;
    sc->integrator = -1;
    cfg_double(root, "duration_s", &sc->duration_s, CFG_BETWEEN(0.0, 1e6));
    cfg_scaled(root, "step_ms", &sc->step_s, 1e-3, CFG_BETWEEN(0.001, 20.0));
    cfg_choice(root, "integrator", &sc->integrator, integrators);
    inputs_load(root, sc);
    start_load(root, sc);
    sc->straight.x_m = sc->start.x_m;
    sc->straight.y_m = sc->start.y_m;
    sc->straight.yaw_rad = sc->start.yaw_rad;
    road_load(root, sc, doc);
    wind_defaults(&sc->wind);
    wind_load(cfg_map(root, "wind"), &sc->wind);
    output_load(root, sc);
    cfg_done(root);
}

static void series_free(struct series *s)
{
    free((void *)s->time_s);
    free((void *)s->value);
}

void scenario_free(struct scenario *sc)
{
    if (!sc)
        return;
    struct script *s = &sc->script;
    series_free(&s->hand_wheel_rad);
    series_free(&s->hand_wheel_Nm);
    series_free(&s->throttle);
    series_free(&s->brake_pedal);
    series_free(&s->clutch_pedal);
    series_free(&s->gear);
    for (int i = 0; i < WHEELS; i++) {
        series_free(&s->torque_Nm[i]);
        series_free(&s->pressure_Pa[i]);
    }
    for (int k = 0; k < 3; k++)
        series_free(&s->push_N[k]);
    segments_free(sc->segments);
    free(sc);
}

int scenario_load(const char *path, struct scenario **out, struct cfg_doc **doc)
{
    *out = NULL;
    int bad = cfg_open(path, doc);
    if (bad)
        return bad;
    struct scenario *sc = calloc(1, sizeof *sc);
    if (!sc)
        return -ENOMEM;
    read_scenario(cfg_root(*doc), sc, *doc);
    if (!cfg_ok(*doc)) {
        scenario_free(sc);
        return -EINVAL;
    }
    *out = sc;
    return 0;
}
