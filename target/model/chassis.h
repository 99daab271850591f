/* A car as its vehicle file describes it, before a model takes what it needs of it.
 *
 * Filled by chassis_load(); nothing in a step reads it. Vectors are in the body frame. */
#ifndef SKIDPAD_MODEL_CHASSIS_H
#define SKIDPAD_MODEL_CHASSIS_H

#include "target/model/aero.h"
#include "target/model/brake.h"
#include "target/model/contact.h"
#include "target/model/driveline.h"
#include "target/model/hull.h"
#include "target/model/hydraulics.h"
#include "target/model/kinematics.h"
#include "target/model/math/table1.h"
#include "target/model/slip.h"
#include "target/model/steering.h"
#include "target/model/tyre/tyre.h"

struct axle_model {
    struct kinematics_model kin;
    struct table1 spring_N; /* over compression, free length minus length */
    double spring_free_m;
    struct table1 damper_N;  /* over compression speed; resists */
    struct table1 bump_N;    /* over travel: presses the wheel down, >= 0 */
    struct table1 rebound_N; /* over minus travel: pulls the wheel up, >= 0 */
};

struct chassis {
    double gravity_mps2;
    double sprung_kg;
    struct vec3 sprung_cg_m;
    double inertia_kgm2[6]; /* sprung body about its centre of gravity, plus the wheels'
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
    struct steering_model steering; /* with the wheels' inertia about the steering axis */
    struct aero_model aero;
    struct hull_model hull;
    struct slip_model slip;
    int integrator; /* enum model_integrator */
    double total_kg;
    struct vec3 cg_m; /* whole car at travel 0 */
};

#endif
