/* Requests, carried out by the tick that takes them: in their order, but a stop beats everything
 * else in its tick. Before the start the thread that waits for it does the same. */
#include "target/loop.h"

static int reset(struct loop *l, uint64_t safe)
{
    if (l->cause == CAUSE_NONE)
        return REQUEST_NOT_SAFE;
    /* An older reset does not undo a newer stop. */
    if (safe != l->safe_number)
        return REQUEST_OTHER_SAFE;
    if (l->cause == CAUSE_NONFINITE)
        return REQUEST_MODEL;
    if (l->cause == CAUSE_WATCHDOG)
        return REQUEST_BUS_TAKEN;
    l->cause = CAUSE_NONE;
    l->missed_in_row = 0;
    loop_post(l, EVENT_RESET, (int64_t)safe);
    return REQUEST_DONE;
}

static int start(struct loop *l)
{
    if (!atomic_load_explicit(&l->waiting, memory_order_relaxed) || l->begins)
        return REQUEST_BEGUN;
    if (atomic_load_explicit(&l->stop, memory_order_relaxed))
        return REQUEST_ENDS;
    if (l->cause != CAUSE_NONE)
        return REQUEST_IN_SAFE;
    l->begins = true;
    return REQUEST_DONE;
}

/* A car with another set-up takes the place of this one; the payload is then the one before. */
static int exchange(struct loop *l, struct request *r)
{
    struct vehicle *next = r->payload;
    r->payload = offline_exchange(l->car, next);
    setup_to_signals(&next->setup, &l->signals);
    loop_post(l, EVENT_SETUP, 0);
    return REQUEST_DONE;
}

static int carry_out(struct loop *l, struct request *r, bool stop)
{
    const uint32_t fault = 1u << ((unsigned)r->fault % FAULTS);
    if (r->kind == REQUEST_SAFE)
        return REQUEST_DONE;
    if (stop)
        return REQUEST_STOP_BEATS;
    switch (r->kind) {
    case REQUEST_START:
        return start(l);
    case REQUEST_RESET:
        return reset(l, r->safe);
    case REQUEST_FAULT_ON:
        l->fault_state.by_hand |= fault;
        return REQUEST_DONE;
    case REQUEST_FAULT_OFF:
        l->fault_state.by_hand &= ~fault;
        return REQUEST_DONE;
    case REQUEST_SETUP:
        return exchange(l, r);
    default:
        atomic_store_explicit(&l->stop, true, memory_order_relaxed);
        return REQUEST_DONE;
    }
}

/* In the safe state already it becomes a new one: whoever wants to leave has to look again. */
static void stop_now(struct loop *l)
{
    if (l->cause == CAUSE_NONE)
        loop_enter_safe(l, CAUSE_OPERATOR);
    else
        l->safe_number++;
}

/* Out of line: in nearly every tick there is nothing. */
__attribute__((noinline)) static void carry_out_all(struct loop *l)
{
    struct request batch[REQUESTS];
    struct request_done done[REQUESTS];
    bool stop, urgent;
    size_t count = requests_take(&l->requests, batch, &stop, &urgent);
    if (stop)
        stop_now(l);
    for (size_t i = 0; i < count; i++) {
        struct request *r = &batch[i];
        int result = carry_out(l, r, stop);
        done[i] = (struct request_done){.number = r->number,
                                        .tick = l->ticking ? l->tick : -1,
                                        .safe = l->safe_number,
                                        .payload = r->payload,
                                        .kind = r->kind,
                                        .result = result};
        loop_post(l, EVENT_REQUEST, request_event_value(&done[i]));
    }
    if (urgent) /* without a number, and after those that had a place */
        loop_post(l, EVENT_REQUEST,
                  request_event_value(&(struct request_done){.kind = REQUEST_SAFE}));
    /* Who has an answer sees it in the next status, too. */
    loop_show(l);
    for (size_t i = 0; i < count; i++)
        requests_answer(&l->requests, &done[i]);
}

void loop_take_requests(struct loop *l)
{
    if (requests_wait(&l->requests))
        carry_out_all(l);
}

bool loop_may_begin(struct loop *l)
{
    loop_take_requests(l);
    loop_show(l);
    return l->begins || atomic_load(&l->stop);
}
