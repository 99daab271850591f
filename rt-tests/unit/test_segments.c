/* Roads by segments: places and surfaces against closed forms. */
#include "rt-tests/support/near.h"
#include "target/road/segments_isa.h"
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
static const double micrometre = 1e-6; /* what pieces promise, (R-3) */

static struct segments *road_of(const char *text)
{
    struct cfg_doc *doc;
    assert_int_equal(cfg_open_text("road.yaml", text, strlen(text), &doc), 0);
    struct segments *r = segments_load_map(cfg_root(doc), doc);
    if (!cfg_ok(doc))
        fail_msg("%s", cfg_message(doc, 0));
    assert_non_null(r);
    cfg_close(doc);
    return r;
}

static struct ground_point ask(const struct segments *r, double x_m, double y_m)
{
    struct ground g = segments_ground(r);
    struct ground_point p;
    g.query(g.road, x_m, y_m, &p);
    return p;
}

static struct curve_point at(const struct segments *r, double s_m)
{
    struct curve_point p;
    int32_t piece = 0;
    curve_at(&r->line, s_m, &piece, &p);
    return p;
}

/* Euler's spiral of unit scale: curvature pi s, whose end at s = 1 is the Fresnel integrals
 * C(1) = 0.77989340037682..., S(1) = 0.43825914739035... (Abramowitz and Stegun 7.3). */
static void clothoid_ends_at_the_fresnel_integrals(void **unused)
{
    (void)unused;
    struct segments *r = road_of("segments:\n"
                                 "  - {length_m: 50, curvature_1pm: [0, 0.06283185307179586]}\n");
    struct curve_point p = at(r, 50.0);
    assert_near(p.x_m, 50.0 * 0.77989340037682282947, micrometre);
    assert_near(p.y_m, 50.0 * 0.43825914739035476608, micrometre);
    assert_near(p.tangent[0], 0.0, 1e-7); /* it has turned by 90 degrees */
    assert_near(p.tangent[1], 1.0, 1e-7);
    segments_free(r);
}

static void arc_lies_on_its_circle(void **unused)
{
    (void)unused;
    struct segments *r = road_of("start: {x_m: 3, y_m: -2, heading_deg: 90}\n"
                                 "segments: [{radius_m: -12, angle_deg: 270}]\n");
    /* Heading up and turning right: the centre is 12 m to the right of the start. */
    for (int i0 = 0; 0.01 + 0.37 * i0 <= r->length_m; i0++) {
        double s = 0.01 + 0.37 * i0;
        struct curve_point p = at(r, s);
        assert_near(hypot(p.x_m - 15.0, p.y_m + 2.0), 12.0, micrometre);
        assert_near(p.curvature_1pm, -1.0 / 12.0, 1e-6);
    }
    segments_free(r);
}

static void places_are_found_again(void **unused)
{
    (void)unused;
    struct segments *r = road_of("segments:\n"
                                 "  - {length_m: 30}\n"
                                 "  - {length_m: 20, to_radius_m: 20}\n"
                                 "  - {length_m: 20, radius_m: 20}\n"
                                 "  - {length_m: 40, to_radius_m: -40}\n"
                                 "width_m: 4\n");
    for (int i1 = 0; - 50.0 + 0.31 * i1 < r->length_m + 50.0; i1++) {
        double s = -50.0 + 0.31 * i1;
        for (int i2 = 0; - 5.0 + 1.25 * i2 <= 5.0; i2++) {
            double n = -5.0 + 1.25 * i2;
            struct curve_point c = at(r, s);
            struct segments_place p;
            segments_find(r, c.x_m - n * c.tangent[1], c.y_m + n * c.tangent[0], &p);
            assert_near(p.s_m, s, 2e-5); /* one step of Newton, 5 m beside 20 m radius */
            assert_near(p.n_m, n, 5.0 * micrometre); /* one step of Newton, (R-4) */
            bool inside = fabs(n) <= 4.0 && s >= 1e-4 && s <= r->length_m - 1e-4;
            if (fabs(s) > 1e-3 && fabs(s - r->length_m) > 1e-3)
                assert_int_equal(p.is_inside, inside);
        }
    }
    segments_free(r);
}

/* A hairpin of 4 m radius, and places up to a metre from its centre: many pieces lie near each. */
static void places_inside_a_hairpin_are_found(void **unused)
{
    (void)unused;
    struct segments *r =
        road_of("segments: [{length_m: 20}, {radius_m: 4, angle_deg: 180}, {length_m: 20}]\n");
    for (int i = 0; i < 2000; i++) {
        double angle = pi * (i + 0.5) / 2000.0, n = 3.0 - 0.07 * (i % 100);
        struct segments_place p;
        segments_find(r, 20.0 + (4.0 - n) * sin(angle), 4.0 - (4.0 - n) * cos(angle), &p);
        assert_near(p.s_m, 20.0 + 4.0 * angle, 4.0 * micrometre); /* a metre there is four */
        assert_near(p.n_m, n, micrometre);
        assert_near(hypot(p.tangent[0], p.tangent[1]), 1.0, 1e-6);
        assert_int_equal(p.is_inside, 1);
    }
    segments_free(r);
}

static void check_normals(const struct segments *r)
{
    for (int i3 = 0; 0.3 + 1.7 * i3 < r->length_m; i3++) {
        double s = 0.3 + 1.7 * i3;
        struct curve_point c = at(r, s);
        for (int i4 = 0; - 3.3 + 2.2 * i4 < 3.5; i4++) {
            double n = -3.3 + 2.2 * i4;
            double x = c.x_m - n * c.tangent[1], y = c.y_m + n * c.tangent[0], d = 1e-5;
            struct ground_point p = ask(r, x, y);
            double by_x = (ask(r, x + d, y).z_m - ask(r, x - d, y).z_m) / (2.0 * d);
            double by_y = (ask(r, x, y + d).z_m - ask(r, x, y - d).z_m) / (2.0 * d);
            double length =
                p.normal[0] * p.normal[0] + p.normal[1] * p.normal[1] + p.normal[2] * p.normal[2];
            assert_near(length, 1.0, 1e-12);
            /* The step crosses kinks of second order: some ten-thousandths of a slope. */
            assert_near(-p.normal[0] / p.normal[2], by_x, 3e-4);
            assert_near(-p.normal[1] / p.normal[2], by_y, 3e-4);
        }
    }
}

/* Normal and height must belong together everywhere, or wheels would gain energy. */
static void normal_is_the_slope_of_the_surface(void **unused)
{
    (void)unused;
    struct segments *r;
    struct cfg_doc *doc;
    assert_int_equal(segments_load("config/roads/handling.yaml", &r, &doc), 0);
    cfg_close(doc);
    check_normals(r);
    segments_free(r);
    r = road_of("segments: [{length_m: 50}, {length_m: 60, to_radius_m: -30}]\n"
                "bank_percent: [[0, 0], [110, 8]]\nelevation_m: [[0, 0], [60, 3], [110, 0]]\n"
                "roughness: {class: C}\nprofile_m: [[-4, 0], [0, 0.2], [4, 0]]\n"
                "bumps: [{from_m: 20, to_m: 90, height_m: 0.5, edge_m: 10, left_m: 1}]\n");
    check_normals(r);
    segments_free(r);
}

static void banked_circle_is_a_cone(void **unused)
{
    (void)unused;
    struct segments *r = road_of("closed: true\nsegments: [{radius_m: 100, angle_deg: 360}]\n"
                                 "bank_percent: -20\n");
    for (int i = 0; i < 100; i++) {
        double angle = 0.0628 * i, out_m = 97.0 + 0.06 * i;
        double x = out_m * cos(angle), y = 100.0 + out_m * sin(angle);
        struct ground_point p = ask(r, x, y);
        assert_near(p.z_m, 0.2 * (out_m - 100.0), micrometre); /* higher outside */
        assert_near(p.normal[2], 1.0 / sqrt(1.04), 1e-9);
        assert_near(p.normal[0], -0.2 / sqrt(1.04) * cos(angle), 1e-6);
    }
    segments_free(r);
}

static void hill_rises_and_does_not_overshoot(void **unused)
{
    (void)unused;
    struct segments *r = road_of("segments: [{length_m: 200}]\n"
                                 "elevation_m: [[0, 0], [50, 0], [100, 5], [200, 15]]\n"
                                 "width_m: 10\n"
                                 "profile_m: [[-4, -0.1], [0, 0], [4, -0.1]]\n");
    assert_near(ask(r, 100.0, 0.0).z_m, 5.0, 1e-9);
    assert_near(ask(r, 300.0, 0.0).z_m, 25.0, 1e-9); /* the run-out goes on at 10 % */
    assert_near(ask(r, 20.0, 0.0).z_m, 0.0, 1e-9);
    assert_near(ask(r, 100.0, 4.0).z_m, 4.9, 1e-9);
    assert_near(ask(r, 100.0, -9.0).z_m, 4.9, 1e-9); /* held beside the profile */
    double before = -1.0;
    for (int i5 = 0; 0.5 * i5 <= 200.0; i5++) {
        double x = 0.5 * i5;
        assert_true(ask(r, x, 0.0).z_m >= before);
        before = ask(r, x, 0.0).z_m;
    }
    segments_free(r);
}

static void friction_follows_its_areas(void **unused)
{
    (void)unused;
    struct segments *r = road_of(
        "segments: [{length_m: 100}]\nfriction: 0.9\nfriction_beside: 0.3\nwidth_m: 4\nareas:\n"
        "  - {from_m: 10, to_m: 20, left_m: 0, friction: 0.2}\n"
        "  - {from_m: 20, to_m: 30, friction: 0.5}\n"
        "  - {from_m: 40, to_m: 50, right_m: -2, left_m: 2, chequer: {size_m: [1, 2], friction: "
        "[0.1, 0.8]}}\n");
    static const struct {
        double x, y, friction;
    } want[] = {{5, 0, 0.9},       {15, -1, 0.2},     {15, 1, 0.9},      {25, 3, 0.5},
                {35, 0, 0.9},      {40.5, -1, 0.1},   {41.5, -1, 0.8},   {40.5, 1, 0.8},
                {41.5, 1, 0.1},    {45, 3, 0.9},      {5, 4.1, 0.3},     {25, -4.1, 0.3},
                {19.999, -1, 0.2}, {20.001, -1, 0.5}, {49.999, 1.0, 0.1}};
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++)
        assert_near(ask(r, want[i].x, want[i].y).friction, want[i].friction, 0.0);
    segments_free(r);
}

static void bump_has_its_height_and_smooth_edges(void **unused)
{
    (void)unused;
    struct segments *r =
        road_of("segments: [{length_m: 100}]\nbumps:\n"
                "  - {from_m: 50, to_m: 51, edge_m: 0.2, height_m: 0.1, right_m: 0}\n");
    assert_near(ask(r, 50.5, 1.0).z_m, 0.1, 1e-12);
    assert_near(ask(r, 50.1, 1.0).z_m, 0.05, 1e-12);
    assert_near(ask(r, 50.9, 1.0).z_m, 0.05, 1e-12);
    assert_near(ask(r, 50.5, -1.0).z_m, 0.0, 0.0); /* only on the left */
    assert_near(ask(r, 50.0001, 1.0).normal[0], 0.0, 0.002);
    assert_true(ask(r, 50.1, 1.0).normal[0] < -0.5 && ask(r, 50.9, 1.0).normal[0] > 0.5);
    segments_free(r);
}

/* Areas and bumps side by side, and behind each other, against a search through their lists. */
enum { BUMPS_ALONG = 12, BUMPS_ACROSS = 3, AREAS_ALONG = 5, AREAS_ACROSS = 4 };

static double bump_height_m(double s, double n)
{
    int i = (int)(s / 4.5), k = (int)floor((n + 3.0) / 2.0);
    double u, from = 4.5 * i + 0.3 * (k + 1), to = 4.5 * i + 4.1;
    if (i >= BUMPS_ALONG || k < 0 || k >= BUMPS_ACROSS || s < from || s > to)
        return 0.0;
    u = fmin(1.0, fmin(s - from, to - s) / (0.2 + 0.1 * k));
    return 0.01 * (i + 1) * u * u * (3.0 - 2.0 * u);
}

static double area_friction(double s, double n)
{
    int i = (int)(s / 11.0), k = (int)floor((n + 4.0) / 1.7);
    if (fabs(n) > 5.0)
        return 0.25;
    if (i >= AREAS_ALONG || k < 0 || k >= AREAS_ACROSS || s - 11.0 * i > 9.0)
        return 1.0;
    double from = 11.0 * i, right = -4.0 + 1.7 * k;
    bool other = ((int)((s - from) / 0.7) + (int)((n - right) / 0.6)) % 2;
    return 0.1 + 0.05 * (i + 2 * k) + (k % 2 && other ? 0.5 : 0.0);
}

static void surface_is_what_its_lists_say(void **unused)
{
    (void)unused;
    char text[8192] = "segments: [{length_m: 60}]\nfriction_beside: 0.25\nbumps:\n";
    size_t end = strlen(text);
    for (int i = 0; i < BUMPS_ALONG * BUMPS_ACROSS; i++) {
        int along = i / BUMPS_ACROSS, k = i % BUMPS_ACROSS;
        end += (size_t)snprintf(text + end, sizeof text - end,
                                "  - {from_m: %.2f, to_m: %.2f, right_m: %d, left_m: %d, height_m: "
                                "%.2f, edge_m: %.1f}\n",
                                4.5 * along + 0.3 * (k + 1), 4.5 * along + 4.1, -3 + 2 * k,
                                -1 + 2 * k, 0.01 * (along + 1), 0.2 + 0.1 * k);
    }
    end += (size_t)snprintf(text + end, sizeof text - end, "areas:\n");
    for (int i = 0; i < AREAS_ALONG * AREAS_ACROSS; i++) {
        int along = i / AREAS_ACROSS, k = i % AREAS_ACROSS;
        double low = 0.1 + 0.05 * (along + 2 * k);
        end += (size_t)snprintf(text + end, sizeof text - end,
                                "  - {from_m: %d, to_m: %d, right_m: %.1f, left_m: %.1f, chequer: "
                                "{size_m: [0.7, 0.6], friction: [%.2f, %.2f]}}\n",
                                11 * along, 11 * along + 9, -4.0 + 1.7 * k, -2.3 + 1.7 * k, low,
                                low + (k % 2 ? 0.5 : 0.0));
    }
    assert_true(end + 1 < sizeof text);
    struct segments *r = road_of(text);
    for (int i = 0; i < 5000; i++) {
        double s = 60.0 * fmod(0.6180339887 * i + 0.1, 1.0);
        double n = -5.5 + 11.0 * fmod(0.7548776662 * i, 1.0);
        struct ground_point p = ask(r, s, n);
        assert_near(p.z_m, bump_height_m(s, n), 1e-9);
        assert_near(p.friction, area_friction(s, n), 1e-12);
    }
    segments_free(r);
}

/* Cleats a centimetre long, every two. */
static void cleats_close_together_are_all_there(void **unused)
{
    (void)unused;
    char text[16384] = "segments: [{length_m: 300}]\nbumps:\n";
    size_t end = strlen(text);
    for (int i = 0; i < 100; i++)
        end += (size_t)snprintf(text + end, sizeof text - end,
                                "  - {from_m: %.2f, to_m: %.2f, edge_m: 0.001, height_m: 0.01}\n",
                                100.0 + 0.02 * i, 100.01 + 0.02 * i);
    struct segments *r = road_of(text);
    for (int i = 0; i < 100; i++) {
        assert_near(ask(r, 100.0005 + 0.02 * i, 1.0).z_m, 0.005, 1e-9);
        assert_near(ask(r, 100.005 + 0.02 * i, 1.0).z_m, 0.01, 1e-9);
        assert_near(ask(r, 100.015 + 0.02 * i, 1.0).z_m, 0.0, 1e-12);
    }
    segments_free(r);
}

/* The query for AVX and that for every CPU. */
static void every_cpu_gets_the_same_bits(void **unused)
{
    (void)unused;
    struct segments *r;
    struct cfg_doc *doc;
    assert_int_equal(segments_load("rt-tests/perf/everything.yaml", &r, &doc), 0);
    cfg_close(doc);
    struct ground g = segments_ground(r); /* that for AVX where there is AVX */
    for (int i = 0; i < 5000; i++) {
        double x = -40.0 + 100.0 * fmod(0.6180339887 * i, 1.0);
        double y = -20.0 + 60.0 * fmod(0.7548776662 * i, 1.0);
        struct ground_point a, b;
        g.query(r, x, y, &a);
        segments_query_base(r, x, y, &b);
        assert_memory_equal(&a, &b, sizeof a);
    }
    segments_free(r);
}

/* Mean square of the part of a signal between two wave numbers, by its Fourier sums. */
static double band_m2(const double *z, int count, double step_m, double low_1pm, double high_1pm)
{
    double sum = 0.0, df = 1.0 / (count * step_m);
    for (int i = (int)ceil(low_1pm / df); i * df < high_1pm; i++) {
        double re = 0.0, im = 0.0;
        for (int k = 0; k < count; k++) {
            re += z[k] * cos(2.0 * pi * i * k / count);
            im += z[k] * sin(2.0 * pi * i * k / count);
        }
        sum += 2.0 * (re * re + im * im) / ((double)count * count);
    }
    return sum;
}

/* The density G(n) = G0 (0.1 / n)^2 gives 0.01 G0 (1 / low - 1 / high) between two wave numbers.
 * With N independent waves of two normal numbers the sum scatters by 1 / sqrt(N). */
static void roughness_has_the_density_of_its_class(void **unused)
{
    (void)unused;
    enum { COUNT = 4096 }; /* one period of 409.6 m at 0.1 m */
    static double z[COUNT];
    struct segments *r = road_of("segments: [{length_m: 500}]\nroughness: {class: C, seed: 3}\n");
    static const double low[] = {0.05, 0.2, 0.8}, high[] = {0.1, 0.4, 1.6};
    for (int b = 0; b < 3; b++) {
        double mean_m2 = 0.0, waves = (high[b] - low[b]) * 409.6;
        for (int track = 0; track < 3; track++) {
            for (int k = 0; k < COUNT; k++)
                z[k] = ask(r, 0.1 * k, 3.25 - 3.0 * track).z_m;
            mean_m2 += band_m2(z, COUNT, 0.1, low[b], high[b]) / 3.0;
        }
        double want_m2 = 0.01 * 256e-6 * (1.0 / low[b] - 1.0 / high[b]);
        /* Three standard deviations of one track (they are partly alike). */
        assert_ratio(mean_m2, want_m2, 3.0 / sqrt(waves));
    }
    segments_free(r);
}

static void roughness_repeats_for_a_seed_only(void **unused)
{
    (void)unused;
    static const char text[] = "segments: [{length_m: 500}]\nroughness: {class: A, seed: %d}\n";
    char first[128], second[128];
    (void)snprintf(first, sizeof first, text, 1);
    (void)snprintf(second, sizeof second, text, 2);
    struct segments *a = road_of(first), *b = road_of(first), *c = road_of(second);
    assert_true(ask(a, 10.0, 0.3).z_m == ask(b, 10.0, 0.3).z_m);
    assert_true(ask(a, 10.0, 0.3).z_m != ask(c, 10.0, 0.3).z_m);
    /* Smooth: half a millimetre ahead the height differs by less than a fifth of that. */
    assert_near(ask(a, 10.0, 0.3).z_m, ask(a, 10.0005, 0.3).z_m, 1e-4);
    segments_free(a);
    segments_free(b);
    segments_free(c);
}

static void far_away_and_nowhere_have_an_answer(void **unused)
{
    (void)unused;
    struct segments *r;
    struct cfg_doc *doc;
    assert_int_equal(segments_load("config/roads/handling.yaml", &r, &doc), 0);
    cfg_close(doc);
    assert_true(isfinite(ask(r, 1e5, -1e5).z_m));
    (void)ask(r, NAN, 0.0); /* a car whose state is spoilt must not crash the program */
    (void)ask(r, INFINITY, -INFINITY);
    segments_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clothoid_ends_at_the_fresnel_integrals),
        cmocka_unit_test(arc_lies_on_its_circle),
        cmocka_unit_test(places_are_found_again),
        cmocka_unit_test(places_inside_a_hairpin_are_found),
        cmocka_unit_test(normal_is_the_slope_of_the_surface),
        cmocka_unit_test(banked_circle_is_a_cone),
        cmocka_unit_test(hill_rises_and_does_not_overshoot),
        cmocka_unit_test(friction_follows_its_areas),
        cmocka_unit_test(bump_has_its_height_and_smooth_edges),
        cmocka_unit_test(surface_is_what_its_lists_say),
        cmocka_unit_test(cleats_close_together_are_all_there),
        cmocka_unit_test(every_cpu_gets_the_same_bits),
        cmocka_unit_test(roughness_has_the_density_of_its_class),
        cmocka_unit_test(roughness_repeats_for_a_seed_only),
        cmocka_unit_test(far_away_and_nowhere_have_an_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
