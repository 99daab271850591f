#include "target/ecu/frames.h"

#include <math.h>

enum { WRONG = ECU_FRAME_CRC | ECU_FRAME_COUNTER | ECU_FRAME_LENGTH };

uint32_t frames_step(const struct frames_params *p, const struct ecu_rx *rx, int64_t t_ns,
                     struct frames *f, uint32_t *seen)
{
    uint32_t bad = 0;
    *seen = 0;
    for (int i = 0; i < ECU_SOURCES; i++) {
        const struct ecu_source *s = &rx->source[i];
        double age_s = 1e-9 * (double)(t_ns - s->time_ns);
        uint32_t bit = 1u << (unsigned)i;
        if (s->faults & WRONG)
            f->level[i] = fmin(f->level[i] + p->error_weight, 2.0);
        else if (s->frames != f->count[i])
            f->level[i] = fmax(f->level[i] - p->good_weight, 0.0);
        f->count[i] = s->frames;
        if (s->frames)
            *seen |= bit;
        if (!s->frames || age_s > p->timeout_s[i] || (s->faults & ECU_FRAME_TIMEOUT) ||
            f->level[i] >= 1.0)
            bad |= bit;
    }
    return bad;
}
