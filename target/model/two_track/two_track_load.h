/* The car of a vehicle file, in the plane. */
#ifndef SKIDPAD_TWO_TRACK_TWO_TRACK_LOAD_H
#define SKIDPAD_TWO_TRACK_TWO_TRACK_LOAD_H

#include "target/model/model_load.h"
#include "target/model/two_track/two_track.h"

extern const struct model_kind two_track_kind;

#endif
