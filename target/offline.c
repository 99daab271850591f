#include "target/offline.h"

#include "shared/base/hash.h"
#include "target/driver/pace.h"
#include "target/model/math/vecmath.h"
#include "target/signals_fill.h"
#include "target/vehicle/registry.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Prints and closes a document's messages. */
static void finish_doc(struct cfg_doc *doc)
{
    if (!doc)
        fprintf(stderr, "skidpad: out of memory\n");
    else
        cfg_print_messages(doc, stderr);
    cfg_close(doc);
}

int offline_check_ground(const struct vehicle *v, const char *vehicle_path,
                         const struct scenario *sc, const char *scenario_path)
{
    char others[256];
    if (!v->kind->needs_plane || scenario_is_plane(sc))
        return 0;
    model_registry_any_ground(others, sizeof others);
    fprintf(stderr,
            "%s: road: is not a plane, and the model %s of %s drives on planes only: take a road "
            "without height (slope_percent and bank_percent are allowed), or another model (%s)\n",
            scenario_path, v->ops->name, vehicle_path, others);
    return -EINVAL;
}

static int load(const char *path, const struct offline_options *options, struct offline *o)
{
    struct cfg_doc *doc = NULL;
    const struct scenario_given given = {.parameters = options->parameters,
                                         .vehicle = options->vehicle,
                                         .change = options->scenario_change,
                                         .changes = options->scenario_changes};
    int bad = scenario_load_given(path, &given, &o->scenario, &doc);
    finish_doc(doc);
    if (bad)
        return bad;
    struct scenario *sc = o->scenario;
    if (options->step_s > 0.0)
        sc->step_s = options->step_s;
    if (options->duration_s >= 0.0)
        sc->duration_s = options->duration_s;
    int integrator = options->integrator != VEHICLE_AS_FILE ? options->integrator : sc->integrator;
    struct vehicle_options v = {.step_s = sc->step_s,
                                .integrator = integrator,
                                .setup = options->setup,
                                .change = options->vehicle_change,
                                .changes = options->vehicle_changes};
    if (snprintf(o->vehicle_path, sizeof o->vehicle_path, "%s",
                 options->vehicle ? options->vehicle : sc->vehicle) >=
        (int)sizeof o->vehicle_path) {
        fprintf(stderr, "%s: the name is too long, at most %zu bytes are allowed\n",
                options->vehicle, sizeof o->vehicle_path - 1);
        return -ENAMETOOLONG;
    }
    doc = NULL;
    bad = vehicle_load(o->vehicle_path, &v, &o->vehicle, &doc);
    finish_doc(doc);
    return bad ? bad : offline_check_ground(o->vehicle, o->vehicle_path, sc, path);
}

struct vehicle *offline_vehicle(const struct offline *o, const struct setup *setup)
{
    const struct vehicle_options v = {
        .step_s = o->scenario->step_s, .integrator = o->integrator, .setup = setup};
    struct vehicle *vehicle = NULL;
    struct cfg_doc *doc = NULL;
    (void)vehicle_load(o->vehicle_path, &v, &vehicle, &doc);
    finish_doc(doc);
    return vehicle;
}

struct vehicle *offline_exchange(struct offline *o, struct vehicle *vehicle)
{
    struct vehicle *before = o->vehicle;
    o->vehicle = vehicle;
    if (vehicle->ops->adopt)
        vehicle->ops->adopt(before->model, vehicle->model, o->plant.state);
    driver_take_car(&o->driver,
                    &vehicle->facts); /* what the driver knows of it otherwise is of the old one */
    return before;
}

/* The ground with its friction times a factor. */
static void query_scaled(const void *offline, double x_m, double y_m, struct ground_point *out)
{
    const struct offline *o = offline;
    o->under.query(o->under.road, x_m, y_m, out);
    out->friction *= o->friction;
}

static void start_on_path(struct scenario *sc)
{
    struct path_point at;
    int32_t piece = 0;
    path_at(&sc->manoeuvre.path, sc->manoeuvre.path.line.begin_m, &piece, &at);
    sc->start.x_m = at.at.x_m;
    sc->start.y_m = at.at.y_m;
    sc->start.yaw_rad = vm_atan2(at.at.tangent[1], at.at.tangent[0]);
}

/* Everything of the car and its driver as the run begins. */
static void reset(struct offline *o)
{
    const struct vehicle *v = o->vehicle;
    const struct car_facts *car = &v->facts;
    struct scenario *sc = o->scenario;
    const struct manoeuvre *m = &sc->manoeuvre;
    v->ops->reset(v->model, o->plant.state, o->plant.scratch, &sc->start, &o->ground);
    v->ops->hold_hand_wheel(v->model, o->plant.state,
                            series_at(&sc->script.hand_wheel_rad, 0.0, 0.0));
    if (m->has_driver && m->path.grip > 0.0) {
        struct pace pace;
        pace_of(&pace, car, m->path.top_mps);
        pace_plan(&pace, &o->ground, &sc->manoeuvre.path);
    }
    if (m->has_driver)
        driver_init(&o->driver, &m->driver, car, &m->path);
    manoeuvre_reset(m, &o->course);
    wind_reset(&sc->wind, &o->wind);
    v->ops->output(v->model, o->plant.state, &o->out);
    sensors_reset(&v->sensors, &o->sensors, &o->out);
    sensors_first(&v->sensors, &o->sensors, &o->out, &o->sense);
    sc->object.front_m = car->hull->centre_m.x + car->hull->half_m.x - car->cg_m.x;
    object_sense(&sc->object, &o->out, &o->sense);
}

int offline_open(const char *path, const struct offline_options *options, struct offline *o)
{
    memset(o, 0, sizeof *o);
    int bad = load(path, options, o);
    if (!bad)
        bad = model_memory_open(&o->plant, o->vehicle->ops, o->vehicle->model);
    if (!bad)
        bad = model_memory_open(&o->moment.plant, o->vehicle->ops, o->vehicle->model);
    if (bad == -ENOMEM)
        fprintf(stderr, "skidpad: out of memory\n");
    if (bad)
        return bad;
    o->integrator = o->vehicle->facts.integrator;
    o->ground = scenario_ground(o->scenario);
    if (options->friction > 0.0) {
        o->under = o->ground;
        o->friction = options->friction;
        o->ground = (struct ground){.road = o, .query = query_scaled};
    }
    if (options->on_path && o->scenario->manoeuvre.has_driver)
        start_on_path(o->scenario);
    reset(o);
    return 0;
}

void offline_close(struct offline *o)
{
    scenario_free(o->scenario);
    free(o->vehicle);
    model_memory_close(&o->plant);
    model_memory_close(&o->moment.plant);
    memset(o, 0, sizeof *o);
}

int64_t offline_ticks(const struct offline *o)
{
    const struct scenario *sc = o->scenario;
    int64_t ticks = (int64_t)llround(sc->duration_s / sc->step_s);
    return sc->duration_s > 0.0 && ticks < 1 ? 1 : ticks;
}

void offline_command(struct offline *o)
{
    const struct scenario *sc = o->scenario;
    double t = (double)o->tick * sc->step_s, end = (double)(o->tick + 1) * sc->step_s;
    const struct manoeuvre *m = &sc->manoeuvre;
    const struct manoeuvre_view view = {.driver = m->has_driver ? &o->driver : NULL,
                                        .road = sc->segments,
                                        .surface = sc->crg,
                                        .car = &o->vehicle->facts,
                                        .now = &o->out,
                                        .last = o->seen ? o->seen : &o->record};
    if (!o->seen && (m->phases > 0 || m->has_stop))
        signals_fill(&o->record, &o->in, &o->out, &o->sense);
    manoeuvre_watch(m, &o->course, &view);
    manoeuvre_command(m, &o->course, &view, &sc->script, t, end, &o->in);
    if (sc->straight.on)
        o->in.hand_wheel_rad = straight_step(&sc->straight, &o->straight, &o->out, sc->step_s);
    wind_step(&sc->wind, &o->wind, sc->step_s, o->in.wind_mps);
}

void offline_plant(struct offline *o)
{
    const struct vehicle *v = o->vehicle;
    v->ops->step(v->model, o->plant.state, o->plant.scratch, &o->in, &o->ground,
                 o->scenario->step_s);
    v->ops->output(v->model, o->plant.state, &o->out);
    o->tick++;
}

void offline_sense(struct offline *o)
{
    sensors_step(&o->vehicle->sensors, &o->sensors, &o->out, o->scenario->step_s, &o->sense);
    object_sense(&o->scenario->object, &o->out, &o->sense);
}

void offline_step(struct offline *o)
{
    offline_command(o);
    offline_plant(o);
    offline_sense(o);
}

void offline_fill(const struct offline *o, struct signals *record)
{
    signals_fill(record, &o->in, &o->out, &o->sense);
    manoeuvre_fill(&o->course, record);
}

static uint64_t hash_of(const struct vehicle *v, const void *state,
                        const struct sensors_state *sensors)
{
    uint64_t h = hash_text(HASH_BEGIN, v->ops->name);
    h = state_hash(v->ops->states(v->model), state, h);
    return state_hash(&sensors_states, sensors, h);
}

uint64_t offline_hash(const struct offline *o)
{
    return hash_of(o->vehicle, o->plant.state, &o->sensors);
}

void offline_keep(struct offline *o)
{
    memcpy(o->moment.plant.state, o->plant.state, o->plant.state_bytes);
    o->moment.sensors = o->sensors;
    o->moment.steps = o->tick;
}

uint64_t offline_kept_hash(const struct offline *o)
{
    return hash_of(o->vehicle, o->moment.plant.state, &o->moment.sensors);
}

uint64_t offline_model_hash(const struct offline *o)
{
    const struct vehicle *v = o->vehicle;
    uint64_t h = hash_text(HASH_BEGIN, v->ops->name);
    h = hash_u64(h, v->ops->version);
    h = hash_u64(h, v->content);
    h = hash_u64(h, (uint64_t)o->integrator);
    h = hash_f64(h, o->scenario->step_s);
    for (int i = 0; i < SETUP_COUNT; i++)
        h = hash_f64(h, v->setup.value[i]);
    return h;
}
