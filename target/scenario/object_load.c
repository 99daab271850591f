#include "target/scenario/object_load.h"

void object_load(const struct cfg_node *map, const struct plant_start *start,
                 struct object_model *m)
{
    const double deg = 3.14159265358979323846 / 180.0;
    if (!map)
        return;
    m->present = 1;
    m->x_m = start->x_m;
    m->y_m = start->y_m;
    m->yaw_rad = start->yaw_rad;
    cfg_need(map, "ahead_m");
    cfg_double(map, "ahead_m", &m->ahead_m, CFG_BETWEEN(0.0, 1e5));
    cfg_double(map, "left_m", &m->left_m, CFG_BETWEEN(-1e3, 1e3));
    cfg_scaled(map, "speed_kmh", &m->speed_mps, 1.0 / 3.6, CFG_BETWEEN(0.0, 500.0));
    cfg_double(map, "brake_s", &m->brake_s, CFG_BETWEEN(0.0, 1e9));
    cfg_double(map, "brake_mps2", &m->brake_mps2, CFG_BETWEEN(0.0, 20.0));
    cfg_double(map, "range_m", &m->range_m, CFG_BETWEEN(1.0, 1e4));
    cfg_scaled(map, "view_deg", &m->view_rad, deg, CFG_BETWEEN(1.0, 60.0));
    cfg_done(map);
}
