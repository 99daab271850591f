/* The stand-in ABS/ESP unit: one step is one cycle of 5 ms, from received values to pressures.
 *
 * Pure: params are const once loaded, the state is plain data without pointers, time comes in.
 * docs/ecu.md explains the functions. A step in the order of the data:
 *
 *     power        supply, ignition, zero points                           power.h
 *     frames       which sources can be trusted                            frames.h
 *     wheel speeds edges to speeds and accelerations                       wheel_speed.h
 *     reference    how fast the car goes                                   reference.h
 *     plausible    sensors against each other; faults; what is left to do  plausible.h, faults.h
 *     functions    stability, traction, assists: floors, engine torque     functions.h
 *                  upper bounds for the pressures: ABS, EBD                abs.h, ebd.h
 *     pressure     the highest floor, then the lowest bound counts         pressure.h
 *     valves       where the bench takes them: currents for the pressures  valves.h
 *     report       lamps, states, speeds */
#ifndef SKIDPAD_ECU_ECU_H
#define SKIDPAD_ECU_ECU_H

#include "target/ecu/abs.h"
#include "target/ecu/ebd.h"
#include "target/ecu/faults.h"
#include "target/ecu/frames.h"
#include "target/ecu/functions.h"
#include "target/ecu/plausible.h"
#include "target/ecu/power.h"
#include "target/ecu/valves.h"

#define ECU_CYCLE_NS INT64_C(5000000)

struct start_params {
    double frames_s;   /* all sources good for so long before the functions begin */
    double give_up_s;  /* a source without any frame by then is a fault */
    double lamp_s;     /* lamps are shown for so long */
    double braking_Pa; /* the driver brakes above this pressure, whatever the switch says */
};

struct ecu_params {
    struct car_params car;
    struct start_params start;
    struct power_params power;
    struct frames_params frames;
    struct wheel_speed_params wheel_speed;
    struct reference_params reference;
    struct plausible_params plausible;
    struct abs_params abs;
    struct yaw_delay_params yaw_delay;
    struct ebd_params ebd;
    struct functions_params functions;
    struct pressure_params pressure;
    struct valves_params valves;
};

struct ecu_state {
    struct power power;
    struct frames frames;
    struct wheel_speed wheel[ECU_WHEELS];
    struct reference reference;
    struct plausible plausible;
    struct faults faults;
    struct abs_state abs;
    struct ebd ebd;
    struct functions functions;
    struct pressure pressure;
    struct valves valves;
    double since_start_s, good_s;
    double driver_Pa; /* last trusted master pressure */
    uint32_t mode;    /* enum ecu_mode */
    uint32_t cycles;  /* since the start; wraps */
};

/* A mid-size car. */
void ecu_defaults(struct ecu_params *p);

/* As after switching on. */
void ecu_reset(struct ecu_state *s);

/* One cycle at t_ns, on the clock of received->source[].time_ns. */
void ecu_step(const struct ecu_params *p, struct ecu_state *s, const struct ecu_rx *received,
              struct ecu_tx *tx, int64_t t_ns);

#endif
