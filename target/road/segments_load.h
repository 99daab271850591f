/* Roads from YAML: a file of its own (kind: road) or a mapping with the same keys in a scenario;
 * docs/road.md has the keys. */
#ifndef SKIDPAD_ROAD_SEGMENTS_LOAD_H
#define SKIDPAD_ROAD_SEGMENTS_LOAD_H

#include "shared/config/config.h"
#include "target/road/segments.h"

/* Reads and checks a file. Returns 0 or a negative errno. *doc holds the messages and is closed by
 * the caller (NULL if memory ran out). *out is freed with segments_free(); NULL on failure. */
int segments_load(const char *path, struct segments **out, struct cfg_doc **doc);

/* The same from a mapping of a document; NULL after a mistake, which became one of its messages. */
struct segments *segments_load_map(const struct cfg_node *map, const struct cfg_doc *doc);

void segments_free(struct segments *r);

#endif
