#include "target/can_link_load.h"

#include "shared/base/time.h"
#include "shared/can/bus_load.h"
#include "shared/wire/signals.h"

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
    c->pressure_sink = sink_find(c, sinks, names[FL]);
    if (c->takes_pressures)
        (void)sink_source(c, c->pressure_sink, &c->pressure_bus, &c->pressure_message);
    c->echo_sink = sink_find(c, sinks, "unit_echo");
    if (!sink_source(c, c->echo_sink, &bus, &message) || message != c->pressure_message)
        c->echo_sink = -1;
}

static void list_bound(struct can_link *c, size_t sinks)
{
    int bus, message;
    for (size_t i = 0; i < sinks; i++) {
        const char *name = signal_table[c->sink_signal[i]].name;
        if (sink_source(c, (int)i, &bus, &message) || strstr(name, "unit_pressure_valid"))
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

/* A bus in memory for each; the unit is on the other side of the first. */
static int open_simulated(struct can_link *c, struct err *e)
{
    for (int i = 0; i < c->buses; i++) {
        struct can_link_bus *b = &c->bus[i];
        const struct can_memory_setup setup = {.bit_rate = b->bus->bit_rate, .fd = true};
        int bad = can_memory_open(&b->memory, &setup, e);
        if (bad)
            return bad;
        b->port = can_memory_attach(b->memory, false);
        if (b->port)
            b->port->bus = (uint8_t)i;
        else
            return err_set(e, -ENOMEM, "out of memory for the buses");
    }
    c->unit.port = can_memory_attach(c->bus[0].memory, false);
    return c->unit.port ? 0 : err_set(e, -ENOMEM, "out of memory for the buses");
}

int can_link_open(struct can_link *c, bool simulated, struct err *e)
{
    if (simulated)
        return open_simulated(c, e);
    return err_set(e, -ENOTSUP, "only the simulated clock has buses");
}

void can_link_start(struct can_link *c, int64_t now_ns)
{
    for (int i = 0; i < c->buses; i++)
        bus_reset(c->bus[i].bus, &c->bus[i].state, 0, now_ns);
}
