#include "target/trial_on_bench.h"

#include "target/log_drive.h"
#include "target/run.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* FOLDER/007-double_lane_change.mf4 */
static void name_log(const struct trial_on_bench *b, const struct trial *t, char *path, size_t size)
{
    int used = snprintf(path, size, "%s/%03d-", b->logs, b->drives);
    size_t at = used > 0 && (size_t)used < size ? (size_t)used : 0;
    for (const char *c = t->name; *c && at + 5 < size; c++)
        path[at++] = isalnum((unsigned char)*c) ? *c : '_';
    (void)snprintf(path + at, size - at, ".mf4");
}

/* Of each drive, beside its log. */
static void name_frames(struct bench *b)
{
    const char *dot = strrchr(b->log, '.');
    if (b->frames[0] != '\0' && dot)
        (void)snprintf(b->frames, sizeof b->frames, "%.*s.log", (int)(dot - b->log), b->log);
}

static const struct rt_ops *core_of(const struct trial_on_bench *b, struct bench *bench)
{
    if (b->core >= 0)
        bench->core = b->core;
    if (bench->core == BENCH_AUTO)
        bench->core = BENCH_POSIX;
    if (bench->core == BENCH_POSIX)
        return &rt_posix;
    if (bench->core == BENCH_VIRTUAL)
        return &rt_virtual;
    fprintf(stderr,
            "skidpad test: drives on the cores posix and virtual; on %s use skidpad run and "
            "judge its log with skidpad report\n",
            core_names[bench->core]);
    return NULL;
}

/* The unit in this process, for the simulated clock. */
static int open_unit(const struct trial_on_bench *b, struct bench *bench, struct can_unit *unit)
{
    if (bench->core != BENCH_VIRTUAL || !bench->link || !bench->stand_in[0])
        return 0;
    int bad = b->units->open(bench->stand_in, bench->stand_in_bus, stderr, unit);
    if (!bad) {
        bench->link->unit.step = unit->step;
        bench->link->unit.self = unit->self;
    }
    return bad;
}

/* What the run left behind. */
static void take_log(const char *path, int64_t until_tick, bool allow_nonrt,
                     struct drive_record *record, struct trial_run *out)
{
    struct log_drive d;
    struct err e = {""};
    int bad = log_drive_read(path, until_tick, &d, &e);
    if (bad || d.dropped > 0 || d.end[0] != '\0') {
        fprintf(stderr, "skidpad test: %s: %s\n", path,
                bad             ? e.text
                : d.dropped > 0 ? "the log has lost records: nothing to judge by"
                                : d.end);
        out->status = TRIAL_BAD_INPUT;
    } else {
        *record = d.record;
        memset(&d.record, 0, sizeof d.record);
        out->deadlines = d.deadlines;
        out->deadlines.unjudged = allow_nonrt;
        out->cause = d.cause;
        out->cause_s = d.cause_s;
    }
    log_drive_free(&d);
}

static int run_bench(struct trial_on_bench *b, struct bench *bench)
{
    struct run *r = calloc(1, sizeof *r);
    struct can_unit unit = {0};
    int status = TRIAL_BAD_INPUT;
    const struct rt_ops *core = core_of(b, bench);
    if (r && core && open_unit(b, bench, &unit) == 0) {
        r->core = core;
        status = run_open(r, bench, b->path);
        bool started = status == 0;
        if (started)
            status = run_wait(r);
        if (status == RUN_MISSED && !run_was_late(r) && !run_lost_records(r))
            status = RUN_CLEAN; /* because of its codes, which are judged as those of any drive */
        b->lost = started && run_lost_records(r);
        b->interrupted = r->interrupted;
        b->over_tick = r->loop.over_tick;
        run_close(r);
    }
    if (unit.self)
        b->units->close(&unit);
    free(r);
    return status;
}

static void drive(struct trial_bench *self, const struct trial *t, const char *scenario,
                  const char *vehicle, bool no_unit, const struct parameters *given,
                  struct drive_record *record, struct trial_run *out)
{
    struct trial_on_bench *b = (struct trial_on_bench *)self;
    struct bench *bench = b->interrupted ? NULL : bench_open(b->path);
    out->status = TRIAL_BAD_INPUT;
    if (!bench)
        return;
    b->drives++;
    (void)snprintf(bench->scenario, sizeof bench->scenario, "%s", scenario);
    (void)snprintf(bench->vehicle, sizeof bench->vehicle, "%s", vehicle);
    name_log(b, t, bench->log, sizeof bench->log);
    name_frames(bench);
    bench->parameters = *given;
    bench->integrator = t->integrator;
    bench->duration_s = -1.0;
    bench->rt.allow_nonrt = b->allow_nonrt;
    bench->no_unit = no_unit;
    (void)snprintf(self->unit, sizeof self->unit, "%s",
                   bench->no_unit || !bench->link ? ""
                   : bench->stand_in[0]           ? bench->stand_in
                                                  : "as connected");
    char log[BENCH_PATH];
    (void)snprintf(log, sizeof log, "%s", bench->log);
    int status = run_bench(b, bench);
    if (bench->link)
        trial_codes_take(&bench->link->diagnosis, &out->codes);
    bench_free(bench);
    if (b->interrupted)
        fprintf(stderr, "skidpad test: interrupted\n");
    else if (b->lost)
        fprintf(stderr, "skidpad test: %s: not everything was recorded, so nothing is judged\n",
                log);
    else if (status == RUN_MISSED && b->allow_nonrt)
        status = RUN_CLEAN;
    out->status = b->interrupted || b->lost ? TRIAL_BAD_INPUT
                  : status == RUN_FAULT     ? TRIAL_DRIVEN
                                            : status;
    if (out->status != TRIAL_BAD_INPUT)
        take_log(log, b->over_tick, b->allow_nonrt, record, out);
    if (out->cause == CAUSE_NONFINITE)
        out->status = TRIAL_NOT_FINITE;
}

void trial_on_bench_init(struct trial_on_bench *b)
{
    b->bench.drive = drive;
}
