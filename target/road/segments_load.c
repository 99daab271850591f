#include "target/road/segments_load.h"

#include "target/road/segments_load_plan.h"
#include "target/road/weather_load.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double deg = 3.14159265358979323846 / 180.0;
static const struct cfg_range friction_range = {0.01, 2.0, false, false};
static const struct cfg_range curvature_range = {-1.0, 1.0, false, false};
static const struct cfg_range length_range = {0.0, 1e5, true, false};
static const struct cfg_range radius_range = {-1e6, 1e6, false, false};
enum { SEGMENTS_MAX = 20000 };

/* 1 / radius; a radius below a metre is no road. */
static double curvature_of(const struct cfg_node *map, const char *key)
{
    double radius_m = 1.0;
    cfg_double(map, key, &radius_m, radius_range);
    if (!(fabs(radius_m) >= 1.0)) {
        cfg_complain(map, key, "a radius is at least 1 m, left positive, right negative; is %g",
                     radius_m);
        return 0.0;
    }
    return 1.0 / radius_m;
}

/* How the curvature goes: exactly one key says it; none is a straight. */
static void shape_load(const struct cfg_node *n, double k_before_1pm, struct plan_segment *s)
{
    bool none = false;
    int ways = cfg_has(n, "radius_m") + cfg_has(n, "curvature_1pm") + cfg_has(n, "to_radius_m") +
               cfg_has(n, "to_straight");
    if (ways > 1)
        cfg_complain(n, NULL,
                     "give one of radius_m, curvature_1pm, to_radius_m and to_straight, or none "
                     "for a straight");
    if (cfg_has(n, "radius_m")) {
        s->k0_1pm = s->k1_1pm = curvature_of(n, "radius_m");
    } else if (cfg_has(n, "to_radius_m")) {
        s->k0_1pm = k_before_1pm;
        s->k1_1pm = curvature_of(n, "to_radius_m");
    } else if (cfg_has(n, "to_straight")) {
        cfg_bool(n, "to_straight", &none);
        s->k0_1pm = k_before_1pm;
        s->k1_1pm = none ? 0.0 : k_before_1pm;
    } else if (cfg_is_list(n, "curvature_1pm")) {
        double k[2] = {0.0, 0.0};
        cfg_doubles(n, "curvature_1pm", k, 2, curvature_range);
        s->k0_1pm = k[0];
        s->k1_1pm = k[1];
    } else {
        cfg_double(n, "curvature_1pm", &s->k0_1pm, curvature_range);
        s->k1_1pm = s->k0_1pm;
    }
}

static void length_load(const struct cfg_node *n, struct plan_segment *s)
{
    s->length_m = 1.0;
    if (cfg_has(n, "angle_deg")) {
        double angle_deg = 0.0;
        cfg_double(n, "angle_deg", &angle_deg, CFG_BETWEEN(0.001, 3600.0));
        double mean_1pm = 0.5 * fabs(s->k0_1pm + s->k1_1pm);
        if (cfg_has(n, "length_m"))
            cfg_complain(n, "angle_deg", "give either length_m or angle_deg");
        else if (!(mean_1pm > 0.0))
            cfg_complain(n, "angle_deg", "a straight has no angle, give length_m");
        else
            s->length_m = angle_deg * deg / mean_1pm;
        return;
    }
    cfg_need(n, "length_m");
    cfg_double(n, "length_m", &s->length_m, length_range);
}

/* A segment may say where it begins; then there must be neither gap nor overlap. */
static void check_begin(const struct cfg_node *n, double end_m)
{
    double from_m = end_m;
    cfg_double(n, "from_m", &from_m, CFG_ANY);
    if (from_m > end_m + 1e-6)
        cfg_complain(n, "from_m", "leaves a gap: the segment before ends at %.10g m", end_m);
    else if (from_m < end_m - 1e-6)
        cfg_complain(n, "from_m", "overlaps the segment before, which ends at %.10g m", end_m);
}

static double segments_list(const struct cfg_node *map, struct plan *p)
{
    double end_m = 0.0, k_1pm = 0.0;
    cfg_need(map, "segments");
    const struct cfg_node *list = cfg_list(map, "segments");
    size_t count = cfg_count(list);
    if (list && (count == 0 || count > SEGMENTS_MAX)) {
        cfg_complain(map, "segments", "1 to %d segments are allowed, not %zu", SEGMENTS_MAX, count);
        return 0.0;
    }
    p->segment = calloc(count ? count : 1, sizeof *p->segment);
    if (!p->segment)
        return 0.0;
    for (size_t i = 0; i < count; i++) {
        const struct cfg_node *n = cfg_item(list, i);
        struct plan_segment *s = &p->segment[i];
        if (!cfg_is_map(n)) {
            cfg_complain(n, NULL, "must be a mapping: {length_m: 50, radius_m: 100}");
            continue;
        }
        shape_load(n, k_1pm, s);
        length_load(n, s);
        check_begin(n, end_m);
        cfg_done(n);
        s->from_m = end_m;
        end_m += s->length_m;
        k_1pm = s->k1_1pm;
    }
    p->segments = count;
    if (end_m > 1e6)
        cfg_complain(map, "segments", "the road is %g m long, at most 1e6 m are allowed", end_m);
    else if (cfg_ok(cfg_doc_of(map)) && !(end_m >= 0.01))
        cfg_complain(map, "segments", "the road is %g m long, at least 0.01 m are needed", end_m);
    return end_m;
}

/* key: a number, or rows [s, value, ...]. */
static int table_load(const struct cfg_node *map, const char *key, size_t columns, double factor,
                      struct cfg_range range, struct hermite *out, bool level_ends)
{
    double constant[3] = {0.0, 0.0, 0.0}, *rows = NULL;
    size_t count = 0;
    int bad;
    if (!cfg_has(map, key))
        return 0;
    if (cfg_is_list(map, key)) {
        rows = cfg_table(map, key, columns, 1, &count);
        for (size_t i = 0; i < count; i++)
            for (size_t k = 1; k < columns; k++) {
                double v = rows[i * columns + k];
                if (!(v >= range.low && v <= range.high))
                    cfg_complain(map, key, "row %zu: must be between %g and %g, is %g", i + 1,
                                 range.low, range.high, v);
                rows[i * columns + k] = v * factor;
            }
    } else {
        cfg_scaled(map, key, &constant[1], factor, range);
        constant[2] = constant[1];
        count = 1;
    }
    for (size_t k = 1; k < columns; k++) {
        bad = hermite_build(rows ? rows : constant, count, columns, k, level_ends, &out[k - 1]);
        if (bad) {
            free(rows);
            return bad;
        }
    }
    free(rows);
    return 0;
}

/* A circuit must have the same height, banking and width where it closes. */
static void check_closes(const struct cfg_node *map, const char *key, const struct hermite *h,
                         double length_m)
{
    double begin, end, slope;
    hermite_at(h, 0.0, &begin, &slope);
    hermite_at(h, length_m, &end, &slope);
    if (!(fabs(end - begin) <= 1e-6))
        cfg_complain(map, key, "a closed road ends as it begins: %g here, %g there", begin, end);
}

static int surface_load(const struct cfg_node *map, struct plan *p, double length_m)
{
    static const struct cfg_range height = {-1e4, 1e4, false, false},
                                  bank = {-60.0, 60.0, false, false},
                                  width = {0.0, 1e3, false, false},
                                  dip = {-10.0, 10.0, false, false};
    struct hermite sides[2] = {{0}, {0}};
    int bad = table_load(map, "elevation_m", 2, 1.0, height, &p->elevation, p->is_closed);
    if (!bad)
        bad = table_load(map, "bank_percent", 2, 0.01, bank, &p->bank, p->is_closed);
    if (!bad)
        bad = table_load(map, "profile_m", 2, 1.0, dip, &p->profile, true);
    if (!bad)
        bad = table_load(map, "width_m", 3, 1.0, width, sides, true);
    if (sides[0].count > 0) {
        p->left = sides[0];
        p->right = sides[1];
    }
    if (p->is_closed) {
        check_closes(map, "elevation_m", &p->elevation, length_m);
        check_closes(map, "bank_percent", &p->bank, length_m);
        check_closes(map, "width_m", &p->left, length_m);
        check_closes(map, "width_m", &p->right, length_m);
    }
    return bad;
}

/* ISO 8608: geometric means of the classes at 0.1 cycles a metre. */
static void rough_load(const struct cfg_node *map, struct plan *p)
{
    static const char *const classes[] = {"A", "B", "C", "D", "E", "F", "G", "H", NULL};
    int grade = 0;
    const struct cfg_node *n = cfg_map(map, "roughness");
    if (!n)
        return;
    if (cfg_has(n, "class") == cfg_has(n, "density_m3"))
        cfg_complain(n, NULL, "give either class (A to H) or density_m3");
    cfg_choice(n, "class", &grade, classes);
    p->rough_m3 = 16e-6 * (double)(1 << 2 * grade);
    cfg_double(n, "density_m3", &p->rough_m3, CFG_BETWEEN(1e-9, 1.0));
    p->rough_seed = 1;
    cfg_int(n, "seed", &p->rough_seed, 0, INT64_MAX);
    cfg_done(n);
}

static int plan_load(const struct cfg_node *map, struct plan *p)
{
    const struct cfg_node *start = cfg_map(map, "start");
    cfg_double(start, "x_m", &p->x_m, CFG_BETWEEN(-1e6, 1e6));
    cfg_double(start, "y_m", &p->y_m, CFG_BETWEEN(-1e6, 1e6));
    cfg_scaled(start, "heading_deg", &p->heading_rad, deg, CFG_BETWEEN(-360.0, 360.0));
    cfg_done(start);
    cfg_bool(map, "closed", &p->is_closed);
    p->friction = 1.0;
    cfg_double(map, "friction", &p->friction, friction_range);
    p->friction_beside = p->friction;
    cfg_double(map, "friction_beside", &p->friction_beside, friction_range);
    double share = weather_load(map, &p->weather);
    p->friction *= share;
    p->friction_beside *= share;
    double length_m = 0.0;
    int bad = 0;
    if (cfg_has(map, "points") && cfg_has(map, "segments"))
        cfg_complain(map, "points", "give either segments or points");
    if (cfg_has(map, "points")) {
        bad = points_load(map, p, &length_m);
    } else {
        length_m = segments_list(map, p);
        bad = p->segment || !cfg_ok(cfg_doc_of(map)) ? 0 : -ENOMEM;
    }
    p->length_m = length_m;
    if (!bad && !(length_m > 0.0))
        return 0; /* told already; what else it says has nowhere to lie */
    bad = bad ? bad : surface_load(map, p, length_m);
    rough_load(map, p);
    if (!bad)
        bad = areas_load(map, p, length_m);
    if (!bad)
        bad = bumps_load(map, p, length_m);
    cfg_done(map);
    return bad;
}

static void plan_free(struct plan *p)
{
    free(p->segment);
    free(p->area);
    free(p->bump);
    spline_free(&p->through);
    hermite_free(&p->elevation);
    hermite_free(&p->bank);
    hermite_free(&p->left);
    hermite_free(&p->right);
    hermite_free(&p->profile);
}

struct segments *segments_load_map(const struct cfg_node *map, const struct cfg_doc *doc)
{
    struct plan p;
    struct segments *r = NULL;
    memset(&p, 0, sizeof p);
    if (plan_load(map, &p))
        cfg_complain(map, NULL, "out of memory");
    else if (cfg_ok(doc))
        r = plan_build(&p, map);
    plan_free(&p);
    return r;
}
