/* `contact` of a vehicle file; docs/vehicle-file.md. */
#ifndef SKIDPAD_MODEL_CONTACT_LOAD_H
#define SKIDPAD_MODEL_CONTACT_LOAD_H

#include "shared/config/config.h"
#include "target/model/contact.h"

/* map may be NULL: the point under the wheel's centre. */
void contact_load(const struct cfg_node *map, struct contact_model *c);

#endif
