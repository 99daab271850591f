#include "target/replay.h"

#include "shared/wire/signals.h"
#include "target/log_parameters.h"
#include "target/log_signals.h"
#include "target/loop.h"
#include "target/signals_fill.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A replay needs every signal, or what stands for it. */
static int find_columns(const struct mdf_read_group *g, struct log_columns *c, struct err *e)
{
    int bad = log_columns_find(g, c, e);
    if (!bad && c->missing)
        return err_set(e, -EINVAL, "the log has no signal %s: it was written by another version",
                       c->missing);
    return bad;
}

/* Bits, not values: a zero with another sign is another result. */
static bool same(const struct signals *a, const struct signals *b, size_t i)
{
    size_t bytes = signal_table[i].type == SIGNAL_f64 || signal_table[i].type == SIGNAL_i64 ? 8 : 4;
    return memcmp((const char *)a + signal_table[i].offset,
                  (const char *)b + signal_table[i].offset, bytes) == 0;
}

/* What came from outside the car is not computed again; nor is what the sensors said where the loop
 * led them to standstill or a fault of the bench file altered them. */
static void compare(const struct log_columns *c, const struct signals *logged,
                    const struct signals *now, int64_t tick, bool altered, struct replay_result *r)
{
    for (size_t i = 0; i < signal_count && !r->differs; i++) {
        if (!c->signal[i] || signal_table[i].linked || signal_table[i].course ||
            same(logged, now, i) || (altered && strstr(signal_table[i].name, "sensor_")))
            continue;
        r->differs = true;
        r->tick = tick;
        r->signal = signal_table[i].name;
        (void)signal_text(logged, i, r->logged, sizeof r->logged);
        (void)signal_text(now, i, r->now, sizeof r->now);
    }
}

/* A person changed the car before this tick. */
static int follow_setup(struct offline *car, const struct signals *logged, struct err *e)
{
    struct setup setup;
    setup_of_signals(logged, &setup);
    if (memcmp(&setup, &car->vehicle->setup, sizeof setup) == 0)
        return 0;
    struct vehicle *next = offline_vehicle(car, &setup);
    if (!next)
        return err_set(e, -EINVAL, "the car cannot be built with the set-up of the log");
    free(offline_exchange(car, next));
    return 0;
}

static int replay_record(struct offline *car, const struct log_columns *c, const void *record,
                         struct replay_result *r, struct err *e)
{
    struct signals logged, now;
    uint64_t steps = mdf_read_uint64(c->steps, record);
    memset(&logged, 0, sizeof logged);
    memset(&now, 0, sizeof now);
    log_signals(c, record, &logged);
    int bad = follow_setup(car, &logged, e);
    if (bad)
        return bad;
    signals_inputs(&logged, &car->in);
    for (uint64_t n = 0; n < steps && n <= LOOP_CATCH_UP_MAX; n++) {
        offline_plant(car);
        offline_sense(car);
    }
    signals_fill(&now, &car->in, &car->out, &car->sense);
    r->ticks++;
    r->steps += steps;
    compare(c, &logged, &now, mdf_read_int64(c->tick, record),
            mdf_read_uint64(c->cause, record) == CAUSE_NONFINITE || logged.faults_active != 0, r);
    return 0;
}

/* Every tick must be there. */
static int check_tick(const struct log_columns *c, const void *record, int64_t *next_tick,
                      struct err *e)
{
    int64_t tick = mdf_read_int64(c->tick, record);
    int64_t skipped = (int64_t)(uint32_t)mdf_read_uint64(c->skipped, record);
    if (tick < 0 || tick - skipped != *next_tick)
        return err_set(e, -EINVAL,
                       "tick %" PRId64 " is not in the log, which goes on with %" PRId64
                       ": a host's recording at a lower rate than the loop's? The target's own "
                       "log has every tick",
                       *next_tick, tick - skipped);
    *next_tick = tick + 1;
    return 0;
}

int replay_run(struct mdf_reader *log, struct offline *car, const struct replay_viewer *viewer,
               struct replay_result *r, struct err *e)
{
    const struct mdf_read_group *ticks = mdf_read_group_find(log, "ticks"), *group;
    struct log_columns c;
    const void *record;
    int64_t next_tick = 0;
    int rc;
    memset(r, 0, sizeof *r);
    memset(&c, 0, sizeof c);
    if (!ticks)
        return err_set(e, -EINVAL, "the log has no group \"ticks\"");
    int bad = find_columns(ticks, &c, e);
    if (bad)
        return bad;
    mdf_read_rewind(log);
    while ((rc = mdf_read_next(log, &group, &record, e)) > 0 && !r->differs && !r->cut) {
        if (group != ticks)
            continue;
        r->cut = mdf_read_uint64(c.dropped, record) > 0;
        if (r->cut)
            break;
        bad = check_tick(&c, record, &next_tick, e);
        if (!bad)
            bad = replay_record(car, &c, record, r, e);
        if (bad)
            return bad;
        if (viewer && viewer->tick)
            viewer->tick(viewer->self, car);
    }
    r->hash = offline_hash(car);
    return rc < 0 ? rc : 0;
}

/* ---- the car of a log */

static int differs(struct err *e, uint64_t now, const char *hash)
{
    return err_set(e, -EINVAL,
                   "the car is not the one of the log (model %016" PRIx64
                   ", the log has %s): its files have changed",
                   now, hash);
}

/* The hash of the car that the vehicle file attached to a log makes, with the tyre and table files
 * of now. Returns 0 or a negative errno. */
static int attached_hash(struct mdf_reader *log, const struct offline *car, uint64_t *hash)
{
    const struct mdf_read_file *f = mdf_read_file(log);
    const struct vehicle_options options = {.step_s = car->scenario->step_s,
                                            .integrator = car->integrator};
    struct vehicle *v = NULL;
    struct cfg_doc *doc = NULL;
    struct err e = {""};
    for (size_t i = 0; i < f->attachment_count; i++) {
        const struct mdf_read_attachment *a = &f->attachments[i];
        if (!a->name || strcmp(a->name, "vehicle.yaml") != 0 || !a->embedded)
            continue;
        char *text = malloc((size_t)a->bytes + 1);
        int bad = text ? mdf_read_attachment_bytes(log, a, 0, text, (size_t)a->bytes, &e) : -ENOMEM;
        if (!bad)
            bad = vehicle_load_text(car->vehicle_path, text, (size_t)a->bytes, &options, &v, &doc);
        if (!bad)
            *hash = v->content;
        free(text);
        free(v);
        cfg_close(doc);
        return bad;
    }
    return -ENOENT;
}

/* Logs of version 0.1 have a hash over memory, which says nothing to other versions: there the
 * attached vehicle file has to say what the file of now says. docs/real-time.md */
static int check_car(struct mdf_reader *log, const struct offline *car, struct err *e)
{
    const char *content = mdf_read_property(log, "content_hash");
    const char *memory = mdf_read_property(log, "model_hash");
    uint64_t now = offline_model_hash(car), attached = 0;
    char text[32];
    (void)snprintf(text, sizeof text, "%016" PRIx64, now);
    if (content)
        return strcmp(text, content) == 0 ? 0 : differs(e, now, content);
    if (!memory)
        return err_set(e, -EINVAL, "the log does not say which car it is of");
    int bad = attached_hash(log, car, &attached);
    if (bad)
        return err_set(e, bad,
                       "the log is of an older version and has no vehicle file attached that can "
                       "be read: its car cannot be compared");
    return attached == car->vehicle->content ? 0 : differs(e, now, memory);
}

int replay_open(struct mdf_reader *log, const char *scenario, const char *vehicle,
                struct offline *car, struct err *e)
{
    const char *period = mdf_read_property(log, "period_ns");
    const char *integrator = mdf_read_property(log, "integrator");
    const char *parameters = mdf_read_property(log, "parameters");
    struct parameters given;
    log_parameters_read(parameters ? parameters : "", &given);
    scenario = scenario ? scenario : mdf_read_property(log, "scenario");
    vehicle = vehicle ? vehicle : mdf_read_property(log, "vehicle");
    if (!period || !scenario || !vehicle || !integrator)
        return err_set(e, -EINVAL, "the log does not say which car and scenario it is of");
    struct offline_options options = {
        .step_s = 1e-9 * strtod(period, NULL),
        .duration_s = -1.0,
        .integrator = strcmp(integrator, "forward") == 0 ? MODEL_FORWARD : MODEL_SEMI_IMPLICIT,
        .vehicle = vehicle,
        .parameters = &given};
    if (!(options.step_s > 0.0) || offline_open(scenario, &options, car))
        return err_set(e, -EINVAL,
                       "the car and scenario of the log cannot be loaded; if they have "
                       "moved, name them with --scenario and --vehicle");
    return check_car(log, car, e);
}
