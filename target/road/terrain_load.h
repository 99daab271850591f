/* Makes the land around a road from the heights of its line. */
#ifndef SKIDPAD_ROAD_TERRAIN_LOAD_H
#define SKIDPAD_ROAD_TERRAIN_LOAD_H

#include "target/model/ground.h"
#include "target/road/curve.h"
#include "target/road/terrain.h"

/* ground is the road without land. Heights are means of those of the line, weighted by one over the
 * fourth power of the distance: near the road its own, between two stretches between theirs. None
 * is made if the road is level, but for a kerb's height, for 20 m to both sides. Returns 0 or
 * -ENOMEM; the caller calls terrain_free(). */
int terrain_build(const struct curve *line, const struct ground *ground, struct terrain *out);
void terrain_free(struct terrain *t);

#endif
