/* `weather` of a road or one of its areas: dry, wet, snow, ice. */
#ifndef SKIDPAD_ROAD_WEATHER_LOAD_H
#define SKIDPAD_ROAD_WEATHER_LOAD_H

#include "shared/config/config.h"
#include "target/model/ground.h"

/* Leaves *weather alone without such a key. Returns the share of friction of *weather. */
double weather_load(const struct cfg_node *map, int32_t *weather);

#endif
