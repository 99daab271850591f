#include "target/log_drive.h"

#include "shared/base/time.h"
#include "target/log_parameters.h"
#include "target/log_signals.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void copy_property(const struct mdf_reader *log, const char *name, char *to, size_t size)
{
    const char *value = mdf_read_property(log, name);
    (void)snprintf(to, size, "%s", value ? value : "");
}

static int read_scenario(const struct mdf_reader *log, struct log_drive *d, struct err *e)
{
    const struct mdf_read_file *f = mdf_read_file(log);
    for (size_t i = 0; i < f->attachment_count; i++) {
        const struct mdf_read_attachment *a = &f->attachments[i];
        if (!a->name || strcmp(a->name, "scenario.yaml") != 0 || !a->embedded)
            continue;
        d->scenario_bytes = (size_t)a->bytes;
        d->scenario_text = malloc(d->scenario_bytes + 1);
        if (!d->scenario_text)
            return err_set(e, -ENOMEM, "out of memory");
        return mdf_read_attachment_bytes(log, a, 0, d->scenario_text, d->scenario_bytes, e);
    }
    return 0;
}

static void spread_us(const struct deadline_stats *s, enum deadline_time which, double us[3])
{
    us[0] = 1e-3 * (double)deadline_percentile_ns(s, which, 500000);
    us[1] = 1e-3 * (double)deadline_percentile_ns(s, which, 999000);
    us[2] = 1e-3 * (double)s->now.spread[which].max_ns;
}

static void deadlines_of(const struct deadline_stats *s, const struct mdf_reader *log,
                         int64_t period_ns, struct trial_deadlines *d)
{
    copy_property(log, "core", d->core, sizeof d->core);
    d->is_real_time = strcmp(d->core, "virtual") != 0 && s->now.ticks > 0;
    d->period_us = 1e-3 * (double)period_ns;
    d->ticks = s->now.ticks + s->now.skipped;
    d->missed = s->now.misses;
    d->skipped = s->now.skipped;
    d->late_us = 1e-3 * (double)s->now.lateness_worst_ns;
    spread_us(s, DEADLINE_WAKE, d->wake_us);
    spread_us(s, DEADLINE_EXECUTION, d->execute_us);
    spread_us(s, DEADLINE_RESPONSE, d->reply_us);
}

/* One record of the group of ticks. */
static void take_record(const struct log_columns *c, const void *record, int64_t deadline_ns,
                        struct log_drive *d, struct deadline_stats *s)
{
    struct signals signals;
    struct deadline_tick t = {.release_ns = mdf_read_int64(c->release, record),
                              .wake_ns = mdf_read_int64(c->wake, record),
                              .end_ns = mdf_read_int64(c->end, record)};
    uint64_t skipped = mdf_read_uint64(c->skipped, record);
    t.deadline_ns = t.release_ns + deadline_ns;
    if (skipped)
        deadline_skip(s, skipped);
    (void)deadline_account(s, &t);
    d->dropped += mdf_read_uint64(c->dropped, record);
    memset(&signals, 0, sizeof signals);
    log_signals(c, record, &signals);
    uint32_t cause = (uint32_t)mdf_read_uint64(c->cause, record);
    if (cause && !d->cause) {
        d->cause = cause;
        d->cause_s = signals.time_s;
    }
    drive_record_add(&d->record, &signals);
}

static int read_ticks(struct mdf_reader *log, const struct mdf_read_group *ticks,
                      int64_t until_tick, struct log_drive *d, struct err *e)
{
    const char *period = mdf_read_property(log, "period_ns");
    const char *deadline = mdf_read_property(log, "deadline_ns");
    double period_ns = period ? strtod(period, NULL) : 0.0;
    const struct mdf_read_group *group;
    const void *record;
    struct log_columns c;
    if (!ticks)
        return err_set(e, -EINVAL, "the log has no group \"ticks\"");
    int rc, bad = log_columns_find(ticks, &c, e);
    if (bad)
        return bad;
    if (!(period_ns >= 1.0) || !deadline)
        return err_set(e, -EINVAL, "the log does not say the period of its run");
    struct deadline_stats *s = malloc(sizeof *s);
    if (!s)
        return err_set(e, -ENOMEM, "out of memory");
    deadline_init(s);
    drive_record_plan(&d->record, 1e-9 * period_ns * (double)ticks->cycles, 1e-9 * period_ns);
    mdf_read_rewind(log);
    while ((rc = mdf_read_next(log, &group, &record, e)) > 0)
        if (group == ticks && (until_tick < 0 || mdf_read_int64(c.tick, record) < until_tick))
            take_record(&c, record, (int64_t)strtod(deadline, NULL), d, s);
    deadlines_of(s, log, (int64_t)period_ns, &d->deadlines);
    free(s);
    if (d->record.failed)
        return err_set(e, -ENOMEM, "out of memory for the record of the drive");
    return rc;
}

int log_drive_read(const char *path, int64_t until_tick, struct log_drive *d, struct err *e)
{
    struct mdf_reader *log = NULL;
    char given[LOG_PARAMETERS];
    memset(d, 0, sizeof *d);
    int bad = mdf_read_open(path, &log, e);
    if (bad)
        return bad;
    copy_property(log, "scenario", d->scenario, sizeof d->scenario);
    copy_property(log, "vehicle", d->vehicle, sizeof d->vehicle);
    copy_property(log, "car", d->car, sizeof d->car);
    copy_property(log, "unit", d->unit, sizeof d->unit);
    copy_property(log, "parameters", given, sizeof given);
    log_parameters_read(given, &d->given);
    const struct mdf_read_group *ticks = mdf_read_group_find(log, "ticks");
    bad = ticks ? read_scenario(log, d, e)
                : err_set(e, -EINVAL, "%s: has no group \"ticks\": was it written by skidpad run?",
                          path);
    if (!bad)
        bad = read_ticks(log, ticks, until_tick, d, e);
    if (!bad)
        log_end_text(log, d->end);
    mdf_read_close(log);
    return bad;
}

void log_drive_free(struct log_drive *d)
{
    drive_record_free(&d->record);
    free(d->scenario_text);
    memset(d, 0, sizeof *d);
}
