/* ABS of one pressure channel: a front wheel, or the rear axle with both wheels as one.
 *
 * Five phases (enum ecu_phase; docs/ecu.md has the picture). The channel finds the pressure that
 * the road carries at the moment a wheel leaves the stable range, keeps it in mind as the lock
 * pressure, lets the wheel run up below it, and returns near it in one step and beyond it in small
 * ones. */
#ifndef SKIDPAD_ECU_ABS_CHANNEL_H
#define SKIDPAD_ECU_ABS_CHANNEL_H

#include "target/ecu/ecu_io.h"

struct abs_params {
    double enter_mps, end_mps;           /* control begins above, ends below */
    double slip_low, slip_per_g;         /* release from this slip: low + per_g * use of friction */
    double hold_share;                   /* of that slip from which deceleration counts */
    double offset_mps;                   /* added to every slip limit: error of the speeds */
    double enter_slip, enter_offset_mps; /* control begins beyond both: a gear change is less */
    double hold_mps2;                    /* wheel slows down so much more than the car: hold */
    double release_mps2;                 /* release */
    double run_up_mps2;                  /* wheel gains on the car: recover */
    double ahead_s;  /* pressure needs so long to act: a wheel that will be back by
                        then is back */
    double settle_s; /* so long after running up a wheel may swing: slip alone counts */
    double deep_slip, deep_offset_mps; /* beyond both the pressure falls to nothing */
    double trust_s;     /* so long into a release the estimate of the road may be too low: it counts
                           as half the pressure at least */
    double floor_share; /* release ends at this share of what the road carries */
    double release_Paps;
    double first_step;      /* share of the lock pressure that is built up at once */
    double first_Paps;      /* and how fast */
    double step_s;          /* then in steps as often as this */
    double build_share_1ps; /* that rise by this share of the lock pressure a second */
    double build_min_Paps;  /* but at least so fast */
    double grow_s;          /* after this time without a sign of the limit ... */
    double grow_1ps;        /* ... the steps grow at this rate: the road got better */
    double build_max_Paps;
    double leave_s; /* at the driver's pressure for so long: control ends */
};

/* What a channel sees in a cycle. */
struct abs_in {
    double reference_mps;
    double behind_mps;    /* reference less speed of the slower wheel */
    double relative_mps2; /* acceleration of that wheel less that of the car */
    double friction;      /* share of gravity that the car slows down with, 0..1 */
    double asked;         /* share of gravity that the brakes ask for, 0..1 */
    double brake_Pa;      /* modelled pressure in the brake */
    double carried_Pa;    /* pressure that the road carries: brake_Pa less what turns the wheel */
    double driver_Pa;     /* what is asked of this channel */
    double more_slip;     /* allowed on top: a wheel that is braked to turn the car slips more */
    int braking;
};

struct abs_channel {
    double request_Pa; /* while phase is not off */
    double lock_Pa;    /* the most that the road carried around the last loss of stability */
    double found_Pa;   /* the most that it carries while the wheel runs up */
    double phase_s;    /* time in this phase */
    double step_s;     /* since the last step of the build-up */
    double build_Paps; /* rate of the build-up */
    double full_s;     /* time at the driver's pressure */
    uint32_t phase;    /* enum ecu_phase */
    uint32_t cycles;   /* releases since control began */
};

void abs_channel_step(const struct abs_params *p, const struct abs_in *in, struct abs_channel *c);

/* Ends the control; the caller leads the pressure back. */
void abs_channel_off(struct abs_channel *c);

#endif
