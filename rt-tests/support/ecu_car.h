/* A car with the stand-in unit, in lock-step and without a bus: every 5 ms the unit gets what the
 * sensors said some time ago, and its pressures act some time later through valves of limited
 * speed. Values go through the same counters as on the bus: edges modulo 256, clock in whole
 * microseconds modulo 65536; wheels every 5 ms, everything else every 10 ms. The engine follows the
 * unit's torque requests. */
#ifndef SKIDPAD_TESTS_ECU_CAR_H
#define SKIDPAD_TESTS_ECU_CAR_H

#include "rt-tests/support/lumped15_of.h"
#include "shared/can/uds_client.h"
#include "target/ecu/diag.h"
#include "target/ecu/ecu.h"
#include "target/scenario/object.h"
#include "target/vehicle/vehicle_load.h"

#include <stdbool.h>

enum { ECU_CAR_HISTORY = 64, ECU_CAR_CYCLE_TICKS = 5 };

/* A level road, its friction by place; bumps of a given height every so many metres. */
struct ecu_road {
    double left, right;          /* friction on both sides of y = 0 */
    double change_m;             /* from this x on ... */
    double left2, right2;        /* ... these; 0: no change */
    double bump_m, bump_every_m; /* sine of that amplitude and length; 0: smooth */
    double slope;                /* rise per way ahead; without bumps */
};

struct ecu_car {
    struct vehicle *vehicle;
    struct ecu_road road;
    struct ground ground;
    struct lumped15_state plant;
    struct sensors_state sensors;
    struct plant_in in; /* hand wheel, pedals and gear are the test's to set */
    struct plant_out out;
    struct sensors_out sense;
    struct object_model object; /* ahead of the car, if present */
    struct ecu_params params;
    struct ecu_state unit;
    struct ecu_rx rx;
    struct ecu_tx tx;
    struct diag diag; /* of the unit; no bus is needed to ask it */
    bool with_unit;
    int32_t gear;                        /* at the start; neutral unless changed before a reset */
    int delay_in_ticks, delay_out_ticks; /* of 1 ms */
    double valve_Paps;
    bool hydraulic; /* valves and pump act on the car's hydraulics, not pressures */
    /* May change what the unit receives, before each cycle. */
    void (*tamper)(struct ecu_car *car, struct ecu_rx *rx);
    /* May change the inputs of the plant, in each tick: an engine that does not follow. */
    void (*inputs)(struct ecu_car *car, struct plant_in *in);
    /* May change the pressures that act, in each tick. */
    void (*valves)(struct ecu_car *car, double pressure_Pa[WHEELS]);
    void *context;
    uint64_t tick;
    struct sensors_out past[ECU_CAR_HISTORY];
    struct plant_out past_out[ECU_CAR_HISTORY];
    struct ecu_tx sent[ECU_CAR_HISTORY];
    double valve_Pa[WHEELS];
};

/* config/vehicles/NAME.yaml with config/ecu/NAME.yaml, rolling straight on. The struct must stay
 * where it is. Fails the test with the loader's messages. */
void ecu_car_open(struct ecu_car *c, const char *name, double friction, double speed_mps);
/* The same by an interface of valves.h: with valves the unit's currents drive the car's hydraulics.
 */
void ecu_car_open_by(struct ecu_car *c, const char *name, double friction, double speed_mps,
                     int interface);
/* "pressures", "currents" or "pulses". */
const char *ecu_car_interface(int interface);
/* The same car again from the start, without loading. */
void ecu_car_reset(struct ecu_car *c, double speed_mps);
void ecu_car_close(struct ecu_car *c);

/* One tick of 1 ms. */
void ecu_car_step(struct ecu_car *c);
void ecu_car_for(struct ecu_car *c, double time_s);

/* The trouble codes that a tester reads, by frames, while the car stands still in time. */
int ecu_car_codes(struct ecu_car *c, struct uds_code *list, int room);

double ecu_car_time_s(const struct ecu_car *c);
/* Speed of a wheel over that of the car, less one; 0 below 0.5 m/s. */
double ecu_car_slip(const struct ecu_car *c, int wheel);

#endif
