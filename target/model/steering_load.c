#include "target/model/steering_load.h"

#include "target/model/math/table1_load.h"

#include <math.h>
#include <string.h>

static void defaults(struct steering_model *m)
{
    memset(m, 0, sizeof *m);
    m->pinion_mprad = 0.008;
    m->column_Nmprad = 120.0;
    m->column_Nmsprad = 0.3;
    m->hand_inertia_kgm2 = 0.035;
    m->hand_friction_Nm = 0.1;
    m->rack_kg = 3.0;
    m->rack_Nspm = 600.0;
    m->rack_friction_N = 60.0;
    m->rack_stop_m = 0.08;
    m->rack_stop_Npm = 1e6;
    m->assist_low_mps = 0.0;
    m->assist_high_mps = 30.0;
    m->assist_high = 1.0;
    table1_line(&m->assist_N, 0.0, 0.0, 0.0);
}

static void assist_load(const struct cfg_node *map, struct steering_model *m)
{
    const struct cfg_node *n = cfg_map(map, "assist");
    if (!n)
        return;
    double fade_kmh[2] = {0.0, 108.0};
    cfg_need(n, "force_N");
    if (table1_load(n, "force_N", &m->assist_N)) {
        if (!(fabs(m->assist_N.x[0]) <= 0.0 && fabs(m->assist_N.y[0]) <= 0.0))
            cfg_complain(n, "force_N", "must begin with [0, 0]: torque in Nm, force in N");
        for (int i = 0; i < m->assist_N.count; i++)
            if (!(m->assist_N.y[i] >= 0.0 && m->assist_N.y[i] <= 1e6 && m->assist_N.x[i] <= 1e4))
                cfg_complain(n, "force_N",
                             "forces must be >= 0 and <= 1e6 N, torques <= 1e4 Nm; here %g N at "
                             "%g Nm",
                             m->assist_N.y[i], m->assist_N.x[i]);
    }
    cfg_doubles(n, "fade_kmh", fade_kmh, 2, CFG_BETWEEN(0.0, 1e4));
    if (!(fade_kmh[1] > fade_kmh[0]))
        cfg_complain(n, "fade_kmh", "the second speed must be above the first");
    m->assist_low_mps = fade_kmh[0] / 3.6;
    m->assist_high_mps = fade_kmh[1] / 3.6;
    cfg_double(n, "fade_to", &m->assist_high, CFG_BETWEEN(0.0, 1.0));
    cfg_done(n);
}

void steering_load(const struct cfg_node *map, struct steering_model *m)
{
    defaults(m);
    cfg_double(map, "pinion_mprad", &m->pinion_mprad, CFG_BETWEEN(-1.0, 1.0));
    if (!(fabs(m->pinion_mprad) > 1e-6))
        cfg_complain(map, "pinion_mprad", "must not be 0: rack travel per hand wheel angle");
    cfg_double(map, "column_Nmprad", &m->column_Nmprad, CFG_BETWEEN(1e-3, 1e8));
    cfg_double(map, "column_Nmsprad", &m->column_Nmsprad, CFG_BETWEEN(0.0, 1e6));
    cfg_double(map, "hand_wheel_inertia_kgm2", &m->hand_inertia_kgm2, CFG_BETWEEN(1e-4, 100.0));
    cfg_double(map, "hand_wheel_friction_Nm", &m->hand_friction_Nm, CFG_BETWEEN(0.0, 1e3));
    cfg_double(map, "rack_mass_kg", &m->rack_kg, CFG_BETWEEN(0.01, 1e4));
    cfg_double(map, "rack_damping_Nspm", &m->rack_Nspm, CFG_BETWEEN(0.0, 1e7));
    cfg_double(map, "rack_friction_N", &m->rack_friction_N, CFG_BETWEEN(0.0, 1e6));
    cfg_double(map, "rack_stop_m", &m->rack_stop_m, ((struct cfg_range){0.0, 10.0, true, false}));
    cfg_double(map, "rack_stop_Npm", &m->rack_stop_Npm, CFG_BETWEEN(0.0, 1e9));
    assist_load(map, m);
    cfg_done(map);
}
