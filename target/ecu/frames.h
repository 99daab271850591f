/* Supervision of the sources: is there a good frame, young enough, and are wrong ones rare. */
#ifndef SKIDPAD_ECU_FRAMES_H
#define SKIDPAD_ECU_FRAMES_H

#include "target/ecu/ecu_io.h"

struct frames_params {
    double timeout_s[ECU_SOURCES]; /* age of the last good frame */
    double error_weight; /* a wrong frame raises the level by this, a good one lowers it */
    double good_weight;  /* by this; at level 1 the source is bad */
};

struct frames {
    double level[ECU_SOURCES];
    uint32_t count[ECU_SOURCES]; /* good frames as of the last cycle */
    uint32_t reserved;
};

/* Returns a bit for each bad source. *seen gets a bit for each source with a frame ever. */
uint32_t frames_step(const struct frames_params *p, const struct ecu_rx *rx, int64_t t_ns,
                     struct frames *f, uint32_t *seen);

#endif
