/* The key `diagnosis` of a bench file, docs/diagnosis.md. Set-up only. */
#ifndef SKIDPAD_TARGET_DIAGNOSIS_LOAD_H
#define SKIDPAD_TARGET_DIAGNOSIS_LOAD_H

#include "shared/config/config.h"
#include "target/can_link.h"

/* After the buses of the link are loaded: identifiers come from the first bus whose unit has some,
 * unless the key gives them. `diagnosis: off`, or no identifiers anywhere: no tester. Complaints go
 * into the document. with_faults: the bench puts faults in; without `expect` the codes are then not
 * judged. */
void diagnosis_load(const struct cfg_node *root, struct can_link *link, bool with_faults);

#endif
