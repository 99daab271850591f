/* Roads through points: against circles, and the circuit of config/roads. */
#include "rt-tests/support/near.h"
#include "target/road/path_load.h"
#include "target/road/segments_load.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const double pi = 3.14159265358979323846;

static struct cfg_doc *open_text(const char *text)
{
    struct cfg_doc *doc;
    assert_int_equal(cfg_open_text("road.yaml", text, strlen(text), &doc), 0);
    return doc;
}

static struct segments *circuit(void)
{
    struct segments *r;
    struct cfg_doc *doc;
    int bad = segments_load("config/roads/circuit.yaml", &r, &doc);
    if (bad)
        fail_msg("%s", cfg_message(doc, 0));
    cfg_close(doc);
    return r;
}

/* Points every 9 degrees of a circle of 50 m. A cubic spline through them leaves it by about
 * h^4 / 384 of the fourth derivative 1 / R^3, with h = 7.85 m: 80 micrometres. */
static void circle_of_points_is_a_circle(void **unused)
{
    (void)unused;
    char text[4096] = "closed: true\npoints:\n";
    size_t used = strlen(text);
    for (int i = 0; i < 40; i++)
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "  - {x_m: %.9f, y_m: %.9f, z_m: %g}\n", 50.0 * cos(pi / 20.0 * i),
                                 50.0 * sin(pi / 20.0 * i), i % 2 ? 0.0 : 1.0);
    struct cfg_doc *doc = open_text(text);
    struct segments *r = segments_load_map(cfg_root(doc), doc);
    if (!cfg_ok(doc))
        fail_msg("%s", cfg_message(doc, 0));
    cfg_close(doc);
    assert_near(r->length_m, 100.0 * pi, 1e-3);
    assert_true(r->line.is_closed);
    int32_t piece = 0;
    for (int i = 0; i < 1000; i++) {
        struct curve_point p;
        curve_at(&r->line, 0.4 * i, &piece, &p); /* more than one lap */
        assert_near(hypot(p.x_m, p.y_m), 50.0, 1e-4);
        assert_near(p.curvature_1pm, 0.02, 2e-4); /* h^2 / 12 of the fourth derivative: 0.5 % */
        assert_near(p.x_m, 50.0 * cos(0.4 * i * 100.0 * pi / r->length_m / 50.0), 1e-3);
    }
    struct ground g = segments_ground(r);
    struct ground_point at;
    for (int i = 0; i < 40; i++) { /* heights of the points, and level there: each is a peak */
        g.query(g.road, 50.0 * cos(pi / 20.0 * i), 50.0 * sin(pi / 20.0 * i), &at);
        assert_near(at.z_m, i % 2 ? 0.0 : 1.0, 1e-6);
        assert_near(at.normal[2], 1.0, 1e-6);
    }
    segments_free(r);
}

static void circuit_closes_without_a_step(void **unused)
{
    (void)unused;
    struct segments *r = circuit();
    const struct curve_piece *first = &r->line.piece[0], *last = &r->line.piece[r->line.count - 1];
    double gap_m[2], turn = 0.0;
    for (int k = 0; k < 2; k++) { /* the polynomials themselves, at their outer ends */
        double begin = 0.0, end = 0.0, h = -first->half_m, e = last->half_m;
        for (int i = 5; i >= 0; i--) {
            begin = begin * h + first->a[i][k];
            end = end * e + last->a[i][k];
        }
        gap_m[k] = end - begin;
    }
    assert_true(hypot(gap_m[0], gap_m[1]) < 1e-3); /* the promise; it is rounding in fact */
    assert_near(gap_m[0], 0.0, 1e-9);
    assert_near(gap_m[1], 0.0, 1e-9);
    assert_true(r->length_m > 2000.0 && r->length_m < 3000.0);
    /* Once round to the left; curvature without jumps: 22 m after a clothoid of 22 m changes by
     * 1 / 484 a metre. Height and width go on where it closes. */
    struct curve_point p, before;
    int32_t piece = 0;
    curve_at(&r->line, 0.0, &piece, &before);
    for (int i = 1; i <= (int)(r->length_m / 0.1); i++) {
        curve_at(&r->line, 0.1 * i, &piece, &p);
        turn += asin(before.tangent[0] * p.tangent[1] - before.tangent[1] * p.tangent[0]);
        assert_near(p.curvature_1pm, before.curvature_1pm, 6e-4);
        before = p;
    }
    assert_near(turn, 2.0 * pi, 1e-3);
    struct ground g = segments_ground(r);
    struct ground_point a, b;
    g.query(g.road, -1e-4, 3.0, &a);
    g.query(g.road, 1e-4, 3.0, &b);
    assert_near(a.z_m, b.z_m, 1e-4);
    assert_near(a.normal[0], b.normal[0], 1e-4);
    segments_free(r);
}

/* A path along the circuit: the same length, and it goes on round and round. */
static void path_along_the_circuit_wraps(void **unused)
{
    (void)unused;
    struct segments *r = circuit();
    struct cfg_doc *doc = open_text("road: {offset_m: 0}\nspeed_kmh: 36\n");
    struct path path;
    assert_true(path_load(cfg_root(doc), &(struct road){.segments = r}, &path));
    cfg_close(doc);
    double length_m = path.line.end_m - path.line.begin_m, offset_m;
    assert_near(length_m, r->length_m, 0.02); /* nodes are joined by arcs, (D-8) */
    int32_t piece = 0, other = 0, nearby = 0;
    struct path_point p, q;
    for (int i = 0; i < 400; i++) {
        struct curve_point c;
        path_at(&path, 7.0 * i, &piece, &p);
        path_at(&path, 7.0 * i + length_m, &other, &q);
        assert_near(hypot(p.at.x_m - q.at.x_m, p.at.y_m - q.at.y_m), 0.0, 1e-6);
        curve_at(&r->line, 7.0 * i, &nearby, &c);
        int32_t found = piece;
        (void)path_nearest(&path, c.x_m, c.y_m, &found, &offset_m);
        assert_near(offset_m, 0.0, 1e-3);
    }
    path_free(&path);
    segments_free(r);
}

static void mistakes_are_told(void **unused)
{
    (void)unused;
    static const char *const refused[][2] = {
        {"points: [{x_m: 0, y_m: 0}, {x_m: 5, y_m: 0}]\n",
         "road.yaml:1:1: points: 4 to 200000 points are allowed, not 2"},
        {"points: [{x_m: 0, y_m: 0}, {x_m: 5, y_m: 0}, {x_m: 5, y_m: 0.01}, {x_m: 9, y_m: 0}]\n",
         "road.yaml:1:1: points: points 2 and 3 (x 5, y 0) are 0.01 m apart, at least 0.1 m are "
         "needed: thin them out"},
        {"points: [{x_m: 0, y_m: 0}, {x_m: 9, y_m: 0}, {x_m: 0, y_m: 0.2}, {x_m: 9, y_m: 0.2}]\n",
         "road.yaml:1:1: points: the line bends with a radius of 0.581 m behind point 1 (x 0, y "
         "0), at least 2 m are allowed: a measured point lies wrong, or they are too few"},
        {"points: [{x_m: 0, y_m: 0, z_m: 1}, {x_m: 5, y_m: 0}]\n",
         "road.yaml:1:36: points[1].z_m: missing, this key is required"},
        {"points: nowhere.csv\n",
         "road.yaml:1:1: points: nowhere.csv: cannot be read: No such file or directory"},
        {"points: [{x_m: 0, y_m: 0}, {x_m: 5, y_m: 0}, {x_m: 9, y_m: 0}, {x_m: 14, y_m: 0}]\n"
         "segments: [{length_m: 5}]\n",
         "road.yaml:1:1: points: give either segments or points"},
        {"start: {x_m: 3}\n"
         "points: [{x_m: 0, y_m: 0}, {x_m: 5, y_m: 0}, {x_m: 9, y_m: 0}, {x_m: 14, y_m: 0}]\n",
         "road.yaml:1:1: start: the points say where the road starts"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        struct cfg_doc *doc = open_text(refused[i][0]);
        struct segments *r = segments_load_map(cfg_root(doc), doc);
        assert_true(cfg_message_count(doc) > 0);
        assert_string_equal(cfg_message(doc, 0), refused[i][1]);
        segments_free(r);
        cfg_close(doc);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(circle_of_points_is_a_circle),
        cmocka_unit_test(circuit_closes_without_a_step),
        cmocka_unit_test(path_along_the_circuit_wraps),
        cmocka_unit_test(mistakes_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
