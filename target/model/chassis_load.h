/* A vehicle file without its name and sensors: what all models of a car have in common. */
#ifndef SKIDPAD_MODEL_CHASSIS_LOAD_H
#define SKIDPAD_MODEL_CHASSIS_LOAD_H

#include "shared/config/config.h"
#include "shared/wire/setup.h"
#include "target/model/chassis.h"

/* Reads body, axles and so on from the root of a vehicle file, with the set-up changed so. Mistakes
 * become messages: only a car of a document without any can be used. Ended by free(); NULL if
 * memory ran out. */
struct chassis *chassis_load(const struct cfg_node *root, const struct setup *setup);

#endif
