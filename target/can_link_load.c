#include "target/can_link_load.h"

#include "shared/base/console.h"
#include "shared/base/folders.h"
#include "shared/base/out_file.h"
#include "shared/base/time.h"
#include "shared/can/bus_load.h"
#include "shared/wire/signals.h"
#include "target/io/can_open.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- slots */

static bool slots_make(struct can_link *c, struct bus_slot **sources, struct bus_slot **sinks,
                       size_t *sink_count)
{
    *sources = calloc(signal_count, sizeof **sources);
    *sinks = calloc(signal_count, sizeof **sinks);
    c->sources = calloc(signal_count, sizeof *c->sources);
    c->sinks = calloc(signal_count, sizeof *c->sinks);
    c->stamps_ns = calloc(signal_count, sizeof *c->stamps_ns);
    c->sink_signal = calloc(signal_count, sizeof *c->sink_signal);
    c->bound = calloc(signal_count, sizeof *c->bound);
    if (!*sources || !*sinks || !c->sources || !c->sinks || !c->stamps_ns || !c->sink_signal ||
        !c->bound)
        return false;
    size_t n = 0;
    for (size_t i = 0; i < signal_count; i++) {
        (*sources)[i] = (struct bus_slot){signal_table[i].name, signal_table[i].unit};
        if (!signal_table[i].linked)
            continue;
        (*sinks)[n] = (*sources)[i];
        c->sink_signal[n++] = (int)i;
    }
    *sink_count = n;
    return true;
}

static int sink_find(const struct can_link *c, size_t sinks, const char *name)
{
    for (size_t i = 0; i < sinks; i++)
        if (strcmp(signal_table[c->sink_signal[i]].name, name) == 0)
            return (int)i;
    return -1;
}

/* The bus and message that fill a sink; false if none does. */
static bool sink_source(const struct can_link *c, int sink, int *bus, int *message)
{
    for (int i = 0; i < c->buses && sink >= 0; i++) {
        *bus = i;
        *message = c->bus[i].bus->sink_message[sink];
        if (*message >= 0)
            return true;
    }
    return false;
}

/* ---- pressures */

static void bind_pressures(const struct cfg_node *root, struct can_link *c, size_t sinks)
{
    static const char *const names[WHEELS] = {"fl_unit_pressure_Pa", "fr_unit_pressure_Pa",
                                              "rl_unit_pressure_Pa", "rr_unit_pressure_Pa"};
    static const char *const valid[WHEELS] = {"fl_unit_pressure_valid", "fr_unit_pressure_valid",
                                              "rl_unit_pressure_valid", "rr_unit_pressure_valid"};
    int found = 0, bus, message;
    for (int i = 0; i < WHEELS; i++) {
        int flag = sink_find(c, sinks, valid[i]);
        found += sink_source(c, sink_find(c, sinks, names[i]), &bus, &message);
        if (!sink_source(c, flag, &bus, &message))
            c->sinks[flag] = 1.0; /* a unit that does not say is taken at its word */
    }
    if (found != 0 && found != WHEELS)
        cfg_complain(root, "can",
                     "the unit's frames give pressures of %d wheels; bind all four or "
                     "none",
                     found);
    c->takes_pressures = found == WHEELS;
    c->pressure_bus = c->pressure_message = -1;
    c->pressure_sink = sink_find(c, sinks, names[FL]);
    if (c->takes_pressures)
        (void)sink_source(c, c->pressure_sink, &c->pressure_bus, &c->pressure_message);
    c->echo_sink = sink_find(c, sinks, "unit_echo");
    if (!sink_source(c, c->echo_sink, &c->echo_bus, &c->echo_message))
        c->echo_sink = c->echo_message = -1;
}

/* The frame with the unit's wishes for the engine. */
static void bind_torque(struct can_link *c, size_t sinks)
{
    static const char *const names[] = {"unit_engine_active", "unit_raise_active"};
    int bus, message;
    c->torque_sink = -1;
    for (size_t i = 0; i < 2 && c->torque_sink < 0; i++) {
        int sink = sink_find(c, sinks, names[i]);
        if (sink_source(c, sink, &bus, &message))
            c->torque_sink = sink;
    }
}

/* Valves and pump: all of them, with or without their times. Their first frame then is the one that
 * must not stay away. */
static void bind_valves(const struct cfg_node *root, struct can_link *c, size_t sinks)
{
    static const char *const names[] = {"fl_unit_inlet_valve",
                                        "fr_unit_inlet_valve",
                                        "rl_unit_inlet_valve",
                                        "rr_unit_inlet_valve",
                                        "fl_unit_outlet_valve",
                                        "fr_unit_outlet_valve",
                                        "rl_unit_outlet_valve",
                                        "rr_unit_outlet_valve",
                                        "unit_separation_1",
                                        "unit_separation_2",
                                        "unit_prime_1",
                                        "unit_prime_2",
                                        "unit_pump"};
    static const char *const times[] = {
        "fl_unit_inlet_on_s",  "fr_unit_inlet_on_s",  "rl_unit_inlet_on_s",  "rr_unit_inlet_on_s",
        "fl_unit_outlet_on_s", "fr_unit_outlet_on_s", "rl_unit_outlet_on_s", "rr_unit_outlet_on_s"};
    enum { NAMES = sizeof names / sizeof names[0], TIMES = sizeof times / sizeof times[0] };
    int found = 0, timed = 0, bus, message;
    for (int i = 0; i < NAMES; i++)
        found += sink_source(c, sink_find(c, sinks, names[i]), &bus, &message);
    for (int i = 0; i < TIMES; i++)
        timed += sink_source(c, sink_find(c, sinks, times[i]), &bus, &message);
    if ((found != 0 && found != NAMES) || (timed != 0 && (timed != TIMES || found == 0)))
        cfg_complain(root, "can",
                     "the unit's frames give %d of %d currents of valves and pump and %d of %d "
                     "times: bind all or none",
                     found, (int)NAMES, timed, (int)TIMES);
    c->takes_valves = found == NAMES;
    c->valve_pulses = timed == TIMES;
    int flag = sink_find(c, sinks, "unit_valves_valid");
    if (!sink_source(c, flag, &bus, &message))
        c->sinks[flag] = 1.0;
    if (!c->takes_valves)
        return;
    c->pressure_sink = sink_find(c, sinks, names[0]);
    (void)sink_source(c, c->pressure_sink, &c->pressure_bus, &c->pressure_message);
}

static void list_bound(struct can_link *c, size_t sinks)
{
    int bus, message;
    for (size_t i = 0; i < sinks; i++) {
        const char *name = signal_table[c->sink_signal[i]].name;
        if (sink_source(c, (int)i, &bus, &message) || strstr(name, "unit_pressure_valid") ||
            strstr(name, "unit_valves_valid"))
            c->bound[c->bound_count++] = (int)i;
    }
}

static void pressures_load(const struct cfg_node *root, struct can_link *c)
{
    const struct cfg_node *n = cfg_map(root, "pressures");
    pressure_defaults(&c->rule);
    if (!n)
        return;
    cfg_scaled(n, "max_bar", &c->rule.most_Pa, 1e5, CFG_BETWEEN(1.0, 1000.0));
    cfg_scaled(n, "rate_barps", &c->rule.rise_Paps, 1e5, CFG_BETWEEN(1.0, 1e5));
    cfg_scaled(n, "age_ms", &c->rule.age_most_s, 1e-3, CFG_BETWEEN(0.1, 1e4));
    cfg_done(n);
}

/* ---- latency: which frame's counter the unit echoes */

static void latency_load(const struct cfg_node *root, struct can_link *c)
{
    const struct cfg_node *n = cfg_map(root, "latency");
    char frame[BUS_TEXT] = "";
    c->wheel_bus = c->wheel_message = -1;
    latency_init(&c->latency, LATENCY_FRAMES - 1);
    if (!n)
        return;
    cfg_need(n, "frame");
    cfg_string(n, "frame", frame, sizeof frame);
    for (int i = 0; i < c->buses && c->wheel_message < 0; i++) {
        c->wheel_bus = i;
        c->wheel_message = bus_find_sent(c->bus[i].bus, frame);
    }
    if (c->wheel_message < 0)
        cfg_complain(n, "frame", "the bench sends no message \"%s\"", frame);
    else if (c->bus[c->wheel_bus].bus->sent[c->wheel_message].protect.counter_bits == 0)
        cfg_complain(n, "frame", "message \"%s\" has no counter that a unit could echo", frame);
    cfg_done(n);
}

/* ---- frame faults */

static bool find_message(const struct can_link *c, const char *name, struct can_link_fault *f,
                         struct frame_fault *to)
{
    for (int i = 0; i < c->buses; i++) {
        const struct bus *b = c->bus[i].bus;
        int sent = bus_find_sent(b, name), received = bus_find_received(b, name);
        if (sent < 0 && received < 0)
            continue;
        f->bus = i;
        f->sent = sent >= 0;
        to->id = f->sent ? b->sent[sent].frame.id : b->received[received].id;
        to->protect = f->sent ? b->sent[sent].protect : b->received[received].rule.protect;
        return true;
    }
    return false;
}

static void fault_numbers(const struct cfg_node *n, struct frame_fault *f)
{
    int64_t every = 1, count = 1, ticks = 10, length = 0, mask = 0xff;
    if (f->kind == FRAME_DROP)
        cfg_int(n, "every", &every, 1, 100000);
    if (f->kind == FRAME_DROP || f->kind == FRAME_DUPLICATE || f->kind == FRAME_BURST)
        cfg_int(n, "count", &count, 1, 100);
    if (f->kind == FRAME_DELAY)
        cfg_int(n, "ticks", &ticks, 1, 100000);
    if (f->kind == FRAME_LENGTH) {
        cfg_need(n, "length");
        cfg_int(n, "length", &length, 0, CAN_MSG_DATA);
    }
    if (f->kind == FRAME_WRONG_SUM)
        cfg_int(n, "mask", &mask, 1, 255);
    f->every = (uint32_t)every;
    f->count = (uint32_t)count;
    f->ticks = (uint32_t)ticks;
    f->length = (uint8_t)length;
    f->mask = (uint8_t)mask;
}

void can_link_load_fault(void *owner, const struct cfg_node *n, int index)
{
    static const char *const kinds[] = {"drop",   "delay", "duplicate", "freeze", "wrong_sum",
                                        "length", "burst", "silence",   NULL};
    struct can_link *c = owner;
    struct can_link_fault *f = &c->fault[index];
    struct frame_fault made = {0};
    char message[BUS_TEXT] = "";
    int kind = FRAME_SILENCE;
    cfg_need(n, "frame");
    cfg_choice(n, "frame", &kind, kinds);
    made.kind = (uint8_t)kind;
    cfg_need(n, "message");
    cfg_string(n, "message", message, sizeof message);
    if (!find_message(c, message, f, &made)) {
        cfg_complain(n, "message", "no bus of this bench has a message \"%s\"", message);
        return;
    }
    if ((kind == FRAME_FREEZE && made.protect.counter_bits == 0) ||
        (kind == FRAME_WRONG_SUM && made.protect.sum == PROTECT_NO_SUM))
        cfg_complain(n, "frame", "message \"%s\" is not protected by a %s", message,
                     kind == FRAME_FREEZE ? "counter" : "checksum");
    fault_numbers(n, &made);
    struct can_link_bus *b = &c->bus[f->bus];
    struct frame_faults *list = f->sent ? &b->sent_faults : &b->received_faults;
    list->tick_ns = f->sent ? 0 : b->bus->tick_ns;
    f->index = list->count;
    list->list[list->count++] = made; /* no more than FAULTS, which is FRAME_FAULTS */
}

/* ---- all */

static void buses_load(const struct cfg_node *root, struct can_link *c, int64_t period_ns)
{
    const struct cfg_node *list = cfg_list(root, "can");
    struct bus_slot *sources = NULL, *sinks = NULL;
    size_t sink_count = 0, count = cfg_count(list);
    if (count > CAN_LINK_BUSES) {
        cfg_complain(root, "can", "at most %d buses", CAN_LINK_BUSES);
        return;
    }
    bool memory = slots_make(c, &sources, &sinks, &sink_count);
    for (size_t i = 0; i < count && memory; i++) {
        const struct bus_setup setup = {.role = BUS_BENCH,
                                        .tick_ns = period_ns,
                                        .index = (uint32_t)i,
                                        .sources = sources,
                                        .source_count = signal_count,
                                        .sinks = sinks,
                                        .sink_count = sink_count};
        if (bus_load(cfg_item(list, i), &setup, &c->bus[c->buses].bus) == 0)
            c->buses++;
    }
    free(sources);
    free(sinks);
    if (!memory)
        cfg_complain(root, "can", "out of memory");
    if (!memory || c->buses < (int)count)
        return;
    bind_pressures(root, c, sink_count);
    bind_valves(root, c, sink_count);
    bind_torque(c, sink_count);
    list_bound(c, sink_count);
    pressures_load(root, c);
    latency_load(root, c);
}

struct can_link *can_link_load(const struct cfg_node *root, int64_t period_ns)
{
    if (!cfg_list(root, "can"))
        return NULL;
    struct can_link *c = calloc(1, sizeof *c);
    if (!c) {
        cfg_complain(root, "can", "out of memory");
        return NULL;
    }
    c->window_tick = NS_PER_S / CAN_LINK_WINDOW / period_ns;
    if (c->window_tick < 1)
        c->window_tick = 1;
    buses_load(root, c, period_ns);
    return c;
}

void can_link_free(struct can_link *c)
{
    if (!c)
        return;
    can_link_finish(c);
    for (int i = 0; i < CAN_LINK_BUSES; i++) {
        if (c->bus[i].port)
            c->bus[i].port->ops->close(c->bus[i].port);
        bus_free(c->bus[i].bus);
    }
    if (c->unit.port)
        c->unit.port->ops->close(c->unit.port);
    for (int i = 0; i < CAN_LINK_BUSES; i++)
        can_memory_close(c->bus[i].memory);
    free(c->sources);
    free(c->sinks);
    free(c->stamps_ns);
    free(c->sink_signal);
    free(c->bound);
    free(c);
}

/* ---- ports */

static const int64_t direct_ns =
    500 * NS_PER_US; /* shorter periods leave system calls to a thread */

static bool is_replay(const struct bus *b)
{
    return strncmp(b->transport, "replay:", 7) == 0;
}

/* Whether it needs FD frames, to send or to receive. */
static bool has_fd(const struct bus *b)
{
    bool fd = false;
    for (uint32_t i = 0; i < b->sent_count; i++)
        fd = fd || (b->sent[i].frame.flags & CAN_MSG_FD);
    for (uint32_t i = 0; i < b->received_count; i++)
        fd = fd || b->received[i].rule.protect.length > CAN_CLASSIC_DATA;
    return fd;
}

bool can_link_has_fd(const struct can_link *c, int bus)
{
    return has_fd(c->bus[bus].bus);
}

static int open_memory(struct can_link *c, int i, struct err *e)
{
    struct can_link_bus *b = &c->bus[i];
    const struct can_memory_setup setup = {.bit_rate = b->bus->bit_rate, .fd = true};
    int bad = can_memory_open(&b->memory, &setup, e);
    if (bad)
        return bad;
    b->port = can_memory_attach(b->memory, false);
    if (i == 0)
        c->unit.port = can_memory_attach(b->memory, false);
    if (!b->port || (i == 0 && !c->unit.port))
        return err_set(e, -ENOMEM, "out of memory for the buses");
    b->port->bus = (uint8_t)i;
    return 0;
}

static int open_port(struct can_link *c, int i, const struct can_link_ports *p, struct err *e)
{
    struct can_link_bus *b = &c->bus[i];
    char text[CAN_SPEC_TEXT];
    (void)snprintf(text, sizeof text, "%s", b->bus->transport);
    if (text[0] == '\0' || strcmp(text, "auto") == 0)
        can_open_default(false, has_fd(b->bus), text, sizeof text);
    uint32_t ids[BUS_SENT];
    for (uint32_t k = 0; k < b->bus->sent_count; k++)
        ids[k] = b->bus->sent[k].frame.id;
    const int below = p->priority > 1 ? p->priority - 1 : 1;
    const struct can_gateway_setup gateway = {.period_ns = p->period_ns,
                                              .priority = below,
                                              .not_cpu = p->cpu,
                                              .allow_nonrt = p->allow_nonrt};
    /* No filter: strangers are counted, and the log of frames holds every one. */
    const struct can_open_setup setup = {
        .bus = (uint8_t)i,
        .fd = has_fd(b->bus),
        .mute = p->mute,
        .sender = {.period_ns = p->period_ns,
                   .priority = below,
                   .cpu = p->cpu,
                   .allow_nonrt = p->allow_nonrt,
                   .mute = p->mute,
                   .newest_ids = b->bus->newest ? ids : NULL,
                   .newest_count = (int)b->bus->sent_count},
        .gateway = (p->gateway || b->bus->gateway || p->period_ns < direct_ns) && !is_replay(b->bus)
                       ? &gateway
                       : NULL};
    return can_open(&b->port, text, &setup, e);
}

int can_link_record(struct can_link *c, const char *path, bool simulated, struct err *e)
{
    const char *names[CAN_LINK_BUSES];
    char cut[CAN_LINK_BUSES][16];
    for (int i = 0; i < c->buses; i++) {
        (void)snprintf(cut[i], sizeof cut[i], "%.15s", c->bus[i].bus->name);
        names[i] = cut[i];
    }
    const struct can_record_setup setup = {.path = path,
                                           .names = names,
                                           .bus_count = c->buses,
                                           .wall_clock = !simulated,
                                           .hold = true};
    c->drain_in_tick = simulated;
    folders_make(path);
    return can_record_open(&c->record, &setup, e);
}

int can_link_open(struct can_link *c, const struct can_link_ports *p, struct err *e)
{
    for (int i = 0; i < c->buses; i++) {
        bool memory = p->simulated && !is_replay(c->bus[i].bus);
        int bad = memory ? open_memory(c, i, e) : open_port(c, i, p, e);
        if (bad)
            return bad;
    }
    return 0;
}

static void tell(int error)
{
    if (error)
        console_say("skidpad run: the log of frames ends here: %s; the run goes on\n",
                    out_file_why(error));
}

void can_link_service(struct can_link *c)
{
    for (int i = 0; i < c->buses; i++)
        if (c->bus[i].port->ops->service)
            c->bus[i].port->ops->service(c->bus[i].port);
}

int can_link_record_keep(struct can_link *c, struct err *e)
{
    return c->record ? can_record_keep(c->record, e) : 0;
}

void can_link_record_drain(void *link)
{
    struct can_link *c = link;
    if (c->record && !c->drain_in_tick)
        tell(can_record_drain(c->record));
}

int can_link_record_sync(void *link)
{
    const struct can_link *c = link;
    return c->record && !c->drain_in_tick ? can_record_sync(c->record) : 0;
}

void can_link_pace(struct can_link *c)
{
    if (c->record && can_record_waiting(c->record) > 4096)
        tell(can_record_drain(c->record));
}

void can_link_finish(struct can_link *c)
{
    struct err e = {""};
    for (int i = 0; i < c->buses; i++)
        if (c->bus[i].port && c->bus[i].port->ops->finish)
            c->bus[i].port->ops->finish(c->bus[i].port);
    if (!c->record)
        return;
    tell(can_record_drain(c->record));
    c->frames_written = can_record_written(c->record);
    c->frames_lost = can_record_lost(c->record);
    c->frames_error = can_record_close(c->record, &e);
    if (c->frames_error)
        console_say("skidpad run: %s\n", e.text);
    c->record = NULL;
}

void can_link_drain(struct can_link *c, int64_t now_ns)
{
    enum { rounds = 1000 }; /* far more than a queue holds */
    for (int i = 0; i < c->buses; i++) {
        struct can_port *port = c->bus[i].port;
        if (strcmp(port->ops->name, "replay") == 0)
            continue; /* its frames wait for the first tick */
        for (int n = 0; n < rounds && port->ops->receive(port, now_ns, c->in, CAN_BATCH) > 0; n++)
            ;
    }
}

void can_link_start(struct can_link *c, int64_t now_ns)
{
    for (int i = 0; i < c->buses; i++)
        bus_reset(c->bus[i].bus, &c->bus[i].state, 0, now_ns);
    diagnosis_start(&c->diagnosis, now_ns);
}
