/* The car with 15 degrees of freedom: body 6, wheel travel 4, wheel spin 4, rack 1; with torque
 * input the hand wheel is the sixteenth. Equations: docs/model.md.
 *
 * Generalised speeds: velocity of the body origin (kept in world axes, so that free flight keeps
 * its momentum), angular velocity in body axes, travel rates, rack rate, and each wheel's absolute
 * spin about its axis. The last choice takes wheel spin out of the mass matrix, docs/model.md
 * (M-3). */
#ifndef SKIDPAD_LUMPED15_LUMPED15_H
#define SKIDPAD_LUMPED15_LUMPED15_H

#include "target/model/brakes.h"
#include "target/model/chassis.h"
#include "target/model/model.h"
#include "target/model/spin.h"

enum { LUMPED15_SUBSTEPS_MAX = 200 };

struct lumped15_model {
    double gravity_mps2;
    double sprung_kg;
    struct vec3 sprung_cg_m; /* body frame */
    double inertia_kgm2[6];  /* sprung body about its centre of gravity, plus the wheels'
                                transverse inertia: xx yy zz xy xz yz (products as in the tensor) */
    struct axle_model axle[AXLES];
    double unsprung_kg[WHEELS]; /* of each wheel: tyre, rim, hub, carrier, share of the links */
    double wheel_kgm2[WHEELS];  /* spin inertia */
    double bar_Npm[WHEELS];     /* anti-roll bar: force at each wheel per travel difference */
    struct tyre_set tyres;
    struct tyre_set weather_tyres[GROUND_WEATHERS]; /* forces there; that of dry is not used */
    uint32_t weathers; /* bit of each that has a set of its own; 0: none */
    double inflation_Pa[WHEELS];
    struct contact_model contact;
    struct brake_model brake;
    struct hydraulics_model hydraulics; /* off: brake alone makes the pressures */
    struct driveline_model driveline;
    struct steering_model steering;
    struct aero_model aero;
    struct hull_model hull;
    struct slip_model slip;
    int integrator; /* enum model_integrator */
    int substeps;   /* fixed at load */
    /* Derived at load. */
    double total_kg;
    struct vec3 cg_m;     /* whole car at travel 0, body frame: the point of plant_out */
    double body_mass[28]; /* lower triangle of the sprung body's mass matrix (with the rack) */
};

/* What the last step saw; for outputs only. */
struct lumped15_seen {
    double acc_mps2[3], rate_acc_radps2[3]; /* of the body origin, inertial, body axes */
    double load_N[WHEELS], long_N[WHEELS], lat_N[WHEELS], align_Nm[WHEELS];
    double kappa[WHEELS], tan_alpha[WHEELS], friction[WHEELS];
    double brake_Nm[WHEELS], drive_Nm[WHEELS];
    double spring_N[WHEELS], damper_N[WHEELS];
    double column_Nm, engine_Nm, clutch_Nm, drag_N;
    double throttle, brake_pedal;
    struct brakes_seen brakes;
    double normal[3];                         /* of the ground under the car, world */
    double hub_m[WHEELS][3], axis[WHEELS][3]; /* body axes */
    double toe_rad[WHEELS], camber_rad[WHEELS], carrier_radps[WHEELS];
};

struct lumped15_state {
    double time_s;
    double pos_m[3];      /* body origin, world */
    double quat[4];       /* body to world */
    double vel_mps[3];    /* body origin, world axes */
    double rate_radps[3]; /* body axes */
    double travel_m[WHEELS], travel_mps[WHEELS];
    double rack_m, rack_mps;
    double spin_radps[WHEELS]; /* absolute, about the wheel's axis, forwards positive */
    double slip_x_m[WHEELS], slip_y_m[WHEELS]; /* tyre deflections, docs/model.md (C-6) */
    double angle_rad[WHEELS];                  /* wheel against carrier, not wrapped */
    double hand_rad, hand_radps;
    double pressure_Pa[WHEELS];
    double friction_Nm[SPIN_ELEMENTS]; /* brakes and clutch, first guess of the next step */
    struct driveline_state driveline;
    struct lumped15_seen seen;
    struct hydraulics_state hydraulics; /* zero where the car has none */
    uint64_t ticks;                     /* steps made */
    uint32_t locked, airborne, fault, reserved;
};

/* The numbers of the motion: from pos_m to pressure_Pa, without a gap. */
enum {
    LUMPED15_MOTION =
        (offsetof(struct lumped15_state, friction_Nm) - offsetof(struct lumped15_state, pos_m)) /
        sizeof(double)
};

static inline double *lumped15_motion(struct lumped15_state *s)
{
    return (double *)(void *)((char *)s + offsetof(struct lumped15_state, pos_m));
}

extern const struct model_ops lumped15_ops;

/* What the table calls; a step needs no scratch. */
void lumped15_reset(const struct lumped15_model *m, struct lumped15_state *s,
                    const struct plant_start *start, const struct ground *ground);
void lumped15_step(const struct lumped15_model *m, struct lumped15_state *s,
                   const struct plant_in *in, const struct ground *ground, double dt_s);
void lumped15_facts(const void *model, struct car_facts *facts);
/* Its states by name, those of the hydraulics only where the car has them. */
const struct state_table *lumped15_states(const void *model);

/* Kinetic, gravity and elastic energy; of springs, stops, bars, tyres (vertical), column. For
 * tests of the equations, not for the step. */
double lumped15_energy_J(const struct lumped15_model *m, const struct lumped15_state *s,
                         const struct ground *ground);
/* Linear momentum (world axes) and angular momentum about the world's origin. */
void lumped15_momentum(const struct lumped15_model *m, const struct lumped15_state *s,
                       double linear[3], double angular[3]);

#endif
