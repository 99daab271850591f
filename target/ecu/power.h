/* Supply and ignition: when the unit wakes, what it does before, between and after drives.
 *
 *     off         no ignition, after-run over: the unit sends nothing
 *     on          ignition: it starts, drives
 *     after-run   ignition just went: no control, frames go on, codes are stored, then off
 *
 * With the ignition on, at standstill: the zero points of yaw rate and lateral acceleration are
 * learned, and each valve is pulsed once. Above pump_mps in the first drive the pump runs once. */
#ifndef SKIDPAD_ECU_POWER_H
#define SKIDPAD_ECU_POWER_H

#include "target/ecu/ecu_io.h"

struct power_params {
    double low_V, high_V; /* the supply that control needs */
    double after_run_s;
    double zero_s;           /* standstill that the zero points need */
    double zero_yaw_radps;   /* most that is learned */
    double zero_acc_mps2;    /* the same; a bank beyond it is no offset */
    double steady_yaw_radps; /* spread of the yaw rate meanwhile, at most: nobody turns the car */
    double pulse_s;          /* of each valve */
    double pump_mps;         /* the pump is checked above this speed */
    double pump_s;
};

/* What the sensors say now, and whether it can be trusted. */
struct power_in {
    double yaw_rate_radps, acc_y_mps2; /* as received */
    double reference_mps;
    int sensors_good; /* both of them */
    int stands;       /* no wheel turns, and the wheels can be trusted */
    int braking;
    int works; /* the start is over: commands are taken */
};

struct power {
    double yaw_zero_radps, acc_y_zero_mps2; /* learned; kept over the ignition */
    double stood_s, yaw_sum, acc_y_sum;     /* of this standstill */
    double yaw_low_radps, yaw_high_radps;
    double since_off_s, pulsed_s, pumped_s;
    uint32_t state;        /* enum ecu_power */
    uint32_t zero_learned; /* times since the ignition came; wraps */
    uint32_t starts;       /* times the ignition came; wraps */
    uint32_t zero_total;   /* zero points learned since switching on; wraps */
    uint32_t pulses;       /* 1: a valve is pulsed in this cycle */
    uint32_t reserved;
};

/* Ignition; returns 1 in the cycle in which the unit (re)starts. */
int power_step(const struct power_params *p, double terminal, struct power *s);

/* Standstill, pulses, pump, in a cycle with the ignition on. */
void power_check(const struct power_params *p, const struct power_in *in, struct power *s);

/* Takes the learned zero points out of what was received. */
void power_correct(const struct power *s, struct ecu_rx *rx);

int power_valves_checked(const struct power_params *p, const struct power *s);
int power_pump_checked(const struct power_params *p, const struct power *s);

/* Valve that is pulsed now: 1 to 4 inlet valves, 5 to 8 outlet valves in the order of the wheels;
 * 0: none. */
int power_valve(const struct power_params *p, const struct power *s);
/* 1 while the pump runs for its check. */
int power_pump(const struct power_params *p, const struct power *s);

#endif
