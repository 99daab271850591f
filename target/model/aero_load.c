#include "target/model/aero_load.h"

void aero_load(const struct cfg_node *map, struct aero_model *m)
{
    if (!map)
        return;
    cfg_double(map, "air_density_kgpm3", &m->air_density_kgpm3, CFG_BETWEEN(0.0, 10.0));
    cfg_need(map, "area_m2");
    cfg_double(map, "area_m2", &m->area_m2, CFG_BETWEEN(0.0, 100.0));
    cfg_double(map, "length_m", &m->length_m, CFG_BETWEEN(0.1, 50.0));
    /* Drag and side force below zero would drive the car. */
    cfg_double(map, "cd", &m->cd, CFG_BETWEEN(0.0, 10.0));
    cfg_double(map, "cd_rise", &m->cd_rise, CFG_BETWEEN(-10.0, 10.0));
    if (!(m->cd + m->cd_rise >= 0.0))
        cfg_complain(map, "cd_rise", "cd + cd_rise must not be negative: air would drive the car");
    cfg_double(map, "clf", &m->clf, CFG_BETWEEN(-10.0, 10.0));
    cfg_double(map, "clf_rise", &m->clf_rise, CFG_BETWEEN(-10.0, 10.0));
    cfg_double(map, "clr", &m->clr, CFG_BETWEEN(-10.0, 10.0));
    cfg_double(map, "clr_rise", &m->clr_rise, CFG_BETWEEN(-10.0, 10.0));
    cfg_double(map, "cs", &m->cs, CFG_BETWEEN(0.0, 20.0));
    cfg_double(map, "cn", &m->cn, CFG_BETWEEN(-10.0, 10.0));
    double at_m[3] = {m->reference_m.x, m->reference_m.y, m->reference_m.z};
    cfg_doubles(map, "reference_m", at_m, 3, CFG_BETWEEN(-20.0, 20.0));
    m->reference_m = v3(at_m[0], at_m[1], at_m[2]);
    cfg_done(map);
}
