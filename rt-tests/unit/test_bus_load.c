/* Bus descriptions: what is accepted, what is refused and with which words. */
#include "rt-tests/support/bus_demo.h"
#include "rt-tests/unit/test_config.h"
#include "shared/base/time.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Loads for the bench at 1 ms. */
static struct bus *load(const char *text, struct cfg_doc **doc)
{
    return bus_demo_text(text, BUS_BENCH, NS_PER_MS, doc);
}

static void assert_messages(const char *text, enum bus_role role, int64_t tick_ns,
                            const char *const *messages)
{
    struct cfg_doc *doc = NULL;
    assert_null(bus_demo_text(text, role, tick_ns, &doc));
    close_expecting(doc, messages);
}
#define ASSERT_MESSAGES(text, ...)                                                                 \
    assert_messages(text, BUS_BENCH, NS_PER_MS, (const char *const[]){__VA_ARGS__, NULL})

#define DEMO "name: chassis\nbus: skidpad_chassis.yaml\n"
#define BARE "name: c\ndbc: skidpad_chassis.dbc\nunit: ESP\ncycle_ms: 100\n"
#define AT   "config/can/bench.yaml:"

static void the_demo_bus_has_two_sides(void **unused)
{
    (void)unused;
    struct bus *bench = bus_demo(BUS_BENCH, NS_PER_MS), *unit = bus_demo(BUS_UNIT, 5 * NS_PER_MS);
    assert_int_equal(bench->sent_count, 13);
    assert_int_equal(bench->received_count, 5);
    assert_int_equal(unit->sent_count, 5);
    assert_string_equal(bench->name, "chassis");
    assert_string_equal(bench->transport, "memory");
    /* each side sends what the other can receive, and nothing twice */
    for (uint32_t i = 0; i < unit->sent_count; i++) {
        assert_true(bus_find_received(bench, unit->sent[i].name) >= 0);
        assert_int_equal(bus_find_sent(bench, unit->sent[i].name), -1);
    }
    for (uint32_t i = 0; i < unit->received_count; i++)
        assert_true(bus_find_sent(bench, unit->received[i].name) >= 0);
    assert_int_equal(bus_find_sent(bench, "nobody"), -1);
    /* 500 kbit/s by the database; not more than two frames in a tick of 1 ms */
    assert_int_equal(bench->bit_rate, 500000);
    assert_true(bench->load > 0.2 && bench->load < 0.4);
    assert_int_equal(bench->busiest.frames, 2);
    assert_true(bench->busiest.weight <= 500); /* bits of 1 ms */
    bus_free(bench);
    bus_free(unit);
}

static void a_database_and_a_unit_are_enough(void **unused)
{
    (void)unused;
    struct cfg_doc *doc = NULL;
    struct bus *bus = load(BARE, &doc);
    close_clean(doc);
    assert_int_equal(bus->sent_count, 13);
    assert_int_equal(bus->used_count, 0); /* all constant */
    /* start values of the database: 13.8 V in Power */
    struct bus_state *state = malloc(sizeof *state);
    assert_non_null(state);
    bus_reset(bus, state, 0, 0);
    struct can_msg out[16];
    int power = bus_find_sent(bus, "Power"), seen = 0;
    for (int64_t tick = 0; tick < 100; tick++) {
        int n = bus_encode(bus, state, tick, NULL, out, 16);
        for (int i = 0; i < n; i++) {
            if (out[i].id != bus->sent[power].frame.id)
                continue;
            assert_memory_equal(out[i].data, ((uint8_t[]){0, 0x20, 0, 138}), 4);
            seen++;
        }
    }
    assert_int_equal(seen, 1);
    free(state);
    bus_free(bus);
}

static void the_bench_file_overrides_the_bus_file(void **unused)
{
    (void)unused;
    struct cfg_doc *doc = NULL;
    struct bus *bus = load(DEMO "messages: {CarData: {cycle_ms: 500, offset_ms: 7}}\n"
                                "bind: {Gearbox: {Selector: sport}, CarData: {UnitId: counter}}\n"
                                "receive: [WheelPressures]\nsend: bound\n",
                           &doc);
    close_clean(doc);
    int car = bus_find_sent(bus, "CarData"), gears = bus_find_sent(bus, "Gearbox");
    assert_int_equal(bus->sent[car].period_ticks, 500);
    assert_int_equal(bus->sent[car].offset_ticks, 7);
    assert_int_equal(bus->sent[gears].frame.data[3] & 7, 4); /* the text of the value table */
    assert_int_equal(bus->received_count, 1);
    assert_int_equal(bus_find_sent(bus, "DriverControls"), -1); /* nothing is bound there */
    bus_free(bus);
}

static void protection_takes_all_its_keys(void **unused)
{
    (void)unused;
    struct cfg_doc *doc = NULL;
    struct bus *bus = load(
        BARE "messages:\n"
             "  WheelSpeeds: {protection: {profile: 2, data_ids: [0x10, 17, 18, 19, 20, 21, 22, 23,"
             " 24, 25, 26, 27, 28, 29, 30, 0x1f], lost_max: 3}}\n"
             "  Power: {protection: {profile: crc8-2f, data_id: 0x1234, start: 0, xor: 0x55,\n"
             "          data_id_place: first, counter: Counter, counter_last: 14}}\n"
             "  Engine: {protection: {profile: add, checksum: Crc, counter: none, first_byte: 1,"
             " end_byte: 4}}\n"
             "  Inertia: {protection: {profile: counter, counter: Counter}}\n",
        &doc);
    close_clean(doc);
    const struct protect_rule *r = &bus->sent[bus_find_sent(bus, "WheelSpeeds")].protect;
    assert_int_equal(r->id_mode, PROTECT_ID_LIST_LAST);
    assert_true(r->data_ids[0] == 16 && r->data_ids[15] == 31 && r->lost_max == 3);
    r = &bus->sent[bus_find_sent(bus, "Power")].protect;
    assert_true(r->id_mode == PROTECT_ID_BOTH_FIRST && r->data_id == 0x1234 && r->start == 0);
    assert_true(r->xor_out == 0x55 && r->counter_last == 14 && r->counter_at == 8);
    r = &bus->sent[bus_find_sent(bus, "Engine")].protect;
    assert_true(r->sum == PROTECT_ADD && r->counter_bits == 0 && r->first == 1 && r->end == 4);
    r = &bus->sent[bus_find_sent(bus, "Inertia")].protect;
    assert_true(r->sum == PROTECT_NO_SUM && r->counter_bits == 4 && r->counter_last == 15);
    bus_free(bus);
}

static void the_unit_s_messages_cannot_be_sent(void **unused)
{
    (void)unused;
    ASSERT_MESSAGES(BARE "send: [Power, WheelPressures]\n",
                    AT "5:15: send[1]: WheelPressures is sent by the unit under test, it cannot be "
                       "sent here");
    ASSERT_MESSAGES(BARE "receive: [Power]\n",
                    AT "5:11: receive[0]: Power is sent by the bench, it cannot be received here");
    ASSERT_MESSAGES("name: c\ndbc: skidpad_chassis.dbc\ncycle_ms: 100\n"
                    "unit: {name: my box, sends: [Power]}\nsend: [Power]\n",
                    AT
                    "5:8: send[0]: Power is sent by the unit under test, it cannot be sent here");
}

static void unknown_names_get_a_suggestion(void **unused)
{
    (void)unused;
    ASSERT_MESSAGES("name: c\ndbc: skidpad_chassis.dbc\nunit: EPS\n",
                    AT "3:1: unit: the database has no node \"EPS\", did you mean \"ESP\"?");
    ASSERT_MESSAGES(BARE "bind: {WheelSpeed: {SpeedFL: 1}}\n",
                    AT "5:8: bind.WheelSpeed: config/can/skidpad_chassis.dbc has no message "
                       "'WheelSpeed'; did you mean 'WheelSpeeds'?");
    ASSERT_MESSAGES(BARE "bind: {WheelSpeeds: {SpedFL: 1}}\n",
                    AT "5:22: bind.WheelSpeeds.SpedFL: message WheelSpeeds has no signal 'SpedFL'; "
                       "did you mean 'SpeedFL'?");
    ASSERT_MESSAGES(BARE "bind: {Engine: {Torque: engine_Nmm}}\n",
                    AT "5:17: bind.Engine.Torque: unknown value \"engine_Nmm\", did you mean "
                       "\"engine_Nm\"?");
    ASSERT_MESSAGES(BARE "messages: {Engine: {protection: {profile: 1A, dataid: 5}}}\n",
                    AT "5:21: messages.Engine.protection.data_id: missing, the profile needs it",
                    AT "5:47: messages.Engine.protection.dataid: unknown key, did you mean "
                       "\"data_id\"?");
    ASSERT_MESSAGES("name: c\nunit: ESP\ndbc: nothing.dbc\n",
                    AT "3:1: dbc: config/can/nothing.dbc: cannot be read: No such file or "
                       "directory");
    ASSERT_MESSAGES("name: c\nbus: nothing.yaml\n",
                    AT "2:1: bus: config/can/nothing.yaml: cannot be read: No such file or "
                       "directory");
}

static void units_that_do_not_convert_are_refused(void **unused)
{
    (void)unused;
    ASSERT_MESSAGES(BARE "bind: {WheelSpeeds: {SpeedFL: fl_sensor_spin_radps}}\n",
                    AT "5:22: bind.WheelSpeeds.SpeedFL: \"rad/s\" cannot be converted to the "
                       "signal's unit \"km/h\"; give scale (what stands in SI units is multiplied "
                       "by it), or times, the name of a factor");
    ASSERT_MESSAGES(BARE "bind: {WheelSpeeds: {SpeedFL: {from: vx_mps, times: x_m}}}\n",
                    AT "5:22: bind.WheelSpeeds.SpeedFL: \"m/s\" times \"m\" cannot be converted to "
                       "the signal's unit \"km/h\"; give scale (what stands in SI units is "
                       "multiplied by it)");
    struct cfg_doc *doc = NULL;
    struct bus *bus = load(
        BARE "bind: {WheelSpeeds: {SpeedFL: {from: fl_sensor_spin_radps, times: x_m}}}\n", &doc);
    close_clean(doc);
    assert_int_equal(bus->used_count, 2);
    bus_free(bus);
}

/* A time-out that is taken for 0 is supervision that is off. */
static void short_times_are_not_taken_for_off(void **unused)
{
    (void)unused;
    ASSERT_MESSAGES(BARE "messages: {CarData: {offset_ms: 1e-300, timeout_ms: 1e-300}}\n",
                    AT "5:33: messages.CarData.offset_ms: must be 0, or >= 0.01 and <= 1000000, "
                       "is 1e-300",
                    AT "5:53: messages.CarData.timeout_ms: must be 0, or >= 0.01 and <= 10000000, "
                       "is 1e-300");
}

/* Cycle times of the database that no clock has: 1e300 ms and 1e-300 ms. */
static void cycle_times_of_the_database_are_checked(void **unused)
{
    (void)unused;
    for (int huge = 0; huge < 2; huge++) {
        char path[] = "/tmp/test_bus_load.XXXXXX", text[256], message[256];
        int fd = mkstemp(path);
        FILE *f = fdopen(fd, "w");
        assert_non_null(f);
        const char *ms = huge ? "1e+300" : "1e-300";
        assert_true(fprintf(f,
                            "VERSION \"\"\nNS_ :\nBS_:\nBU_: it bench\n"
                            "BO_ 100 One: 8 it\n SG_ A : 0|8@1+ (1,0) [0|255] \"\" bench\n"
                            "BA_DEF_ BO_ \"GenMsgCycleTime\" FLOAT 0 1e308;\n"
                            "BA_DEF_DEF_ \"GenMsgCycleTime\" 0;\n"
                            "BA_ \"GenMsgCycleTime\" BO_ 100 %s;\n",
                            ms) > 0);
        assert_int_equal(fclose(f), 0);
        (void)snprintf(text, sizeof text, "name: c\ndbc: %s\nunit: it\nbit_rate: 500000\n", path);
        (void)snprintf(message, sizeof message,
                       AT "1:1: cycle_ms: One has a cycle time of %s ms in the database; allowed "
                          "are 0.01 to 1e6: give cycle_ms for it",
                       ms);
        assert_messages(text, BUS_UNIT, NS_PER_MS, (const char *const[]){message, NULL});
        assert_int_equal(unlink(path), 0);
    }
}

static void periods_must_fit_the_tick(void **unused)
{
    (void)unused;
    assert_messages("name: c\ndbc: skidpad_chassis.dbc\nunit: ESP\nsend: [Steering, CarData]\n"
                    "messages: {CarData: {cycle_ms: 0.8, offset_ms: 1.6}}\n",
                    BUS_BENCH, 400 * NS_PER_US,
                    (const char *const[]){
                        AT "5:37: messages.CarData.offset_ms: must be below the cycle time of "
                           "0.8 ms",
                        NULL});
    assert_messages(
        "name: c\ndbc: skidpad_chassis.dbc\nunit: ESP\nsend: [Steering, CarData]\n", BUS_BENCH,
        300 * NS_PER_US,
        (const char *const[]){
            AT "1:1: cycle_ms: Steering: 10 ms is not a whole number of ticks of 0.3 ms; the "
               "nearest is 9.9 ms",
            AT "1:1: cycle_ms: CarData has no cycle time in the database; give cycle_ms for it or "
               "for the bus",
            NULL});
}

static void contradictions_are_named(void **unused)
{
    (void)unused;
    ASSERT_MESSAGES(BARE "messages: {Gearbox: {protection: {profile: 1C, data_id: 1}}}\n"
                         "bind: {Gearbox: {Shifting: 1}}\n",
                    AT "6:18: bind.Gearbox.Shifting: lies on the checksum, counter or data id of "
                       "the protection, which would overwrite it");
    ASSERT_MESSAGES(BARE "bind: {Gearbox: {Gear: 99}}\n",
                    AT "5:18: bind.Gearbox.Gear: 99 does not fit: the signal can hold -8 to 7");
    /* 600 + 200 + 10 frames a second of 8 bytes and 135 bits, 100 of 7 and 125, 100 + 100 of 6 and
     * 115, 10 of 4 and 95, 10 of 3 and 85: 146,650 bits */
    ASSERT_MESSAGES(BARE "bit_rate: 10000\n",
                    AT "5:1: bit_rate: the frames to be sent need 1534 % of the 10000 bit/s of the "
                       "bus; send fewer (send) or slower (cycle_ms)");
    ASSERT_MESSAGES(
        BARE "messages: {DriverControls: {protection: {profile: 5, data_id: 1, checksum: "
             "ParkingBrake}}}\n",
        AT "5:66: messages.DriverControls.protection.checksum: must be a signal of one whole byte, "
           "of this profile two, the low one first, ParkingBrake is not");
    ASSERT_MESSAGES(
        BARE "bind: {WheelPressures: {PressureFL: {to: fl_in_pressure_Pa, wrap: yes}}}\n",
        AT "5:61: bind.WheelPressures.PressureFL.wrap: unknown key, allowed: to, scale, "
           "offset");
    ASSERT_MESSAGES(BARE "bind:\n  WheelPressures: {PressureFL: fl_in_pressure_Pa, PressureFR: "
                         "fl_in_pressure_Pa}\n",
                    AT "5:1: bind: two received signals go to fl_in_pressure_Pa, of WheelPressures "
                       "and WheelPressures");
}

static void mistakes_in_the_bus_file_have_their_own_place(void **unused)
{
    (void)unused;
    char path[] = "/tmp/skidpad-bus-XXXXXX", text[256], want[256];
    int file = mkstemp(path);
    assert_true(file >= 0);
    static const char wrong[] = "kind: bus\nunit: ESP\nmessages: {}\ncolour: red\n";
    assert_int_equal(write(file, wrong, sizeof wrong - 1), sizeof wrong - 1);
    (void)close(file);
    (void)snprintf(text, sizeof text, "name: c\nbus: %s\ndbc: skidpad_chassis.dbc\ncycle_ms: 100\n",
                   path);
    (void)snprintf(
        want, sizeof want,
        AT "2:1: bus: %s:4:1: colour: unknown key, allowed: kind, base, dbc, unit, messages, "
           "cycle_ms, startup_ms, bit_rate, bind, send, receive",
        path);
    ASSERT_MESSAGES(text, want);
    (void)unlink(path);
}

/* Everything but the unit of two production cars, without a line for any message. */
static void the_rest_of_a_real_bus_is_simulated(void **unused)
{
    (void)unused;
    static const struct {
        const char *file, *unit;
        uint32_t sent, received;
    } cars[] = {{"vw_mqb.dbc", "ESP_05, ESP_02, ESP_19", 110, 3},
                {"rivian_primary_actuator.dbc", "ESP_Brake_Pressure", 66, 1}};
    const char *folder = getenv("SKIDPAD_DATA");
    if (!folder)
        skip();
    for (size_t i = 0; i < sizeof cars / sizeof cars[0]; i++) {
        char text[1024];
        struct cfg_doc *doc = NULL;
        (void)snprintf(text, sizeof text,
                       "name: car\ndbc: %s/dbc/%s\nunit: {name: it, sends: [%s]}\ncycle_ms: 100\n",
                       folder, cars[i].file, cars[i].unit);
        struct bus *bus = load(text, &doc);
        close_clean(doc);
        assert_int_equal(bus->sent_count, cars[i].sent);
        assert_int_equal(bus->received_count, cars[i].received);
        struct bus_state *state = calloc(1, sizeof *state);
        assert_non_null(state);
        bus_reset(bus, state, 0, 0);
        struct can_msg out[BUS_SENT];
        uint32_t frames = 0;
        for (int64_t tick = 0; tick < 100; tick++) {
            int n = bus_encode(bus, state, tick, NULL, out, BUS_SENT);
            assert_true(n <= (int)bus->busiest.frames);
            frames += (uint32_t)n;
        }
        assert_int_equal(frames, cars[i].sent);
        assert_true(bus->busiest.frames <= 2); /* 110 in 100 ticks */
        free(state);
        bus_free(bus);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_demo_bus_has_two_sides),
        cmocka_unit_test(a_database_and_a_unit_are_enough),
        cmocka_unit_test(the_bench_file_overrides_the_bus_file),
        cmocka_unit_test(protection_takes_all_its_keys),
        cmocka_unit_test(the_unit_s_messages_cannot_be_sent),
        cmocka_unit_test(unknown_names_get_a_suggestion),
        cmocka_unit_test(units_that_do_not_convert_are_refused),
        cmocka_unit_test(short_times_are_not_taken_for_off),
        cmocka_unit_test(cycle_times_of_the_database_are_checked),
        cmocka_unit_test(periods_must_fit_the_tick),
        cmocka_unit_test(contradictions_are_named),
        cmocka_unit_test(mistakes_in_the_bus_file_have_their_own_place),
        cmocka_unit_test(the_rest_of_a_real_bus_is_simulated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
