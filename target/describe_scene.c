#include "target/describe_scene.h"

#include <math.h>

enum { SAMPLES_MAX = 1500, SURFACE_ROWS_MAX = 600, SURFACE_COLUMNS = 7 };
static const double spacing_m = 1.0;
/* A plane has no end; areas on it are drawn this far. */
static const double plane_back_m = -200.0, plane_ahead_m = 2000.0, plane_side_m = 60.0;

static double places(double value, double step)
{
    return step * rint(value / step); /* millimetres are enough to look at */
}

static void point(struct json_writer *w, const struct ground *g, double x_m, double y_m)
{
    struct ground_point at;
    g->query(g->road, x_m, y_m, &at);
    json_open_flat(w, NULL);
    json_double(w, NULL, places(x_m, 1e-3));
    json_double(w, NULL, places(y_m, 1e-3));
    json_double(w, NULL, places(at.z_m, 1e-3));
    json_close(w);
}

static int samples_of(double length_m, int most)
{
    double wanted = ceil(length_m / spacing_m) + 1.0;
    return wanted < 2.0 ? 2 : wanted > most ? most : (int)wanted;
}

/* A line along the road: n_m(s) to the left; 0: the centre, +1 and -1 its edges. */
static void road_line(struct json_writer *w, const char *key, const struct segments *r,
                      const struct ground *g, int side)
{
    int count = samples_of(r->length_m, SAMPLES_MAX);
    int32_t piece = 0;
    json_open(w, key, '[');
    for (int i = 0; i < count; i++) {
        struct curve_point c;
        struct segments_place p;
        curve_at(&r->line, r->length_m * i / (count - 1), &piece, &c);
        segments_find(r, c.x_m, c.y_m, &p);
        double n_m = side > 0 ? p.left_m : side < 0 ? -p.right_m : 0.0;
        point(w, g, c.x_m - n_m * c.tangent[1], c.y_m + n_m * c.tangent[0]);
    }
    json_close(w);
}

static void road_friction(struct json_writer *w, const struct segments *r, const struct ground *g)
{
    int count = samples_of(r->length_m, SAMPLES_MAX);
    int32_t piece = 0;
    json_open_flat(w, "friction");
    for (int i = 0; i < count; i++) {
        struct curve_point c;
        struct ground_point at;
        curve_at(&r->line, r->length_m * i / (count - 1), &piece, &c);
        g->query(g->road, c.x_m, c.y_m, &at);
        json_double(w, NULL, places(at.friction, 1e-4));
    }
    json_close(w);
}

static void area(struct json_writer *w, const struct segments *r, const struct ground *g,
                 const struct segments_area *a)
{
    double from_m = fmax(a->from_m, 0.0), to_m = fmin(a->to_m, r->length_m);
    int count = samples_of(to_m - from_m, SAMPLES_MAX);
    int32_t piece = 0;
    bool chequered = a->cells_1pm[0] > 0.0 || a->cells_1pm[1] > 0.0;
    json_open(w, NULL, '{');
    json_open(w, "polygon", '[');
    for (int i = 0; i < 2 * count; i++) {
        int at = i < count ? i : 2 * count - 1 - i;
        double n_m = i < count ? a->left_m : a->right_m;
        struct curve_point c;
        struct segments_place p;
        curve_at(&r->line, from_m + (to_m - from_m) * at / (count - 1), &piece, &c);
        segments_find(r, c.x_m, c.y_m, &p);
        n_m = fmin(fmax(n_m, -p.right_m), p.left_m);
        point(w, g, c.x_m - n_m * c.tangent[1], c.y_m + n_m * c.tangent[0]);
    }
    json_close(w);
    json_double(w, "friction",
                chequered ? 0.5 * (a->friction[0] + a->friction[1]) : a->friction[0]);
    json_text(w, "name", chequered ? "chequered" : "");
    json_close(w);
}

static void road_areas(struct json_writer *w, const struct segments *r, const struct ground *g)
{
    for (int32_t i = 0; i < r->areas; i++)
        area(w, r, g, &r->area[i]);
}

/* Where the mesh of a measured surface has a corner: share 0 to 1 along the reference line and from
 * right to left. */
static void surface_at(const struct crg *c, double along, double across, double *x_m, double *y_m)
{
    double parts = along * c->parts, wide_m = c->v_m[c->columns - 1] - c->v_m[0];
    int32_t k = parts < c->parts ? (int32_t)parts : c->parts - 1;
    const struct crg_part *part = &c->part[k];
    double u_m = (parts - k) * c->increment_m, v_m = c->v_m[0] + across * wide_m;
    *x_m = part->p[0] + u_m * part->t[0] - v_m * part->t[1];
    *y_m = part->p[1] + u_m * part->t[1] + v_m * part->t[0];
}

/* A coarse mesh, row after row. */
static void surface(struct json_writer *w, const struct crg *c, const struct ground *g)
{
    int rows = c->parts < SURFACE_ROWS_MAX ? c->parts + 1 : SURFACE_ROWS_MAX;
    double x_m, y_m;
    json_int(w, "columns", SURFACE_COLUMNS);
    json_open(w, "points", '[');
    for (int i = 0; i < rows * SURFACE_COLUMNS; i++) {
        int row = i / SURFACE_COLUMNS, column = i % SURFACE_COLUMNS;
        surface_at(c, (double)row / (rows - 1), (double)column / (SURFACE_COLUMNS - 1), &x_m, &y_m);
        point(w, g, x_m, y_m);
    }
    json_close(w);
    json_open_flat(w, "friction");
    for (int i = 0; i < rows; i++) {
        struct ground_point at;
        surface_at(c, (double)i / (rows - 1), 0.5, &x_m, &y_m);
        g->query(g->road, x_m, y_m, &at);
        json_double(w, NULL, places(at.friction, 1e-4));
    }
    json_close(w);
}

static void plane_area(struct json_writer *w, const struct ground *g, double y0_m, double y1_m,
                       double friction, const char *name)
{
    json_open(w, NULL, '{');
    json_open(w, "polygon", '[');
    point(w, g, plane_back_m, y0_m);
    point(w, g, plane_ahead_m, y0_m);
    point(w, g, plane_ahead_m, y1_m);
    point(w, g, plane_back_m, y1_m);
    json_close(w);
    json_double(w, "friction", friction);
    json_text(w, "name", name);
    json_close(w);
}

static void describe_ground(struct json_writer *w, const struct offline *car)
{
    const struct segments *r = car->scenario->segments;
    const struct crg *c = car->scenario->crg;
    const struct plane *p = &car->scenario->road;
    json_open(w, r ? "road" : c ? "surface" : "plane", '{');
    if (c) {
        surface(w, c, &car->ground);
    } else if (r) {
        road_line(w, "left", r, &car->ground, 1);
        road_line(w, "right", r, &car->ground, -1);
        road_line(w, "centre", r, &car->ground, 0);
        road_friction(w, r, &car->ground);
    } else {
        json_double(w, "slope", p->slope);
        json_double(w, "bank", p->bank);
        json_double(w, "friction", fmax(p->friction_left, p->friction_right));
    }
    json_close(w);
    json_open(w, "areas", '[');
    if (r) {
        road_areas(w, r, &car->ground);
    } else if (!c && p->friction_left != p->friction_right) {
        plane_area(w, &car->ground, p->boundary_y_m, p->boundary_y_m + plane_side_m,
                   p->friction_left, "left");
        plane_area(w, &car->ground, p->boundary_y_m - plane_side_m, p->boundary_y_m,
                   p->friction_right, "right");
    }
    json_close(w);
}

void describe_scene(struct json_writer *w, const struct offline *car)
{
    const struct manoeuvre *m = &car->scenario->manoeuvre;
    json_open(w, "scene", '{');
    describe_ground(w, car);
    json_open(w, "cones", '[');
    for (int i = 0; i < m->cones; i++) {
        json_open_flat(w, NULL);
        json_double(w, NULL, m->cone_m[i][0]);
        json_double(w, NULL, m->cone_m[i][1]);
        json_close(w);
    }
    json_close(w);
    json_double(w, "cone_radius_m", m->cone_radius_m);
    json_open(w, "path", '[');
    const struct curve *line = &m->path.line;
    int count = m->has_driver ? samples_of(line->end_m - line->begin_m, SAMPLES_MAX) : 0;
    int32_t piece = 0;
    for (int i = 0; i < count; i++) {
        struct curve_point c;
        curve_at(line, line->begin_m + (line->end_m - line->begin_m) * i / (count - 1), &piece, &c);
        json_open_flat(w, NULL);
        json_double(w, NULL, places(c.x_m, 1e-3));
        json_double(w, NULL, places(c.y_m, 1e-3));
        json_close(w);
    }
    json_close(w);
    json_close(w);
}
