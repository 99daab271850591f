#include "target/road/path_load_speeds.h"

#include "target/model/math/scalar.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* Limits of the file, or those of the car, which is not known yet. */
static void limits_load(const struct cfg_node *limits, const struct path_nodes *n, bool is_closed,
                        struct path *out)
{
    static const char *const fixed[] = {"lateral_mps2", "drive_mps2", "brake_mps2"};
    double value[3] = {5.0, 2.0, 5.0};
    out->top_mps = 70.0;
    cfg_scaled(limits, "top_kmh", &out->top_mps, 1.0 / 3.6, CFG_BETWEEN(1.0, 500.0));
    cfg_double(limits, "grip", &out->grip, CFG_BETWEEN(0.05, 1.2));
    for (int i = 0; i < 3; i++) {
        if (out->grip > 0.0 && cfg_has(limits, fixed[i]))
            cfg_complain(limits, fixed[i],
                         "with grip the car's own limits are taken: give one of "
                         "both");
        cfg_double(limits, fixed[i], &value[i], CFG_BETWEEN(0.1, 50.0));
    }
    cfg_done(limits);
    path_speeds(n->node, n->count, is_closed, value[0], value[1], value[2], out->top_mps,
                out->planned_m2ps2);
}

static void table_load(const struct cfg_node *map, const struct path_nodes *n, double *speed2)
{
    size_t rows = 0;
    double *row = cfg_table(map, "speed_kmh", 2, 1, &rows);
    for (size_t i = 0; row && i < rows; i++)
        if (!(row[2 * i + 1] >= 0.0 && row[2 * i + 1] <= 500.0))
            cfg_complain(map, "speed_kmh", "row %zu: speeds are 0 to 500 km/h, not %g", i + 1,
                         row[2 * i + 1]);
    for (size_t i = 0; row && i < n->count; i++) {
        size_t k = 0;
        double s_m = n->node[i].s_m;
        while (k + 2 < rows && s_m >= row[2 * k + 2])
            k++;
        double u = rows > 1 ? clamp01((s_m - row[2 * k]) / (row[2 * k + 2] - row[2 * k])) : 0.0;
        double v = row[2 * k + 1] + (rows > 1 ? u * (row[2 * k + 3] - row[2 * k + 1]) : 0.0);
        speed2[i] = v * v / (3.6 * 3.6);
    }
    free(row);
}

int path_load_speeds(const struct cfg_node *map, const struct path_nodes *n, bool is_closed,
                     const double *recorded_mps, struct path *out)
{
    double *speed2 = calloc(n->count, sizeof *speed2), speed_mps = 0.0;
    if (!speed2)
        return -ENOMEM;
    out->speed2_m2ps2 = out->planned_m2ps2 = speed2;
    const struct cfg_node *limits = cfg_map(map, "limits");
    bool given = cfg_has(map, "speed_kmh");
    if (given && limits)
        cfg_complain(map, NULL, "give either speed_kmh or limits (then the speed is computed)");
    else if (!given && !limits && !recorded_mps)
        cfg_complain(map, NULL, "give either speed_kmh or limits (then the speed is computed)%s",
                     cfg_has(map, "recorded") ? ", or record vx_mps" : "");
    if (limits) {
        limits_load(limits, n, is_closed, out);
    } else if (cfg_is_list(map, "speed_kmh")) {
        table_load(map, n, speed2);
    } else {
        cfg_scaled(map, "speed_kmh", &speed_mps, 1.0 / 3.6, CFG_BETWEEN(0.0, 500.0));
        for (size_t i = 0; i < n->count; i++) {
            double v = given || !recorded_mps ? speed_mps : recorded_mps[i];
            speed2[i] = v * v;
        }
    }
    return 0;
}
