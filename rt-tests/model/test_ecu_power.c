/* Supply and ignition as the unit insists on them: no control without ignition, standstill for its
 * zero points and valve pulses, a first drive for its pump, an after-run; codes of the supply. */
#include "rt-tests/support/ecu_car.h"
#include "rt-tests/support/near.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static struct ecu_car car;
static double terminal, supply_V, yaw_bias_radps, acc_bias_mps2;
static double yaw, acc; /* as last received, with the bias */

static void tamper(struct ecu_car *c, struct ecu_rx *rx)
{
    bool fresh = c->tick / ECU_CAR_CYCLE_TICKS % 2 == 0; /* else still what we made of it */
    rx->terminal = terminal;
    rx->supply_V = supply_V;
    yaw = fresh ? rx->yaw_rate_radps + yaw_bias_radps : yaw;
    acc = fresh ? rx->acc_y_mps2 + acc_bias_mps2 : acc;
    rx->yaw_rate_radps = yaw;
    rx->acc_y_mps2 = acc;
}

static void open_car(double speed_mps)
{
    ecu_car_open(&car, "sedan", 1.0, speed_mps);
    car.tamper = tamper;
    terminal = 2.0;
    supply_V = 13.8;
    yaw_bias_radps = acc_bias_mps2 = 0.0;
}

/* Pushes towards a speed. */
static void drive(double time_s, double speed_mps)
{
    for (int n = 0; n < (int)(1e3 * time_s); n++) {
        double push = fmin(fmax(800.0 * (speed_mps - car.out.vel_mps[0]), 0.0), 800.0);
        car.in.wheel_torque_Nm[FL] = car.in.wheel_torque_Nm[FR] = push;
        ecu_car_step(&car);
    }
}

static void nothing_works_without_ignition(void **unused)
{
    (void)unused;
    open_car(20.0);
    terminal = 1.0;
    ecu_car_for(&car, 3.0);
    assert_int_equal((int)car.tx.power, ECU_POWER_OFF);
    assert_int_equal((int)car.tx.mode, ECU_MODE_START);
    assert_int_equal((int)car.tx.control, 0);
    assert_int_equal((int)car.tx.lamp_abs + (int)car.tx.lamp_esp + (int)car.tx.lamp_brake, 0);
    assert_int_equal(car.unit.faults.stored, 0);
    terminal = 2.0;
    ecu_car_for(&car, 0.5);
    assert_int_equal((int)car.tx.mode, ECU_MODE_READY);
    ecu_car_close(&car);
}

static void after_run_ends_in_silence(void **unused)
{
    (void)unused;
    open_car(0.0);
    ecu_car_for(&car, 1.0);
    assert_int_equal((int)car.tx.power, ECU_POWER_ON);
    terminal = 0.0;
    ecu_car_for(&car, car.params.power.after_run_s - 0.05);
    assert_int_equal((int)car.tx.power, ECU_POWER_AFTER_RUN);
    assert_int_equal((int)car.tx.control, 0);
    ecu_car_for(&car, 0.1);
    assert_int_equal((int)car.tx.power, ECU_POWER_OFF);
    terminal = 2.0;
    ecu_car_for(&car, 0.3);
    assert_int_equal((int)car.tx.mode, ECU_MODE_READY);
    assert_int_equal(car.unit.power.starts, 2);
    ecu_car_close(&car);
}

/* Sensors with offsets: the unit knows them after a second at standstill and drives without a
 * code, with what is left of them below the noise. */
static void zero_points_are_learned_at_standstill(void **unused)
{
    (void)unused;
    open_car(0.0);
    yaw_bias_radps = 0.04;
    acc_bias_mps2 = -0.5;
    ecu_car_for(&car, 0.9);
    assert_int_equal(car.unit.power.zero_learned, 0);
    ecu_car_for(&car, 0.6);
    assert_int_equal((int)car.tx.zero_learned, 1);
    /* the sensors' own bias and noise stand beside ours: 0.1 deg/s, 0.05 m/s2 */
    assert_near(car.unit.power.yaw_zero_radps, yaw_bias_radps, 0.004);
    assert_near(car.unit.power.acc_y_zero_mps2, acc_bias_mps2, 0.1);
    terminal = 0.0;
    ecu_car_for(&car, 3.0);
    assert_near(car.unit.power.yaw_zero_radps, yaw_bias_radps, 0.004); /* kept */
    ecu_car_close(&car);
}

static void great_offsets_and_turns_are_not_learned(void **unused)
{
    (void)unused;
    open_car(0.0);
    yaw_bias_radps = 0.06; /* above 0.05: no offset of a healthy sensor; below the fault's 0.09 */
    ecu_car_for(&car, 3.0);
    assert_int_equal(car.unit.power.zero_learned, 0);
    assert_near(car.unit.power.yaw_zero_radps, 0.0, 0.0);
    ecu_car_reset(&car, 0.0);
    for (int n = 0; n < 3000; n++) { /* somebody turns the car back and forth */
        yaw_bias_radps = 0.045 * sin(0.006 * n);
        ecu_car_step(&car);
    }
    assert_int_equal(car.unit.power.zero_learned, 0);
    ecu_car_close(&car);
    open_car(20.0); /* a start in motion: nothing is learned */
    ecu_car_for(&car, 3.0);
    assert_int_equal(car.unit.power.zero_learned, 0);
    assert_int_equal((int)car.tx.valves_checked, 0);
    ecu_car_close(&car);
}

static void valves_are_pulsed_one_by_one(void **unused)
{
    (void)unused;
    int cycles[9] = {0}, last = 0;
    open_car(0.0);
    for (int n = 0; n < 1000; n++) {
        ecu_car_step(&car);
        int valve = (int)car.tx.check_valve;
        assert_true(valve == 0 || valve == last || valve == last + 1);
        last = valve ? valve : last;
        cycles[valve]++;
    }
    for (int v = 1; v <= 8; v++) /* 20 ms each, the first without the cycle in which it began */
        assert_in_range(cycles[v], 10, 25);
    assert_int_equal((int)car.tx.valves_checked, 1);
    ecu_car_close(&car);
}

static void pump_is_checked_in_the_first_drive(void **unused)
{
    (void)unused;
    double began_mps = -1.0, runs_s = 0.0;
    open_car(0.0);
    for (int n = 0; n < 8000; n++) {
        drive(1e-3, 8.0);
        if (car.tx.check_pump > 0.5 && began_mps < 0.0)
            began_mps = car.out.vel_mps[0];
        runs_s += car.tx.check_pump > 0.5 ? 1e-3 : 0.0;
    }
    assert_near(began_mps, car.params.power.pump_mps, 0.3); /* lag of the reference speed */
    assert_near(runs_s, car.params.power.pump_s, 0.011);    /* two cycles */
    assert_int_equal((int)car.tx.pump_checked, 1);
    assert_int_equal(car.unit.faults.stored, 0);
    ecu_car_close(&car);
}

static void check_supply(double volts, int fault, int mode)
{
    supply_V = volts;
    ecu_car_for(&car, 0.5);
    assert_int_equal(car.unit.faults.present, ECU_FAULT_BIT(fault));
    assert_int_equal((int)car.tx.mode, mode);
    supply_V = 13.8;
    ecu_car_for(&car, 1.2); /* heals */
    assert_int_equal((int)car.tx.mode, ECU_MODE_READY);
}

static void supply_out_of_range_degrades(void **unused)
{
    (void)unused;
    open_car(20.0);
    ecu_car_for(&car, 1.0);
    supply_V = 9.6; /* a cranking engine is no fault */
    ecu_car_for(&car, 1.0);
    assert_int_equal(car.unit.faults.stored, 0);
    supply_V = 6.0; /* nor is a short dip */
    ecu_car_for(&car, 0.15);
    check_supply(9.2, ECU_FAULT_SUPPLY_LOW, ECU_MODE_EBD_ONLY);
    check_supply(18.0, ECU_FAULT_SUPPLY_HIGH, ECU_MODE_PASSIVE);
    assert_int_equal(car.unit.faults.stored,
                     ECU_FAULT_BIT(ECU_FAULT_SUPPLY_LOW) | ECU_FAULT_BIT(ECU_FAULT_SUPPLY_HIGH));
    ecu_car_close(&car);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_works_without_ignition),
        cmocka_unit_test(after_run_ends_in_silence),
        cmocka_unit_test(zero_points_are_learned_at_standstill),
        cmocka_unit_test(great_offsets_and_turns_are_not_learned),
        cmocka_unit_test(valves_are_pulsed_one_by_one),
        cmocka_unit_test(pump_is_checked_in_the_first_drive),
        cmocka_unit_test(supply_out_of_range_degrades),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
