/* The stand-in's diagnosis, service by service and refusal by refusal; the life of a trouble code;
 * the tester against it, frame by frame. */
#include "shared/base/time.h"
#include "shared/can/uds_client.h"
#include "target/ecu/diag.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { TEXT = 256 };

static struct ecu_params params;
static struct ecu_state state;
static struct ecu_rx rx;
static struct ecu_tx tx;
static struct diag diag;
static struct uds_unit unit;
static int64_t now_ns;
static uint8_t answer[ISOTP_DATA + 1];

static int set_up(void **unused)
{
    (void)unused;
    const struct diag_ids ids = {.request = 0x760, .response = 0x768, .functional = 0x7df};
    ecu_defaults(&params);
    memset(&state, 0, sizeof state);
    memset(&tx, 0, sizeof tx);
    ecu_rx_reset(&rx);
    diag_open(&diag, &ids);
    memcpy(diag.server.identity.vin, "WDB1234567890ABCD", UDS_VIN);
    state.power.state = ECU_POWER_ON;
    state.power.starts = 1;
    unit = (struct uds_unit){.params = &params, .state = &state, .rx = &rx, .tx = &tx};
    now_ns = NS_PER_S;
    return 0;
}

/* One cycle of the unit's diagnosis without frames. */
static void cycle(void)
{
    struct can_msg out[DIAG_FRAMES];
    now_ns += ECU_CYCLE_NS;
    (void)diag_cycle(&diag, &unit, now_ns, out, DIAG_FRAMES);
}

/* The answer to a request in hexadecimal digits, as such. */
static const char *ask_as(const char *request, bool functional)
{
    static char text[3 * ISOTP_DATA];
    uint8_t bytes[512];
    int n = 0;
    unsigned value;
    for (const char *c = request; *c != '\0'; c += 2) {
        while (*c == ' ')
            c++;
        /* cert-err34-c: two digits cannot be too many */
        assert_int_equal(sscanf(c, "%2x", &value), 1); /* NOLINT(cert-err34-c) */
        bytes[n++] = (uint8_t)value;
    }
    uds_server_step(&diag.server, now_ns);
    n = uds_server_answer(&diag.server, &diag.store, &unit, bytes, n, functional, now_ns, answer,
                          ISOTP_DATA);
    text[0] = '\0';
    for (int i = 0; i < n; i++)
        (void)snprintf(text + 2 * i, 3, "%02X", answer[i]);
    return text;
}

static const char *ask(const char *request)
{
    return ask_as(request, false);
}

static void unlock(void)
{
    char key[32];
    assert_string_equal(ask("10 03"), "5003003201F4");
    assert_int_equal(strlen(ask("27 01")), 12);
    uint32_t seed = (uint32_t)uds_number(answer + 2, 4, 0);
    assert_int_not_equal(seed, 0);
    (void)snprintf(key, sizeof key, "27 02 %08X", uds_key(seed));
    assert_string_equal(ask(key), "6702");
}

/* ---- services */

static void sessions(void **unused)
{
    (void)unused;
    assert_string_equal(ask("10 01"), "5001003201F4");
    assert_string_equal(ask("22 F1 86"), "62F18601");
    assert_string_equal(ask("10 03"), "5003003201F4");
    assert_string_equal(ask("22 F1 86"), "62F18603");
    now_ns += 4900 * NS_PER_MS;
    assert_string_equal(ask("3E 00"), "7E00"); /* keeps it */
    now_ns += 4900 * NS_PER_MS;
    assert_string_equal(ask("22 F1 86"), "62F18603");
    now_ns += 5100 * NS_PER_MS;
    assert_string_equal(ask("22 F1 86"), "62F18601"); /* S3 is over */
    assert_string_equal(ask("10 02"), "7F1012");
    assert_string_equal(ask("10"), "7F1013");
    assert_string_equal(ask("10 03 00"), "7F1013");
    assert_string_equal(ask("10 83"), ""); /* suppressed, but done */
    assert_string_equal(ask("22 F1 86"), "62F18603");
    assert_string_equal(ask("10 82"), "7F1012"); /* refusals are told */
}

static void tester_present(void **unused)
{
    (void)unused;
    assert_string_equal(ask("3E 00"), "7E00");
    assert_string_equal(ask("3E 80"), "");
    assert_string_equal(ask("3E 01"), "7F3E12");
    assert_string_equal(ask("3E 00 00"), "7F3E13");
    assert_string_equal(ask("3E"), "7F3E13");
}

static void unknown_services(void **unused)
{
    (void)unused;
    assert_string_equal(ask("31 01 00 00"), "7F3111");
    assert_string_equal(ask_as("31 01 00 00", true), ""); /* not told to everybody */
    assert_string_equal(ask_as("10 02", true), "");
    assert_string_equal(ask_as("22 00 00", true), "");
    assert_string_equal(ask_as("11 01", true), "");
    assert_string_equal(ask_as("22 F1", true), "7F2213"); /* a wrong request is */
    assert_string_equal(ask_as("3E 00", true), "7E00");
    assert_string_equal(ask(""), "");
}

static void reading_data(void **unused)
{
    (void)unused;
    state.reference.speed_mps = 20.0; /* 72 km/h */
    rx.yaw_rate_radps = -0.1;         /* -5.73 deg/s */
    assert_string_equal(ask("22 F1 90"), "62F1905744423132333435363738393041424344");
    assert_string_equal(ask("22 20 01"), "6220011C20");
    assert_string_equal(ask("22 20 06"), "622006FDC3");
    assert_string_equal(ask("22 20 02 20 01"), "622002056420011C20");
    assert_string_equal(ask("22 00 00 20 01"), "6220011C20"); /* what is not there is left out */
    assert_string_equal(ask("22 00 00"), "7F2231");
    assert_string_equal(ask("22 20"), "7F2213");
    assert_string_equal(ask("22 20 01 20"), "7F2213");
    assert_string_equal(ask("22"), "7F2213");
    char many[3 + 6 * (UDS_AT_ONCE + 1)] = "22";
    for (int i = 0; i < UDS_AT_ONCE; i++)
        strcat(many, " 2003");
    assert_int_equal(strlen(ask(many)), 2 + 6 * UDS_AT_ONCE);
    strcat(many, " 2003");
    assert_string_equal(ask(many), "7F2213"); /* too many for a cycle */
    state.reference.speed_mps = 1e6;          /* as much as goes in */
    assert_string_equal(ask("22 20 01"), "622001FFFF");
    rx.yaw_rate_radps = 0.0 / 0.0;
    assert_string_equal(ask("22 20 06"), "6220060000");
}

static void writing_data(void **unused)
{
    (void)unused;
    assert_string_equal(ask("2E 20 20 03 E8"), "7F2E7F"); /* default session */
    assert_string_equal(ask("10 03"), "5003003201F4");
    assert_string_equal(ask("2E 20 20 03 E8"), "7F2E33"); /* locked */
    unlock();
    assert_string_equal(ask("2E 20 20 03 E8"), "6E2020");
    assert_string_equal(ask("22 20 20"), "62202003E8"); /* 1 deg/s */
    assert_string_equal(ask("2E 20 21 FF 38"), "6E2021");
    assert_true(state.power.acc_y_zero_mps2 == -0.2);
    assert_int_equal(diag.server.changes, 2);
    assert_string_equal(ask("2E 20 20 7F FF"), "7F2E31"); /* 32 deg/s is no zero point */
    assert_string_equal(ask("2E 20 20 03"), "7F2E13");
    assert_string_equal(ask("2E 20 20 03 E8 00"), "7F2E13");
    assert_string_equal(ask("2E 20 01 03 E8"), "7F2E31"); /* cannot be written */
    assert_string_equal(ask("2E 00 01 03 E8"), "7F2E31");
    assert_string_equal(ask("2E 20 20"), "7F2E13");
    assert_string_equal(ask("2E F1 90 41 41 41 41 41 41 41 41 41 41 41 41 41 41 41 41 41"),
                        "6EF190");
    assert_memory_equal(diag.server.identity.vin, "AAAAAAAAAAAAAAAAA", UDS_VIN);
    assert_string_equal(ask("2E F1 90 41 41 41 41 41 41 41 41 41 41 41 41 41 41 41 41 0A"),
                        "7F2E31"); /* no letter */
    state.reference.speed_mps = 2.0;
    assert_string_equal(ask("2E 20 20 03 E8"), "7F2E22"); /* not while driving */
    assert_int_equal(diag.server.changes, 3);
}

static void security(void **unused)
{
    (void)unused;
    assert_string_equal(ask("27 01"), "7F277F");
    unlock();
    assert_string_equal(ask("27 01"), "670100000000"); /* nothing left to unlock */
    assert_string_equal(ask("10 03"), "5003003201F4"); /* locks again */
    assert_string_equal(ask("27 02 00 00 00 00"), "7F2724");
    assert_string_equal(ask("27 03"), "7F2712");
    assert_string_equal(ask("27 01 00"), "7F2713");
    for (int n = 0; n < 2; n++) {
        assert_int_equal(strlen(ask("27 01")), 12);
        assert_string_equal(ask("27 02 00 00 00 00"), "7F2735");
        assert_string_equal(ask("27 02 00 00 00 00"), "7F2724"); /* a seed is good for one key */
    }
    (void)ask("27 01");
    assert_string_equal(ask("27 02 00 00 00"), "7F2713");
    assert_string_equal(ask("27 02 00 00 00 00"), "7F2736");
    assert_string_equal(ask("27 01"), "7F2737");
    for (int n = 0; n < 3; n++) { /* 9 s, the session kept */
        now_ns += 3 * NS_PER_S;
        assert_string_equal(ask("3E 00"), "7E00");
    }
    assert_string_equal(ask("27 01"), "7F2737");
    now_ns += 1001 * NS_PER_MS;
    unlock();
    now_ns += 6 * NS_PER_S; /* with the session the access ends */
    assert_string_equal(ask("10 03"), "5003003201F4");
    assert_string_equal(ask("2E 20 20 03 E8"), "7F2E33");
}

static void reset(void **unused)
{
    (void)unused;
    assert_string_equal(ask("11 01"), "7F117F");
    assert_string_equal(ask("10 03"), "5003003201F4");
    assert_string_equal(ask("11 02"), "7F1112");
    assert_string_equal(ask("11 01 00"), "7F1113");
    state.reference.speed_mps = 2.0;
    assert_string_equal(ask("11 01"), "7F1122");
    state.reference.speed_mps = 0.0;
    assert_string_equal(ask("11 01"), "5101");
    cycle();
    assert_int_equal(state.power.state, ECU_POWER_OFF); /* the next cycle starts it */
    assert_int_equal(diag.server.reset, 0);
}

/* ---- codes */

static void set_fault(int id, bool on)
{
    state.faults.tested |= ECU_FAULT_BIT(id);
    if (on)
        state.faults.present |= ECU_FAULT_BIT(id);
    else
        state.faults.present &= ~ECU_FAULT_BIT(id);
    state.faults.stored |= state.faults.present;
    cycle();
}

static void reading_codes(void **unused)
{
    (void)unused;
    char all[16];
    cycle();
    assert_string_equal(ask("19 02 0D"), "5902FF");
    assert_string_equal(ask("19 01 0D"), "5901FF010000");
    (void)snprintf(all, sizeof all, "5901FF01%04X", ECU_FAULTS);
    assert_string_equal(ask("19 01 50"), all); /* none is tested yet */
    state.reference.speed_mps = 10.0;
    rx.supply_V = 12.0;
    set_fault(ECU_FAULT_YAW_SENSOR, true);
    assert_string_equal(ask("19 02 0D"), "5902FF406364AF");
    (void)snprintf(all, sizeof all, "5901FF01%04X", ECU_FAULTS - 1);
    assert_string_equal(ask("19 01 10"), all); /* the others are still not tested */
    assert_string_equal(ask("19 82 0D"), "");  /* suppressed */
}

static void one_code(const char *expected)
{
    char want[32];
    (void)snprintf(want, sizeof want, "5902FF%s", expected);
    assert_string_equal(ask("19 02 0D"), want);
}

static void life_of_a_code(void **unused)
{
    (void)unused;
    cycle();
    set_fault(ECU_FAULT_FL_FRAME, true);
    one_code("403587AF"); /* failed, this cycle, pending, confirmed, since clear, lamp */
    set_fault(ECU_FAULT_FL_FRAME, false);
    one_code("4035872E"); /* not now */
    state.power.starts++; /* a new cycle */
    state.faults.tested = 0;
    cycle();
    one_code("4035876C"); /* not tested in it */
    set_fault(ECU_FAULT_FL_FRAME, false);
    one_code("4035872C"); /* passed */
    state.power.starts++;
    cycle();
    one_code("40358728"); /* a cycle without it: no longer pending */
    for (int n = 0; n < DTC_AGING - 2; n++) {
        state.power.starts++;
        cycle();
    }
    one_code("40358728");
    state.power.starts++;
    cycle();
    assert_string_equal(ask("19 02 0D"), "5902FF"); /* forgotten */
}

static void clearing_codes(void **unused)
{
    (void)unused;
    cycle();
    set_fault(ECU_FAULT_FL_FRAME, true);
    set_fault(ECU_FAULT_SUPPLY_LOW, true);
    assert_string_equal(ask("19 02 0D"), "5902FF403587AFF00316AF");
    assert_string_equal(ask("14 40 35 87"), "54");
    assert_string_equal(ask("19 02 0D"), "5902FFF00316AF");
    assert_int_equal(state.faults.present, ECU_FAULT_BIT(ECU_FAULT_SUPPLY_LOW));
    assert_string_equal(ask("14 FF FF FF"), "54");
    assert_string_equal(ask("19 02 0D"), "5902FF");
    assert_int_equal(state.faults.stored, 0);
    assert_string_equal(ask("14 12 34 56"), "7F1431");
    assert_string_equal(ask("14 FF FF"), "7F1413");
    assert_string_equal(ask("14 FF FF FF FF"), "7F1413");
    set_fault(ECU_FAULT_FL_FRAME, true); /* and again */
    one_code("403587AF");
}

static void snapshot_of_the_first_time(void **unused)
{
    (void)unused;
    cycle();
    assert_string_equal(ask("19 04 40 35 87 FF"), "590440358750"); /* none yet */
    state.reference.speed_mps = 10.0;                              /* 36 km/h */
    state.since_start_s = 1.5;
    rx.supply_V = 12.0;
    rx.master_Pa = 25e5;
    set_fault(ECU_FAULT_FL_FRAME, true);
    const char *want = "5904403587AF0106"
                       "20010E10"
                       "200204B0"
                       "200300"
                       "2004000005DC"
                       "200500FA"
                       "20060000";
    assert_string_equal(ask("19 04 40 35 87 FF"), want);
    set_fault(ECU_FAULT_FL_FRAME, false);
    state.reference.speed_mps = 30.0;
    set_fault(ECU_FAULT_FL_FRAME, true);
    assert_string_equal(ask("19 04 40 35 87 01"), want); /* the first time stays */
    assert_string_equal(ask("19 06 40 35 87 01"), "5906403587AF010200");
    assert_string_equal(ask("19 04 40 35 87 02"), "7F1931");
    assert_string_equal(ask("19 04 12 34 56 01"), "7F1931");
    assert_string_equal(ask("19 04 40 35 87"), "7F1913");
    assert_string_equal(ask("19 02"), "7F1913");
    assert_string_equal(ask("19 05 00"), "7F1912");
    assert_string_equal(ask("19"), "7F1913");
}

static void all_codes_are_known_and_different(void **unused)
{
    (void)unused;
    struct uds_code list[UDS_CODES];
    char text[UDS_CODE_TEXT];
    uint32_t back;
    cycle();
    int length = (int)strlen(ask("19 0A")) / 2;
    assert_int_equal(uds_codes_parse(answer, length, list, UDS_CODES), ECU_FAULTS);
    for (int a = 0; a < ECU_FAULTS; a++) {
        assert_int_equal(list[a].code, ecu_fault_table[a].code);
        assert_in_range(list[a].code, 1, 0xfffffe);
        assert_true(uds_code_parse(uds_code_text(list[a].code, text), &back));
        assert_int_equal(back, list[a].code);
        for (int b = 0; b < a; b++)
            assert_int_not_equal(list[a].code, list[b].code);
    }
    assert_string_equal(uds_code_text(0x403587, text), "C0035-87");
    assert_string_equal(uds_code_text(0xC10087, text), "U0100-87");
    assert_true(uds_code_parse("0xC10087", &back) && back == 0xC10087);
    assert_true(uds_code_parse("c10087", &back) && back == 0xC10087);
    assert_true(uds_code_parse("P3FFF-00", &back) && back == 0x3FFF00);
    assert_false(uds_code_parse("C4000-00", &back));
    assert_false(uds_code_parse("C0035", &back));
    assert_false(uds_code_parse("C0035-8", &back));
    assert_false(uds_code_parse("403587 ", &back));
    assert_false(uds_code_parse("", &back));
}

/* The tables of docs/diagnosis.md are those of the unit. */
static void the_page_has_every_code_and_identifier(void **unused)
{
    (void)unused;
    static char page[64 * 1024];
    char line[TEXT], code[UDS_CODE_TEXT];
    FILE *f = fopen("docs/diagnosis.md", "r");
    assert_non_null(f);
    page[fread(page, 1, sizeof page - 1, f)] = '\0';
    assert_int_equal(fclose(f), 0);
    for (int id = 0; id < ECU_FAULTS; id++) {
        (void)snprintf(line, sizeof line, "| %s | %s |\n",
                       uds_code_text(ecu_fault_table[id].code, code), ecu_fault_table[id].text);
        if (!strstr(page, line))
            fail_msg("docs/diagnosis.md lacks: %s", line);
    }
    for (int i = 0; i < UDS_ITEMS; i++) {
        (void)snprintf(line, sizeof line, "| %04X | `%s` |", uds_item_table[i].did,
                       uds_item_table[i].name);
        if (!strstr(page, line) || !strstr(page, uds_item_table[i].meaning))
            fail_msg("docs/diagnosis.md lacks: %s", line);
    }
}

/* ---- with frames */

static struct uds_tester tester;
static int lose; /* the frame of that number is lost; -1: none */

/* The answer's length by frames between tester and unit; ticks of 1 ms, the unit every fifth. */
static enum uds_result exchange(const uint8_t *request, int length)
{
    struct can_msg out[DIAG_FRAMES];
    int frames = 0;
    assert_int_equal(uds_tester_ask(&tester, request, length, now_ns, NS_PER_S), 0);
    for (int tick = 0; uds_tester_result(&tester) == UDS_WAITING && tick < 20000; tick++) {
        now_ns += NS_PER_MS;
        int n = uds_tester_poll(&tester, now_ns, out, DIAG_FRAMES);
        for (int i = 0; i < n; i++)
            assert_true(frames++ == lose || diag_take(&diag, &out[i], now_ns));
        n = tick % 5 == 0 ? diag_cycle(&diag, &unit, now_ns, out, DIAG_FRAMES) : 0;
        for (int i = 0; i < n; i++)
            assert_true(frames++ == lose || uds_tester_take(&tester, &out[i], now_ns));
    }
    return uds_tester_result(&tester);
}

static void tester_and_unit_over_frames(void **unused)
{
    (void)unused;
    struct uds_code list[UDS_CODES];
    uint8_t request[4];
    uds_tester_open(&tester, 0x760, 0x768);
    lose = -1;
    cycle();
    for (int id = 0; id < ECU_FAULTS; id++)
        set_fault(id, true);
    assert_int_equal(exchange(request, uds_codes_request(UDS_STORED, request)), UDS_ANSWERED);
    assert_int_equal(uds_codes_parse(tester.answer, tester.answer_length, list, UDS_CODES),
                     ECU_FAULTS);
    assert_int_equal(exchange(request, uds_clear_request(UDS_ALL_CODES, request)), UDS_ANSWERED);
    cycle();
    assert_int_equal(exchange(request, uds_codes_request(UDS_STORED, request)), UDS_ANSWERED);
    assert_int_equal(tester.answer_length, 3);
    assert_int_equal(exchange((uint8_t[]){0x31, 0x01}, 2), UDS_REFUSED);
    assert_int_equal(tester.exchange.refusal, UDS_NO_SERVICE);
    assert_int_equal(exchange((uint8_t[]){0x3e, 0x80}, 2), UDS_ANSWERED); /* after its time */
    assert_int_equal(tester.answer_length, 0);
}

static void a_lost_frame_is_silence_and_the_next_request_works(void **unused)
{
    (void)unused;
    uds_tester_open(&tester, 0x760, 0x768);
    cycle();
    for (lose = 0; lose < 6; lose++) { /* request, first, flow, consecutive ... */
        int number = lose;
        assert_int_equal(exchange((uint8_t[]){0x19, 0x0a}, 2), UDS_SILENT);
        lose = -1;
        assert_int_equal(exchange((uint8_t[]){0x22, 0xf1, 0x90}, 3), UDS_ANSWERED);
        assert_int_equal(tester.answer_length, 20);
        lose = number;
    }
}

/* Frames that take long do not use up the time for the answer. */
static void a_slow_bus_is_no_silence(void **unused)
{
    (void)unused;
    struct can_msg out[DIAG_FRAMES];
    static const struct can_msg flow = {.id = 0x768, .len = 3, .data = {0x30, 1, 0}};
    static const struct can_msg reply = {.id = 0x768, .len = 4, .data = {3, 0x6e, 0xf1, 0x90}};
    const uint8_t request[20] = {0x2e, 0xf1, 0x90};
    uds_tester_open(&tester, 0x760, 0x768);
    assert_int_equal(uds_tester_ask(&tester, request, 20, 0, NS_PER_S), 0);
    assert_int_equal(uds_tester_poll(&tester, 0, out, 1), 1);
    for (int64_t n = 1; n <= 2; n++) { /* two blocks of a frame, each after 0.9 s */
        assert_true(uds_tester_take(&tester, &flow, n * 900 * NS_PER_MS));
        assert_int_equal(uds_tester_poll(&tester, n * 900 * NS_PER_MS, out, 1), 1);
    }
    assert_int_equal(uds_tester_poll(&tester, 2700 * NS_PER_MS, out, 1), 0);
    assert_int_equal(uds_tester_result(&tester), UDS_WAITING);
    assert_true(uds_tester_take(&tester, &reply, 2750 * NS_PER_MS));
    assert_int_equal(uds_tester_result(&tester), UDS_ANSWERED);
}

static void an_answer_may_be_pending(void **unused)
{
    (void)unused;
    struct uds_exchange x;
    const uint8_t request[] = {0x14, 0xff, 0xff, 0xff};
    uds_exchange_begin(&x, request, 4, 0, NS_PER_S);
    uds_exchange_take(&x, (const uint8_t[]){0x7f, 0x14, 0x78}, 3, 900 * NS_PER_MS);
    uds_exchange_wait(&x, 5 * NS_PER_S);
    assert_int_equal(x.result, UDS_WAITING);
    uds_exchange_take(&x, (const uint8_t[]){0x7f, 0x22, 0x31}, 3, 5 * NS_PER_S); /* not ours */
    assert_int_equal(x.result, UDS_WAITING);
    uds_exchange_take(&x, (const uint8_t[]){0x54}, 1, 5 * NS_PER_S);
    assert_int_equal(x.result, UDS_ANSWERED);
    uds_exchange_begin(&x, request, 4, 0, NS_PER_S);
    uds_exchange_take(&x, (const uint8_t[]){0x7f, 0x14, 0x78}, 3, 0);
    uds_exchange_wait(&x, 5001 * NS_PER_MS);
    assert_int_equal(x.result, UDS_SILENT);
}

static void a_unit_that_sleeps_does_not_answer(void **unused)
{
    (void)unused;
    uds_tester_open(&tester, 0x760, 0x768);
    lose = -1;
    state.power.state = ECU_POWER_OFF;
    assert_int_equal(exchange((uint8_t[]){0x3e, 0x00}, 2), UDS_SILENT);
    state.power.state = ECU_POWER_AFTER_RUN;
    assert_int_equal(exchange((uint8_t[]){0x3e, 0x00}, 2), UDS_ANSWERED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(sessions, set_up),
        cmocka_unit_test_setup(tester_present, set_up),
        cmocka_unit_test_setup(unknown_services, set_up),
        cmocka_unit_test_setup(reading_data, set_up),
        cmocka_unit_test_setup(writing_data, set_up),
        cmocka_unit_test_setup(security, set_up),
        cmocka_unit_test_setup(reset, set_up),
        cmocka_unit_test_setup(reading_codes, set_up),
        cmocka_unit_test_setup(life_of_a_code, set_up),
        cmocka_unit_test_setup(clearing_codes, set_up),
        cmocka_unit_test_setup(snapshot_of_the_first_time, set_up),
        cmocka_unit_test_setup(all_codes_are_known_and_different, set_up),
        cmocka_unit_test_setup(the_page_has_every_code_and_identifier, set_up),
        cmocka_unit_test_setup(tester_and_unit_over_frames, set_up),
        cmocka_unit_test_setup(a_lost_frame_is_silence_and_the_next_request_works, set_up),
        cmocka_unit_test_setup(a_slow_bus_is_no_silence, set_up),
        cmocka_unit_test_setup(an_answer_may_be_pending, set_up),
        cmocka_unit_test_setup(a_unit_that_sleeps_does_not_answer, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
