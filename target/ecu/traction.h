/* Traction control: a spinning wheel is braked, so that the differential gives torque to its
 * partner; if both spin, the engine gives less. */
#ifndef SKIDPAD_ECU_TRACTION_H
#define SKIDPAD_ECU_TRACTION_H

#include "target/ecu/car.h"

struct traction_params {
    double slip;            /* of a driven wheel that is let be */
    double start_mps;       /* but at least this speed ahead of the car */
    double wait_s;          /* spins for so long before anything is done: a shift is shorter */
    double side_mps;        /* difference between the wheels of an axle that is let be */
    double brake_Papmps;    /* pressure per speed ahead of the partner */
    double brake_Papm;      /* and its growth: pressure per speed and second */
    double brake_fall_Paps; /* once the wheel spins no more */
    double brake_max_Pa;
    double brake_end_mps;    /* brakes above this speed would only heat up: the engine alone acts */
    double alone_mps;        /* one wheel alone so far ahead: the engine gives less, too */
    double engine_Nmpm;      /* torque taken per speed ahead and second */
    double engine_first;     /* share of the engine's torque that is left at once */
    double engine_back_Nmps; /* and given back */
    double accelerator;      /* the driver drives above this pedal */
};

struct traction_in {
    double speed_mps;
    const double *wheel_mps; /* four, as the centre of gravity would have them */
    double engine_Nm, driver_Nm, accelerator;
    int works, braking;
};

struct traction {
    double grown_Pa[ECU_WHEELS];
    double limit_Nm; /* with limits */
    double spun_s;   /* some driven wheel spins for so long */
    uint32_t brakes; /* bit i: wheel i */
    uint32_t limits;
};

/* At least these pressures; 0: nothing asked. */
void traction_step(const struct traction_params *p, const struct car_params *car,
                   const struct traction_in *in, struct traction *s, double floor_Pa[ECU_WHEELS]);

#endif
