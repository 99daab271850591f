/* What changed on a bus since the last look, in a form that becomes events: once a tick, a few
 * comparisons when nothing did. */
#ifndef SKIDPAD_IO_CAN_WATCH_H
#define SKIDPAD_IO_CAN_WATCH_H

#include "target/io/can.h"

/* The counts by number. */
enum can_count {
#define CAN_COUNT_NUMBER(name, event, meaning) CAN_COUNT_##name,
    CAN_COUNTS(CAN_COUNT_NUMBER)
#undef CAN_COUNT_NUMBER
        CAN_COUNT_KINDS
};

/* What was seen. Starts as zeros: a bus that is active and has counted nothing. */
struct can_watch {
    struct can_counts seen;
    int state;
};

struct can_change {
    int count;      /* enum can_count */
    uint64_t added; /* since the last look */
};

/* The counts that are events (CAN_COUNTS) and grew. changes has room for CAN_COUNT_KINDS. Returns
 * how many. A state that changed and changed back between two looks shows in the counts. */
int can_watch_look(struct can_watch *watch, const struct can_port *port,
                   struct can_change changes[CAN_COUNT_KINDS]);

const char *can_count_name(int count);
const char *can_count_meaning(int count);
const char *can_state_name(int state);

#endif
