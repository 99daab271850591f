/* Hydraulics of the service brake: pedal, booster, tandem master cylinder, the valves, pump and
 * accumulators of an ABS/ESP unit, lines and calipers. docs/hydraulics.md numbers the equations.
 *
 *                        reservoir
 *      pedal, booster       | port, refill
 *      piston 1, piston 2  master ------ prime ------.
 *                           | separation             |
 *                          line <------ pump <-------+---- accumulator
 *                           | inlet (and check)               |
 *                         caliper --------- outlet -----------'
 *
 * The states are volumes: what a flow takes from one place it gives to another, so that the fluid
 * is conserved whatever the step. A step is linearly implicit with conductances from its start:
 * stable at any step, because pressures can only move towards those of their neighbours. */
#ifndef SKIDPAD_MODEL_HYDRAULICS_H
#define SKIDPAD_MODEL_HYDRAULICS_H

#include "target/model/plant.h"
#include "target/model/state_info.h"

enum hydraulics_split { HYDRAULICS_DIAGONAL, HYDRAULICS_FRONT_REAR };

/* A valve: flow at full opening, and how fast the opening follows the current. */
struct hydraulics_valve {
    double flow;        /* q / sqrt(pressure drop), m3/s/sqrt(Pa) */
    double on_s, off_s; /* first order: towards the current, and back to rest */
};

struct hydraulics_model {
    int32_t on; /* 0: the car has none, the rest is 0 too */
    int32_t split;
    /* pedal and booster, (H-1) */
    double pedal_N; /* at pedal 1 */
    double pedal_ratio;
    double boost_from_N; /* force of the rod that moves the booster */
    double boost;        /* output over input */
    double assist_N;     /* most that the booster adds: the knee */
    double booster_s;    /* first order */
    /* master cylinder, (H-2) (H-3) */
    double piston_m2;
    double stroke_m[CIRCUITS]; /* of the gap between the pistons, and of the second piston */
    double spring_N[CIRCUITS]; /* of those springs at rest */
    double spring_Npm[CIRCUITS];
    double stop_Npm;     /* end stops */
    double damping_Nspm; /* of each piston, seals and foot together */
    double port_m;       /* travel that closes the port to the reservoir */
    double master_Papm3; /* stiffness of a chamber */
    /* flows at full opening, m3/s/sqrt(Pa), (H-4) to (H-6) */
    double port, refill;
    double separation_check, inlet_check[WHEELS];
    double lift_Pa;   /* that opens a check valve or a seal fully */
    double relief_Pa; /* the separation valve opens at this difference */
    struct hydraulics_valve separation, prime, inlet[WHEELS], outlet[WHEELS];
    double pipe[WHEELS]; /* of the pipe to each wheel */
    double vapour_Pa;    /* suction below ambient at which fluid boils */
    /* lines and calipers, (H-7) */
    double line_Papm3;
    double caliper_Papm3[WHEELS]; /* p = this V + that V^2 */
    double caliper_Papm6[WHEELS];
    /* accumulators, (H-8) */
    double accumulator_m3;
    double accumulator_Pa; /* to begin to fill */
    double accumulator_Papm3;
    double wall_Papm3; /* when empty or full */
    /* pump, (H-9) (H-10) */
    double pump_m3ps; /* of a circuit, without pressure at full voltage */
    double stall_Pa;  /* pressure of both circuits that stops the motor */
    double motor_s;
    double suction_m3; /* in the accumulator at which half the delivery is left */
    /* fluid, (H-11) */
    double fluid_degC;
    double viscosity_m2ps; /* at that temperature */
    double transition_Pa;  /* laminar below, turbulent above; at that temperature */
    /* derived at load */
    int32_t circuit[WHEELS];
    int32_t wheel[CIRCUITS][2];
};

struct hydraulics_state {
    double booster_N;
    double piston_m[CIRCUITS];
    double master_m3[CIRCUITS]; /* fluid in the chamber beyond its volume at rest */
    double line_m3[CIRCUITS];   /* beyond what fills it without pressure; the next likewise */
    double caliper_m3[WHEELS];
    double accumulator_m3[CIRCUITS];
    double separation[CIRCUITS], prime[CIRCUITS], inlet[WHEELS], outlet[WHEELS]; /* openings */
    double pump;                /* motor's speed as a share of its speed without load */
    double reservoir_m3;        /* gained since the start */
    double lost_m3;             /* through leaks since the start */
    double pump_m3ps[CIRCUITS]; /* in the last step, for outputs */
};

/* The continuous states: everything from the front to the reservoir. */
enum { HYDRAULICS_X = offsetof(struct hydraulics_state, lost_m3) / sizeof(double) + 1 };

/* Its entries in the table of a model that has it as this member (state_info.h): the continuous
 * ones, in their order in memory. */
#define HYDRAULICS_STATES(of, at)                                                                  \
    STATE(of, at.booster_N, f64, ONE, LAG, "N", 10.0),                                             \
        STATE(of, at.piston_m, f64, NUMBERED, LAG, "m", 1e-3),                                     \
        STATE(of, at.master_m3, f64, NUMBERED, LAG, "m3", 1e-7),                                   \
        STATE(of, at.line_m3, f64, NUMBERED, LAG, "m3", 1e-7),                                     \
        STATE(of, at.caliper_m3, f64, WHEELS, LAG, "m3", 1e-7),                                    \
        STATE(of, at.accumulator_m3, f64, NUMBERED, LAG, "m3", 1e-7),                              \
        STATE(of, at.separation, f64, NUMBERED, LAG, "1", 0.1),                                    \
        STATE(of, at.prime, f64, NUMBERED, LAG, "1", 0.1),                                         \
        STATE(of, at.inlet, f64, WHEELS, LAG, "1", 0.1),                                           \
        STATE(of, at.outlet, f64, WHEELS, LAG, "1", 0.1),                                          \
        STATE(of, at.pump, f64, ONE, LAG, "1", 0.1),                                               \
        STATE(of, at.reservoir_m3, f64, ONE, LAG, "m3", 1e-7),                                     \
        STATE(of, at.lost_m3, f64, ONE, LAG, "m3", 1e-7)

/* At rest: no pressure anywhere. */
void hydraulics_reset(const struct hydraulics_model *m, struct hydraulics_state *s);

/* One step; in->brake says whether the valves' currents count. */
void hydraulics_step(const struct hydraulics_model *m, struct hydraulics_state *s,
                     const struct plant_in *in, double dt_s);
/* Rates of the continuous states, in a state. */
void hydraulics_deriv(const struct hydraulics_model *m, const struct hydraulics_state *s,
                      const struct plant_in *in, struct hydraulics_state *rate);

void hydraulics_caliper_Pa(const struct hydraulics_model *m, const struct hydraulics_state *s,
                           double pressure_Pa[WHEELS]);
/* Calipers filled to these pressures, everything else at rest: where the pressures come from
 * outside, so that going on from there has no jump at the wheels. */
void hydraulics_fill(const struct hydraulics_model *m, struct hydraulics_state *s,
                     const double pressure_Pa[WHEELS]);
double hydraulics_master_Pa(const struct hydraulics_model *m, const struct hydraulics_state *s,
                            int circuit);
double hydraulics_line_Pa(const struct hydraulics_model *m, const struct hydraulics_state *s,
                          int circuit);
double hydraulics_accumulator_Pa(const struct hydraulics_model *m, const struct hydraulics_state *s,
                                 int circuit);
/* Force of the booster's output rod for a pedal held still, (H-1). */
double hydraulics_rod_N(const struct hydraulics_model *m, double pedal);
/* Pressure in the master cylinder for a pedal held still. */
double hydraulics_static_Pa(const struct hydraulics_model *m, double pedal);
/* Travel at the pad, and the force that it pushes back with. */
double hydraulics_pedal_m(const struct hydraulics_model *m, const struct hydraulics_state *s);
double hydraulics_pedal_N(const struct hydraulics_model *m, const struct hydraulics_state *s);
/* All fluid, the reservoir's and what has leaked included: constant. */
double hydraulics_volume_m3(const struct hydraulics_state *s);

#endif
