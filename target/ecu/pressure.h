/* From wishes of the functions to the pressures that are sent, and a model of what then acts.
 *
 * A function gives a wheel a floor, above the driver's pressure: the pump builds it up, as fast as
 * it can. Others give upper bounds. The highest floor counts, then the lowest bound: no floor gets
 * past slip control. When the last bound goes, the pressure is led back. */
#ifndef SKIDPAD_ECU_PRESSURE_H
#define SKIDPAD_ECU_PRESSURE_H

#include "target/ecu/car.h"

struct pressure_params {
    double slew_Paps;   /* no faster than the valves are */
    double return_Paps; /* back to the driver's pressure */
    double build_Paps;  /* the pump: above the driver's pressure */
    double fall_Paps;   /* and back to it once no floor is left */
};

struct pressure {
    double request_Pa[ECU_WHEELS];
    double before_Pa[ECU_WHEELS]; /* of the cycle before */
    double brake_Pa[ECU_WHEELS];  /* modelled */
    uint32_t returning;           /* bit i: wheel i is being led back */
    uint32_t reserved;
};

void pressure_step(const struct pressure_params *p, const struct car_params *car,
                   const double floor_Pa[ECU_WHEELS], const double bound_Pa[ECU_WHEELS],
                   double driver_Pa, struct pressure *s);

/* Deceleration that the modelled pressures make, if every wheel rolls. */
double pressure_decel_mps2(const struct car_params *car, const struct pressure *s);

#endif
