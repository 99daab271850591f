#include "target/scenario/scenario_load.h"

#include "shared/base/nearest.h"
#include "shared/wire/signals.h"
#include "target/road/plane_load.h"
#include "target/road/road_load.h"
#include "target/road/weather_load.h"
#include "target/scenario/fault_load.h"
#include "target/scenario/manoeuvre_load.h"
#include "target/scenario/object_load.h"
#include "target/scenario/parameters_load.h"
#include "target/scenario/script_load.h"
#include "target/scenario/verdict_load.h"
#include "target/scenario/wind_load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const double deg = 3.14159265358979323846 / 180.0;

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
    sc->start.gear = script_gear(n, "gear", sc->start.gear);
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

/* The messages of the road's file become messages of this one. */
static void road_file_load(const struct cfg_node *n, struct scenario *sc)
{
    struct road r = {0};
    char path[SCENARIO_PATH] = "";
    struct cfg_doc *doc = NULL;
    cfg_path(n, "file", path, sizeof path);
    if (!path[0] || road_load(path, &r, &doc) == 0) {
        int32_t weather = GROUND_DRY;
        (void)weather_load(n, &weather);
        if (cfg_has(n, "weather") && (r.segments || r.crg))
            road_set_weather(&r, weather);
        sc->segments = r.segments;
        sc->crg = r.crg;
        cfg_close(doc);
        return;
    }
    for (size_t i = 0; doc && i < cfg_message_count(doc); i++)
        cfg_complain(n, "file", "%s", cfg_message(doc, i));
    if (!doc)
        cfg_complain(n, "file", "out of memory");
    cfg_close(doc);
}

/* A plane, a road of its own file, or one described in place. */
static void ground_load(const struct cfg_node *root, struct scenario *sc, const struct cfg_doc *doc)
{
    const struct cfg_node *n = cfg_map(root, "road");
    plane_defaults(&sc->road);
    if (cfg_has(n, "file")) {
        road_file_load(n, sc);
        cfg_done(n);
    } else if (road_is_described(n)) {
        struct road r;
        road_load_map(n, doc, &r);
        sc->segments = r.segments;
        sc->crg = r.crg;
    } else {
        plane_load(n, &sc->road);
    }
}

void scenario_unit_load(const struct cfg_node *map, struct scenario_unit *unit)
{
    static const char *const words[] = {"none", "car", NULL};
    if (!cfg_has(map, "unit"))
        return;
    if (!cfg_is_map(cfg_value(map, "unit"))) {
        int word = 0;
        cfg_choice(map, "unit", &word, words);
        unit->kind = word == 0 ? UNIT_NONE : UNIT_OF_CAR;
        return;
    }
    const struct cfg_node *n = cfg_map(map, "unit");
    unit->kind = UNIT_FILE;
    cfg_need(n, "params");
    cfg_path(n, "params", unit->params, sizeof unit->params);
    cfg_need(n, "bus");
    cfg_path(n, "bus", unit->bus, sizeof unit->bus);
    cfg_done(n);
}

/* `driver: person` is somebody at the host; `person: false` keeps such people out. */
static void person_load(const struct cfg_node *root, struct scenario *sc)
{
    const char *driver = cfg_text(cfg_value(root, "driver"));
    bool may = true;
    if (driver && strcmp(driver, "person") != 0)
        cfg_complain(root, "driver", "must be a mapping, or the word person");
    sc->person_drives = driver != NULL;
    cfg_bool(root, "person", &may);
    sc->person_may_not = !may;
    if (driver && !may)
        cfg_complain(root, "person", "a person cannot be both the driver and forbidden to drive");
}

static void read_scenario(const struct cfg_node *root, const struct scenario_given *given,
                          struct scenario *sc, struct cfg_doc *doc)
{
    static const char *const integrators[] = {"forward", "semi-implicit", NULL};
    if (!cfg_kind(root, "scenario"))
        return;
    cfg_need(root, "name");
    cfg_string(root, "name", sc->name, sizeof sc->name);
    cfg_need(root, "vehicle");
    cfg_path(root, "vehicle", sc->vehicle, sizeof sc->vehicle);
    const char *car = given && given->vehicle ? given->vehicle : sc->vehicle;
    parameters_load(root, doc, car, given ? given->parameters : NULL, &sc->parameters, &sc->plan);
    sc->duration_s = 10.0;
    sc->step_s = 1e-3;
    sc->integrator = -1;
    cfg_zero_or(root, "duration_s", &sc->duration_s, CFG_BETWEEN(1e-5, 1e6));
    cfg_scaled(root, "step_ms", &sc->step_s, 1e-3, CFG_BETWEEN(0.001, 20.0));
    cfg_choice(root, "integrator", &sc->integrator, integrators);
    const struct cfg_node *inputs = cfg_map(root, "inputs");
    straight_load(inputs, &sc->straight); /* before the script says which keys are left over */
    script_load(inputs, &sc->script);
    start_load(root, sc);
    sc->straight.x_m = sc->start.x_m;
    sc->straight.y_m = sc->start.y_m;
    sc->straight.yaw_rad = sc->start.yaw_rad;
    ground_load(root, sc, doc);
    wind_defaults(&sc->wind);
    wind_load(cfg_map(root, "wind"), &sc->wind);
    object_defaults(&sc->object);
    object_load(cfg_map(root, "object"), &sc->start, &sc->object);
    output_load(root, sc);
    scenario_unit_load(root, &sc->unit);
    person_load(root, sc);
    const struct road road = {sc->segments, sc->crg};
    manoeuvre_load(root, &road, &sc->manoeuvre);
    fault_load(root, NULL, &sc->faults);
    sc->verdict = verdict_load(root, &sc->parameters);
    cfg_done(root);
}

struct ground scenario_ground(const struct scenario *sc)
{
    if (sc->crg)
        return crg_ground(sc->crg);
    return sc->segments ? segments_ground(sc->segments) : plane_ground(&sc->road);
}

bool scenario_is_plane(const struct scenario *sc)
{
    return !sc->crg && (!sc->segments || segments_are_level(sc->segments));
}

void scenario_free(struct scenario *sc)
{
    if (!sc)
        return;
    script_free(&sc->script);
    manoeuvre_free(&sc->manoeuvre);
    verdict_free(sc->verdict);
    segments_free(sc->segments);
    crg_free(sc->crg);
    free(sc);
}

int scenario_load(const char *path, struct scenario **out, struct cfg_doc **doc)
{
    return scenario_load_given(path, NULL, out, doc);
}

/* What the document says, or its mistakes. */
static int scenario_of(struct cfg_doc *doc, const struct scenario_given *given,
                       struct scenario **out)
{
    int bad = given ? cfg_apply(doc, given->change, given->changes) : 0;
    if (bad)
        return bad;
    struct scenario *sc = calloc(1, sizeof *sc);
    if (!sc) {
        cfg_complain(cfg_root(doc), NULL, "out of memory");
        return -ENOMEM;
    }
    read_scenario(cfg_root(doc), given, sc, doc);
    if (!cfg_ok(doc)) {
        scenario_free(sc);
        return -EINVAL;
    }
    *out = sc;
    return 0;
}

int scenario_load_given(const char *path, const struct scenario_given *given, struct scenario **out,
                        struct cfg_doc **doc)
{
    *out = NULL;
    int bad = cfg_open(path, doc);
    return bad ? bad : scenario_of(*doc, given, out);
}

int scenario_load_text(const char *name, const char *text, size_t length,
                       const struct scenario_given *given, struct scenario **out,
                       struct cfg_doc **doc)
{
    *out = NULL;
    int bad = cfg_open_text(name, text, length, doc);
    return bad ? bad : scenario_of(*doc, given, out);
}
