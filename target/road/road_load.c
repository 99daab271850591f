#include "target/road/road_load.h"

#include <errno.h>
#include <string.h>

bool road_is_described(const struct cfg_node *map)
{
    return cfg_has(map, "segments") || cfg_has(map, "points") || cfg_has(map, "crg");
}

void road_load_map(const struct cfg_node *map, const struct cfg_doc *doc, struct road *out)
{
    *out = (struct road){0};
    if (cfg_has(map, "crg"))
        out->crg = crg_load_map(map, doc);
    else
        out->segments = segments_load_map(map, doc);
    if (!cfg_ok(doc))
        road_free(out);
}

int road_load(const char *path, struct road *out, struct cfg_doc **doc)
{
    char name[SEGMENTS_NAME] = "";
    *out = (struct road){0};
    int bad = cfg_open(path, doc);
    if (bad)
        return bad;
    const struct cfg_node *root = cfg_root(*doc);
    if (!cfg_kind(root, "road"))
        return -EINVAL;
    cfg_string(root, "name", name, sizeof name);
    road_load_map(root, *doc, out);
    if (out->segments)
        memcpy(out->segments->name, name, sizeof name);
    return out->segments || out->crg ? 0 : -EINVAL;
}

int segments_load(const char *path, struct segments **out, struct cfg_doc **doc)
{
    struct road r;
    int bad = road_load(path, &r, doc);
    *out = r.segments;
    if (!bad && !r.segments) {
        cfg_complain(cfg_root(*doc), "crg", "a road by segments or points is needed here");
        bad = -EINVAL;
    }
    crg_free(r.crg);
    return bad;
}

static void segments_set_weather(struct segments *s, int32_t weather, double ratio)
{
    struct segments_strip *strip = (struct segments_strip *)s->strip; /* ours, as the areas are */
    struct segments_area *area = (struct segments_area *)s->area;
    for (int32_t i = 0; i < s->strips; i++) {
        if (strip[i].area >= 0 && area[strip[i].area].has_own_weather)
            continue;
        strip[i].weather = (int16_t)weather;
        strip[i].friction[0] *= ratio;
        strip[i].friction[1] *= ratio;
    }
    for (int32_t i = 0; i < s->areas; i++) {
        if (area[i].has_own_weather)
            continue;
        area[i].weather = weather;
        area[i].friction[0] *= ratio;
        area[i].friction[1] *= ratio;
    }
    s->weather = weather;
    s->friction *= ratio;
    s->friction_beside *= ratio;
}

void road_set_weather(struct road *r, int32_t weather)
{
    int32_t before = r->crg ? r->crg->weather : r->segments->weather;
    double ratio = ground_weather_friction[weather] / ground_weather_friction[before];
    if (!r->crg) {
        segments_set_weather(r->segments, weather, ratio);
    } else {
        r->crg->weather = weather;
        r->crg->friction *= ratio;
        r->crg->friction_beside *= ratio;
    }
}

struct ground road_ground(const struct road *r)
{
    return r->crg ? crg_ground(r->crg) : segments_ground(r->segments);
}

void road_free(struct road *r)
{
    segments_free(r->segments);
    crg_free(r->crg);
    *r = (struct road){0};
}
