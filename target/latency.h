/* How long it takes from a tooth edge to the pressure that answers it, hop by hop.
 *
 *   t0  edge                      model time on the core's clock
 *   t1  frame with it leaves      the send phase of its tick; up to a period before t0, because
 *                                 outputs are of the end of the step
 *   t2  the unit has it           known to the unit only: it echoes the frame's counter, and
 *   t3  the unit's answer leaves  says how long it took, t3 - t2
 *   t4  the answer is here        stamp of the transport
 *   t5  the pressure acts         release of the tick that takes it
 *
 * Real-time thread: latency_sent(), latency_answer(). A unit that echoes nothing gives no hops. */
#ifndef SKIDPAD_TARGET_LATENCY_H
#define SKIDPAD_TARGET_LATENCY_H

#include "shared/base/deadline.h"
#include "target/model/sensors.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum latency_hop {
    LATENCY_EDGE,  /* t1 - t0 */
    LATENCY_BUS,   /* both ways: (t4 - t1) - (t3 - t2) */
    LATENCY_UNIT,  /* t3 - t2 */
    LATENCY_TICK,  /* t5 - t4 */
    LATENCY_TOTAL, /* t5 - t0 */
    LATENCY_HOPS
};

enum { LATENCY_FRAMES = 256 };

struct latency_frame {
    int64_t edge_ns, sent_ns;
    bool waiting; /* for its first answer */
};

struct latency {
    uint32_t counter_mask; /* of the frame's counter: 15 for four bits */
    struct latency_frame frame[LATENCY_FRAMES];
    uint32_t edges[WHEELS]; /* of the frame before */
    struct timing hop[LATENCY_HOPS];
};

void latency_init(struct latency *l, uint32_t counter_mask);
/* The wheel frame with this counter leaves now. offset_ns: the core's clock minus model time. */
void latency_sent(struct latency *l, uint32_t counter, const struct sensors_out *s,
                  int64_t offset_ns, int64_t now_ns);
/* Pressures that rest on the frame with this counter act from release_ns on. unit_ns is what the
 * unit said last, perhaps in another frame: longer than the whole way it is of an older answer, and
 * bus and unit are not told apart then. */
void latency_answer(struct latency *l, uint32_t counter, int64_t unit_ns, int64_t received_ns,
                    int64_t release_ns);

/* A table; nothing if no edge was answered. */
void latency_print(const struct latency *l, FILE *to);

#endif
