/* The kinematics map: that its spline is the polynomial it was made from, mirrored, continued.
 * test_jacking.c has what its gradients do to a car. */
#include "rt-tests/support/near.h"
#include "target/model/kinematics_load.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TERMS = 4, POINTS = 9 };

/* f(z, s) = sum of c[a][b] (z / 0.1)^a (s / 0.1)^b, for each quantity; coefficients within 1. */
struct cubic {
    double c[KIN_QUANTITIES][TERMS][TERMS];
};

static double random_unit(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 4503599627370496.0 - 1.0; /* -1 to 1 */
}

/* The n-th derivative of x^k. */
static double power(double x, int k, int n)
{
    double factor = 1.0;
    for (int i = 0; i < n; i++)
        factor *= k - i;
    return k < n ? 0.0 : factor * pow(x, k - n);
}

/* Derivative nz times by z, ns times by s. */
static double cubic_at(const struct cubic *p, int q, double z, double s, int nz, int ns)
{
    double sum = 0.0;
    for (int a = 0; a < TERMS; a++)
        for (int b = 0; b < TERMS; b++)
            sum += p->c[q][a][b] * power(z / 0.1, a, nz) * power(s / 0.1, b, ns);
    return sum * pow(0.1, -(nz + ns));
}

static struct kinematics_model *fit(const struct cubic *p)
{
    struct kinematics_model *m = calloc(1, sizeof *m);
    double v[POINTS][POINTS + 2][KIN_QUANTITIES];
    assert_non_null(m);
    m->travel0_m = -0.11;
    m->travel_step_m = 0.23 / (POINTS - 1);
    m->travel_points = POINTS;
    m->rack0_m = -0.08;
    m->rack_step_m = 0.16 / (POINTS + 1);
    m->rack_points = POINTS + 2;
    for (int i = 0; i < POINTS; i++)
        for (int k = 0; k < POINTS + 2; k++)
            for (int q = 0; q < KIN_QUANTITIES; q++)
                v[i][k][q] = cubic_at(p, q, m->travel0_m + i * m->travel_step_m,
                                      m->rack0_m + k * m->rack_step_m, 0, 0);
    assert_int_equal(kinematics_fit(m, &v[0][0][0]), 0);
    return m;
}

static struct cubic any_cubic(void)
{
    struct cubic p;
    uint64_t seed = 3;
    for (int q = 0; q < KIN_QUANTITIES; q++)
        for (int a = 0; a < TERMS; a++)
            for (int b = 0; b < TERMS; b++)
                p.c[q][a][b] = random_unit(&seed);
    return p;
}

static void spline_is_the_cubic_it_was_made_from(void **unused)
{
    (void)unused;
    struct cubic p = any_cubic();
    struct kinematics_model *m = fit(&p);
    uint64_t seed = 5;
    for (int n = 0; n < 2000; n++) {
        double z = 0.005 + 0.115 * random_unit(&seed), s = 0.08 * random_unit(&seed);
        struct kinematics_out k;
        kinematics_at(m, z, s, 1.0, &k);
        for (int q = 0; q < KIN_QUANTITIES; q++) {
            /* Values of up to 20 after the solution of two banded systems: 1e-12; each derivative
             * divides by a step of 0.015 to 0.03. */
            assert_near(k.f[q], cubic_at(&p, q, z, s, 0, 0), 1e-12);
            assert_near(k.fz[q], cubic_at(&p, q, z, s, 1, 0), 1e-10);
            assert_near(k.fs[q], cubic_at(&p, q, z, s, 0, 1), 1e-10);
        }
        for (int q = 0; q < KIN_SECOND; q++) {
            assert_near(k.fzz[q], cubic_at(&p, q, z, s, 2, 0), 1e-8);
            assert_near(k.fzs[q], cubic_at(&p, q, z, s, 1, 1), 1e-8);
            assert_near(k.fss[q], cubic_at(&p, q, z, s, 0, 2), 1e-8);
        }
    }
    free(m);
}

/* Between grid points of something that is no cubic, derivatives must still be those of the value.
 */
static void derivatives_are_those_of_the_value(void **unused)
{
    (void)unused;
    struct cubic p = any_cubic();
    struct kinematics_model *m = fit(&p);
    uint64_t seed = 9;
    for (int i = 0; i < POINTS + 2; i++)
        for (int k = 0; k < POINTS + 4; k++)
            for (int q = 0; q < KIN_QUANTITIES; q++)
                m->coef[i][k][q] += 0.1 * random_unit(&seed);
    for (int n = 0; n < 500; n++) {
        const double d = 1e-5;
        double z = 0.005 + 0.11 * random_unit(&seed), s = 0.075 * random_unit(&seed);
        double side = n % 2 ? 1.0 : -1.0;
        struct kinematics_out k, zu, zd, su, sd;
        kinematics_at(m, z, s, side, &k);
        kinematics_at(m, z + d, s, side, &zu);
        kinematics_at(m, z - d, s, side, &zd);
        kinematics_at(m, z, s + d, side, &su);
        kinematics_at(m, z, s - d, side, &sd);
        /* Central differences: d^2 / 6 of a third derivative that jumps by up to 0.1 / 0.015^3, and
         * rounding over d. */
        for (int q = 0; q < KIN_QUANTITIES; q++) {
            assert_near((zu.f[q] - zd.f[q]) / (2.0 * d), k.fz[q], 1e-5);
            assert_near((su.f[q] - sd.f[q]) / (2.0 * d), k.fs[q], 1e-5);
        }
        for (int q = 0; q < KIN_SECOND; q++) {
            assert_near((zu.fz[q] - zd.fz[q]) / (2.0 * d), k.fzz[q], 3.0); /* of 1e3 */
            assert_near((su.fz[q] - sd.fz[q]) / (2.0 * d), k.fzs[q], 3.0);
            assert_near((su.fs[q] - sd.fs[q]) / (2.0 * d), k.fss[q], 3.0);
        }
    }
    free(m);
}

/* The right wheel at a rack is the left one at minus that rack, seen in the mirror y = 0. */
static void right_side_is_the_mirror_image(void **unused)
{
    (void)unused;
    struct cubic p = any_cubic();
    struct kinematics_model *m = fit(&p);
    uint64_t seed = 13;
    for (int n = 0; n < 200; n++) {
        double z = 0.13 * random_unit(&seed), s = 0.1 * random_unit(&seed);
        struct kinematics_out l, r;
        kinematics_at(m, z, -s, 1.0, &l);
        kinematics_at(m, z, s, -1.0, &r);
        for (int q = 0; q < KIN_QUANTITIES; q++) {
            double sign = q == KIN_HUB_Y || q == KIN_TOE || q == KIN_CAMBER ? -1.0 : 1.0;
            assert_true(r.f[q] == sign * l.f[q] && r.fz[q] == sign * l.fz[q]);
            assert_true(r.fs[q] == -sign * l.fs[q]);
            if (q < KIN_SECOND)
                assert_true(r.fzz[q] == sign * l.fzz[q] && r.fzs[q] == -sign * l.fzs[q] &&
                            r.fss[q] == sign * l.fss[q]);
        }
    }
    free(m);
}

static void outside_it_goes_on_straight(void **unused)
{
    (void)unused;
    struct cubic p = any_cubic();
    struct kinematics_model *m = fit(&p);
    struct kinematics_out edge, out;
    kinematics_at(m, 0.12, 0.01, 1.0, &edge);
    for (int n = 0; n < 6; n++) {
        double d = ldexp(0.01, n);
        kinematics_at(m, 0.12 + d, 0.01, 1.0, &out);
        for (int q = 0; q < KIN_QUANTITIES; q++) {
            assert_near(out.f[q], edge.f[q] + d * edge.fz[q], 1e-11 * (1.0 + d / 0.01));
            assert_near(out.fz[q], edge.fz[q], 1e-10);
        }
        for (int q = 0; q < KIN_SECOND; q++)
            assert_true(out.fzz[q] == 0.0);
    }
    kinematics_at(m, -0.02, -0.08, 1.0, &edge);
    for (int n = 0; n < 6; n++) {
        double d = ldexp(0.01, n);
        kinematics_at(m, -0.02, -0.08 - d, 1.0, &out);
        for (int q = 0; q < KIN_QUANTITIES; q++) {
            assert_near(out.f[q], edge.f[q] - d * edge.fs[q], 1e-11 * (1.0 + d / 0.01));
            assert_near(out.fs[q], edge.fs[q], 1e-10);
        }
        for (int q = 0; q < KIN_SECOND; q++)
            assert_true(out.fss[q] == 0.0);
    }
    free(m);
}

/* The polynomials of a vehicle file. */
static void file_polynomials_are_what_they_say(void **unused)
{
    (void)unused;
    static const char text[] =
        "kinematics:\n  hub_m: [1.3, 0.75, 0.3]\n  travel_m: [-0.1, 0.12]\n  rack_m: [-0.08, "
        "0.08]\n"
        "  hub_x_m: {travel: [-0.05, -0.2, 1.1], rack: [-0.5]}\n"
        "  hub_y_m: {at_rest: 0.01, travel: [0.1, -0.6], rack: [0.0, -2.0]}\n"
        "  toe_rad: {at_rest: -0.001, travel: [0.05], rack: [8.0, 12.0, -30.0], both: 0.2}\n"
        "  spring_ratio: [0.9, 1.5]\n  damper_ratio: [0.8]\n";
    struct cfg_doc *doc;
    struct kinematics_model *m = calloc(1, sizeof *m);
    assert_non_null(m);
    assert_int_equal(cfg_open_text("car.yaml", text, strlen(text), &doc), 0);
    kinematics_load(cfg_map(cfg_root(doc), "kinematics"), true, m);
    cfg_print_messages(doc, stderr);
    assert_true(cfg_ok(doc));
    cfg_close(doc);
    for (int i = 0; i <= 20; i++)
        for (int j = 0; j <= 12; j++) {
            double z = -0.1 + 0.011 * i, s = -0.08 + 0.16 * j / 12.0;
            struct kinematics_out k, rest;
            kinematics_at(m, z, s, 1.0, &k);
            kinematics_at(m, 0.0, 0.0, 1.0, &rest);
            /* cubic at most: the spline's rounding */
            assert_near(k.f[KIN_HUB_X], 1.3 - 0.05 * z - 0.2 * z * z + 1.1 * z * z * z - 0.5 * s,
                        1e-12);
            assert_near(k.f[KIN_HUB_Y], 0.76 + 0.1 * z - 0.6 * z * z - 2.0 * s * s, 1e-12);
            assert_near(k.f[KIN_HUB_Z], 0.3 + z, 1e-12);
            assert_near(k.f[KIN_TOE],
                        -0.001 + 0.05 * z + 8.0 * s + 12.0 * s * s - 30.0 * s * s * s + 0.2 * z * s,
                        1e-12);
            assert_near(k.f[KIN_CAMBER], 0.0, 1e-12);
            assert_near(k.f[KIN_SPRING] - rest.f[KIN_SPRING], -0.9 * z - 0.75 * z * z, 1e-12);
            assert_near(k.fz[KIN_DAMPER], -0.8, 1e-11);
        }
    free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spline_is_the_cubic_it_was_made_from),
        cmocka_unit_test(derivatives_are_those_of_the_value),
        cmocka_unit_test(right_side_is_the_mirror_image),
        cmocka_unit_test(outside_it_goes_on_straight),
        cmocka_unit_test(file_polynomials_are_what_they_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
