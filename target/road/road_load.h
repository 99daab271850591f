/* Roads of their own file (kind: road): by segments or points, or a measured surface. */
#ifndef SKIDPAD_ROAD_ROAD_LOAD_H
#define SKIDPAD_ROAD_ROAD_LOAD_H

#include "target/road/crg_load.h"
#include "target/road/segments_load.h"

/* One of the two, owned. */
struct road {
    struct segments *segments;
    struct crg *crg;
};

/* Reads and checks a file. Returns 0 or a negative errno. *doc holds the messages and is closed by
 * the caller (NULL if memory ran out). */
int road_load(const char *path, struct road *out, struct cfg_doc **doc);
/* The same from a mapping of a document; mistakes become its messages. */
void road_load_map(const struct cfg_node *map, const struct cfg_doc *doc, struct road *out);

/* Whether a mapping describes such a road; a plane otherwise. */
bool road_is_described(const struct cfg_node *map);

/* Another weather than the file's, where no area has one of its own. */
void road_set_weather(struct road *r, int32_t weather);

struct ground road_ground(const struct road *r);
void road_free(struct road *r);

#endif
