/* A changed set-up on a car that is being loaded. */
#ifndef SKIDPAD_LUMPED15_SETUP_LOAD_H
#define SKIDPAD_LUMPED15_SETUP_LOAD_H

#include "shared/wire/setup.h"
#include "target/model/lumped15/lumped15.h"

/* Between the axles as the file has them and what follows from them: springs are then set for the
 * same height at rest, unless the file gives their free length. */
void setup_load(const struct setup *s, struct lumped15_model *m);

#endif
