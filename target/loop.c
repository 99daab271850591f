/* The real-time loop. One tick, in the order of the calls below:
 *
 *   wait     for the release r_k = r_0 + k T; the only blocking call
 *   receive  requests of other threads, and what has come over the link
 *   command  scenario and link, or the way to standstill, make plant_in
 *   step     the plant, once, or more often to catch up
 *   sense    sensor models make what leaves, valid for r_k + T
 *   send     over the link
 *   account  latency, execution, response, missed deadlines
 *   log      one record into the lossless ring, now and then one into the telemetry ring
 *
 * A release that has passed before its turn is skipped and is a missed deadline of its own. */
#include "target/loop.h"

#include "shared/base/time.h"
#include "target/rt/rt_switch.h"
#include "target/signals_fill.h"

#include <string.h>

/* Deceleration of the safe state: share of the brake pedal; time to rest of the sensors when the
 * model is not to be trusted. */
static const double safe_pedal = 0.25, safe_stop_s = 5.0;
static const int64_t live_ns = 50 * NS_PER_MS; /* between snapshots for displays */

static int64_t now_ns(const struct loop *l)
{
    return l->rt->ops->now_ns(l->rt);
}

static int64_t release_ns(const struct loop *l, int64_t tick)
{
    return l->first_ns + tick * l->setup.period_ns;
}

static void mark(struct loop *l)
{
    l->times.phase_end_ns[l->times.phase_count++] = now_ns(l);
}

/* The end of the tick, or of its last phase if it is not over. */
static int64_t end_so_far_ns(const struct deadline_tick *t)
{
    if (t->end_ns != 0)
        return t->end_ns;
    return t->phase_count > 0 ? t->phase_end_ns[t->phase_count - 1] : t->wake_ns;
}

static void event_in(struct loop *l, int64_t tick, int kind, int64_t late_ns, int64_t value)
{
    struct loop_event *e = ring_reserve(&l->events);
    if (!e)
        return; /* counted by the ring */
    *e = (struct loop_event){.tick = tick,
                             .release_ns = l->times.release_ns - l->first_ns,
                             .wake_ns = l->times.wake_ns - l->first_ns,
                             .end_ns = end_so_far_ns(&l->times) - l->first_ns,
                             .late_ns = late_ns,
                             .value = value,
                             .kind = kind,
                             .phase = l->times.phase_count
                                          ? (int32_t)deadline_longest_phase(&l->times)
                                          : (int32_t)LOOP_PHASES};
    ring_commit(&l->events);
}

static void event(struct loop *l, int kind, int64_t late_ns, int64_t value)
{
    event_in(l, l->tick, kind, late_ns, value);
}

void loop_post(struct loop *l, int kind, int64_t value)
{
    event(l, kind, 0, value);
}

void loop_enter_safe(struct loop *l, uint32_t cause)
{
    /* The first cause stays, unless one comes that no reset leaves: a model that fails on the way
     * to standstill, or a bus that the watchdog has. */
    bool graver =
        cause == CAUSE_NONFINITE
            ? l->cause != CAUSE_NONFINITE
            : cause == CAUSE_WATCHDOG && l->cause != CAUSE_WATCHDOG && l->cause != CAUSE_NONFINITE;
    if (l->cause != CAUSE_NONE && !graver)
        return;
    l->cause = cause;
    l->causes |= 1u << cause;
    l->safe_number++;
    l->live_tick = l->tick; /* shown at once */
    l->safe_ticks = 0;
    safe_inputs(&l->car->out, safe_pedal, &l->safe_in);
    l->safe_stop = (struct safe_stop){.stop_s = safe_stop_s,
                                      .gravity_mps2 = l->car->vehicle->facts.gravity_mps2,
                                      .last_ns = (int64_t)l->car->tick * l->setup.period_ns};
    memcpy(l->safe_stop.teeth, l->car->vehicle->sensors.toothed.teeth, sizeof l->safe_stop.teeth);
    event(l, EVENT_SAFE, 0, (int64_t)cause);
}

/* Faults of the bench file that begin or end with this tick. */
static void update_faults(struct loop *l)
{
    if (!l->faults)
        return;
    struct fault_state *s = &l->fault_state;
    double step_s = 1e-9 * (double)l->setup.period_ns;
    uint32_t changed =
        fault_update(l->faults, s, &l->signals, (double)l->car->tick * step_s, step_s);
    for (int i = 0; changed != 0; i++, changed >>= 1)
        if (changed & 1u)
            event(l, s->active >> (unsigned)i & 1u ? EVENT_FAULT_ON : EVENT_FAULT_OFF, 0, i);
    l->signals.faults_active = s->active;
}

static void update_power(struct loop *l)
{
    if (!l->sequence) {
        l->signals.power_terminal = TERMINAL_ON;
        l->signals.power_supply_V = 13.8;
        return;
    }
    double step_s = 1e-9 * (double)l->setup.period_ns;
    if (sequence_update(l->sequence, &l->sequence_state, step_s, &l->signals))
        event(l, EVENT_POWER, 0, l->sequence_state.step);
}

static void receive(struct loop *l)
{
    loop_take_requests(l);
    update_faults(l);
    update_power(l);
    if (remote_driver_receive(&l->person, 1e-9 * (double)l->setup.period_ns))
        event(l, EVENT_DRIVER, 0, l->person.who);
    if (l->link)
        l->link->receive(l, l->peer);
    mark(l);
}

static void command(struct loop *l)
{
    offline_command(l->car);
    remote_driver_command(&l->person, &l->car->in);
    if (l->cause != CAUSE_NONE) {
        double wind_mps[3];
        memcpy(wind_mps, l->car->in.wind_mps, sizeof wind_mps);
        l->car->in = l->safe_in;
        memcpy(l->car->in.wind_mps, wind_mps, sizeof wind_mps);
    } else if (l->link) {
        l->link->command(l, l->peer, &l->car->in);
    }
    if (l->faults)
        fault_brakes(l->faults, &l->fault_state, &l->car->in); /* in the safe state, too */
    mark(l);
}

static void provoke(struct loop *l)
{
    for (int i = 0; i < l->setup.provokes; i++) {
        const struct loop_provoke *p = &l->setup.provoke[i];
        if (l->tick < p->tick || l->tick >= p->tick + p->ticks)
            continue;
        do
            l->rt->ops->burn(l->rt, p->delay_ns);
        while (p->endless);
        if (p->system_call)
            rt_switch_provoke();
        event(l, EVENT_PROVOKED, 0, p->delay_ns);
    }
}

static void step(struct loop *l, uint32_t steps)
{
    for (uint32_t n = 0; n < steps; n++) {
        offline_plant(l->car);
        offline_sense(l->car);
    }
    provoke(l);
    if (l->car->out.fault && l->cause != CAUSE_NONFINITE) {
        event(l, EVENT_FAULT, 0, (int64_t)l->car->out.fault);
        loop_enter_safe(l, CAUSE_NONFINITE);
    }
    mark(l);
}

static void sense(struct loop *l)
{
    if (l->cause == CAUSE_NONFINITE) {
        double elapsed_s = 1e-9 * (double)(l->safe_ticks * l->setup.period_ns);
        safe_sensors(&l->safe_stop, &l->car->sense, elapsed_s, &l->sense);
    } else {
        l->sense = l->car->sense;
        if (l->faults)
            fault_sensors(l->faults, &l->fault_state, &l->sense);
    }
    l->safe_ticks++;
    signals_fill(&l->signals, &l->car->in, &l->car->out, &l->sense);
    manoeuvre_fill(&l->car->course, &l->signals);
    mark(l);
}

static void send(struct loop *l)
{
    if (l->link)
        l->link->send(l, l->peer, l->times.phase_end_ns[PHASE_SENSE]);
    mark(l);
}

/* Too many misses in a row, late ticks and skipped releases alike. */
static void check_row(struct loop *l)
{
    if (l->setup.row_limit > 0 && l->missed_in_row >= l->setup.row_limit)
        loop_enter_safe(l, CAUSE_MISSED);
}

static void account(struct loop *l)
{
    l->times.end_ns = now_ns(l);
    int64_t late_ns = deadline_account(&l->stats, &l->times);
    l->missed_in_row = late_ns > 0 ? l->missed_in_row + 1 : 0;
    if (late_ns > 0)
        event(l, EVENT_MISSED, late_ns, 1);
    check_row(l);
}

static void fill(const struct loop *l, uint32_t steps, uint32_t skipped, struct loop_record *r)
{
    r->tick = l->tick;
    r->release_ns = l->times.release_ns - l->first_ns;
    r->wake_ns = l->times.wake_ns - l->first_ns;
    r->end_ns = l->times.end_ns - l->first_ns;
    r->steps = steps;
    r->skipped = skipped;
    r->cause = l->cause;
    r->dropped = l->dropped;
    r->signals = l->signals;
}

/* Records that were lost after the first one of a gap: with the event of that one their values add
 * up to all. */
static void end_gap(struct loop *l)
{
    if (l->dropped > 1)
        event(l, EVENT_DROPPED, 0, (int64_t)l->dropped - 1);
    l->dropped = 0;
}

static void put_log(struct loop *l, uint32_t steps, uint32_t skipped)
{
    if (l->over_tick >= 0)
        return; /* the log is of the drive */
    struct loop_record *r = ring_reserve(&l->records);
    if (r) {
        fill(l, steps, skipped, r);
        ring_commit(&l->records);
        end_gap(l);
    } else {
        if (l->dropped == 0)
            event(l, EVENT_DROPPED, 0, 1);
        l->dropped++;
    }
    /* Not by the remainder of the tick: that one may have been skipped. */
    if (l->setup.publish_every <= 0 || l->tick < l->publish_tick)
        return;
    l->publish_tick = l->tick + l->setup.publish_every;
    struct loop_sample *s = ring_reserve(&l->telemetry);
    if (s) {
        s->number = l->published;
        fill(l, steps, skipped, &s->record);
        ring_commit(&l->telemetry);
    }
    l->published++;
}

/* What the core told in this tick. */
static void take_switches(struct loop *l)
{
    struct rt_note note;
    while (rt_switch_take(l->rt, &note)) {
        if (l->switch_notes++ == 0)
            l->switch_first = note;
        event_in(l, note.tick, EVENT_SWITCH, 0, note.reason);
    }
}

static void show_in(struct loop *l, struct latest *to)
{
    struct loop_live *live = latest_begin(to);
    live->first_ns = l->first_ns;
    live->tick = l->tick;
    live->lag_ns = l->lag_ns;
    live->speed_mps = l->car->out.vel_mps[0];
    live->cause = l->cause;
    live->safe_number = l->safe_number;
    live->driver = (uint32_t)l->person.who;
    live->faults_active = l->fault_state.active;
    live->switches = l->switches;
    live->deadlines = l->stats.now;
    latest_publish(to, l->times.end_ns);
}

void loop_show(struct loop *l)
{
    show_in(l, &l->live);
    show_in(l, &l->live_for_host);
    l->live_tick = l->tick + live_ns / l->setup.period_ns;
}

/* Releases whose successors have come already cannot be served any more: they are skipped, all at
 * once. Returns how many. */
static int64_t skip_passed(struct loop *l)
{
    int64_t at_ns = now_ns(l), late_ns = at_ns - release_ns(l, l->tick);
    int64_t passed = late_ns > 0 ? late_ns / l->setup.period_ns : 0;
    if (l->setup.ticks > 0 && l->over_tick < 0 && l->tick + passed > l->setup.ticks)
        passed = l->setup.ticks - l->tick;
    if (passed == 0)
        return 0;
    /* For the events: the first of them, and when it was noticed. */
    l->times = (struct deadline_tick){
        .release_ns = release_ns(l, l->tick), .wake_ns = at_ns, .end_ns = at_ns};
    deadline_skip(&l->stats, (uint64_t)passed);
    l->missed_in_row += passed;
    event(l, EVENT_SKIPPED, 0, passed);
    check_row(l);
    l->tick += passed;
    l->lag_ns += passed * l->setup.period_ns;
    return passed;
}

/* Steps of the plant in a tick that follows skipped releases: those beyond the first catch up. */
static uint32_t steps_after(struct loop *l, int64_t skipped)
{
    int64_t extra = 0;
    if (l->setup.overrun == LOOP_CATCH_UP)
        extra = skipped < l->setup.catch_up_max ? skipped : l->setup.catch_up_max;
    l->lag_ns -= extra * l->setup.period_ns;
    return (uint32_t)(1 + extra);
}

static void show(struct loop *l)
{
    l->switches = l->rt->ops->switches(l->rt);
    loop_show(l);
}

static void tick(struct loop *l, int64_t skipped)
{
    l->times.wake_ns = now_ns(l);
    uint32_t steps = steps_after(l, skipped);
    receive(l);
    command(l);
    step(l, steps);
    sense(l);
    send(l);
    account(l);
    put_log(l, steps, (uint32_t)skipped);
    take_switches(l);
    l->tick++;
    if (l->tick >= l->live_tick)
        show(l);
}

static bool is_over(const struct loop *l)
{
    return (l->setup.ticks > 0 && l->tick >= l->setup.ticks) || l->car->course.is_over ||
           atomic_load_explicit(&l->stop, memory_order_relaxed);
}

static bool done(struct loop *l)
{
    if (l->over_tick < 0 && is_over(l)) {
        l->over_tick = l->tick;
        offline_keep(l->car);
    }
    return l->over_tick >= 0 && (!l->link || !l->link->end || l->link->end(l, l->peer));
}

void loop_run(struct loop *l)
{
    l->first_ns = l->setup.start_ns > 0 ? l->setup.start_ns : now_ns(l) + l->setup.period_ns;
    l->error = 0;
    l->over_tick = -1;
    l->ticking = true;
    /* Conditions of the first tick see the car as it stands there. */
    signals_fill(&l->signals, &l->car->in, &l->car->out, &l->car->sense);
    setup_to_signals(&l->car->vehicle->setup, &l->signals);
    l->car->seen = &l->signals;
    for (;;) {
        int64_t skipped = skip_passed(l);
        if (done(l))
            break;
        l->times =
            (struct deadline_tick){.release_ns = release_ns(l, l->tick),
                                   .deadline_ns = release_ns(l, l->tick) + l->setup.deadline_ns};
        atomic_store_explicit(&l->rt->tick, l->tick, memory_order_relaxed);
        l->error = l->rt->ops->wait(l->rt, l->times.release_ns);
        if (l->error)
            break;
        tick(l, skipped);
    }
    if (l->over_tick < 0)
        offline_keep(l->car);
    end_gap(l);
    take_switches(l);
    show(l);
}
