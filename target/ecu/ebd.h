/* Electronic brake force distribution: the rear wheels may slip a little more than the front ones,
 * not much more. Works without ABS, and with one wheel sensor lost. */
#ifndef SKIDPAD_ECU_EBD_H
#define SKIDPAD_ECU_EBD_H

#include "target/ecu/ecu_io.h"

struct ebd_params {
    double decel_mps2;  /* acts from this deceleration of the car */
    double slip;        /* rear less front, from which the pressure is kept */
    double reduce_slip; /* and from which it falls */
    double offset_mps;  /* added to both */
    double reduce_Paps, build_Paps;
    double leave_s; /* after this time at the driver's pressure it ends */
    double end_mps;
};

struct ebd_in {
    double reference_mps, accel_mps2;
    double front_behind_mps; /* reference less speed: mean of the front wheels */
    double rear_behind_mps;  /* of the slower rear wheel */
    double driver_Pa;
    double rear_brake_Pa; /* modelled pressure in the rear brakes */
    int braking;
};

struct ebd {
    double limit_Pa; /* with active */
    double full_s;
    uint32_t active, reserved;
};

/* Returns the bound for the rear pressure; infinite while it does not act. */
double ebd_step(const struct ebd_params *p, const struct ebd_in *in, struct ebd *e);

#endif
