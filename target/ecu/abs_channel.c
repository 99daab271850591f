#include "target/ecu/abs_channel.h"

#include "target/ecu/car.h"

#include <math.h>

#define EMPTY_PA (2.0 * ECU_BAR_PA) /* a brake without pressure */
#define EMPTY_S  0.15

/* Where the wheel stands against the limits of this cycle. */
struct verdict {
    int hold, release, deep, back, run_up;
};

/* Before control begins nobody knows the road: a stable wheel may slip as the brakes ask. */
static struct verdict judge(const struct abs_params *p, const struct abs_in *in,
                            const struct abs_channel *c)
{
    int controlled = c->phase != ECU_PHASE_OFF;
    int swings = c->phase == ECU_PHASE_BUILD && c->phase_s < p->settle_s;
    double use = controlled ? in->friction : fmax(in->friction, in->asked);
    double slip = p->slip_low + p->slip_per_g * use + in->more_slip;
    double release_mps = slip * in->reference_mps + p->offset_mps;
    double hold_mps = p->hold_share * slip * in->reference_mps + p->offset_mps;
    double enter_mps = p->enter_slip * in->reference_mps + p->enter_offset_mps;
    if (!controlled) {
        hold_mps = fmax(hold_mps, enter_mps);
        release_mps = fmax(release_mps, enter_mps);
    }
    double deep_mps = (p->deep_slip + in->more_slip) * in->reference_mps + p->deep_offset_mps;
    double behind = in->behind_mps, gains = in->relative_mps2;
    int dives = !swings && behind > hold_mps;
    int slips = behind > (swings ? 2.0 : 1.0) * release_mps;
    struct verdict v;
    v.hold = dives && gains < -p->hold_mps2;
    v.release = (dives && gains < -p->release_mps2) || (slips && gains < p->run_up_mps2);
    v.deep = behind > deep_mps;
    v.back = behind - fmax(gains, 0.0) * p->ahead_s < hold_mps;
    v.run_up = gains > p->run_up_mps2;
    return v;
}

static void go_to(struct abs_channel *c, uint32_t phase)
{
    c->phase = phase;
    c->phase_s = 0.0;
    c->step_s = 0.0;
    c->full_s = 0.0;
    c->build_Paps = 0.0;
}

static void begin_release(const struct abs_in *in, struct abs_channel *c)
{
    c->lock_Pa = fmin(fmax(in->carried_Pa, 0.5 * in->brake_Pa), in->brake_Pa);
    c->found_Pa = 0.0;
    c->request_Pa = fmin(c->request_Pa, in->brake_Pa);
    c->cycles++;
    go_to(c, ECU_PHASE_RELEASE);
}

static void off(const struct abs_params *p, const struct abs_in *in, const struct verdict *v,
                struct abs_channel *c)
{
    if (!in->braking || !(in->reference_mps > p->enter_mps) || !(v->hold || v->release))
        return;
    c->request_Pa = fmin(in->driver_Pa, in->brake_Pa);
    c->lock_Pa = c->request_Pa;
    if (v->release)
        begin_release(in, c);
    else
        go_to(c, ECU_PHASE_HOLD);
}

static void hold(const struct abs_in *in, const struct verdict *v, struct abs_channel *c)
{
    if (v->release) {
        begin_release(in, c);
    } else if (!v->hold) {
        c->lock_Pa = c->request_Pa;
        go_to(c, ECU_PHASE_BUILD);
    }
}

/* Falls to a share of what the road carries now: after a change to a slippery road that share
 * falls with the estimate. */
static void release(const struct abs_params *p, const struct abs_in *in, const struct verdict *v,
                    struct abs_channel *c)
{
    double least_Pa = c->phase_s < p->trust_s ? 0.5 * c->lock_Pa : 0.0;
    double carried_Pa = fmin(fmax(in->carried_Pa, least_Pa), in->brake_Pa);
    c->found_Pa = fmax(c->found_Pa, in->carried_Pa);
    if (v->run_up) {
        go_to(c, ECU_PHASE_RECOVER);
        return;
    }
    /* Nothing left to release, and the wheel still goes like the car: then it does not slip. */
    int calm = fabs(in->relative_mps2) < p->hold_mps2 && !v->deep;
    if (calm && c->request_Pa < EMPTY_PA && c->phase_s > EMPTY_S) {
        c->lock_Pa = fmax(c->found_Pa, EMPTY_PA);
        go_to(c, ECU_PHASE_BUILD);
        return;
    }
    double floor_Pa = v->deep ? 0.0 : p->floor_share * fmin(c->lock_Pa, carried_Pa);
    c->request_Pa =
        fmin(c->request_Pa, fmax(c->request_Pa - p->release_Paps * ECU_CYCLE_S, floor_Pa));
}

static void recover(const struct abs_in *in, const struct verdict *v, struct abs_channel *c)
{
    c->found_Pa = fmax(c->found_Pa, in->carried_Pa);
    if (v->back) {
        c->lock_Pa = c->found_Pa;
        go_to(c, ECU_PHASE_BUILD);
    } else if (v->release) {
        go_to(c, ECU_PHASE_RELEASE);
    }
}

/* To first_step of the lock pressure at once, then in steps that grow when no limit shows. */
static void build(const struct abs_params *p, const struct abs_in *in, const struct verdict *v,
                  struct abs_channel *c)
{
    if (v->release) {
        begin_release(in, c);
        return;
    }
    if (v->hold)
        return;
    double first_Pa = p->first_step * c->lock_Pa;
    if (c->request_Pa < first_Pa) {
        c->request_Pa = fmin(c->request_Pa + p->first_Paps * ECU_CYCLE_S, first_Pa);
        return;
    }
    c->step_s += ECU_CYCLE_S;
    if (c->step_s < p->step_s - 0.5 * ECU_CYCLE_S)
        return;
    if (c->phase_s < p->grow_s || !(c->build_Paps > 0.0))
        c->build_Paps = fmax(p->build_share_1ps * c->lock_Pa, p->build_min_Paps);
    else
        c->build_Paps = fmin(c->build_Paps * (1.0 + p->grow_1ps * c->step_s), p->build_max_Paps);
    c->request_Pa += c->build_Paps * c->step_s;
    c->step_s = 0.0;
}

void abs_channel_off(struct abs_channel *c)
{
    *c = (struct abs_channel){.phase = ECU_PHASE_OFF};
}

void abs_channel_step(const struct abs_params *p, const struct abs_in *in, struct abs_channel *c)
{
    struct verdict v = judge(p, in, c);
    c->phase_s += ECU_CYCLE_S;
    switch (c->phase) {
    case ECU_PHASE_HOLD:
        hold(in, &v, c);
        break;
    case ECU_PHASE_RELEASE:
        release(p, in, &v, c);
        break;
    case ECU_PHASE_RECOVER:
        recover(in, &v, c);
        break;
    case ECU_PHASE_BUILD:
        build(p, in, &v, c);
        break;
    default:
        off(p, in, &v, c);
        break;
    }
    if (c->phase == ECU_PHASE_OFF)
        return;
    if (c->request_Pa >= in->driver_Pa) {
        c->request_Pa = in->driver_Pa;
        c->full_s += ECU_CYCLE_S;
    } else {
        c->full_s = 0.0;
    }
    if (!in->braking || in->reference_mps < p->end_mps || c->full_s > p->leave_s)
        abs_channel_off(c);
}
