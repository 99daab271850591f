/* The part of a description that pictures the surroundings; private to describe.c. */
#ifndef SKIDPAD_TARGET_DESCRIBE_SCENE_H
#define SKIDPAD_TARGET_DESCRIBE_SCENE_H

#include "shared/base/json_write.h"
#include "target/offline.h"

void describe_scene(struct json_writer *w, const struct offline *car);

#endif
