/* The functions beyond ABS: stability, traction and drag torque control, the assists, hill hold.
 * One cycle makes of what the unit knows floors and bounds for the pressures, and what the engine
 * is asked for. */
#ifndef SKIDPAD_ECU_FUNCTIONS_H
#define SKIDPAD_ECU_FUNCTIONS_H

#include "target/ecu/assist.h"
#include "target/ecu/distance.h"
#include "target/ecu/drag.h"
#include "target/ecu/esp.h"
#include "target/ecu/hold.h"
#include "target/ecu/motion.h"
#include "target/ecu/reference.h"
#include "target/ecu/torque.h"
#include "target/ecu/traction.h"
#include "target/ecu/valves.h"
#include "target/ecu/wheel_speed.h"

struct functions_params {
    struct motion_params motion;
    struct esp_params esp;
    struct traction_params traction;
    struct drag_params drag;
    struct assist_params assist;
    struct distance_params distance;
    struct hold_params hold;
    struct torque_params torque;
};

struct functions_in {
    const struct ecu_rx *rx;
    const struct reference *reference;
    const struct wheel_speed *wheel; /* four */
    const struct valves_params *valves;
    double yaw_radps, steer_rad; /* 0 if not to be trusted */
    double driver_Pa;
    const double *request_Pa; /* four, of the cycle before */
    int works;                /* every sensor is good */
    int braking;              /* the driver's foot */
    int controlled;           /* ABS acts */
    int split;                /* and finds more grip on one side */
    int engine_good;          /* its frames */
    int radar_good;
};

struct functions {
    struct motion motion;
    struct esp esp;
    struct traction traction;
    struct drag drag;
    struct assist assist;
    struct distance distance;
    struct hold hold;
    struct torque torque;
};

struct functions_out {
    double floor_Pa[ECU_WHEELS];  /* 0: nothing asked */
    double bound_Pa[ECU_WHEELS];  /* infinite: nothing */
    double more_slip[ECU_WHEELS]; /* that ABS shall allow */
    uint32_t braked; /* bit i: wheel i is slowed down; one that spins is not, whatever it gets */
    int engine_judged, engine_bad;
};

void functions_step(const struct functions_params *p, const struct car_params *car,
                    const struct functions_in *in, struct functions *s, struct functions_out *out);

/* What of it acts, into the report. */
void functions_report(const struct functions *s, struct ecu_tx *tx);

#endif
