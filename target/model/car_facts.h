/* What drivers, scenarios, descriptions, charts and checks know of a car, whatever its model.
 *
 * Filled once by the model when it has its place; const from then on. The pointers lead into the
 * model and live as long as it does. */
#ifndef SKIDPAD_MODEL_CAR_FACTS_H
#define SKIDPAD_MODEL_CAR_FACTS_H

#include "target/model/aero.h"
#include "target/model/brake.h"
#include "target/model/driveline.h"
#include "target/model/hull.h"
#include "target/model/hydraulics.h"
#include "target/model/math/vec3.h"
#include "target/model/steering_inverse.h"
#include "target/model/tyre/tyre.h"

struct car_facts {
    double gravity_mps2;
    double total_kg, sprung_kg;
    double yaw_kgm2;         /* of the body about its centre of gravity */
    struct vec3 cg_m;        /* whole car at travel 0, body frame: the point of plant_out */
    double hub_m[WHEELS][3]; /* wheel centres at travel 0, straight ahead, body frame */
    double wheel_kgm2[WHEELS];
    double inflation_Pa[WHEELS];
    double pinion_mprad; /* rack per hand wheel */
    struct steering_inverse steering;
    const struct tyre_set *tyres;
    const struct driveline_model *driveline;
    const struct brake_model *brake;
    const struct hydraulics_model *hydraulics; /* never NULL; off: the car has none */
    const struct aero_model *aero;
    const struct hull_model *hull;
    int integrator, substeps; /* enum model_integrator */
};

#endif
