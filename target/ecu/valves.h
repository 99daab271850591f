/* From the pressures that the functions ask for to currents of valves and pump, with a model of the
 * hydraulics that these currents drive. The last stage, after pressure.h; docs/ecu.md.
 *
 * The unit has no sensors at the wheels: it knows the master cylinder's pressure and its own
 * commands. The model fills and empties each caliper through its valves, and each accumulator; a
 * wheel that is open to the master cylinder comes to its pressure, which forgets old errors. */
#ifndef SKIDPAD_ECU_VALVES_H
#define SKIDPAD_ECU_VALVES_H

#include "target/ecu/car.h"

enum { ECU_CIRCUITS = 2 };

/* What the bench takes: pressures (this stage is off), currents in percent, or full current for a
 * part of each cycle. */
enum valves_interface { VALVES_OFF, VALVES_PERCENT, VALVES_PWM };

struct valves_params {
    int32_t interface;        /* enum valves_interface */
    int32_t front_rear;       /* circuits: 0 diagonal, 1 front and rear */
    double inlet[ECU_WHEELS]; /* flows at full opening, m3/s/sqrt(Pa) */
    double outlet[ECU_WHEELS];
    double caliper_Papm3[ECU_WHEELS], caliper_Papm6[ECU_WHEELS]; /* p = a V + b V^2 */
    double lag_s;                                                /* of the valves */
    double accumulator_m3, accumulator_Pa; /* what it holds, and its pressure */
    double pump_m3ps, stall_Pa; /* delivery of a circuit, and the pressure that ends it */
    double prime_share;         /* of the delivery that comes through the prime valve */
    double relief_Pa;           /* that a closed separation valve holds */
    double line_m3;             /* that a line takes in up to it */
    double dead_Pa;             /* differences that are left alone */
    double active_Pa;           /* so far above the driver's pressure the pump has to help */
};

struct valves {
    double caliper_m3[ECU_WHEELS], brake_Pa[ECU_WHEELS]; /* modelled */
    double low_m3[ECU_CIRCUITS];                         /* in the accumulators */
    double line_m3[ECU_CIRCUITS];                        /* left in a line by the pump */
    double inlet_open[ECU_WHEELS], outlet_open[ECU_WHEELS];
    double pump_speed;
    /* commands, 0..1: of the coils' currents */
    double inlet[ECU_WHEELS], outlet[ECU_WHEELS];
    double separation[ECU_CIRCUITS], prime[ECU_CIRCUITS], pump;
    uint32_t active; /* bit c: the pump builds up pressure in circuit c */
    uint32_t ready;  /* not 0: the model has begun */
};

/* A cycle: what the commands of the last one have done, then new ones for the pressures asked for.
 * With control 0 all valves are left at rest. */
void valves_step(const struct valves_params *p, const double request_Pa[ECU_WHEELS],
                 double driver_Pa, int control, struct valves *s);

/* The checks of power.h on top of it: a valve that is pulsed, 1 to 8 (0: none; left alone while its
 * brake has pressure), and the pump. */
void valves_check(struct valves *s, int valve, int pump);

/* What the valves have still to take out of a brake that is let go: modelled pressure above the
 * accumulator's; 0 where this stage is off. */
double valves_left_Pa(const struct valves_params *p, const struct valves *s, int wheel);

/* Mean delay of a pressure at all wheels that the pump has to make: half the time to fill the
 * circuit that takes most; 0 where this stage is off. */
double valves_build_s(const struct valves_params *p, double pressure_Pa);

/* How long a coil is on in a cycle, s: all of it, or its share with pulses of full current. */
double valves_on_s(const struct valves_params *p, double command);
/* The current that is sent with it. */
double valves_current(const struct valves_params *p, double command);

#endif
