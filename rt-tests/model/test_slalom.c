/* The slalom of Chucholowski, Voegel, von Stryk and Wolter, and what lies around its two results.
 */
#include "rt-tests/support/near.h"
#include "target/trial.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const double deg = 0.017453292519943295;
static const char standard[] = "config/vehicles/suv.yaml";
static const char overloaded[] = "config/vehicles/suv_overloaded.yaml";

/* One slalom; the measure of that name of the result is measured(). */
static struct trials run;

static void slalom(const char *vehicle, int integrator, double friction)
{
    trials_free(&run);
    memset(&run, 0, sizeof run);
    assert_int_equal(trials_add(&run, "config/scenarios/slalom.yaml"), 0);
    struct trial *t = &run.trial[0];
    (void)snprintf(t->vehicle, sizeof t->vehicle, "%s", vehicle);
    t->integrator = integrator;
    assert_true(parameters_set(&t->parameters, "friction", friction, (struct expr_dim){.any = 1}));
    t->unit.kind = UNIT_NONE; /* the car alone */
    trials_drive(&run, 1, false);
    assert_int_equal(t->status, 0);
}

static double measured(const char *name)
{
    const struct verdict *v = run.trial[0].verdict;
    for (int i = 0; i < v->measures; i++)
        if (strcmp(v->measure[i].name, name) == 0)
            return run.trial[0].run[0].result.measure[i];
    fail_msg("no measure %s", name);
    return NAN;
}

/* The paper: about 8 degrees. Its car is known by mass, wheelbase, track and height only, so that a
 * suspension of ours is as good if it rolls by 6 to 9. */
static void standard_car_passes(void **unused)
{
    (void)unused;
    for (int integrator = MODEL_FORWARD; integrator <= MODEL_SEMI_IMPLICIT; integrator++) {
        slalom(standard, integrator, 1.0);
        assert_true(run.trial[0].passed);
        assert_above(measured("roll"), 6.0 * deg);
        assert_below(measured("roll"), 9.0 * deg);
        assert_below(measured("error"), 0.3);
        assert_near(measured("slowest"), 55.0 / 3.6, 2.0 / 3.6);
        assert_near(measured("fastest"), 55.0 / 3.6, 2.0 / 3.6);
    }
}

/* The first cone is at 69 m, the second at 92 m: it is upright for the last time between them. */
static void overloaded_car_rolls_over_at_the_first_cone(void **unused)
{
    (void)unused;
    for (int integrator = MODEL_FORWARD; integrator <= MODEL_SEMI_IMPLICIT; integrator++) {
        slalom(overloaded, integrator, 1.0);
        assert_above(measured("roll"), 79.0 * deg);
        assert_above(measured("last_place"), 66.0);
        assert_below(measured("last_place"), 80.0);
        assert_below(measured("error"), 0.3);
        assert_near(measured("slowest"), 55.0 / 3.6, 2.0 / 3.6);
        assert_near(measured("fastest"), 55.0 / 3.6, 2.0 / 3.6);
    }
}

/* Half the friction gives at most about 5 m/s2, less than either car needs to tip. */
static void half_the_friction_slides_and_does_not_roll(void **unused)
{
    (void)unused;
    static const char *const cars[] = {standard, overloaded};
    for (int i = 0; i < 2; i++) {
        slalom(cars[i], VEHICLE_AS_FILE, 0.5);
        assert_below(measured("roll"), 15.0 * deg);
        assert_below(measured("lateral"), 6.0);
        assert_above(measured("error"), 1.0);
    }
}

/* The standard car with its centre of gravity at a height, written to a file. */
static void write_car(const char *path, double height_m)
{
    char line[512];
    FILE *from = fopen(standard, "r"), *to = fopen(path, "w");
    assert_non_null(from);
    assert_non_null(to);
    char folder[256];
    assert_non_null(getcwd(folder, sizeof folder));
    /* The body is 1420 of 1600 kg; its inertia goes as the shipped overloaded car's. */
    double body_m = 0.7097 + (height_m - 0.67) * 1600.0 / 1420.0;
    double xx = 560.0 + (height_m - 0.67) / 0.23 * 140.0;
    while (fgets(line, sizeof line, from)) {
        char *tyre = strstr(line, "../tyres/");
        if (strstr(line, "cg_m:"))
            fprintf(to, "  cg_m: [0.0842, 0, %.5f]\n", body_m);
        else if (strstr(line, "inertia_kgm2: {xx"))
            fprintf(to, "  inertia_kgm2: {xx: %.2f, yy: 2150, zz: 2300, xz: 30}\n", xx);
        else if (tyre)
            fprintf(to, "  tyre: %s/config/tyres/%s", folder, tyre + strlen("../tyres/"));
        else
            (void)fputs(line, to);
    }
    (void)fclose(from);
    assert_int_equal(fclose(to), 0);
}

/* Quasi-static: a car tips when a h = g (T/2 - (h - r) phi). The path asks for a = A k^2 v^2. Rigid
 * (phi = 0) is the upper bound. With suspension phi = m_s a (h - r) / (K - m_s g (h - r)), from the
 * springs and bars of the file, without bump stops and with the roll axis at 0.05 m, is the lower
 * one: stops stiffen the outer side, and it takes time to tip. */
static double tipping_height_m(double share_of_roll)
{
    const double g = 9.81, half_track_m = 0.75, sprung_kg = 1420.0, axis_m = 0.05;
    const double k = 2.0 * 3.14159265358979 / 46.0, v = 55.0 / 3.6, a = 1.9 * k * k * v * v;
    const double front_Npm = 29e3 * 0.92 * 0.92 + 2.0 * 6e3;
    const double rear_Npm = 40e3 * 0.8 * 0.8 + 2.0 * 3e3;
    const double roll_Nm = (front_Npm + rear_Npm) * 2.0 * half_track_m * half_track_m;
    double low = 0.3, high = 1.5;
    for (int n = 0; n < 50; n++) {
        double h = 0.5 * (low + high), arm = h - axis_m;
        double phi = sprung_kg * a * arm / (roll_Nm - sprung_kg * g * arm);
        if (a * h < g * (half_track_m - share_of_roll * arm * phi))
            low = h;
        else
            high = h;
    }
    return low;
}

static void threshold_lies_between_the_estimates(void **unused)
{
    (void)unused;
    char path[] = "/tmp/skidpad-slalom-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    (void)close(fd);
    double low_m = 0.67, high_m = 0.90;
    for (int n = 0; n < 5; n++) { /* to 7 mm */
        double height_m = 0.5 * (low_m + high_m);
        write_car(path, height_m);
        slalom(path, VEHICLE_AS_FILE, 1.0);
        if (measured("roll") > 60.0 * deg)
            high_m = height_m;
        else
            low_m = height_m;
    }
    (void)remove(path);
    printf("# rolls over from %.3f to %.3f m; quasi-static %.3f m with suspension, %.3f m rigid\n",
           low_m, high_m, tipping_height_m(1.0), tipping_height_m(0.0));
    assert_above(low_m, tipping_height_m(1.0));
    assert_below(high_m, tipping_height_m(0.0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(standard_car_passes),
        cmocka_unit_test(overloaded_car_rolls_over_at_the_first_cone),
        cmocka_unit_test(half_the_friction_slides_and_does_not_roll),
        cmocka_unit_test(threshold_lies_between_the_estimates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
