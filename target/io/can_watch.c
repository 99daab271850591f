#include "target/io/can_watch.h"

#include <stddef.h>
#include <string.h>

struct count_info {
    const char *name, *meaning;
    size_t offset;
    bool event;
};

static const struct count_info infos[CAN_COUNT_KINDS] = {
#define COUNT_INFO(name, event, meaning) {#name, meaning, offsetof(struct can_counts, name), event},
    CAN_COUNTS(COUNT_INFO)
#undef COUNT_INFO
};

static uint64_t value(const struct can_counts *counts, int count)
{
    uint64_t v;
    memcpy(&v, (const char *)counts + infos[count].offset, sizeof v);
    return v;
}

int can_watch_look(struct can_watch *watch, const struct can_port *port,
                   struct can_change changes[CAN_COUNT_KINDS])
{
    int n = 0;
    watch->state = port->state;
    for (int i = 0; i < CAN_COUNT_KINDS; i++) {
        uint64_t added = value(&port->counts, i) - value(&watch->seen, i);
        if (added != 0 && infos[i].event)
            changes[n++] = (struct can_change){.count = i, .added = added};
    }
    watch->seen = port->counts;
    return n;
}

const char *can_count_name(int count)
{
    return count >= 0 && count < CAN_COUNT_KINDS ? infos[count].name : "?";
}

const char *can_count_meaning(int count)
{
    return count >= 0 && count < CAN_COUNT_KINDS ? infos[count].meaning : "?";
}

const char *can_state_name(int state)
{
    static const char *const names[] = {"active", "passive", "bus-off", "down"};
    return state >= CAN_ACTIVE && state <= CAN_DOWN ? names[state] : "?";
}
