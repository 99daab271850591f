/* A changed set-up on a car that is being loaded. */
#ifndef SKIDPAD_MODEL_SETUP_LOAD_H
#define SKIDPAD_MODEL_SETUP_LOAD_H

#include "shared/wire/setup.h"
#include "target/model/chassis.h"

/* Between the axles as the file has them and what follows from them: springs are then set for the
 * same height at rest, unless the file gives their free length. */
void setup_load(const struct setup *s, struct chassis *c);

#endif
