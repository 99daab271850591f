/* Memory of the loop; not for the real-time thread. */
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
        bad = ring_init(&l->telemetry, sizeof(struct loop_sample), TELEMETRY, NULL);
    if (!bad)
        bad = latest_init(&l->live, sizeof(struct loop_live), NULL, NULL);
    if (!bad)
        bad = latest_init(&l->live_for_host, sizeof(struct loop_live), NULL, NULL);
    if (!bad)
        bad = remote_driver_init(&l->person, l->car && l->car->scenario->person_drives);
    if (!bad)
        bad = requests_init(&l->requests);
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
    latest_free(&l->live_for_host);
    remote_driver_free(&l->person);
    requests_free(&l->requests);
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

const struct loop_live *loop_live_for_host(struct loop *l)
{
    return latest_read(&l->live_for_host, NULL);
}

bool loop_left_realtime(const struct loop *l)
{
    return l->switches > 0 || l->switch_notes > 0;
}
