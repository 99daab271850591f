/* What goes into a car in a tick and what comes out of it, whatever its model (model.h).
 *
 * Axes are ISO 8855 (x forward, y left, z up), SI units, angles in rad. Wheels in the order of
 * wheels.h. */
#ifndef SKIDPAD_MODEL_PLANT_H
#define SKIDPAD_MODEL_PLANT_H

#include "target/model/ground.h"
#include "target/model/wheels.h"

#include <stddef.h>
#include <stdint.h>

enum plant_steer { PLANT_STEER_ANGLE, PLANT_STEER_TORQUE };

/* What makes the brake pressures. */
enum plant_brake {
    PLANT_BRAKE_PEDAL,     /* the pedal; valves at rest where the car has hydraulics */
    PLANT_BRAKE_PRESSURES, /* wheel_pressure_Pa are asked for; no hydraulics */
    PLANT_BRAKE_VALVES     /* pedal, valves and pump; needs a car with hydraulics */
};

/* The two circuits of the tandem master cylinder: of its first and its second piston. */
enum { CIRCUIT_1, CIRCUIT_2, CIRCUITS };

/* Faults of the hydraulics, bits of plant_in.hydraulic_fault. A valve that is stuck both ways is
 * stuck closed. */
enum {
    PLANT_INLET_OPEN = 1 << 0, /* shifted by the wheel */
    PLANT_INLET_CLOSED = 1 << 4,
    PLANT_OUTLET_OPEN = 1 << 8,
    PLANT_OUTLET_CLOSED = 1 << 12,
    PLANT_SEPARATION_OPEN = 1 << 16, /* shifted by the circuit */
    PLANT_SEPARATION_CLOSED = 1 << 18,
    PLANT_PRIME_OPEN = 1 << 20,
    PLANT_PRIME_CLOSED = 1 << 22,
    PLANT_PUMP_DEAD = 1 << 24
};
enum { PLANT_GEAR_AUTO = 100, PLANT_GEAR_REVERSE = -1, PLANT_GEAR_NEUTRAL = 0 };

/* Currents of the unit's coils as shares of full, 0..1. With 0 a valve is at rest: inlet and
 * separation valves are open, outlet and prime valves closed. */
struct plant_valves {
    double inlet[WHEELS], outlet[WHEELS];
    double separation[CIRCUITS], prime[CIRCUITS];
    double pump; /* voltage of its motor as a share of full */
};

/* Leaks as shares of the wheel's inlet valve, fully open; of a line: of the larger of the two. */
struct plant_leak {
    double wheel[WHEELS];     /* calipers */
    double circuit[CIRCUITS]; /* lines between separation and inlet valves */
};

/* Everything that reaches the plant in a tick. Recording every plant_in replays a run. */
struct plant_in {
    double hand_wheel_rad;            /* used with PLANT_STEER_ANGLE; positive turns left */
    double hand_wheel_Nm;             /* used with PLANT_STEER_TORQUE */
    double throttle;                  /* 0..1 */
    double brake_pedal;               /* 0..1 */
    double clutch_pedal;              /* 0 engaged .. 1 open */
    double wheel_torque_Nm[WHEELS];   /* drive torque on each wheel, on top of the driveline's */
    double wheel_pressure_Pa[WHEELS]; /* with PLANT_BRAKE_PRESSURES, but for pressure_driver */
    struct plant_valves valves;       /* with PLANT_BRAKE_VALVES */
    struct plant_leak leak;
    double slow_Paps[WHEELS]; /* > 0: the pressure of the wheel changes no faster than this */
    double wind_mps[3];       /* wind velocity, world axes */
    double push_N[3];         /* force on the body at its centre of gravity, world axes */
    double engine_limit_Nm;   /* with engine_limit: the engine gives not more */
    double engine_raise_Nm;   /* with engine_raise: not less; the limit goes first */
    int32_t gear;             /* -1, 0, 1.., or PLANT_GEAR_AUTO */
    int32_t steer;            /* enum plant_steer */
    int32_t brake;            /* enum plant_brake */
    uint32_t hydraulic_fault; /* PLANT_INLET_OPEN << FL, ... */
    uint32_t hold; /* bit i: the pressure of wheel i stays as it is, nothing flows there */
    uint32_t pressure_driver; /* bit i: PLANT_BRAKE_PRESSURES leaves wheel i to the pedal */
    int32_t engine_limit, engine_raise; /* 1: a unit asks the engine for it */
};

/* Where a run begins. The plant settles suspension and tyres by itself. */
struct plant_start {
    double x_m, y_m, yaw_rad;
    double speed_mps; /* along the car's x; wheels roll freely at it; negative is backwards */
    int32_t gear;
    int32_t reserved;
};

/* Reasons why a state can no longer be trusted: not finite, or beyond anything that a car does;
 * beyond what the model knows, which ends where a side or an axle of the car leaves the ground. */
enum { PLANT_FAULT_NONFINITE = 1, PLANT_FAULT_LIFTED = 2 };

/* What the car does at the end of a step. */
struct plant_out {
    double time_s;
    double pos_m[3]; /* whole car's centre of gravity at rest (a body-fixed point), world */
    double quat[4];  /* body to world, w first */
    double yaw_rad, pitch_rad, roll_rad; /* Rz(yaw) Ry(pitch) Rx(roll); pitch > 0 nose down */
    double vel_mps[3];                   /* of that point, body axes */
    double rate_radps[3];                /* angular velocity, body axes */
    double acc_mps2[3];        /* acceleration of that point, body axes, gravity not included */
    double rate_acc_radps2[3]; /* angular acceleration, body axes */
    double sideslip_rad;
    double level_acc_mps2[2]; /* forward and left in the ground-projected frame */
    double cg_body_m[3];      /* that point in the body frame, for sensors at other points */

    double travel_m[WHEELS], travel_mps[WHEELS];  /* positive in bump */
    double hub_m[WHEELS][3];                      /* wheel centres, world */
    double wheel_axis[WHEELS][3];                 /* spin axes, world, pointing left */
    double steer_rad[WHEELS], camber_rad[WHEELS]; /* wheel's toe and inclination to the body */
    double spin_radps[WHEELS];                    /* relative to the carrier, positive forwards */
    double angle_rad[WHEELS]; /* integral of spin_radps: what a tooth counter sees */
    double load_N[WHEELS];    /* tyre forces in contact axes (ISO-W) */
    double long_N[WHEELS], lat_N[WHEELS], align_Nm[WHEELS];
    double kappa[WHEELS], alpha_rad[WHEELS]; /* lagged slips that made the forces */
    double friction[WHEELS];                 /* of the ground under the wheel */
    double brake_Nm[WHEELS], drive_Nm[WHEELS];
    double pressure_Pa[WHEELS];
    double spring_N[WHEELS], damper_N[WHEELS];

    double rack_m, rack_mps;
    double hand_wheel_rad, hand_wheel_radps, hand_wheel_Nm; /* Nm: reaction felt by the driver */
    double master_Pa;                                       /* of circuit 1; what its sensor sees */
    double circuit_master_Pa[CIRCUITS];                     /* both alike without hydraulics */
    double pedal_m, pedal_N;         /* travel and force at the pad; 0 without hydraulics */
    double accumulator_m3[CIRCUITS]; /* filling of the low-pressure accumulators */
    double pump_m3ps[CIRCUITS];      /* delivery */
    double engine_radps, engine_Nm, clutch_Nm;
    double engine_driver_Nm; /* what the pedal asks for, without requests of a unit */
    double engine_least_Nm, engine_most_Nm; /* what the engine can give at this speed */
    double throttle, brake_pedal;
    double aero_drag_N;
    int32_t gear;
    uint32_t locked;   /* bit i: wheel i is held by its brake */
    uint32_t airborne; /* bit i: wheel i has no load */
    uint32_t fault;    /* PLANT_FAULT_* */
};

#endif
