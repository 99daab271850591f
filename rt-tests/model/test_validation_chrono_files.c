/* What Chrono's Sedan becomes in our files, part by part, before it drives: its tyre with its own
 * slips, its masses, and how it stands. docs/validation.md */
#include "rt-tests/support/chrono_sedan.h"
#include "rt-tests/support/lumped15_of.h"
#include "rt-tests/support/near.h"
#include "target/model/tyre/tyre_file.h"
#include "target/offline.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* Their loads and slips, row by row, through our tyre make their forces.
 *
 * Above 3.5 m/s: below 3 they blend in a bristle friction of their own. Their slips have 0.1 m/s
 * added to the speed in the denominator. 2 N: the slips are printed to 1e-6, which at 130 kN of
 * slip stiffness is 0.1 N; the forces of a row were computed 0.25 ms before its slips, which during
 * the ramps of steering and throttle is another 1 N. */
static void check_tyre(const struct tyre_set *set, const char *name)
{
    static const char *const wheel[WHEELS] = {"fl", "fr", "rl", "rr"};
    struct csv t;
    double worst_x = 0.0, worst_y = 0.0;
    chrono_read(name, &t);
    for (size_t row = 0; row < t.rows; row++) {
        double vx = validation_cell(&t, row, "vx"), share = vx / (vx + 0.1), fx[WHEELS], fy[WHEELS];
        struct tyre_in in = {0};
        struct tyre_out out;
        if (vx < 3.5)
            continue;
        for (int i = 0; i < WHEELS; i++) {
            char column[5][16];
            static const char *const what[5] = {"Fz", "kappa", "alpha", "Fx", "Fy"};
            for (int k = 0; k < 5; k++)
                (void)snprintf(column[k], sizeof column[k], "%s_%s", what[k], wheel[i]);
            in.load_N[i] = validation_cell(&t, row, column[0]);
            in.kappa[i] = share * validation_cell(&t, row, column[1]);
            in.tan_alpha[i] = share * tan(validation_cell(&t, row, column[2]));
            in.vx_mps[i] = vx;
            in.friction[i] = 1.0;
            fx[i] = validation_cell(&t, row, column[3]);
            fy[i] = validation_cell(&t, row, column[4]);
        }
        tyre_forces(set, &in, &out);
        for (int i = 0; i < WHEELS; i++) {
            worst_x = fmax(worst_x, fabs(out.fx_N[i] - fx[i]));
            worst_y = fmax(worst_y, fabs(out.fy_N[i] - fy[i]));
        }
    }
    csv_free(&t);
    print_message("%s: Fx within %.2f N, Fy within %.2f N\n", name, worst_x, worst_y);
    assert_below(worst_x, 2.0);
    assert_below(worst_y, 2.0);
}

static void tyre_makes_their_forces_of_their_slips(void **state)
{
    struct validation_folder *f = *state;
    struct tyre_model model;
    struct tyre_set set;
    struct err e;
    char path[VALIDATION_PATH + 16];
    (void)validation_data("", path);
    validation_folder_make(f);
    chrono_write_tyre(f);
    (void)snprintf(path, sizeof path, "%s/tyre.tir", f->path);
    if (tyre_model_read(path, &model, NULL, &e))
        fail_msg("%s", e.text);
    tyre_set_init(&set, (const struct tyre_model *[]){&model, &model, &model, &model},
                  TYRE_SIDES_MIRROR);
    check_tyre(&set, "step");
    check_tyre(&set, "sine");
    check_tyre(&set, "accbrake");
}

/* The README states 1671.26 kg with 296.9 / 1119.5 / 1242.3 / -5.4 kg m2. The inertia is that of
 * the car as built without its tyres: four times 11.5 kg are missing. Tolerances: last digit. */
static void stated_inertia_is_that_of_the_car_without_tyres(void **state)
{
    (void)state;
    struct chrono_mass stated = chrono_mass(true), whole = chrono_mass(false);
    print_message("with tyres, at rest: %.2f kg, %.1f / %.1f / %.1f / %.1f kg m2\n", whole.kg,
                  whole.inertia_kgm2[0], whole.inertia_kgm2[1], whole.inertia_kgm2[2],
                  whole.inertia_kgm2[3]);
    assert_near(whole.kg, 1671.26, 0.005);
    assert_near(stated.kg, 1671.26 - 46.0, 0.005);
    assert_near(stated.inertia_kgm2[0], 296.9, 0.05);
    assert_near(stated.inertia_kgm2[1], 1119.5, 0.05);
    assert_near(stated.inertia_kgm2[2], 1242.3, 0.05);
    assert_near(stated.inertia_kgm2[3], -5.4, 0.05);
}

static void add_point(double kg, struct vec3 at, struct vec3 about, double inertia[4])
{
    double x = at.x - about.x, y = at.y - about.y, z = at.z - about.z;
    inertia[0] += kg * (y * y + z * z);
    inertia[1] += kg * (x * x + z * z);
    inertia[2] += kg * (x * x + y * y);
    inertia[3] -= kg * x * z;
}

/* Inertia of the whole loaded car at travel 0 about its centre of gravity: xx yy zz xz. */
static void whole_inertia(const struct offline *o, double inertia[4])
{
    const struct lumped15_model *m = lumped15_of(o->vehicle);
    for (int k = 0; k < 4; k++)
        inertia[k] = m->inertia_kgm2[k < 3 ? k : 4];
    add_point(m->sprung_kg, m->sprung_cg_m, m->cg_m, inertia);
    for (int i = 0; i < WHEELS; i++) {
        const double *hub = lumped15_state_of(o)->seen.hub_m[i];
        add_point(m->unsprung_kg[i], v3(hub[0], hub[1], hub[2]), m->cg_m, inertia);
    }
}

/* Masses: 1e-6 kg and m are digits of the file; 0.01 kg m2 of 339: hub places with five digits. */
static void check_mass(const struct offline *o)
{
    struct chrono_mass whole = chrono_mass(false);
    const struct lumped15_model *m = lumped15_of(o->vehicle);
    double inertia[4];
    whole_inertia(o, inertia);
    assert_near(m->total_kg, whole.kg, 1e-6);
    assert_near(m->cg_m.x, whole.cg_m[0], 1e-5);
    assert_near(m->cg_m.z, whole.cg_m[2], 1e-5);
    for (int k = 0; k < 4; k++)
        assert_near(inertia[k], whole.inertia_kgm2[k], 0.01);
}

/* What the model makes of the file is the car of the parts, and it stands as theirs. */
static void car_has_their_mass_and_stands_like_theirs(void **state)
{
    struct validation_folder *f = *state;
    static const struct offline_options as_file = {.duration_s = -1.0,
                                                   .integrator = VEHICLE_AS_FILE};
    char path[VALIDATION_PATH + 16];
    struct csv theirs;
    chrono_read("accbrake", &theirs);
    validation_folder_make(f);
    chrono_write_car(f, CHRONO_SHAFT_AT_ENGINE);
    chrono_write_scenario(f, &theirs, 0.0);
    csv_free(&theirs);
    (void)snprintf(path, sizeof path, "%s/scenario.yaml", f->path);
    struct offline *o = calloc(1, sizeof *o);
    assert_non_null(o);
    assert_int_equal(offline_open(path, &as_file, o), 0);
    check_mass(o);
    /* KINEMATICS.md, settled: 4178.0 and 4019.5 N per wheel, travel 0, pitch 0.0456; README: height
     * 0.887. 1 N, 0.02 mm, 0.05 mrad: twice the digits given there; height: three of them. */
    const struct plant_out *out = &o->out;
    print_message("at rest: %.1f and %.1f N, travel %+.3f and %+.3f mm, pitch %.5f, height %.4f\n",
                  out->load_N[FL], out->load_N[RL], 1e3 * out->travel_m[FL],
                  1e3 * out->travel_m[RL], out->pitch_rad, out->pos_m[2]);
    assert_near(out->load_N[FL], 4178.0, 1.0);
    assert_near(out->load_N[RR], 4019.5, 1.0);
    assert_near(out->travel_m[FL], 0.0, 2e-5);
    assert_near(out->travel_m[RL], 0.0, 2e-5);
    assert_near(out->pitch_rad, 0.0456, 5e-5);
    assert_near(out->pos_m[2], 0.887, 0.002);
    offline_close(o);
    free(o);
}

int main(void)
{
#define WITH_FOLDER(test)                                                                          \
    cmocka_unit_test_setup_teardown(test, validation_setup, validation_teardown)
    const struct CMUnitTest tests[] = {
        WITH_FOLDER(tyre_makes_their_forces_of_their_slips),
        cmocka_unit_test(stated_inertia_is_that_of_the_car_without_tyres),
        WITH_FOLDER(car_has_their_mass_and_stands_like_theirs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
