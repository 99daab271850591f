#include "target/trial_loop.h"

#include "target/can_link_load.h"
#include "target/diagnosis_load.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DRIVEN, BAD_INPUT = 2, NOT_FINITE = 3 };

/* Everything around one drive; too large for the stack. */
struct around {
    struct loop loop;
    struct rt rt;
    struct drive_record *record;
    struct can_link *link;
    struct can_unit unit;
    struct trial_safe safe;
};

/* Takes the records out of the ring. */
static void pace(void *argument)
{
    struct around *a = argument;
    const void *span;
    size_t n;
    while ((n = ring_peek(&a->loop.records, &span)) > 0) {
        for (size_t i = 0; i < n; i++) {
            const struct loop_record *r = (const struct loop_record *)span + i;
            if (r->cause && !a->safe.cause)
                a->safe = (struct trial_safe){r->cause, r->signals.time_s};
            drive_record_add(a->record, &r->signals);
        }
        ring_release(&a->loop.records, n);
    }
    n = ring_peek(&a->loop.events, &span);
    ring_release(&a->loop.events, n);
    if (a->loop.car->out.fault)
        atomic_store(&a->loop.stop, true);
}

/* The bench's side of the unit's bus. */
static struct can_link *load_link(const char *bus, int64_t period_ns, bool with_faults)
{
    char text[1200];
    struct cfg_doc *doc = NULL;
    struct can_link *link = NULL;
    (void)snprintf(text, sizeof text, "can: [{name: chassis, bus: \"%s\"}]\n", bus);
    if (cfg_open_text("skidpad-test", text, strlen(text), &doc) == 0) {
        link = can_link_load(cfg_root(doc), period_ns);
        diagnosis_load(cfg_root(doc), link, with_faults);
        cfg_done(cfg_root(doc));
    }
    if (doc) {
        cfg_print_messages(doc, stderr);
        if (!cfg_ok(doc)) {
            can_link_free(link);
            link = NULL;
        }
    }
    cfg_close(doc);
    return link;
}

static int open_unit(struct around *a, const struct trial_units *units,
                     const struct trial_unit_files *files)
{
    const struct can_link_ports ports = {.simulated = true, .period_ns = a->loop.setup.period_ns};
    struct err e = {""};
    a->link = load_link(files->bus, ports.period_ns, a->loop.faults != NULL);
    if (!a->link || units->open(files->params, files->bus, stderr, &a->unit))
        return BAD_INPUT;
    a->link->unit.step = a->unit.step;
    a->link->unit.self = a->unit.self;
    if (can_link_open(a->link, &ports, &e)) {
        fprintf(stderr, "skidpad test: %s\n", e.text);
        return BAD_INPUT;
    }
    a->loop.link = &can_link;
    a->loop.peer = a->link;
    return 0;
}

static void set_up(struct around *a, struct offline *car)
{
    struct scenario *sc = car->scenario;
    struct loop *l = &a->loop;
    a->rt.ops = &rt_virtual;
    a->rt.pace = pace;
    a->rt.pace_argument = a;
    l->rt = &a->rt;
    l->car = car;
    l->setup.period_ns = (int64_t)llround(1e9 * sc->step_s);
    l->setup.deadline_ns = l->setup.period_ns;
    l->setup.ticks = offline_ticks(car);
    if (l->setup.ticks < 1)
        l->setup.ticks = 1; /* 0 would be without end */
    loop_faults(l, &sc->faults);
    drive_record_plan(a->record, sc->duration_s, sc->step_s);
}

static int drive(struct around *a, struct offline *car)
{
    struct err e = {""};
    if (loop_rings_init(&a->loop, 0.1)) {
        fprintf(stderr, "skidpad test: out of memory\n");
        return BAD_INPUT;
    }
    (void)a->rt.ops->start(&a->rt, &e);
    if (a->link)
        can_link_start(a->link, a->rt.ops->now_ns(&a->rt));
    loop_run(&a->loop);
    pace(a);
    if (a->record->failed) {
        fprintf(stderr, "skidpad test: out of memory for the record of the drive\n");
        return BAD_INPUT;
    }
    if (car->out.fault)
        fprintf(stderr, "skidpad test: after %.3f s: %s\n", car->out.time_s,
                model_fault_text(car->out.fault));
    return car->out.fault ? NOT_FINITE : DRIVEN;
}

void trial_codes_take(const struct diagnosis *d, struct trial_codes *codes)
{
    codes->count = 0;
    codes->verdict = diagnosis_verdict(d);
    for (int i = 0; i < d->count && i < TRIAL_CODES; i++)
        codes->code[codes->count++] = d->code[i].code.code;
}

int trial_loop(struct offline *car, const struct trial_units *units,
               const struct trial_unit_files *files, struct drive_record *record,
               struct trial_safe *safe, struct trial_codes *codes)
{
    struct around *a = calloc(1, sizeof *a);
    memset(safe, 0, sizeof *safe);
    *codes = (struct trial_codes){.verdict = DIAGNOSIS_PASS};
    if (!a)
        return BAD_INPUT;
    a->record = record;
    set_up(a, car);
    int status = files->params[0] ? open_unit(a, units, files) : 0;
    if (status == 0) {
        status = drive(a, car);
        *safe = a->safe;
        if (a->link)
            trial_codes_take(&a->link->diagnosis, codes);
    }
    loop_rings_free(&a->loop);
    can_link_free(a->link);
    if (a->unit.self)
        units->close(&a->unit);
    free(a);
    return status;
}
