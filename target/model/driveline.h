/* Engine, clutch, gearbox with a shift schedule, and which wheels they drive. Only the commands
 * and maps are here; the speeds are solved in spin.c together with the brakes. */
#ifndef SKIDPAD_MODEL_DRIVELINE_H
#define SKIDPAD_MODEL_DRIVELINE_H

#include "target/model/plant.h"
#include "target/model/state_info.h"

enum { ENGINE_SPEEDS_MAX = 32, ENGINE_PEDALS_MAX = 12, GEARS_MAX = 10 };
enum clutch_kind { CLUTCH_AUTOMATIC, CLUTCH_PEDAL, CLUTCH_LOCKED };

struct driveline_model {
    int32_t present; /* 0: no engine; wheels are driven by plant_in.wheel_torque_Nm only */
    int32_t clutch;  /* enum clutch_kind */
    int32_t speeds, pedals, gears;
    int32_t reserved;
    double speed_radps[ENGINE_SPEEDS_MAX]; /* grid of the torque map */
    double pedal[ENGINE_PEDALS_MAX];
    double torque_Nm[ENGINE_SPEEDS_MAX][ENGINE_PEDALS_MAX];
    double inertia_kgm2;    /* engine and everything before the gearbox */
    double idle_radps;      /* the governor holds this speed */
    double idle_gain_Nmspr; /* torque per rad/s below idle */
    double idle_max_Nm;
    double stall_radps;                         /* below it the engine gives no torque */
    double limit_radps;                         /* above it the fuel is cut */
    double clutch_Nm;                           /* capacity when fully engaged */
    double engage_low_radps, engage_high_radps; /* automatic clutch: bites .. fully engaged */
    double ratio[GEARS_MAX];         /* gear i + 1, times the final drive; engine over wheels */
    double reverse_ratio;            /* positive */
    double share[WHEELS];            /* of the torque, sums to 1: open differentials */
    double lock_Nm[2];               /* friction between left and right: front, rear; 0 is open */
    double up_radps[GEARS_MAX][2];   /* shift up above: at pedal 0 and 1 */
    double down_radps[GEARS_MAX][2]; /* shift down below */
    double request_lag_s;            /* first order: requests of a unit to torque */
    double shift_s;                  /* clutch open for so long */
    double shift_rest_s;             /* no further shift for so long */
};

/* A request of a unit that the engine follows, or whose end it follows. */
enum { DRIVELINE_CAP = 1, DRIVELINE_FLOOR = 2 };

struct driveline_state {
    double engine_radps;
    double clutch_Nm;    /* torque carried in the last step */
    double shift_left_s; /* > 0 while shifting */
    double rest_left_s;
    double cap_Nm, floor_Nm; /* what requests leave; with their bits, else 0 */
    int32_t gear;            /* engaged, or being engaged */
    uint32_t requests;       /* DRIVELINE_* */
};

/* Its entries in the table of a model that has it as this member (state_info.h). */
#define DRIVELINE_STATES(of, at)                                                                   \
    STATE(of, at.engine_radps, f64, ONE, SPEED, "rad/s", 10.0),                                    \
        STATE(of, at.clutch_Nm, f64, ONE, MEMORY, "Nm", 10.0),                                     \
        STATE(of, at.shift_left_s, f64, ONE, MEMORY, "s", 0.1),                                    \
        STATE(of, at.rest_left_s, f64, ONE, MEMORY, "s", 0.1),                                     \
        STATE(of, at.cap_Nm, f64, ONE, MEMORY, "Nm", 10.0),                                        \
        STATE(of, at.floor_Nm, f64, ONE, MEMORY, "Nm", 10.0),                                      \
        STATE(of, at.gear, i32, ONE, MEMORY, "1", 1.0),                                            \
        STATE(of, at.requests, u32, ONE, MEMORY, "1", 1.0)

/* What acts during the next step. */
struct driveline_now {
    double engine_Nm;
    double clutch_capacity_Nm;
    double gear[WHEELS]; /* engine speed per wheel speed */
};

/* Torque that the engine gives for a pedal, without requests, and the least and most it could. */
struct driveline_torque {
    double driver_Nm, least_Nm, most_Nm;
};

/* Advances shifting, clutch and the engine's answer to requests; once a step. */
void driveline_shift(const struct driveline_model *m, struct driveline_state *s,
                     const struct plant_in *in, double dt_s);
/* Torque, capacity and gears for this state and input. */
void driveline_now(const struct driveline_model *m, const struct driveline_state *s,
                   const struct plant_in *in, struct driveline_now *now);
/* Engine torque of the map with idle, stall and limiter. */
double driveline_engine_Nm(const struct driveline_model *m, double speed_radps, double pedal);
/* For the pedal, which does not reach the engine while the gearbox shifts. */
struct driveline_torque driveline_torque(const struct driveline_model *m,
                                         const struct driveline_state *s, double pedal);
/* The engine and gear that suit a speed, for the start of a run. */
void driveline_start(const struct driveline_model *m, struct driveline_state *s, int32_t gear,
                     const double wheel_radps[WHEELS]);

#endif
