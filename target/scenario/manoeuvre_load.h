/* Phases, driver and cones of a scenario file; keys in docs/scenario-file.md. */
#ifndef SKIDPAD_SCENARIO_MANOEUVRE_LOAD_H
#define SKIDPAD_SCENARIO_MANOEUVRE_LOAD_H

#include "shared/config/config.h"
#include "target/road/road_load.h"
#include "target/scenario/manoeuvre.h"

/* root is the scenario; road is its road, empty if it has a plane. Mistakes become messages of the
 * document. */
void manoeuvre_load(const struct cfg_node *root, const struct road *road, struct manoeuvre *m);
void manoeuvre_free(struct manoeuvre *m);

#endif
