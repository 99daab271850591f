/* Memory and names of the loop; not for the real-time thread. */
#include "target/loop.h"

#include <errno.h>
#include <string.h>

enum { EVENTS = 1 << 14, TELEMETRY = 1 << 10, RECORDS_MIN = 1 << 8 };

int loop_rings_init(struct loop *l, double seconds)
{
    double wanted = seconds * 1e9 / (double)l->setup.period_ns;
    size_t records = RECORDS_MIN;
    while ((double)records < wanted)
        records *= 2;
    int bad = ring_init(&l->records, sizeof(struct loop_record), records, NULL);
    if (!bad)
        bad = ring_init(&l->events, sizeof(struct loop_event), EVENTS, NULL);
    if (!bad)
        bad = ring_init(&l->telemetry, sizeof(struct loop_record), TELEMETRY, NULL);
    if (!bad)
        bad = latest_init(&l->live, sizeof(struct loop_live), NULL, NULL);
    if (l->faults)
        fault_reset(l->faults, &l->fault_state);
    deadline_init(&l->stats);
    return bad;
}

void loop_rings_free(struct loop *l)
{
    ring_free(&l->records);
    ring_free(&l->events);
    ring_free(&l->telemetry);
    latest_free(&l->live);
}

void loop_faults(struct loop *l, struct fault_set *set)
{
    const struct sensors_model *sensors = &l->car->vehicle->sensors;
    if (set->count == 0)
        return;
    memcpy(set->teeth, sensors->toothed.teeth, sizeof set->teeth);
    set->seed = sensors->seed;
    l->faults = set;
}

const struct loop_live *loop_live(struct loop *l)
{
    return latest_read(&l->live, NULL);
}

bool loop_left_realtime(const struct loop *l)
{
    return l->switches > 0 || l->switch_notes > 0;
}

const char *loop_phase_name(int phase)
{
    static const char *const names[] = {"receive", "command", "step", "sense", "send"};
    return phase >= 0 && phase < LOOP_PHASES ? names[phase] : "none";
}

const char *loop_cause_name(uint32_t cause)
{
    static const char *const names[] = {
        "none",          "missed deadlines in a row", "model state not finite",
        "operator stop", "the unit is silent",        "the unit's frames are wrong"};
    return cause < LOOP_CAUSES ? names[cause] : "unknown";
}

const char *loop_event_name(int kind)
{
    static const char *const names[] = {
        "missed deadline", "skipped releases", "model fault",  "safe state", "reset",
        "log ring full",   "provoked delay",   "fault begins", "fault ends", "bus",
        "real time left",  "set-up changed",   "ignition"};
    return kind >= 0 && kind < LOOP_EVENTS ? names[kind] : "unknown";
}
