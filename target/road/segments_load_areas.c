/* Friction areas, bumps and cleats of a road file. */
#include "target/road/segments_load_plan.h"
#include "target/road/weather_load.h"

#include <errno.h>
#include <stdlib.h>

enum { AREAS_MAX = 10000 };
static const struct cfg_range friction_range = {0.01, 2.0, false, false};

/* A rectangle on the road. */
struct patch {
    double from_m, to_m, right_m, left_m;
};

static void patch_load(const struct cfg_node *n, double length_m, struct patch *p)
{
    *p = (struct patch){0.0, length_m, -PLAN_ASIDE_M, PLAN_ASIDE_M};
    cfg_double(n, "from_m", &p->from_m, CFG_BETWEEN(0.0, 1e6));
    cfg_double(n, "to_m", &p->to_m, CFG_BETWEEN(0.0, 1e6));
    cfg_double(n, "right_m", &p->right_m, CFG_BETWEEN(-PLAN_ASIDE_M, PLAN_ASIDE_M));
    cfg_double(n, "left_m", &p->left_m, CFG_BETWEEN(-PLAN_ASIDE_M, PLAN_ASIDE_M));
    if (!(p->to_m > p->from_m))
        cfg_complain(n, NULL, "must end behind its begin: from_m %g, to_m %g", p->from_m, p->to_m);
    if (!(p->left_m > p->right_m))
        cfg_complain(n, NULL,
                     "offsets count to the left: right_m %g must be below left_m %g (the centre "
                     "line is 0)",
                     p->right_m, p->left_m);
    if (p->to_m > length_m + 1e-6)
        cfg_complain(n, "to_m", "lies behind the end of the road at %.10g m", length_m);
}

static bool overlap(const struct patch *a, const struct patch *b)
{
    const double none = 1e-9;
    return a->from_m < b->to_m - none && b->from_m < a->to_m - none &&
           a->right_m < b->left_m - none && b->right_m < a->left_m - none;
}

static void check_overlap(const struct cfg_node *n, const struct patch *patch, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (overlap(&patch[i], &patch[k])) {
            cfg_complain(n, NULL,
                         "overlaps number %zu of the list, which covers %g to %g m and offsets %g "
                         "to %g m",
                         k, patch[k].from_m, patch[k].to_m, patch[k].right_m, patch[k].left_m);
            return;
        }
}

/* The list of that key with room for its patches; *count 0 if there is none. */
static const struct cfg_node *open_list(const struct cfg_node *map, const char *key, size_t *count,
                                        struct patch **patch)
{
    const struct cfg_node *list = cfg_list(map, key);
    *count = cfg_count(list);
    if (*count > AREAS_MAX) {
        cfg_complain(map, key, "%zu entries, at most %d", *count, AREAS_MAX);
        *count = 0;
    }
    *patch = calloc(*count ? *count : 1, sizeof **patch);
    return list;
}

/* The weather of an area is that of the road unless it says otherwise. */
static void surface_of(const struct cfg_node *n, int32_t weather, struct segments_area *a)
{
    const struct cfg_node *board = cfg_map(n, "chequer");
    a->friction[0] = a->friction[1] = 1.0;
    a->weather = weather;
    a->has_own_weather = cfg_has(n, "weather");
    if (!board) {
        if (!cfg_has(n, "weather"))
            cfg_need(n, "friction");
        cfg_double(n, "friction", &a->friction[0], friction_range);
        a->friction[1] = a->friction[0];
        return;
    }
    double size_m[2] = {1.0, 1.0};
    if (cfg_has(n, "friction"))
        cfg_complain(n, "friction", "give either friction or chequer");
    cfg_need(board, "friction");
    cfg_doubles(board, "friction", a->friction, 2, friction_range);
    cfg_doubles(board, "size_m", size_m, 2, CFG_BETWEEN(0.01, 1e5));
    a->cells_1pm[0] = 1.0 / size_m[0];
    a->cells_1pm[1] = 1.0 / size_m[1];
    cfg_done(board);
}

int areas_load(const struct cfg_node *map, struct plan *p, double length_m)
{
    struct patch *patch = NULL;
    const struct cfg_node *list = open_list(map, "areas", &p->areas, &patch);
    p->area = calloc(p->areas ? p->areas : 1, sizeof *p->area);
    for (size_t i = 0; patch && p->area && i < p->areas; i++) {
        const struct cfg_node *n = cfg_item(list, i);
        struct segments_area *a = &p->area[i];
        patch_load(n, length_m, &patch[i]);
        check_overlap(n, patch, i);
        surface_of(n, p->weather, a);
        double share = weather_load(n, &a->weather);
        a->friction[0] *= share;
        a->friction[1] *= share;
        cfg_done(n);
        a->from_m = patch[i].from_m;
        a->to_m = patch[i].to_m;
        a->right_m = patch[i].right_m;
        a->left_m = patch[i].left_m;
    }
    bool enough = patch && p->area;
    free(patch);
    return enough ? 0 : -ENOMEM;
}

int bumps_load(const struct cfg_node *map, struct plan *p, double length_m)
{
    struct patch *patch = NULL;
    const struct cfg_node *list = open_list(map, "bumps", &p->bumps, &patch);
    p->bump = calloc(p->bumps ? p->bumps : 1, sizeof *p->bump);
    for (size_t i = 0; patch && p->bump && i < p->bumps; i++) {
        const struct cfg_node *n = cfg_item(list, i);
        struct plan_bump *f = &p->bump[i];
        cfg_need(n, "from_m");
        cfg_need(n, "to_m");
        patch_load(n, length_m, &patch[i]);
        check_overlap(n, patch, i);
        double span_m = patch[i].to_m - patch[i].from_m, edge_m = 0.5 * span_m;
        cfg_need(n, "height_m");
        cfg_double(n, "height_m", &f->height_m, CFG_BETWEEN(-2.0, 2.0));
        cfg_double(n, "edge_m", &edge_m, CFG_BETWEEN(0.001, 1e3));
        if (span_m > 0.0 && edge_m > 0.5 * span_m + 1e-9)
            cfg_complain(n, "edge_m", "two edges of %g m do not fit into %g m", edge_m, span_m);
        cfg_done(n);
        f->from_m = patch[i].from_m;
        f->to_m = patch[i].to_m;
        f->right_m = patch[i].right_m;
        f->left_m = patch[i].left_m;
        f->edge_m = edge_m;
    }
    bool enough = patch && p->bump;
    free(patch);
    return enough ? 0 : -ENOMEM;
}
