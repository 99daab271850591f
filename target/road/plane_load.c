#include "target/road/plane_load.h"

#include "target/road/weather_load.h"

static const struct cfg_range percent = {-100.0, 100.0, false, false};
static const struct cfg_range friction_range = {0.01, 2.0, false, false};

void plane_load(const struct cfg_node *map, struct plane *p)
{
    if (!map)
        return;
    double slope = p->slope, bank = p->bank;
    cfg_scaled(map, "slope_percent", &slope, 0.01, percent);
    cfg_scaled(map, "bank_percent", &bank, 0.01, percent);
    plane_incline(p, slope, bank);
    if (cfg_has(map, "friction")) {
        double friction = p->friction_left;
        cfg_double(map, "friction", &friction, friction_range);
        p->friction_left = p->friction_right = friction;
    }
    cfg_double(map, "friction_left", &p->friction_left, friction_range);
    cfg_double(map, "friction_right", &p->friction_right, friction_range);
    cfg_double(map, "boundary_y_m", &p->boundary_y_m, CFG_ANY);
    double share = weather_load(map, &p->weather);
    p->friction_left *= share;
    p->friction_right *= share;
    cfg_done(map);
}
