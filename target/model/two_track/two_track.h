/* The car in the plane: place, heading and their speeds, four wheel spins, the rack; wheel loads
 * and body roll follow from the forces at once. Equations: docs/two-track.md.
 *
 * What it has in common with other models it shares with them: tyres and their deflections, brakes
 * with hydraulics, driveline, steering, air. It needs a ground that is a plane. */
#ifndef SKIDPAD_TWO_TRACK_TWO_TRACK_H
#define SKIDPAD_TWO_TRACK_TWO_TRACK_H

#include "target/model/brakes.h"
#include "target/model/driveline.h"
#include "target/model/hull.h"
#include "target/model/model.h"
#include "target/model/slip.h"
#include "target/model/spin.h"
#include "target/model/steering.h"
#include "target/model/tyre/tyre.h"

/* What the corners' maps give at the travel of rest, one lane a wheel, (P-4). */
enum {
    TRACK_HUB_X, /* m, body frame */
    TRACK_HUB_Y,
    TRACK_TOE,
    TRACK_CAMBER,
    TRACK_TOE_Z, /* per travel, rad/m */
    TRACK_CAMBER_Z,
    TRACK_HUB_XS, /* per rack; likewise the next */
    TRACK_HUB_YS,
    TRACK_HUB_ZS,
    TRACK_TOE_S,
    TRACK_CAMBER_S,
    TRACK_PITCH_S, /* of the carrier */
    TRACK_QUANTITIES
};

/* Over the rack, which is between -end and end; linear between the points and beyond. */
enum { TRACK_POINTS = 257 };
struct two_track_steer {
    double end_m, per_1pm; /* points per rack */
    double point[TRACK_POINTS][TRACK_QUANTITIES][WHEELS];
};

/* How an axle carries loads, docs/two-track.md (P-7) to (P-11). */
struct two_track_axle {
    double x_m;             /* of its hubs, from the centre of gravity */
    double per_half_1pm;    /* 2 / track */
    double geometric_m;     /* height of the roll centre: roll moment per lateral force */
    double unsprung_m;      /* the same per lateral force of the whole car: its wheels' inertia */
    double stiff_Nmprad;    /* springs and bar against roll */
    double tyre_1pNm;       /* roll of the axle on its tyres per roll moment */
    double give;            /* 1 / (1 + stiff_Nmprad tyre_1pNm) */
    double travel_mprad;    /* of the right wheel per roll of the suspension */
    double load_N;          /* at rest, both wheels */
    double rate_mpN;        /* travel of both wheels per force on both */
    double lift;            /* of the contact points per travel */
    double slide, unsprung; /* way of the hubs ahead per travel; their mass over the car's */
    double turn_1pm;        /* of the carriers about the wheels' axes, per travel */
    double squash_mpN;      /* of both tyres per load on both */
    double track_m;
};

struct two_track_model {
    double gravity_mps2;
    double total_kg, sprung_kg;
    double body_yaw_kgm2;    /* of the body about its centre of gravity */
    double yaw_kgm2;         /* of the whole car about its own */
    struct vec3 cg_m;        /* whole car at travel 0, body frame: the point of plant_out */
    struct vec3 sprung_cg_m; /* of the body */
    double height_m;         /* of the centre of gravity over the ground */
    double pitch_rad;        /* of the body at rest */
    double per_base_1pm;     /* 1 / wheelbase */
    struct two_track_axle axle[AXLES];
    double roll_radpNm; /* roll per moment that the springs have to carry */
    struct two_track_steer steer;
    double travel_m[AXLES];                      /* of rest */
    double hub_m[WHEELS][3];                     /* at travel 0, straight ahead, body frame */
    double place_x_m[WHEELS], place_y_m[WHEELS]; /* hubs at rest, from the centre of gravity */
    double wheel_kgm2[WHEELS];
    double inflation_Pa[WHEELS];
    struct tyre_set tyres;
    struct tyre_set weather_tyres[GROUND_WEATHERS];
    uint32_t weathers; /* bit of each that has a set of its own */
    uint32_t reserved;
    struct slip_model slip;
    struct brake_model brake;
    struct hydraulics_model hydraulics;
    struct driveline_model driveline;
    struct steering_model steering;
    struct aero_model aero;
    struct hull_model hull;
};

/* Forces of the last step that the loads of the next follow from. Body axes. */
struct two_track_carry {
    double along_N[AXLES], across_N[AXLES]; /* of the tyres of each axle */
    double brake_Nm[AXLES];                 /* of its brakes */
    double roll_Nm;                         /* tyres' moments about x */
};

/* What the last step saw; for outputs only. */
struct two_track_seen {
    double acc_mps2[2], yaw_radps2; /* of the centre of gravity, ahead and to the left */
    double roll_rad, pitch_rad;
    double load_N[WHEELS], long_N[WHEELS], lat_N[WHEELS], align_Nm[WHEELS];
    double kappa[WHEELS], tan_alpha[WHEELS], friction[WHEELS];
    double brake_Nm[WHEELS], drive_Nm[WHEELS];
    double travel_m[WHEELS], toe_rad[WHEELS], camber_rad[WHEELS];
    double hub_x_m[WHEELS], hub_y_m[WHEELS], hub_z_m[WHEELS]; /* from the foot, axes of the car */
    double axis_x[WHEELS], axis_y[WHEELS], axis_z[WHEELS];
    double normal[3], offset_m; /* the plane: normal . point = offset */
    double rack_mps, column_Nm, engine_Nm, clutch_Nm, drag_N;
    double throttle, brake_pedal;
    struct brakes_seen brakes;
};

struct two_track_state {
    double time_s;
    double pos_m[2];   /* foot of the centre of gravity on the plane: world x and y */
    double heading[2]; /* cosine and sine of half the yaw angle in the plane's axes, (P-1) */
    double vel_mps[2]; /* of the centre of gravity, the plane's axes */
    double yaw_radps;
    double rack_m;
    double spin_radps[WHEELS];
    double slip_x_m[WHEELS], slip_y_m[WHEELS]; /* tyre deflections, docs/model.md (C-6) */
    double angle_rad[WHEELS];
    double hand_rad, hand_radps;
    double pressure_Pa[WHEELS];
    double friction_Nm[SPIN_ELEMENTS];
    struct two_track_carry carry;
    struct driveline_state driveline;
    struct two_track_seen seen;
    struct hydraulics_state hydraulics; /* zero where the car has none */
    uint64_t ticks;
    uint32_t locked, airborne, fault, reserved;
};

/* The numbers of the motion: from pos_m to pressure_Pa, without a gap. */
enum {
    TWO_TRACK_MOTION =
        (offsetof(struct two_track_state, friction_Nm) - offsetof(struct two_track_state, pos_m)) /
        sizeof(double)
};

static inline double *two_track_motion(struct two_track_state *s)
{
    return (double *)(void *)((char *)s + offsetof(struct two_track_state, pos_m));
}

extern const struct model_ops two_track_ops;

void two_track_reset(const struct two_track_model *m, struct two_track_state *s,
                     const struct plant_start *start, const struct ground *ground);
void two_track_step(const struct two_track_model *m, struct two_track_state *s,
                    const struct plant_in *in, const struct ground *ground, double dt_s);
void two_track_facts(const void *model, struct car_facts *facts);
const struct state_table *two_track_states(const void *model);

#endif
