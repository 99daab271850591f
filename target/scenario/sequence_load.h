/* The key `sequence` of a bench file, docs/diagnosis.md. Set-up only. */
#ifndef SKIDPAD_SCENARIO_SEQUENCE_LOAD_H
#define SKIDPAD_SCENARIO_SEQUENCE_LOAD_H

#include "shared/config/config.h"
#include "target/scenario/sequence.h"

/* Complaints go into the document. Without the key: the default. */
void sequence_load(const struct cfg_node *root, struct sequence *q);

#endif
