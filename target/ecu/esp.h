/* Stability control: a wheel is braked on one side so that the car turns as it should.
 *
 * Turns it too much: the front wheel outside is braked, which also takes side force from the front.
 * Turns it too little: the rear wheel inside. With the driver's foot on the brake the pressure of
 * that wheel rises above the driver's, and the wheels that would work against it get less. */
#ifndef SKIDPAD_ECU_ESP_H
#define SKIDPAD_ECU_ESP_H

#include "target/ecu/car.h"
#include "target/ecu/motion.h"

struct esp_params {
    double start_mps;     /* acts above this speed */
    double over_radps;    /* yaw rate beyond the target that is let be, turning too much */
    double under_radps;   /* the same, turning too little */
    double share;         /* plus this share of the target */
    double split_radps;   /* plus this while ABS brakes on split friction: the driver steers
                             against the brakes, not into a turn */
    double skid_radps;    /* turning too much counts if the car turns so much faster than its
                             path, */
    double skid_rad;      /* or has this sideslip */
    double alone_s;       /* a yaw rate that nothing else shows counts no longer than this; */
    double proven_s;      /* and so long after it was shown while control acted: in a skid wheels
                             slide or are in the air */
    double over_1ps;      /* yaw acceleration asked for per yaw rate beyond */
    double under_1ps;     /* the same, turning too little */
    double sideslip_rad;  /* let be */
    double sideslip_1ps2; /* yaw acceleration per sideslip beyond */
    double least_radps2;  /* control begins with this demand */
    double end_s;         /* and ends after so long without any */
    double more_slip;     /* that ABS allows the braked wheel */
    double ready_Pa;      /* at the front wheel outside of the turn that the driver asks for, while
                             control acts: a pump needs long for the first of the fluid */
    double over_max_Pa;   /* pressure at the front wheel */
    double under_max_Pa;  /* at the rear wheel */
    double relief;        /* share of the driver's pressure that the other side loses at most */
    double relief_radps2; /* demand at which it loses that */
    double torque_1ps2;   /* share of the engine's torque that goes, per demand and second */
    double torque_back_1ps; /* and comes back */
};

struct esp_in {
    const struct motion *motion;
    double speed_mps, yaw_radps;
    double driver_Pa;
    int works; /* sensors are good and the car goes forwards */
    int braking;
    int split; /* ABS finds more grip on one side */
};

struct esp {
    double demand_radps2; /* yaw acceleration asked for; left positive */
    double quiet_s;       /* since there was a demand */
    double torque_share;  /* of the driver's torque that is left, 0..1 */
    uint32_t active;
    uint32_t over;   /* 1: turns too much */
    uint32_t proven; /* 1: something else showed the yaw rate since control began */
    uint32_t reserved;
};

/* What the functions ask of the brakes: at least, and at most. */
struct esp_out {
    double floor_Pa[ECU_WHEELS]; /* 0: nothing */
    double bound_Pa[ECU_WHEELS]; /* infinite: nothing */
    int wheel;                   /* that is braked; -1: none */
};

void esp_reset(struct esp *s);
void esp_step(const struct esp_params *p, const struct car_params *car, const struct esp_in *in,
              struct esp *s, struct esp_out *out);

#endif
