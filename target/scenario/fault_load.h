/* The `faults:` list of a bench file, docs/faults.md. */
#ifndef SKIDPAD_SCENARIO_FAULT_LOAD_H
#define SKIDPAD_SCENARIO_FAULT_LOAD_H

#include "shared/config/config.h"
#include "target/scenario/fault.h"

/* Whoever owns the buses reads what is special to a frame fault: called with the entry and the
 * number of the frame fault, from 0; complains into the document. NULL: there is no bus. */
struct fault_frames {
    void (*load)(void *owner, const struct cfg_node *entry, int index);
    void *owner;
};

/* Complaints go into the document of root. */
void fault_load(const struct cfg_node *root, const struct fault_frames *frames,
                struct fault_set *set);

#endif
