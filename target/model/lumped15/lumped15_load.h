/* The car of a vehicle file. */
#ifndef SKIDPAD_LUMPED15_LUMPED15_LOAD_H
#define SKIDPAD_LUMPED15_LUMPED15_LOAD_H

#include "shared/config/config.h"
#include "shared/wire/setup.h"
#include "target/model/lumped15/lumped15.h"
#include "target/model/model_load.h"

/* The car of chassis_load(), as this model has it. Returns 0 or -ENOMEM. */
int lumped15_load(const struct cfg_node *root, const struct setup *setup, struct lumped15_model *m);

extern const struct model_kind lumped15_kind;

#endif
