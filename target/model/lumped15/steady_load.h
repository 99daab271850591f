/* Steady turns of lumped15, docs/steady.md. */
#ifndef SKIDPAD_LUMPED15_STEADY_LOAD_H
#define SKIDPAD_LUMPED15_STEADY_LOAD_H

#include "target/model/lumped15/lumped15.h"
#include "target/model/steady_load.h"

extern const struct steady_ops lumped15_steady;

#endif
