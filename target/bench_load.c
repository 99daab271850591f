#include "target/bench_load.h"

#include "shared/base/time.h"
#include "target/can_link_load.h"
#include "target/diagnosis_load.h"
#include "target/scenario/fault_load.h"
#include "target/scenario/sequence_load.h"
#include "target/watchdog_load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void realtime_load(const struct cfg_node *root, double other_us, struct bench *b)
{
    static const char *const overruns[] = {"slip", "catch-up", NULL};
    const struct cfg_node *n = cfg_map(root, "realtime");
    int64_t cpu = -1, priority = 80, catch_up = 3;
    double period_us = 1000.0, deadline_us = 0.0;
    if (n) {
        cfg_choice(n, "core", &b->core, core_names);
        cfg_double(n, "period_us", &period_us, CFG_BETWEEN(10.0, 1e6));
        cfg_double(n, "deadline_us", &deadline_us, CFG_BETWEEN(1.0, 1e7));
        cfg_int(n, "cpu", &cpu, -1, 1023);
        cfg_int(n, "priority", &priority, 1, RT_PRIORITY_MAX);
        cfg_choice(n, "overrun", &b->loop.overrun, overruns);
        cfg_int(n, "catch_up_max", &catch_up, 1, LOOP_CATCH_UP_MAX);
        cfg_done(n);
    }
    if (other_us > 0.0)
        period_us = other_us;
    b->rt.cpu = (int)cpu;
    b->rt.priority = (int)priority;
    b->loop.catch_up_max = (int)catch_up;
    b->loop.period_ns = (int64_t)(period_us * (double)NS_PER_US + 0.5);
    b->loop.deadline_ns =
        deadline_us > 0.0 ? (int64_t)(deadline_us * (double)NS_PER_US + 0.5) : b->loop.period_ns;
}

static void limits_load(const struct cfg_node *root, struct bench *b)
{
    const struct cfg_node *n = cfg_map(root, "limits");
    b->loop.row_limit = 10;
    b->violation_limit = 20;
    if (!n)
        return;
    cfg_int(n, "missed", &b->missed_limit, 0, INT64_MAX / 2);
    cfg_int(n, "missed_in_row", &b->loop.row_limit, 0, INT64_MAX / 2);
    cfg_int(n, "violations_per_s", &b->violation_limit, 0, 1000000);
    cfg_done(n);
}

/* HOST:PORT, numbers only: no name service in a bench. */
static void address_load(const struct cfg_node *n, const char *key, char host[BENCH_HOST],
                         int *port)
{
    char at[BENCH_HOST] = "";
    if (!cfg_has(n, key))
        return;
    cfg_string(n, key, at, sizeof at);
    char *colon = strrchr(at, ':'), *end = NULL;
    long number = colon ? strtol(colon + 1, &end, 10) : 0;
    if (!colon || *end != '\0' || number < 1 || number > 65535) {
        cfg_complain(n, key, "must be ADDRESS:PORT, e.g. 127.0.0.1:49150");
        return;
    }
    *colon = '\0';
    (void)snprintf(host, BENCH_HOST, "%s", at);
    *port = (int)number;
}

static void telemetry_load(const struct cfg_node *root, struct bench *b)
{
    const struct cfg_node *n = cfg_map(root, "telemetry");
    b->telemetry_hz = 100.0;
    (void)snprintf(b->telemetry_name, sizeof b->telemetry_name, "%s", b->name);
    if (!n)
        return;
    b->telemetry = true;
    address_load(n, "to", b->telemetry_host, &b->telemetry_port);
    address_load(n, "listen", b->listen_host, &b->listen_port);
    if (!cfg_has(n, "to") && !cfg_has(n, "listen"))
        cfg_need(n, "to");
    cfg_string(n, "name", b->telemetry_name, sizeof b->telemetry_name);
    cfg_path(n, "key", b->key, sizeof b->key);
    cfg_double(n, "rate_hz", &b->telemetry_hz, CFG_BETWEEN(0.1, 1e5));
    cfg_done(n);
}

/* How often the log is stored on the disk, against a power cut. */
static void sync_load(const struct cfg_node *root, struct bench *b)
{
    const struct cfg_node *n = cfg_map(root, "sync");
    if (!n)
        return;
    cfg_need(n, "every_s");
    cfg_zero_or(n, "every_s", &b->sync_s, CFG_BETWEEN(0.01, 3600.0));
    cfg_done(n);
}

static void provoke_load(const struct cfg_node *root, struct bench *b)
{
    const struct cfg_node *list = cfg_list(root, "provoke");
    size_t count = list ? cfg_count(list) : 0;
    if (count > LOOP_PROVOKES) {
        cfg_complain(root, "provoke", "at most %d are allowed", LOOP_PROVOKES);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const struct cfg_node *n = cfg_item(list, i);
        struct loop_provoke *p = &b->loop.provoke[b->loop.provokes++];
        double delay_us = 0.0;
        *p = (struct loop_provoke){.ticks = 1};
        cfg_need(n, "tick");
        cfg_int(n, "tick", &p->tick, 0, INT64_MAX / 2);
        cfg_bool(n, "endless", &p->endless);
        if (p->endless)
            p->ticks = INT64_MAX / 4; /* the tick itself may be skipped: then the next one */
        cfg_int(n, "ticks", &p->ticks, 1, INT64_MAX / 4);
        cfg_bool(n, "system_call", &p->system_call);
        if (p->endless)
            delay_us = 1000.0; /* at a time */
        else if (!p->system_call)
            cfg_need(n, "delay_us");
        if (p->endless)
            cfg_double(n, "delay_us", &delay_us, CFG_BETWEEN(1.0, 1e7));
        else
            cfg_zero_or(n, "delay_us", &delay_us, CFG_BETWEEN(0.001, 1e7));
        p->delay_ns = (int64_t)(delay_us * (double)NS_PER_US + 0.5);
        cfg_done(n);
    }
}

/* The buses, what stands in for the unit, and the faults. */
static void unit_load(const struct cfg_node *root, struct bench *b)
{
    const struct cfg_node *n = cfg_map(root, "stand_in");
    b->link = can_link_load(root, b->loop.period_ns);
    if (b->link)
        b->link->violation_limit = b->violation_limit;
    if (n) {
        cfg_need(n, "params");
        cfg_path(n, "params", b->stand_in, sizeof b->stand_in);
        cfg_string(n, "can", b->stand_in_can, sizeof b->stand_in_can);
        cfg_path(cfg_item(cfg_list(root, "can"), 0), "bus", b->stand_in_bus,
                 sizeof b->stand_in_bus);
        cfg_done(n);
        if (!b->link)
            cfg_complain(root, "stand_in", "a unit needs a bus: give `can:`");
    }
    cfg_string(root, "frames", b->frames, sizeof b->frames);
    const struct fault_frames frames = {.load = b->link ? can_link_load_fault : NULL,
                                        .owner = b->link};
    fault_load(root, &frames, &b->faults);
    sequence_load(root, &b->sequence);
    diagnosis_load(root, b->link, b->faults.count > 0);
}

static void read_bench(const struct cfg_node *root, double period_us, struct bench *b)
{
    if (!cfg_kind(root, "bench"))
        return;
    cfg_need(root, "name");
    cfg_string(root, "name", b->name, sizeof b->name);
    cfg_need(root, "scenario");
    cfg_path(root, "scenario", b->scenario, sizeof b->scenario);
    cfg_path(root, "vehicle", b->vehicle, sizeof b->vehicle);
    b->duration_s = -1.0;
    cfg_zero_or(root, "duration_s", &b->duration_s, CFG_BETWEEN(1e-5, 1e9));
    realtime_load(root, period_us, b);
    limits_load(root, b);
    unit_load(root, b);
    cfg_string(root, "log", b->log, sizeof b->log); /* written: where the user is */
    sync_load(root, b);
    cfg_string(root, "control", b->control, sizeof b->control);
    cfg_string(root, "control_group", b->control_group, sizeof b->control_group);
    cfg_bool(root, "wait_for_start", &b->wait_for_start);
    telemetry_load(root, b);
    provoke_load(root, b);
    b->watchdog = watchdog_load(root, b->link, b->loop.period_ns, &b->rt);
    cfg_done(root);
}

int bench_load(const char *path, double period_us, struct bench **out, struct cfg_doc **doc)
{
    *out = NULL;
    int bad = cfg_open(path, doc);
    if (bad)
        return bad;
    struct bench *b = calloc(1, sizeof *b);
    if (!b) {
        cfg_complain(cfg_root(*doc), NULL, "out of memory");
        return -ENOMEM;
    }
    b->integrator = VEHICLE_AS_FILE;
    read_bench(cfg_root(*doc), period_us, b);
    if (!cfg_ok(*doc)) {
        bench_free(b);
        return -EINVAL;
    }
    *out = b;
    return 0;
}

struct bench *bench_open(const char *path)
{
    struct bench *b = NULL;
    struct cfg_doc *doc = NULL;
    (void)bench_load(path, 0.0, &b, &doc);
    if (doc)
        cfg_print_messages(doc, stderr);
    cfg_close(doc);
    return b;
}

void bench_free(struct bench *b)
{
    if (!b)
        return;
    can_link_free(b->link);
    free(b->watchdog);
    free(b);
}
