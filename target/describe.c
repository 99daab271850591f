#include "target/describe.h"

#include "shared/base/version.h"
#include "shared/can/uds.h"
#include "shared/wire/telemetry.h"
#include "target/describe_scene.h"
#include "target/serve.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void text_of_u64(struct json_writer *w, const char *key, uint64_t value)
{
    char text[24];
    (void)snprintf(text, sizeof text, "%016" PRIx64, value);
    json_text(w, key, text);
}

static void describe_signals(struct json_writer *w)
{
    static const char *const types[] = {"f64", "i64", "u32", "i32"};
    json_open(w, "signals", '[');
    for (size_t i = 0; i < signal_count; i++) {
        json_open(w, NULL, '{');
        json_text(w, "name", signal_table[i].name);
        json_text(w, "unit", signal_table[i].unit);
        json_text(w, "type", types[signal_table[i].type]);
        json_int(w, "offset", (int64_t)signal_table[i].offset);
        json_text(w, "meaning", signal_table[i].meaning);
        json_close(w);
    }
    json_close(w);
}

static void numbers(struct json_writer *w, const char *key, const double *value, int count)
{
    json_open_flat(w, key);
    for (int i = 0; i < count; i++)
        json_double(w, NULL, value[i]);
    json_close(w);
}

static void describe_car(struct json_writer *w, const struct offline *o)
{
    const struct car_facts *car = &o->vehicle->facts;
    const double cg_m[3] = {car->cg_m.x, car->cg_m.y, car->cg_m.z};
    json_open(w, "car", '{');
    json_text(w, "name", o->vehicle->name);
    json_double(w, "wheelbase_m", car->hub_m[FL][0] - car->hub_m[RL][0]);
    numbers(w, "cg_m", cg_m, 3);
    json_open(w, "hub_m", '[');
    for (int i = 0; i < WHEELS; i++) {
        const double relative_m[3] = {car->hub_m[i][0] - cg_m[0], car->hub_m[i][1] - cg_m[1],
                                      car->hub_m[i][2] - cg_m[2]};
        numbers(w, NULL, relative_m, 3);
    }
    json_close(w);
    numbers(w, "wheel_radius_m", car->tyres->radius_m, WHEELS);
    numbers(w, "wheel_width_m", car->tyres->width_m, WHEELS);
    /* The box around the points that touch the ground when the car rolls over. */
    json_double(w, "length_m", 2.0 * car->hull->half_m.x);
    json_double(w, "width_m", 2.0 * car->hull->half_m.y);
    json_double(w, "height_m",
                car->hull->centre_m.z + car->hull->half_m.z - car->hub_m[FL][2] +
                    car->tyres->radius_m[FL]);
    const double centre_m[3] = {car->hull->centre_m.x - cg_m[0], car->hull->centre_m.y - cg_m[1],
                                car->hull->centre_m.z - cg_m[2]};
    numbers(w, "box_centre_m", centre_m, 3); /* from the centre of gravity */
    json_close(w);
}

static void describe_info(struct json_writer *w, const struct describe_source *d)
{
    struct run_info info;
    run_info_fill(&info, d->loop, &d->about);
    json_open(w, "run_info", '{');
    for (size_t i = 0; i < info.count; i++)
        json_text(w, info.property[i].name, info.property[i].value);
    json_text(w, "backend", d->about.core);
    json_text(w, "bench", d->bench_name);
    json_text(w, "scenario_name", d->loop->car->scenario->name);
    json_text(w, "version", version_text());
    json_close(w);
}

static void describe_faults(struct json_writer *w, const struct loop *l)
{
    json_open(w, "faults", '[');
    for (int i = 0; l->faults && i < l->faults->count; i++) {
        json_open(w, NULL, '{');
        json_int(w, "id", i);
        json_text(w, "name", l->faults->fault[i].name);
        json_text(w, "kind", fault_kind_name(l->faults->fault[i].kind));
        json_bool(w, "on", false);
        json_close(w);
    }
    json_close(w);
}

static void describe_codes(struct json_writer *w, const struct describe_source *d)
{
    char text[UDS_CODE_TEXT];
    json_open(w, "codes", '[');
    for (int i = 0; d->code_at && d->code_at(i) != 0; i++) {
        json_open(w, NULL, '{');
        json_text(w, "code", uds_code_text(d->code_at(i), text));
        json_text(w, "name", d->code_name(d->code_at(i)));
        json_close(w);
    }
    json_close(w);
}

static void describe_scenarios(struct json_writer *w, const struct serve *serve)
{
    json_open(w, "scenarios", '[');
    for (int i = 0; serve && i < serve->list.count; i++)
        json_text(w, NULL, serve->list.name[i]);
    json_close(w);
}

/* What a person may change while the car drives, `set NAME VALUE`; named as its signal. */
static void describe_setup(struct json_writer *w, const struct offline *o)
{
    json_open(w, "setup", '[');
    for (int i = 0; i < SETUP_COUNT; i++) {
        const struct setup_info *s = &setup_table[i];
        json_open(w, NULL, '{');
        json_text(w, "name", s->name);
        json_text(w, "label", s->meaning);
        json_text(w, "unit", s->unit);
        json_double(w, "value", o->vehicle->setup.value[i]);
        json_double(w, "min", s->low);
        json_double(w, "max", s->high);
        json_close(w);
    }
    json_close(w);
}

static char *finish(struct json_writer *w, FILE *f, char **text, const size_t *size, size_t *bytes)
{
    json_close(w);
    bool bad = json_finish(w) != 0;
    bad = fclose(f) != 0 || bad;
    *bytes = bad ? 0 : *size;
    if (!bad)
        return *text;
    free(*text);
    return NULL;
}

char *describe_run(const struct describe_source *d, size_t *bytes)
{
    const struct loop *l = d->loop;
    char *text = NULL, start[24];
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    struct json_writer w = {.to = f};
    if (!f)
        return NULL;
    double period_s = 1e-9 * (double)l->setup.period_ns;
    (void)snprintf(start, sizeof start, "%" PRId64, d->start_ns);
    json_open(&w, NULL, '{');
    text_of_u64(&w, "run", d->run);
    text_of_u64(&w, "table", telemetry_table_hash());
    json_double(&w, "period_s", period_s);
    json_double(&w, "publish_s", period_s * (double)l->setup.publish_every);
    json_int(&w, "record_bytes", (int64_t)sizeof(struct loop_record));
    json_text(&w, "start_ns", start);
    describe_signals(&w);
    describe_info(&w, d);
    describe_car(&w, l->car);
    describe_scene(&w, l->car);
    describe_faults(&w, l);
    describe_codes(&w, d);
    json_bool(&w, "person_may_drive", !l->car->scenario->person_may_not);
    json_bool(&w, "person_drives", l->car->scenario->person_drives);
    describe_scenarios(&w, d->serve);
    describe_setup(&w, l->car);
    return finish(&w, f, &text, &size, bytes);
}

char *describe_files(const struct describe_source *d, size_t *bytes)
{
    struct mdf_attachment files[RUN_INFO_FILES];
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    struct json_writer w = {.to = f};
    if (!f)
        return NULL;
    size_t count = run_info_files(&d->about, files);
    json_open(&w, NULL, '{');
    json_open(&w, "files", '[');
    for (size_t i = 0; i < count; i++) {
        char *whole = strndup(files[i].data, files[i].bytes);
        json_open(&w, NULL, '{');
        json_text(&w, "name", files[i].name);
        json_text(&w, "text", whole ? whole : "");
        json_close(&w);
        free(whole);
    }
    json_close(&w);
    run_info_files_free(files, count);
    return finish(&w, f, &text, &size, bytes);
}
