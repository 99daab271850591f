#include "target/watchdog_load.h"

#include "shared/base/time.h"
#include "shared/can/bus_load.h"
#include "shared/wire/signals.h"
#include "target/can_link_load.h"
#include "target/io/can_open.h"

#include <stdlib.h>
#include <string.h>

/* ---- the bus */

static int find_bus(const struct cfg_node *n, const struct can_link *link)
{
    char name[BUS_TEXT] = "";
    cfg_string(n, "bus", name, sizeof name);
    for (int i = 0; i < link->buses; i++)
        if (name[0] == '\0' || strcmp(link->bus[i].bus->name, name) == 0)
            return i;
    cfg_complain(n, "bus", "the bench has no bus \"%s\"; the first one is \"%s\"", name,
                 link->bus[0].bus->name);
    return 0;
}

/* Whether a second sender is possible there: a socket of its own, or the run's shared. */
static void transport_load(const struct cfg_node *n, const struct can_link *link,
                           struct watchdog_plan *p)
{
    struct can_spec spec;
    struct err e = {""};
    char text[CAN_SPEC_TEXT] = "";
    const bool own = cfg_has(n, "transport");
    if (own)
        cfg_string(n, "transport", text, sizeof text);
    else
        (void)snprintf(text, sizeof text, "%s", link->bus[p->bus].bus->transport);
    if (text[0] == '\0' || strcmp(text, "auto") == 0)
        can_open_default(false, can_link_has_fd(link, p->bus), text, sizeof text);
    if (can_spec_parse(text, &spec, &e)) {
        cfg_complain(n, own ? "transport" : NULL, "%s", e.text);
        return;
    }
    if (spec.kind != CAN_SOCKETCAN && spec.kind != CAN_UDP) {
        cfg_complain(n, own ? "transport" : NULL,
                     "a watchdog cannot send on \"%s\"; it needs `transport: socketcan:can1`, an "
                     "interface of Linux on the same wires%s",
                     text, spec.kind == CAN_RTDM ? "" : ", or a bus over socketcan or udp");
        return;
    }
    /* The unit hears one address and port only: those of the run. */
    if (spec.kind == CAN_SOCKETCAN || own)
        (void)snprintf(p->transport, sizeof p->transport, "%.*s", BUS_TEXT - 1, text);
}

/* ---- the safe frames */

static void take_frames(const struct cfg_node *n, const struct bus *safe, const struct bus *bus,
                        struct watchdog_plan *p)
{
    if (safe->sent_count > WATCHDOG_FRAMES) {
        cfg_complain(n, "frames", "at most %d messages", WATCHDOG_FRAMES);
        return;
    }
    for (uint32_t i = 0; i < safe->sent_count; i++) {
        const struct bus_sent *m = &safe->sent[i];
        const int here = bus_find_sent(bus, m->name);
        if (here < 0) {
            cfg_complain(n, "frames",
                         "the bench does not send %s: a unit would see it appear from nowhere",
                         m->name);
            return;
        }
        if (p->signal_count + m->signal_count > WATCHDOG_SIGNALS) {
            cfg_complain(n, "frames", "too many counters, at most %d", WATCHDOG_SIGNALS);
            return;
        }
        p->message[i] = (uint32_t)here;
        p->sent[i] = *m;
        p->sent[i].name = NULL; /* of another process there */
        p->sent[i].signal = p->signal_count;
        (void)snprintf(p->name[i], sizeof p->name[i], "%.*s", BUS_TEXT - 1, m->name);
        memcpy(&p->signals[p->signal_count], &safe->signals[m->signal],
               m->signal_count * sizeof p->signals[0]);
        p->signal_count += m->signal_count;
        p->fd = p->fd || (m->frame.flags & CAN_MSG_FD);
    }
    p->frames = safe->sent_count;
}

static void frames_load(const struct cfg_node *root, const struct cfg_node *n,
                        const struct can_link *link, struct watchdog_plan *p)
{
    const struct cfg_node *frames = cfg_map(n, "frames");
    struct bus *safe = NULL;
    if (p->action == WATCHDOG_SILENT) {
        if (frames)
            cfg_complain(n, "frames", "goes with `action: frames` only");
        return;
    }
    if (cfg_key_count(frames) == 0) {
        cfg_complain(n, "frames",
                     "missing: the messages to send, e.g. {Power: {Terminal: off}}; or give "
                     "`action: silent`");
        return;
    }
    struct bus_slot *sources = calloc(signal_count, sizeof *sources);
    for (size_t i = 0; sources && i < signal_count; i++)
        sources[i] = (struct bus_slot){signal_table[i].name, signal_table[i].unit};
    const struct bus_setup setup = {.role = BUS_BENCH,
                                    .tick_ns = p->period_ns,
                                    .index = (uint32_t)p->bus,
                                    .sources = sources,
                                    .source_count = signal_count,
                                    .sinks = sources,
                                    .sink_count = signal_count,
                                    .safe = frames};
    const struct cfg_node *item = cfg_item(cfg_list(root, "can"), (size_t)p->bus);
    if (sources && bus_load(item, &setup, &safe) == 0)
        take_frames(n, safe, link->bus[p->bus].bus, p);
    bus_free(safe);
    free(sources);
}

/* ---- all */

static void read_section(const struct cfg_node *root, const struct cfg_node *n,
                         const struct can_link *link, const struct rt_settings *rt,
                         struct watchdog_plan *p)
{
    static const char *const actions[] = {"frames", "silent", NULL};
    const double periods_ms = 3e-6 * (double)p->period_ns;
    double timeout_ms = periods_ms > 20.0 ? periods_ms : 20.0, for_s = 10.0;
    int64_t cpu = -1, priority = rt->priority + 1;
    cfg_double(n, "timeout_ms", &timeout_ms, CFG_BETWEEN(periods_ms, 60000.0));
    cfg_choice(n, "action", &p->action, actions);
    cfg_zero_or(n, "for_s", &for_s, CFG_BETWEEN(0.001, 1e6));
    cfg_int(n, "cpu", &cpu, -1, 1023);
    cfg_int(n, "priority", &priority, 1, 99);
    cfg_string(n, "report", p->report, sizeof p->report);
    p->timeout_ns = (int64_t)(timeout_ms * 1e6 + 0.5);
    p->for_ns = (int64_t)(for_s * 1e9 + 0.5);
    p->cpu = (int)cpu;
    p->priority = (int)priority;
    p->not_cpu = rt->cpu;
    p->bus = find_bus(n, link);
    (void)snprintf(p->bus_name, sizeof p->bus_name, "%s", link->bus[p->bus].bus->name);
    if (cpu >= 0 && cpu == rt->cpu && priority <= rt->priority)
        cfg_complain(
            n, "cpu",
            "is the loop's CPU: a loop that does not end would keep the watchdog out; take "
            "another one, or a priority above the loop's %d",
            rt->priority);
    transport_load(n, link, p);
    frames_load(root, n, link, p);
}

struct watchdog_plan *watchdog_load(const struct cfg_node *root, const struct can_link *link,
                                    int64_t period_ns, const struct rt_settings *rt)
{
    const struct cfg_node *n = cfg_map(root, "watchdog");
    if (!n)
        return NULL;
    if (!link || link->buses == 0) {
        if (!link)
            cfg_complain(root, "watchdog", "needs a bus: give `can:`");
        return NULL;
    }
    struct watchdog_plan *p = calloc(1, sizeof *p);
    if (!p) {
        cfg_complain(root, "watchdog", "out of memory");
        return NULL;
    }
    p->period_ns = period_ns;
    read_section(root, n, link, rt, p);
    cfg_done(n);
    return p;
}
