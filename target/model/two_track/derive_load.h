/* What a car in the plane has of a chassis. */
#ifndef SKIDPAD_TWO_TRACK_DERIVE_LOAD_H
#define SKIDPAD_TWO_TRACK_DERIVE_LOAD_H

#include "target/model/chassis.h"
#include "target/model/two_track/two_track.h"

/* NULL, or why no such car can be made of it. */
const char *two_track_derive(const struct chassis *c, struct two_track_model *m);

#endif
