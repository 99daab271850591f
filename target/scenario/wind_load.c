#include "target/scenario/wind_load.h"

#include "target/model/math/vecmath.h"

#define DEG (3.141592653589793238463 / 180.0)

static const struct cfg_range wind_speed = {0.0, 150.0, false, false};
static const struct cfg_range any_angle = {-360.0, 360.0, false, false};

static void load_gust(const struct cfg_node *map, double towards_rad, struct wind_gust *g)
{
    double speed_mps = 0.0;
    cfg_need(map, "start_s");
    cfg_double(map, "start_s", &g->start_s, CFG_NOT_NEGATIVE);
    cfg_need(map, "duration_s");
    g->duration_s = 1.0;
    cfg_double(map, "duration_s", &g->duration_s, CFG_BETWEEN(0.001, 1e4));
    cfg_double(map, "hold_s", &g->hold_s, CFG_BETWEEN(0.0, 1e4));
    cfg_need(map, "speed_mps");
    cfg_double(map, "speed_mps", &speed_mps, wind_speed);
    cfg_scaled(map, "towards_deg", &towards_rad, DEG, any_angle);
    double sine, cosine;
    vm_sincos(towards_rad, &sine, &cosine);
    g->peak_mps[0] = speed_mps * cosine;
    g->peak_mps[1] = speed_mps * sine;
    cfg_done(map);
}

static void load_gusts(const struct cfg_node *map, const struct cfg_node *list, double towards_rad,
                       struct wind_model *m)
{
    size_t count = cfg_count(list);
    if (count > WIND_GUSTS) {
        cfg_complain(map, "gusts", "%zu gusts, at most %d", count, WIND_GUSTS);
        count = WIND_GUSTS;
    }
    for (size_t i = 0; i < count; i++) {
        const struct cfg_node *item = cfg_item(list, i);
        m->gust[i] = (struct wind_gust){0};
        if (cfg_is_map(item))
            load_gust(item, towards_rad, &m->gust[i]);
        else
            cfg_complain(item, NULL,
                         "must be a mapping: {start_s: 3, duration_s: 2, speed_mps: 10}");
    }
    m->gusts = (int32_t)count;
}

static void load_turbulence(const struct cfg_node *map, struct wind_model *m)
{
    double intensity = 0.0, across = 0.8, up = 0.5, length_m = 60.0;
    double speed_mps = m->mean_mps > 1.0 ? m->mean_mps : 1.0;
    int64_t seed = (int64_t)m->seed;
    cfg_double(map, "intensity", &intensity, CFG_BETWEEN(0.0, 2.0));
    cfg_double(map, "across", &across, CFG_BETWEEN(0.0, 5.0));
    cfg_double(map, "up", &up, CFG_BETWEEN(0.0, 5.0));
    cfg_double(map, "length_m", &length_m, CFG_BETWEEN(0.1, 1e5));
    cfg_double(map, "speed_mps", &speed_mps, CFG_BETWEEN(0.1, 300.0));
    cfg_int(map, "seed", &seed, 0, INT64_MAX);
    m->sigma_mps[0] = intensity * m->mean_mps;
    m->sigma_mps[1] = across * m->sigma_mps[0];
    m->sigma_mps[2] = up * m->sigma_mps[0];
    m->turbulence_s = length_m / speed_mps;
    m->seed = (uint64_t)seed;
    cfg_done(map);
}

void wind_load(const struct cfg_node *map, struct wind_model *m)
{
    if (!map)
        return;
    double towards_rad = 0.0;
    cfg_double(map, "speed_mps", &m->mean_mps, wind_speed);
    cfg_scaled(map, "towards_deg", &towards_rad, DEG, any_angle);
    vm_sincos(towards_rad, &m->towards[1], &m->towards[0]);
    const struct cfg_node *gusts = cfg_list(map, "gusts");
    if (gusts)
        load_gusts(map, gusts, towards_rad, m);
    const struct cfg_node *turbulence = cfg_map(map, "turbulence");
    if (turbulence)
        load_turbulence(turbulence, m);
    cfg_done(map);
}
