/* How a run ended: the exit status, and why it is that one. */
#include "target/run.h"

#include "shared/base/out_file.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

/* The reasons, one after the other. */
struct reasons {
    char *text;
    size_t size;
    int status;
};

static void add(struct reasons *r, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void add(struct reasons *r, int status, const char *format, ...)
{
    va_list arguments;
    r->status = status > r->status ? status : r->status;
    size_t used = r->size > 0 ? strlen(r->text) : 0;
    if (used + 3 >= r->size)
        return;
    if (used > 0) {
        memcpy(r->text + used, "; ", 3);
        used += 2;
    }
    va_start(arguments, format);
    (void)vsnprintf(r->text + used, r->size - used, format, arguments);
    va_end(arguments);
}

bool run_had_cause(const struct run *r, uint32_t cause)
{
    return r->loop.causes >> cause & 1u;
}

/* A safe state counts for the status whether a person has left it by now or not. */
static void add_cause(const struct run *r, struct reasons *why, int status, uint32_t cause)
{
    if (run_had_cause(r, cause))
        add(why, status, "safe state: %s%s", loop_cause_name(cause),
            r->loop.cause == cause ? "" : " (left by a reset)");
}

bool run_was_late(const struct run *r)
{
    return run_had_cause(r, CAUSE_MISSED) ||
           (int64_t)r->loop.stats.now.misses > r->bench->missed_limit ||
           loop_left_realtime(&r->loop);
}

static void judge_timing(const struct run *r, struct reasons *why)
{
    add_cause(r, why, RUN_MISSED, CAUSE_MISSED);
    if ((int64_t)r->loop.stats.now.misses > r->bench->missed_limit)
        add(why, RUN_MISSED, "%" PRIu64 " deadlines missed, allowed are %" PRId64,
            r->loop.stats.now.misses, r->bench->missed_limit);
    if (loop_left_realtime(&r->loop))
        add(why, RUN_MISSED, "the loop left real time");
}

static void judge_log(const struct run *r, struct reasons *why)
{
    uint64_t records = ring_dropped(&r->loop.records), events = ring_dropped(&r->loop.events);
    int error = atomic_load(&r->log.error);
    if (records > 0)
        add(why, RUN_MISSED, "%" PRIu64 " records LOST: the log thread did not keep up", records);
    if (events > 0)
        add(why, RUN_MISSED, "%" PRIu64 " events LOST", events);
    if (error)
        add(why, RUN_MISSED,
            "the log is not complete: %" PRIu64 " records and events NOT WRITTEN, %s", r->log.lost,
            out_file_why(error));
}

/* Values that reached nobody, in either direction; those that newer ones replaced do not count. */
static void judge_bus(const struct can_link_bus *b, struct reasons *why)
{
    const struct can_counts *n = &b->port->counts;
    if (n->full + n->failed > 0)
        add(why, RUN_MISSED, "%" PRIu64 " frames NOT SENT on the bus %s", n->full + n->failed,
            b->bus->name);
    if (n->overflow > 0)
        add(why, RUN_MISSED, "%" PRIu64 " frames of the bus %s LOST before they were read",
            n->overflow, b->bus->name);
}

static void judge_link(const struct run *r, struct reasons *why)
{
    const struct can_link *c = r->bench->link;
    if (!c)
        return;
    bool began = r->loop.stats.now.ticks > 0;
    if (began && !c->muted && diagnosis_verdict(&c->diagnosis) != DIAGNOSIS_PASS)
        add(why, RUN_MISSED, "the unit's trouble codes are not as expected");
    if (c->frames_lost > 0 || c->frames_error)
        add(why, RUN_MISSED, "%" PRIu64 " frames LOST: the log of frames is not complete%s%s",
            c->frames_lost, c->frames_error ? ", " : "",
            c->frames_error ? out_file_why(c->frames_error) : "");
    for (int i = 0; i < c->buses && !c->muted; i++)
        judge_bus(&c->bus[i], why);
}

/* A host asks again for what it missed, and gets it from the log. */
static void judge_telemetry(const struct run *r, struct reasons *why)
{
    uint64_t dropped = ring_dropped(&r->loop.telemetry);
    if (r->publish.left_behind > 0)
        add(why, RUN_MISSED, "telemetry LOST: a host that was there has not got everything");
    else if (r->publish.hosts > 0 && dropped > 0 && r->log.path[0] == '\0')
        add(why, RUN_MISSED, "%" PRIu64 " records of the telemetry LOST", dropped);
}

bool run_lost_records(const struct run *r)
{
    struct reasons why = {.status = RUN_CLEAN};
    const struct can_link *c = r->bench->link;
    judge_log(r, &why);
    return why.status != RUN_CLEAN || (c && (c->frames_lost > 0 || c->frames_error));
}

static void judge_watchdog(const struct run *r, struct reasons *why)
{
    if (r->bench->link && r->bench->link->muted)
        add(why, RUN_FAULT, "the watchdog has taken over the bus");
    if (r->watchdog.lost)
        add(why, RUN_MISSED, "the watchdog ended before the run, or hung");
}

/* A person who interrupts a run at its terminal interrupts the unit, too. */
bool run_unit_ended(const struct run *r)
{
    return r->stand_in.ended && !r->interrupted;
}

static void judge_unit(const struct run *r, struct reasons *why)
{
    char how[80];
    if (!run_unit_ended(r))
        return;
    stand_in_end_text(&r->stand_in, how, sizeof how);
    add(why, RUN_FAULT, "the stand-in unit did not last: %s", how);
}

int run_status(const struct run *r, char *why, size_t size)
{
    struct reasons reasons = {.text = why, .size = why ? size : 0, .status = RUN_CLEAN};
    if (reasons.size > 0)
        why[0] = '\0';
    if (r->loop.error)
        add(&reasons, RUN_FAULT, "waiting for the clock failed: %s", strerror(-r->loop.error));
    for (uint32_t cause = CAUSE_NONE + 1; cause < LOOP_CAUSES; cause++)
        if (cause != CAUSE_OPERATOR && cause != CAUSE_MISSED)
            add_cause(r, &reasons, RUN_FAULT, cause);
    judge_unit(r, &reasons);
    judge_watchdog(r, &reasons);
    judge_timing(r, &reasons);
    judge_log(r, &reasons);
    judge_link(r, &reasons);
    judge_telemetry(r, &reasons);
    return reasons.status;
}
