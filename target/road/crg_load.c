#include "target/road/crg_load.h"

#include "target/road/weather_load.h"

#include <errno.h>
#include <stdlib.h>

static const double deg = 3.14159265358979323846 / 180.0;
static const struct cfg_range friction_range = {0.01, 2.0, false, false};

/* The surface of the file that a key names; NULL after a mistake. */
static struct crg *surface_of(const struct cfg_node *map, const char *key,
                              const struct crg_wish *wish)
{
    char path[CRG_PATH] = "";
    struct crg_file f = {0};
    struct crg *c = NULL;
    struct err e = {""};
    cfg_path(map, key, path, sizeof path);
    if (!path[0])
        return NULL;
    int bad = crg_file_read(path, &f, &e);
    if (!bad)
        bad = crg_build(path, &f, wish, &c, &e);
    crg_file_free(&f);
    if (bad)
        cfg_complain(map, key, "%s", bad == -ENOMEM ? "out of memory for this surface" : e.text);
    return c;
}

struct crg *crg_load_map(const struct cfg_node *map, const struct cfg_doc *doc)
{
    static const char *const modes[] = {"none", "zero", "keep", "repeat", "reflect", NULL};
    struct crg_wish wish = {.mode_u = -1, .mode_v = -1};
    const struct cfg_node *start = cfg_map(map, "start");
    wish.has_start = start != NULL;
    cfg_double(start, "x_m", &wish.x_m, CFG_BETWEEN(-1e6, 1e6));
    cfg_double(start, "y_m", &wish.y_m, CFG_BETWEEN(-1e6, 1e6));
    cfg_scaled(start, "heading_deg", &wish.heading_rad, deg, CFG_BETWEEN(-360.0, 360.0));
    cfg_done(start);
    cfg_choice(map, "border_u", &wish.mode_u, modes);
    cfg_choice(map, "border_v", &wish.mode_v, modes);
    double friction = 1.0, beside;
    cfg_double(map, "friction", &friction, friction_range);
    beside = friction;
    cfg_double(map, "friction_beside", &beside, friction_range);
    int32_t weather = GROUND_DRY;
    double share = weather_load(map, &weather);
    struct crg *c = surface_of(map, "crg", &wish), *grid = NULL;
    if (cfg_has(map, "friction_crg")) {
        wish.is_friction = true;
        grid = surface_of(map, "friction_crg", &wish);
    }
    cfg_done(map);
    if (!c || !cfg_ok(doc)) {
        crg_free(c);
        crg_free(grid);
        return NULL;
    }
    c->friction = friction * share;
    c->friction_beside = beside * share;
    c->weather = weather;
    c->friction_grid = grid;
    return c;
}
