/* Drag torque control: on a slippery road the engine's drag, above all after a shift down, makes
 * the driven wheels slip; the engine is asked for more torque. */
#ifndef SKIDPAD_ECU_DRAG_H
#define SKIDPAD_ECU_DRAG_H

#include "target/ecu/car.h"

struct drag_params {
    double slip;        /* of a driven wheel that is let be */
    double offset_mps;  /* plus this */
    double Nmpmps;      /* torque per speed behind */
    double Nmpm;        /* and its growth: per speed and second */
    double ahead_s;     /* the engine needs so long: counted is where the wheels will be */
    double share;       /* of the engine's most torque at most */
    double accelerator; /* only below this pedal */
    double start_mps;
};

struct drag_in {
    double speed_mps;
    const double *wheel_mps;  /* four, as the centre of gravity would have them */
    const double *wheel_mps2; /* four, above the car's own */
    double engine_Nm, least_Nm, most_Nm, accelerator;
    int works, braking;
};

struct drag {
    double raise_Nm; /* with raises */
    double grown_Nm; /* above what the engine gave at first */
    double base_Nm;
    uint32_t raises, reserved;
};

void drag_step(const struct drag_params *p, const struct car_params *car, const struct drag_in *in,
               struct drag *s);

#endif
