#include "target/can_link.h"

#include "shared/base/time.h"
#include "shared/wire/signals.h"
#include "target/io/can_queue.h"

#include <string.h>

/* Events of the link: which bus, what, and of what. */
enum link_event { LINK_RECEIVE_RULE, LINK_COUNT, LINK_PRESSURE, LINK_VALVES_OLD, LINK_WATCHDOG };

static int64_t event_value(int what, uint32_t bus, uint32_t kind, uint32_t of)
{
    return (int64_t)what << 48 | (int64_t)bus << 40 | (int64_t)kind << 32 | of;
}

/* ---- receive */

static void post_violations(struct loop *l, struct can_link *c, uint32_t bus,
                            const struct can_rx_events *events)
{
    for (uint32_t i = 0; i < events->count; i++) {
        const struct can_rx_event *e = &events->list[i];
        loop_post(l, EVENT_LINK, event_value(LINK_RECEIVE_RULE, bus, e->kind, e->message));
        if (e->kind == CAN_RX_RETURNED)
            continue;
        c->violations++;
        if (e->kind >= CAN_RX_LENGTH && e->kind != CAN_RX_LOST)
            c->window[c->window_slot % CAN_LINK_WINDOW]++;
    }
}

static void post_counts(struct loop *l, struct can_link_bus *b, uint32_t bus)
{
    struct can_change changes[CAN_COUNT_KINDS];
    int n = can_watch_look(&b->watch, b->port, changes);
    for (int i = 0; i < n; i++)
        loop_post(
            l, EVENT_LINK,
            event_value(LINK_COUNT, bus, (uint32_t)changes[i].count, (uint32_t)changes[i].added));
}

/* The answer to a wheel frame, timed; the echo is of the frame just decoded. */
static void time_answer(struct loop *l, struct can_link *c, const struct can_msg *m)
{
    if (c->echo_sink < 0 || c->wheel_message < 0)
        return;
    int64_t unit_ns = (int64_t)(1e9 * l->signals.unit_echo_age_s);
    latency_answer(&c->latency, (uint32_t)c->sinks[c->echo_sink], unit_ns, m->time_ns,
                   l->times.release_ns);
}

static void decode(struct loop *l, struct can_link *c, uint32_t bus, const struct can_msg *m,
                   struct can_rx_events *events)
{
    struct can_link_bus *b = &c->bus[bus];
    if (m->flags & (CAN_MSG_OWN | CAN_MSG_ERROR))
        return;
    if ((int)bus == c->diagnosis.setup.bus && diagnosis_take(&c->diagnosis, m, l->times.wake_ns))
        return;
    int message = bus_decode(b->bus, &b->state, m, c->sinks, c->stamps_ns, events);
    if (message < 0)
        return;
    if ((int)bus == c->pressure_bus && message == c->pressure_message) {
        if (!c->started)
            pressure_reset(&c->pressure, l->car->out.pressure_Pa);
        c->started = true;
    }
    if ((int)bus == c->echo_bus && message == c->echo_message)
        time_answer(l, c, m);
}

static void receive_bus(struct loop *l, struct can_link *c, uint32_t bus)
{
    struct can_link_bus *b = &c->bus[bus];
    struct can_rx_event list[64];
    struct can_rx_events events = {.list = list, .room = 64};
    int n = 0, got;
    do {
        got = b->port->ops->receive(b->port, l->times.wake_ns, c->in + n, CAN_LINK_RECEIVE - n);
        n += got;
    } while (got == CAN_BATCH && n < CAN_LINK_RECEIVE);
    for (int i = 0; i < n; i++)
        if (!(c->in[i].flags & (CAN_MSG_OWN | CAN_MSG_ERROR)) && c->in[i].time_ns >= l->first_ns)
            can_wait_add(&b->to_tick, c->in[i].time_ns, l->times.wake_ns, l->setup.period_ns);
    if (c->record)
        can_record_received(c->record, c->in, n);
    const struct can_msg *msgs = c->in;
    if (b->received_faults.count > 0) {
        n = frame_fault_apply(&b->received_faults, &b->received_state, l->tick, c->in, n, c->faulty,
                              BUS_SENT);
        msgs = c->faulty;
    }
    for (int i = 0; i < n; i++)
        decode(l, c, bus, &msgs[i], &events);
    if (!c->may_sleep)
        (void)bus_supervise(b->bus, &b->state, l->times.wake_ns, &events);
    post_violations(l, c, bus, &events);
    post_counts(l, b, bus);
}

/* Frame faults that began or ended with this tick. */
static void switch_faults(struct loop *l, struct can_link *c)
{
    if (!l->faults)
        return;
    for (int i = 0; i < l->faults->count; i++) {
        if (l->faults->fault[i].kind != FAULT_FRAME)
            continue;
        const struct can_link_fault *f = &c->fault[l->faults->fault[i].frame];
        struct can_link_bus *b = &c->bus[f->bus];
        const struct frame_faults *list = f->sent ? &b->sent_faults : &b->received_faults;
        struct frame_fault_state *s = f->sent ? &b->sent_state : &b->received_state;
        bool on = l->fault_state.active >> (unsigned)i & 1u;
        if (on != (s->on >> f->index & 1u))
            frame_fault_set(list, s, f->index, on);
    }
}

static void store_signals(struct loop *l, struct can_link *c)
{
    uint64_t sent = 0, received = 0;
    for (int i = 0; i < c->bound_count; i++)
        signal_store(&l->signals, (size_t)c->sink_signal[c->bound[i]], c->sinks[c->bound[i]]);
    for (int i = 0; i < c->buses; i++) {
        sent += c->bus[i].port->counts.sent;
        received += c->bus[i].port->counts.received;
    }
    l->signals.unit_age_s =
        c->started ? 1e-9 * (double)(l->times.wake_ns - c->stamps_ns[c->pressure_sink]) : -1.0;
    l->signals.bus_sent = (uint32_t)sent;
    l->signals.bus_received = (uint32_t)received;
    l->signals.bus_violations = c->violations;
}

/* A unit that is silent, or whose frames are wrong too often. */
static void judge(struct loop *l, struct can_link *c)
{
    uint32_t recent = 0;
    for (int i = 0; i < CAN_LINK_WINDOW; i++)
        recent += c->window[i];
    if (c->violation_limit > 0 && recent > (uint64_t)c->violation_limit)
        loop_enter_safe(l, CAUSE_PROTECTION);
    if (c->pressure_message >= 0 &&
        c->bus[c->pressure_bus].state.received[c->pressure_message].timed_out)
        loop_enter_safe(l, CAUSE_SILENT);
    if (c->may_sleep && l->signals.unit_age_s > c->rule.age_most_s)
        c->started = false;     /* asleep: the pedal acts */
    if (l->cause != CAUSE_NONE) /* a reset goes on from what acts then */
        pressure_reset(&c->pressure, l->car->out.pressure_Pa);
}

/* The window moves on; ticks, and so whole slots of it, may have been skipped. */
static void move_window(struct can_link *c, int64_t tick)
{
    int64_t slot = tick / c->window_tick;
    for (int i = 0; i < CAN_LINK_WINDOW && c->window_slot < slot; i++)
        c->window[++c->window_slot % CAN_LINK_WINDOW] = 0;
    c->window_slot = slot;
}

/* Without ignition a unit may be silent; when it comes back, its frames begin anew. */
static void follow_ignition(struct loop *l, struct can_link *c)
{
    if (diagnosis_reads(&c->diagnosis) && l->signals.power_terminal < TERMINAL_ON)
        l->signals.power_terminal = TERMINAL_ON; /* a tester reads with the ignition on */
    bool off = l->sequence && l->signals.power_terminal < TERMINAL_ON;
    if (c->may_sleep && !off)
        for (int i = 0; i < c->buses; i++)
            for (uint32_t m = 0; m < c->bus[i].bus->received_count; m++)
                can_rx_reset(&c->bus[i].state.received[m], l->times.wake_ns);
    c->may_sleep = off;
}

/* The watchdog found the ticks stopped and has the bus: two senders at once would be worse than
 * either. A reset does not give it back. */
static void look_for_watchdog(struct loop *l, struct can_link *c)
{
    if (!c->watchdog || !atomic_load_explicit(&c->watchdog->acted, memory_order_acquire))
        return;
    if (!c->muted)
        loop_post(l, EVENT_LINK, event_value(LINK_WATCHDOG, (uint32_t)c->watchdog->plan.bus, 0, 0));
    c->muted = true;
    loop_enter_safe(l, CAUSE_WATCHDOG);
}

static void receive(struct loop *l, void *peer)
{
    struct can_link *c = peer;
    look_for_watchdog(l, c);
    move_window(c, l->tick);
    follow_ignition(l, c);
    switch_faults(l, c);
    for (int i = 0; i < c->buses; i++)
        receive_bus(l, c, (uint32_t)i);
    store_signals(l, c);
    judge(l, c);
}

/* ---- command */

static void command_engine(const struct loop *l, const struct can_link *c, struct plant_in *in)
{
    const struct signals *s = &l->signals;
    if (c->torque_sink < 0)
        return;
    int64_t stamp_ns = c->stamps_ns[c->torque_sink];
    struct torque_request r = {.limit_Nm = s->unit_engine_Nm,
                               .raise_Nm = s->unit_raise_Nm,
                               .limit = s->unit_engine_active != 0,
                               .raise = s->unit_raise_active != 0,
                               .age_s = stamp_ns != 0 ? 1e-9 * (double)(l->times.wake_ns - stamp_ns)
                                                      : -1.0};
    torque_take(&r, in);
}

/* Currents that act; an old frame is an event when it becomes so. */
static void command_valves(struct loop *l, struct can_link *c, struct plant_in *in)
{
    const struct signals *s = &l->signals;
    const struct valve_request r = {
        .current = {.inlet = {s->fl_unit_inlet_valve, s->fr_unit_inlet_valve,
                              s->rl_unit_inlet_valve, s->rr_unit_inlet_valve},
                    .outlet = {s->fl_unit_outlet_valve, s->fr_unit_outlet_valve,
                               s->rl_unit_outlet_valve, s->rr_unit_outlet_valve},
                    .separation = {s->unit_separation_1, s->unit_separation_2},
                    .prime = {s->unit_prime_1, s->unit_prime_2},
                    .pump = s->unit_pump},
        .inlet_on_s = {s->fl_unit_inlet_on_s, s->fr_unit_inlet_on_s, s->rl_unit_inlet_on_s,
                       s->rr_unit_inlet_on_s},
        .outlet_on_s = {s->fl_unit_outlet_on_s, s->fr_unit_outlet_on_s, s->rl_unit_outlet_on_s,
                        s->rr_unit_outlet_on_s}};
    bool valid = s->unit_valves_valid != 0;
    bool rest =
        valve_take(&r, c->valve_pulses, valid, s->unit_age_s, c->rule.age_most_s, &in->valves);
    bool old = rest && valid;
    if (old && !c->valves_old)
        loop_post(l, EVENT_LINK, event_value(LINK_VALVES_OLD, (uint32_t)c->pressure_bus, 0, 0));
    c->valves_old = old;
    in->brake = PLANT_BRAKE_VALVES;
}

/* Pressures that act; what is wrong with them is an event when it begins. */
static void command_pressures(struct loop *l, struct can_link *c, struct plant_in *in)
{
    const struct signals *s = &l->signals;
    const double asked_Pa[WHEELS] = {s->fl_unit_pressure_Pa, s->fr_unit_pressure_Pa,
                                     s->rl_unit_pressure_Pa, s->rr_unit_pressure_Pa};
    const bool valid[WHEELS] = {s->fl_unit_pressure_valid != 0, s->fr_unit_pressure_valid != 0,
                                s->rl_unit_pressure_valid != 0, s->rr_unit_pressure_valid != 0};
    uint32_t began = pressure_take(&c->rule, &c->pressure, asked_Pa, valid, l->car->out.pressure_Pa,
                                   s->unit_age_s, 1e-9 * (double)l->setup.period_ns);
    for (uint32_t k = 0; began != 0; k++, began >>= 1)
        if (began & 1u)
            loop_post(l, EVENT_LINK,
                      event_value(LINK_PRESSURE, (uint32_t)c->pressure_bus, k, c->pressure.now[k]));
    /* The driver's pressures are those of the pedal, unless the scenario asks for pressures. */
    in->pressure_driver = in->brake == PLANT_BRAKE_PRESSURES ? 0 : c->pressure.driver;
    in->brake = PLANT_BRAKE_PRESSURES;
    for (int i = 0; i < WHEELS; i++)
        if (!(c->pressure.driver >> i & 1u))
            in->wheel_pressure_Pa[i] = c->pressure.held_Pa[i];
}

static void command(struct loop *l, void *peer, struct plant_in *in)
{
    struct can_link *c = peer;
    command_engine(l, c, in);
    if (!c->started)
        return; /* the pedal acts */
    if (c->takes_valves)
        command_valves(l, c, in);
    else
        command_pressures(l, c, in);
}

/* ---- send */

static void time_wheel_frame(struct loop *l, struct can_link *c, uint32_t bus,
                             const struct can_msg *msgs, int n, int64_t now_ns)
{
    if ((int)bus != c->wheel_bus || c->wheel_message < 0)
        return;
    const struct bus_sent *wheel = &c->bus[bus].bus->sent[c->wheel_message];
    for (int i = 0; i < n; i++)
        if (msgs[i].id == wheel->frame.id)
            latency_sent(&c->latency, protect_counter(&wheel->protect, msgs[i].data), &l->sense,
                         l->first_ns + l->lag_ns, now_ns);
}

static void send_bus(struct loop *l, struct can_link *c, uint32_t bus, int64_t now_ns)
{
    struct can_link_bus *b = &c->bus[bus];
    for (uint32_t i = 0; i < b->bus->used_count; i++)
        c->sources[b->bus->used[i]] = signal_value(&l->signals, b->bus->used[i]);
    int n = bus_encode(b->bus, &b->state, l->tick, c->sources, c->out, BUS_SENT);
    struct can_msg *msgs = c->out;
    if (b->sent_faults.count > 0) {
        n = frame_fault_apply(&b->sent_faults, &b->sent_state, l->tick, c->out, n, c->faulty,
                              BUS_SENT);
        msgs = c->faulty;
    }
    time_wheel_frame(l, c, bus, msgs, n, now_ns);
    if (c->watchdog && (int)bus == c->watchdog->plan.bus)
        watchdog_count(c->watchdog, &b->state);
    if (n == 0 || can_port_is_mute(b->port))
        return;
    for (int i = 0; i < n; i++)
        msgs[i].time_ns = now_ns;
    int sent = b->port->ops->send(b->port, msgs, n); /* what was not taken is counted by the port */
    if (c->record)
        can_record_sent(c->record, b->port, now_ns, msgs, sent);
}

/* The unit in this process: what has arrived for it by now, its step, what it sends. */
static void step_unit(struct loop *l, struct can_link *c)
{
    struct can_port *port = c->unit.port;
    if (!port || !c->unit.step)
        return;
    int n = port->ops->receive(port, l->times.wake_ns, c->in, CAN_BATCH);
    n = c->unit.step(c->unit.self, l->times.wake_ns, c->in, n, c->out, CAN_BATCH);
    if (n > 0)
        (void)port->ops->send(port, c->out, n);
}

static void send_diagnosis(struct loop *l, struct can_link *c, int64_t now_ns)
{
    struct can_port *port = c->bus[c->diagnosis.setup.bus].port;
    struct can_msg out[DIAGNOSIS_FRAMES];
    int n = diagnosis_step(&c->diagnosis, c->may_sleep, l->times.wake_ns, out);
    for (int i = 0; i < n; i++)
        out[i].time_ns = now_ns;
    int sent = n > 0 && !can_port_is_mute(port) ? port->ops->send(port, out, n) : 0;
    if (c->record && sent > 0)
        can_record_sent(c->record, port, now_ns, out, sent);
}

static bool end(struct loop *l, void *peer)
{
    struct can_link *c = peer;
    /* A car that is none any more cannot be driven on for a tester. */
    return l->cause == CAUSE_NONFINITE || diagnosis_end(&c->diagnosis, l->times.wake_ns);
}

static void send(struct loop *l, void *peer, int64_t now_ns)
{
    struct can_link *c = peer;
    for (int i = 0; i < c->buses; i++)
        send_bus(l, c, (uint32_t)i, now_ns);
    if (c->diagnosis.setup.on)
        send_diagnosis(l, c, now_ns);
    step_unit(l, c);
    if (c->watchdog)
        watchdog_beat(c->watchdog, l->tick,
                      can_gateway_waiting(c->bus[c->watchdog->plan.bus].port));
}

/* ---- other threads */

static void describe(const void *peer, int64_t value, char *text, size_t size)
{
    const struct can_link *c = peer;
    uint32_t bus = (uint32_t)(value >> 40) & 0xffu, kind = (uint32_t)(value >> 32) & 0xffu;
    uint32_t of = (uint32_t)value;
    const struct bus *b = c->bus[bus].bus;
    switch (value >> 48) {
    case LINK_RECEIVE_RULE:
        (void)snprintf(text, size, "%s: %s: %s", b->name,
                       of < b->received_count ? b->received[of].name : "?",
                       can_rx_kind_name((enum can_rx_kind)kind));
        break;
    case LINK_COUNT:
        (void)snprintf(text, size, "%s: %s +%u", b->name, can_count_name((int)kind), of);
        break;
    case LINK_WATCHDOG:
        (void)snprintf(text, size, "%s: the watchdog has taken over, this run sends nothing more",
                       b->name);
        break;
    case LINK_VALVES_OLD:
        (void)snprintf(text, size, "%s: valve currents too old, at rest", b->name);
        break;
    default:
        (void)snprintf(text, size, "%s: pressure %s, wheels %s%s%s%s", b->name,
                       pressure_violation_name((int)kind), of & 1u ? "fl " : "",
                       of & 2u ? "fr " : "", of & 4u ? "rl " : "", of & 8u ? "rr" : "");
        break;
    }
}

const struct loop_link can_link = {
    .receive = receive, .command = command, .send = send, .end = end, .describe = describe};

bool can_link_uses_sockets(const struct can_link *c)
{
    for (int i = 0; i < c->buses; i++)
        if (c->bus[i].port->descriptor >= 0)
            return true;
    return false;
}

static void print_wait(const char *name, const struct can_wait *w, FILE *to)
{
    if (w->frames > 0)
        fprintf(to, "           %-16s mean %.3f, max %.3f ms, %llu of %llu above one period\n",
                name, 1e-6 * (double)w->sum_ns / (double)w->frames, 1e-6 * (double)w->max_ns,
                (unsigned long long)w->over, (unsigned long long)w->frames);
}

/* How long frames waited on their way, where the transport knows. */
static void print_flow(const struct can_link_bus *b, FILE *to)
{
    const struct can_flow *f = &b->port->flow;
    print_wait("tick to driver", &f->out, to);
    print_wait("wire to tick", &b->to_tick, to);
    print_wait("  of it gateway", &f->in, to);
    if (f->depth_max > 0)
        fprintf(to, "           send queue       at most %llu of %d frames\n",
                (unsigned long long)f->depth_max, CAN_QUEUE_FRAMES);
    if (f->left > 0)
        fprintf(to, "           the thread that sends LEFT REAL TIME %llu times\n",
                (unsigned long long)f->left);
}

void can_link_print(const struct can_link *c, FILE *to)
{
    for (int i = 0; i < c->buses; i++) {
        const struct can_link_bus *b = &c->bus[i];
        const struct can_counts *n = &b->port->counts;
        fprintf(to, "bus        %s on %s: %llu frames sent, %llu received", b->bus->name,
                b->port->ops->name, (unsigned long long)n->sent, (unsigned long long)n->received);
        if (b->state.unknown)
            fprintf(to, ", %llu of unknown id", (unsigned long long)b->state.unknown);
        fprintf(to, "\n");
        print_flow(b, to);
        const uint64_t *counts = &n->sent;
        for (int k = 0; k < CAN_COUNT_KINDS; k++)
            if (k > CAN_COUNT_confirmed && counts[k] > 0)
                fprintf(to, "           %llu %s\n", (unsigned long long)counts[k],
                        can_count_meaning(k));
        for (uint32_t m = 0; m < b->bus->received_count; m++)
            for (int k = 0; k < CAN_RX_KINDS; k++)
                if (b->state.received[m].counts[k] > 0)
                    fprintf(to, "           %s: %u %s\n", b->bus->received[m].name,
                            b->state.received[m].counts[k], can_rx_kind_name((enum can_rx_kind)k));
    }
    if (c->muted)
        fprintf(to, "           the watchdog has taken over: this run has sent nothing since\n");
    if (c->frames_written > 0 || c->frames_lost > 0)
        fprintf(to, "           %llu frames in the log of frames, %llu lost\n",
                (unsigned long long)c->frames_written, (unsigned long long)c->frames_lost);
    latency_print(&c->latency, to);
}
