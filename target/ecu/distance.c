#include "target/ecu/distance.h"

#include <math.h>

/* Where the car's path is at that distance: a circle of the present yaw rate. */
static int in_path(const struct distance_params *p, const struct distance_in *in)
{
    double bend_1pm = in->yaw_radps / fmax(in->speed_mps, 1.0);
    double path_left_m = 0.5 * bend_1pm * in->object_m * in->object_m;
    return fabs(in->object_left_m - path_left_m) < p->path_m;
}

static uint32_t stage_of(const struct distance_params *p, const struct distance_in *in,
                         double closing_mps)
{
    double left_m = fmax(in->object_m - p->gap_m - closing_mps * in->build_s, 0.01);
    double time_s = left_m / closing_mps;
    double needed_mps2 = 0.5 * closing_mps * closing_mps / left_m;
    if (time_s < p->full_s || needed_mps2 > p->full_mps2)
        return DISTANCE_FULL;
    if (time_s < p->partial_s)
        return DISTANCE_PARTIAL;
    return time_s < p->warn_s ? DISTANCE_WARN : DISTANCE_OFF;
}

double distance_step(const struct distance_params *p, const struct distance_in *in,
                     struct distance *s)
{
    double closing_mps = -in->object_mps;
    int there = in->works && in->seen && in_path(p, in) && in->accelerator < p->override;
    s->seen_s = there ? s->seen_s + ECU_CYCLE_S : 0.0;
    int braking = s->stage >= DISTANCE_PARTIAL;
    if (s->seen_s < p->seen_s || (in->speed_mps < p->start_mps && !braking) ||
        in->speed_mps <= 0.0 || closing_mps < (braking ? 0.1 : p->closing_mps)) {
        s->stage = DISTANCE_OFF;
        return 0.0;
    }
    uint32_t stage = stage_of(p, in, closing_mps);
    /* Braking makes the time longer: what was begun is brought to its end. */
    s->stage = braking && stage < s->stage ? s->stage : stage;
    if (s->stage < DISTANCE_PARTIAL)
        return 0.0;
    return s->stage == DISTANCE_FULL ? distance_full_mps2(p) : p->partial_mps2;
}

/* The road may carry more than is counted on; ABS bounds what it does not. */
double distance_full_mps2(const struct distance_params *p)
{
    return 1.3 * p->full_mps2;
}
