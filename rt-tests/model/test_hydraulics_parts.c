/* What faults do to the brakes, what a unit can do with pump and valves, fluid and its temperature,
 * the section of the vehicle file, and the way through the plant. */
#include "rt-tests/support/cars.h"
#include "rt-tests/support/hydraulics_run.h"
#include "rt-tests/support/lumped15_of.h"
#include "rt-tests/support/near.h"
#include "target/model/hydraulics_load.h"
#include "target/road/plane.h"
#include "target/vehicle/vehicle_load.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define BAR 1e5
#define CM3 1e-6

static struct hydraulics_model model;

static void run(struct hydraulics_state *s, const struct plant_in *in, double for_s)
{
    for (int n = (int)(for_s / 1e-3 + 0.5); n > 0; n--)
        hydraulics_step(&model, s, in, 1e-3);
}

static double wheel_bar(const struct hydraulics_state *s, int i)
{
    double p_Pa[WHEELS];
    hydraulics_caliper_Pa(&model, s, p_Pa);
    return p_Pa[i] / BAR;
}

static void settle(struct hydraulics_state *s, const struct plant_in *in)
{
    hydraulics_reset(&model, s);
    run(s, in, 0.8);
}

/* ---- at rest, and as without a unit */

static void nothing_moves_at_rest(void **unused)
{
    (void)unused;
    struct hydraulics_state s, first;
    struct plant_in in = hydraulics_pressed(0.0);
    hydraulics_reset(&model, &first);
    s = first;
    run(&s, &in, 1.0);
    for (int c = 0; c < CIRCUITS; c++) {
        assert_near(s.piston_m[c], first.piston_m[c], 1e-12);
        assert_near(hydraulics_master_Pa(&model, &s, c), 0.0, 1e-3);
    }
    for (int i = 0; i < WHEELS; i++)
        assert_near(wheel_bar(&s, i), 0.0, 1e-8);
    assert_near(s.reservoir_m3, 0.0, 1e-16);
}

/* The fluid comes back to the reservoir after braking, and the pedal with it. */
static void released_pedal_comes_back(void **unused)
{
    (void)unused;
    struct hydraulics_state s;
    struct plant_in in = hydraulics_pressed(0.8);
    settle(&s, &in);
    assert_above(hydraulics_pedal_m(&model, &s), 0.05);
    in = hydraulics_pressed(0.0);
    run(&s, &in, 0.2);
    for (int i = 0; i < WHEELS; i++)
        assert_below(wheel_bar(&s, i), 3.0);
    run(&s, &in, 2.0);
    assert_below(hydraulics_pedal_m(&model, &s), 1e-4);
    for (int i = 0; i < WHEELS; i++)
        assert_near(wheel_bar(&s, i), 0.0, 0.01);
    assert_near(s.reservoir_m3, 0.0, 0.01 * CM3);
}

/* Currents count in the mode of the valves only. */
static void pedal_mode_leaves_valves_at_rest(void **unused)
{
    (void)unused;
    struct hydraulics_state s, plain;
    struct plant_in in = hydraulics_pressed(0.6), none = hydraulics_pressed(0.6);
    for (int i = 0; i < WHEELS; i++)
        in.valves.inlet[i] = in.valves.outlet[i] = 1.0;
    in.valves.pump = 1.0;
    in.brake = none.brake = PLANT_BRAKE_PEDAL;
    settle(&s, &in);
    settle(&plain, &none);
    assert_memory_equal(&s, &plain, sizeof s);
}

/* ---- faults */

/* A leaking caliper takes its circuit with it; the other one still brakes, with more travel. */
static void leak_takes_its_circuit(void **unused)
{
    (void)unused;
    for (int split = 0; split < 2; split++) {
        for (int wheel = 0; wheel < WHEELS; wheel++) {
            struct hydraulics_state s, well;
            struct plant_in in = hydraulics_pressed(0.5);
            char text[64];
            struct cfg_doc *doc = NULL;
            (void)snprintf(text, sizeof text, "split: %s\n", split ? "front-rear" : "diagonal");
            assert_int_equal(cfg_open_text("t", text, strlen(text), &doc), 0);
            hydraulics_load(cfg_root(doc), &model);
            assert_true(cfg_ok(doc));
            cfg_close(doc);
            settle(&well, &in);
            in.leak.wheel[wheel] = 0.5;
            settle(&s, &in);
            run(&s, &in, 2.0);
            for (int i = 0; i < WHEELS; i++) {
                bool dead = split ? i / 2 == wheel / 2 : i == wheel || i == 3 - wheel;
                if (dead)
                    assert_below(wheel_bar(&s, i), 2.0);
                else
                    assert_ratio(wheel_bar(&s, i), wheel_bar(&well, i), 0.1);
            }
            assert_above(hydraulics_pedal_m(&model, &s), 1.2 * hydraulics_pedal_m(&model, &well));
            assert_above(s.lost_m3, 1.0 * CM3);
        }
    }
}

static void line_leak_takes_its_circuit(void **unused)
{
    (void)unused;
    for (int c = 0; c < CIRCUITS; c++) {
        struct hydraulics_state s;
        struct plant_in in = hydraulics_pressed(0.5);
        in.leak.circuit[c] = 0.5;
        settle(&s, &in);
        run(&s, &in, 2.0);
        for (int i = 0; i < WHEELS; i++)
            if (model.circuit[i] == c)
                assert_below(wheel_bar(&s, i), 2.0);
            else
                assert_above(wheel_bar(&s, i), 30.0);
    }
}

static void stuck_valves_do_what_they_must(void **unused)
{
    (void)unused;
    for (int i = 0; i < WHEELS; i++) {
        int c = model.circuit[i],
            other = model.wheel[c][0] == i ? model.wheel[c][1] : model.wheel[c][0];
        struct hydraulics_state s;
        struct plant_in in = hydraulics_pressed(0.8);
        in.hydraulic_fault = (uint32_t)PLANT_INLET_CLOSED << i;
        hydraulics_reset(&model, &s);
        s.inlet[i] = 0.0; /* stuck before */
        run(&s, &in, 0.8);
        assert_near(wheel_bar(&s, i), 0.0, 0.1); /* no build-up there */
        assert_above(wheel_bar(&s, other), 100.0);

        /* An inlet that does not close: no release below the driver's pressure; the accumulator
         * fills up instead. */
        in = hydraulics_pressed(0.8);
        in.hydraulic_fault = (uint32_t)PLANT_INLET_OPEN << i;
        settle(&s, &in);
        in.valves.inlet[i] = in.valves.outlet[i] = 1.0;
        run(&s, &in, 1.5);
        assert_above(wheel_bar(&s, i), 30.0);
        assert_above(s.accumulator_m3[c], model.accumulator_m3);

        /* An outlet that does not open: no release. */
        in = hydraulics_pressed(0.8);
        in.hydraulic_fault = (uint32_t)PLANT_OUTLET_CLOSED << i;
        settle(&s, &in);
        in.valves.inlet[i] = in.valves.outlet[i] = 1.0;
        run(&s, &in, 0.5);
        assert_above(wheel_bar(&s, i), 100.0);

        /* One that does not close: the wheel loses what is held. */
        in = hydraulics_pressed(0.8);
        settle(&s, &in);
        in.hydraulic_fault = (uint32_t)PLANT_OUTLET_OPEN << i;
        in.valves.inlet[i] = 1.0;
        run(&s, &in, 0.5);
        assert_below(wheel_bar(&s, i), 10.0);
        assert_above(s.accumulator_m3[c], 0.5 * CM3);
    }
}

/* All four wheels without a pedal, as much as the pump can. */
static struct plant_in active(void)
{
    struct plant_in in = hydraulics_pressed(0.0);
    for (int c = 0; c < CIRCUITS; c++)
        in.valves.separation[c] = in.valves.prime[c] = 1.0;
    in.valves.pump = 1.0;
    return in;
}

static void pump_builds_up_without_a_pedal(void **unused)
{
    (void)unused;
    struct hydraulics_state s;
    struct plant_in in = active();
    hydraulics_reset(&model, &s);
    run(&s, &in, 1.0);
    for (int i = 0; i < WHEELS; i++)
        assert_above(wheel_bar(&s, i), 15.0);
    /* One wheel alone: its circuit takes all of the delivery, the other one is left alone. */
    hydraulics_reset(&model, &s);
    in.valves.inlet[RR] = 1.0;
    in.valves.separation[CIRCUIT_2] = in.valves.prime[CIRCUIT_2] = 0.0;
    double at_s = -1.0;
    for (int n = 0; n < 1000 && at_s < 0.0; n++) {
        run(&s, &in, 1e-3);
        at_s = wheel_bar(&s, FL) > 30.0 ? 1e-3 * n : -1.0;
    }
    print_message("    30 bar in one front wheel without a pedal after %.2f s, others %.2f bar\n",
                  at_s, wheel_bar(&s, FR));
    assert_true(at_s > 0.1 && at_s < 0.8);
    assert_below(wheel_bar(&s, FR), 1.0);
    /* The fluid comes from the reservoir and goes back there. */
    assert_below(s.reservoir_m3, -0.5 * CM3);
    in = hydraulics_pressed(0.0);
    run(&s, &in, 3.0);
    assert_near(wheel_bar(&s, FL), 0.0, 0.05);
    assert_near(s.reservoir_m3, 0.0, 0.02 * CM3);
    /* The separation valve limits what the pump can make. */
    in = active();
    run(&s, &in, 20.0);
    assert_below(wheel_bar(&s, FL), 1.02 * model.relief_Pa / BAR);
    assert_above(wheel_bar(&s, FL), 0.8 * model.relief_Pa / BAR);
}

static void active_build_up_needs_pump_prime_and_separation(void **unused)
{
    (void)unused;
    const uint32_t faults[] = {PLANT_PUMP_DEAD,
                               (uint32_t)PLANT_PRIME_CLOSED << CIRCUIT_1 |
                                   (uint32_t)PLANT_PRIME_CLOSED << CIRCUIT_2,
                               (uint32_t)PLANT_SEPARATION_OPEN << CIRCUIT_1 |
                                   (uint32_t)PLANT_SEPARATION_OPEN << CIRCUIT_2};
    for (int k = 0; k < 3; k++) {
        struct hydraulics_state s;
        struct plant_in in = active();
        in.hydraulic_fault = faults[k];
        hydraulics_reset(&model, &s);
        run(&s, &in, 1.0);
        for (int i = 0; i < WHEELS; i++)
            assert_below(wheel_bar(&s, i), 1.0);
    }
}

/* A separation valve that is stuck closed: the driver still gets through, by its check valve. */
static void driver_overrides_a_closed_separation_valve(void **unused)
{
    (void)unused;
    struct hydraulics_state s;
    struct plant_in in = hydraulics_pressed(0.8);
    in.hydraulic_fault = (uint32_t)PLANT_SEPARATION_CLOSED << CIRCUIT_1;
    settle(&s, &in);
    assert_above(wheel_bar(&s, FL), 100.0);
    in.brake_pedal = 0.0; /* but the circuit does not let go */
    run(&s, &in, 1.0);
    assert_above(wheel_bar(&s, FL), 90.0);
    assert_below(wheel_bar(&s, FR), 1.0);
}

static void dead_pump_leaves_the_accumulator_full(void **unused)
{
    (void)unused;
    for (int dead = 0; dead < 2; dead++) {
        struct hydraulics_state s;
        struct plant_in in = hydraulics_pressed(0.8);
        settle(&s, &in);
        in.valves.inlet[FL] = in.valves.outlet[FL] = 1.0;
        run(&s, &in, 0.1);
        double before_m3 = s.accumulator_m3[CIRCUIT_1];
        double travel_m = hydraulics_pedal_m(&model, &s);
        in.valves.outlet[FL] = 0.0;
        in.valves.pump = 1.0;
        in.hydraulic_fault = dead ? PLANT_PUMP_DEAD : 0;
        run(&s, &in, 3.0);
        if (dead) {
            assert_ratio(s.accumulator_m3[CIRCUIT_1], before_m3, 0.02);
        } else {
            /* What is returned pushes the pedal back. */
            assert_below(s.accumulator_m3[CIRCUIT_1], 0.2 * CM3);
            assert_below(hydraulics_pedal_m(&model, &s), travel_m - 3e-3);
        }
    }
}

/* ---- fluid */

static void viscosity_goes_through_both_points(void **unused)
{
    (void)unused;
    const double at[2] = {1300e-6, 2.2e-6};
    assert_ratio(hydraulics_viscosity(at, -40.0), at[0], 1e-9);
    assert_ratio(hydraulics_viscosity(at, 100.0), at[1], 1e-9);
    double before = at[0];
    for (int i = -3; i < 10; i++) {
        double now = hydraulics_viscosity(at, 10.0 * i);
        assert_true(now < before && now > at[1]);
        before = now;
    }
    /* DOT 4 fluids have 10 to 20 mm2/s at room temperature. */
    double room = 1e6 * hydraulics_viscosity(at, 20.0);
    print_message("    %.1f mm2/s at 20 degC\n", room);
    assert_true(room > 10.0 && room < 20.0);
}

/* Time until a front wheel reaches 50 bar after a full push. */
static double rise_s(const char *text)
{
    struct hydraulics_state s;
    struct plant_in in = hydraulics_pressed(1.0);
    struct cfg_doc *doc = NULL;
    assert_int_equal(cfg_open_text("t", text, strlen(text), &doc), 0);
    hydraulics_load(cfg_root(doc), &model);
    assert_true(cfg_ok(doc));
    cfg_close(doc);
    hydraulics_reset(&model, &s);
    int n = 0;
    for (; n < 5000 && wheel_bar(&s, FL) < 50.0; n++)
        run(&s, &in, 1e-3);
    return 1e-3 * n;
}

static void cold_fluid_is_slow(void **unused)
{
    (void)unused;
    double room = rise_s("fluid: {temperature_degC: 20}\n");
    double warm = rise_s("fluid: {temperature_degC: 80}\n");
    double cold = rise_s("fluid: {temperature_degC: -40}\n");
    print_message("    50 bar after %.0f ms at 80, %.0f at 20, %.0f at -40 degC\n", 1e3 * warm,
                  1e3 * room, 1e3 * cold);
    assert_below(fabs(warm - room), 0.005);
    assert_above(cold, 1.5 * room);
    assert_below(cold, 10.0 * room);
}

/* ---- the file */

static void refused(const char *text, const char *part)
{
    struct cfg_doc *doc = NULL;
    assert_int_equal(cfg_open_text("car.yaml", text, strlen(text), &doc), 0);
    hydraulics_load(cfg_root(doc), &model);
    assert_false(cfg_ok(doc));
    if (!strstr(cfg_message(doc, 0), part))
        fail_msg("%s", cfg_message(doc, 0));
    cfg_close(doc);
}

static void wrong_sections_are_refused(void **unused)
{
    (void)unused;
    refused("split: diagonl\n", "car.yaml:1:8");
    refused("inlet: {flow_cm3ps: [30]}\n", "flow_cm3ps");
    refused("inlet: {flow_cm3ps: [30, -1]}\n", "flow_cm3ps");
    refused("pump: {cm3s: 2}\n", "cm3ps");
    refused("master: {spring_N: [100, 300]}\n", "between half and twice");
    refused("fluid: {viscosity_mm2ps: [2, 1300]}\n", "above that at 100");
    refused("accumulator: {cm3: .nan}\n", "cm3");
    hydraulics_load(NULL, &model);
    assert_int_equal(model.on, 0);
}

/* ---- through the plant */

static struct lumped15_state plant;

/* With hydraulics the rates of the plant's vector are those of its steps, ever more so as steps get
 * shorter: the difference over a step, first order. */
static void plant_and_its_rates_agree(void **unused)
{
    (void)unused;
    struct vehicle *v = car_load_hydraulic("config/vehicles/sedan.yaml", VEHICLE_AS_FILE, 1e-3);
    struct plane level;
    struct plant_start start = {.speed_mps = 20.0};
    struct plant_in in = hydraulics_pressed(0.5);
    static double x0[256], x1[256], rate[256];
    double error[2];
    plane_defaults(&level);
    struct ground ground = plane_ground(&level);
    assert_int_equal(lumped15_of(v)->hydraulics.on, 1);
    size_t n = lumped15_ops.x_count(lumped15_of(v));
    assert_int_equal(n, LUMPED15_MOTION + 1 + HYDRAULICS_X);
    lumped15_reset(lumped15_of(v), &plant, &start, &ground);
    for (int k = 0; k < 60; k++)
        lumped15_step(lumped15_of(v), &plant, &in, &ground, 1e-3);
    for (int k = 0; k < 2; k++) {
        double dt_s = k ? 1e-7 : 2e-7;
        struct lumped15_state s = plant;
        lumped15_ops.x_get(lumped15_of(v), &s, x0);
        lumped15_ops.deriv(lumped15_of(v), &s, &in, &ground, rate);
        lumped15_step(lumped15_of(v), &s, &in, &ground, dt_s);
        lumped15_ops.x_get(lumped15_of(v), &s, x1);
        error[k] = 0.0;
        for (size_t j = LUMPED15_MOTION + 1; j < n; j++) {
            double moved = (x1[j] - x0[j]) / dt_s;
            if (fabs(rate[j]) > 0.0)
                error[k] = fmax(error[k], fabs(moved - rate[j]) / fabs(rate[j]));
        }
    }
    assert_below(error[0], 0.05);
    assert_ratio(error[1], 0.5 * error[0], 0.2);
    /* A vector that is put back gives the same state. */
    struct lumped15_state s = plant;
    lumped15_ops.x_get(lumped15_of(v), &plant, x0);
    memset(&s.hydraulics, 0, HYDRAULICS_X * sizeof(double));
    lumped15_ops.x_set(lumped15_of(v), &s, x0);
    assert_memory_equal(&s, &plant, sizeof s);
    free(v);
}

/* Pressures asked for act as before; when they end the calipers go on from there. */
static void pressures_from_outside_hand_over(void **unused)
{
    (void)unused;
    struct vehicle *v = car_load_hydraulic("config/vehicles/sedan.yaml", VEHICLE_AS_FILE, 1e-3);
    struct plane level;
    struct plant_start start = {.speed_mps = 20.0};
    struct plant_in in = hydraulics_pressed(0.0);
    struct plant_out out;
    plane_defaults(&level);
    struct ground ground = plane_ground(&level);
    lumped15_reset(lumped15_of(v), &plant, &start, &ground);
    in.brake = PLANT_BRAKE_PRESSURES;
    for (int i = 0; i < WHEELS; i++)
        in.wheel_pressure_Pa[i] = (20.0 + 10.0 * i) * BAR;
    for (int k = 0; k < 500; k++)
        lumped15_step(lumped15_of(v), &plant, &in, &ground, 1e-3);
    lumped15_ops.output(lumped15_of(v), &plant, &out);
    for (int i = 0; i < WHEELS; i++)
        assert_near(out.pressure_Pa[i], in.wheel_pressure_Pa[i], 1.0);
    in.brake = PLANT_BRAKE_VALVES;
    for (int i = 0; i < WHEELS; i++)
        in.valves.inlet[i] = 1.0;
    lumped15_step(lumped15_of(v), &plant, &in, &ground, 1e-3);
    lumped15_ops.output(lumped15_of(v), &plant, &out);
    for (int i = 0; i < WHEELS; i++)
        assert_near(out.pressure_Pa[i], in.wheel_pressure_Pa[i], 6.0 * BAR); /* inlets close */
    assert_int_equal(out.fault, 0);
    free(v);
}

static int set_up(void **unused)
{
    (void)unused;
    hydraulics_defaults(&model);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(nothing_moves_at_rest, set_up),
        cmocka_unit_test_setup(released_pedal_comes_back, set_up),
        cmocka_unit_test_setup(pedal_mode_leaves_valves_at_rest, set_up),
        cmocka_unit_test_setup(leak_takes_its_circuit, set_up),
        cmocka_unit_test_setup(line_leak_takes_its_circuit, set_up),
        cmocka_unit_test_setup(stuck_valves_do_what_they_must, set_up),
        cmocka_unit_test_setup(pump_builds_up_without_a_pedal, set_up),
        cmocka_unit_test_setup(active_build_up_needs_pump_prime_and_separation, set_up),
        cmocka_unit_test_setup(driver_overrides_a_closed_separation_valve, set_up),
        cmocka_unit_test_setup(dead_pump_leaves_the_accumulator_full, set_up),
        cmocka_unit_test_setup(viscosity_goes_through_both_points, set_up),
        cmocka_unit_test_setup(cold_fluid_is_slow, set_up),
        cmocka_unit_test_setup(wrong_sections_are_refused, set_up),
        cmocka_unit_test_setup(plant_and_its_rates_agree, set_up),
        cmocka_unit_test_setup(pressures_from_outside_hand_over, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
