#include "shared/can/receive.h"

#include <assert.h>
#include <stddef.h>

static_assert(sizeof(struct can_rx_status) == 2 * sizeof(int64_t) + sizeof(struct protect_status) +
                                                  (3 + CAN_RX_KINDS) * sizeof(uint32_t),
              "no padding: states are compared and hashed as bytes");

void can_rx_reset(struct can_rx_status *s, int64_t now_ns)
{
    *s = (struct can_rx_status){.seen_ns = now_ns, .good_ns = now_ns};
}

static void report(struct can_rx_status *s, enum can_rx_kind kind, int64_t time_ns,
                   uint32_t message, struct can_rx_events *events)
{
    s->counts[kind]++;
    if (events->count < events->room)
        events->list[events->count++] =
            (struct can_rx_event){.time_ns = time_ns, .kind = kind, .message = message};
    else
        events->left_out++;
}

/* protect_verify() reports one fault at a time. */
static enum can_rx_kind kind_of(unsigned fault)
{
    return fault & PROTECT_WRONG_LENGTH ? CAN_RX_LENGTH
           : fault & PROTECT_WRONG_SUM  ? CAN_RX_SUM
           : fault & PROTECT_REPEATED   ? CAN_RX_REPEATED
           : fault & PROTECT_LOST       ? CAN_RX_LOST
                                        : CAN_RX_SEQUENCE;
}

bool can_rx_take(const struct can_rx_rule *rule, struct can_rx_status *s, const struct can_msg *msg,
                 uint32_t message, struct can_rx_events *events)
{
    int64_t distance_ns = msg->time_ns - s->seen_ns;
    bool first = s->frames == 0;
    s->frames++;
    s->seen_ns = msg->time_ns;
    /* After a time-out only the return counts: the frame is late in any case. */
    if (!first && rule->early_ns > 0 && distance_ns < rule->early_ns)
        report(s, CAN_RX_EARLY, msg->time_ns, message, events);
    if (!first && rule->late_ns > 0 && distance_ns > rule->late_ns && !s->timed_out)
        report(s, CAN_RX_LATE, msg->time_ns, message, events);

    unsigned fault = protect_verify(&rule->protect, &s->protect, msg->data, msg->len);
    if (fault)
        report(s, kind_of(fault), msg->time_ns, message, events);
    if (fault & PROTECT_REFUSED)
        return false;
    s->good_ns = msg->time_ns;
    s->ever = 1;
    if (s->timed_out) {
        s->timed_out = 0;
        report(s, CAN_RX_RETURNED, msg->time_ns, message, events);
    }
    return true;
}

bool can_rx_watch(const struct can_rx_rule *rule, struct can_rx_status *s, int64_t now_ns,
                  uint32_t message, struct can_rx_events *events)
{
    if (rule->timeout_ns <= 0 || s->timed_out)
        return s->timed_out != 0;
    int64_t limit_ns = rule->timeout_ns;
    if (!s->ever && rule->startup_ns > limit_ns)
        limit_ns = rule->startup_ns;
    if (now_ns - s->good_ns <= limit_ns)
        return false;
    s->timed_out = 1;
    report(s, CAN_RX_TIMEOUT, now_ns, message, events);
    return true;
}

const char *can_rx_kind_name(enum can_rx_kind kind)
{
    static const char *const names[CAN_RX_KINDS] = {
        "early", "late", "timeout", "returned", "length", "sum", "repeated", "lost", "sequence"};
    return kind < CAN_RX_KINDS ? names[kind] : "unknown";
}
