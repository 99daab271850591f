/* Lines of candump logs: written, read, and what is not one. */
#include "shared/can/candump.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct can_msg parsed(const char *text)
{
    struct candump_line line;
    int rc = candump_parse(text, strlen(text), &line);
    if (rc)
        fail_msg("%s: %d: %s", text, rc, line.what ? line.what : "no frame");
    return line.msg;
}

/* The line is read as this frame, and the frame written as this line. */
static void both_ways(const char *text, const struct can_msg *m)
{
    char line[CANDUMP_LINE];
    size_t length = candump_format(m, "can0", line);
    assert_string_equal(line, text);
    assert_int_equal(length, strlen(text));
    struct can_msg back = parsed(text);
    assert_memory_equal(&back, m, sizeof back);
}

#define AT "(1700000000.123456) can0 "
static const int64_t at_ns = 1700000000123456000;

static void frames_of_every_kind_are_written_and_read(void **unused)
{
    (void)unused;
    both_ways(AT "123#DEADBEEF\n",
              &(struct can_msg){
                  .time_ns = at_ns, .id = 0x123, .len = 4, .data = {0xde, 0xad, 0xbe, 0xef}});
    both_ways(AT "000#\n", &(struct can_msg){.time_ns = at_ns});
    both_ways(AT "1FFFFFFF#00\n",
              &(struct can_msg){.time_ns = at_ns, .id = CAN_ID_MASK | CAN_ID_EXTENDED, .len = 1});
    both_ways(AT "00000001#00\n",
              &(struct can_msg){.time_ns = at_ns, .id = 1 | CAN_ID_EXTENDED, .len = 1});
    both_ways(AT "7FF#R\n",
              &(struct can_msg){.time_ns = at_ns, .id = 0x7ff, .flags = CAN_MSG_REMOTE});
    both_ways(AT "7FF#R8\n",
              &(struct can_msg){.time_ns = at_ns, .id = 0x7ff, .len = 8, .flags = CAN_MSG_REMOTE});
    both_ways(AT "20000004#0004000000000000\n",
              &(struct can_msg){
                  .time_ns = at_ns, .id = 4, .len = 8, .flags = CAN_MSG_ERROR, .data = {0, 4}});
    both_ways(AT "123##0\n", &(struct can_msg){.time_ns = at_ns, .id = 0x123, .flags = CAN_MSG_FD});
    both_ways(AT "123##3000102030405060708090A0B\n",
              &(struct can_msg){.time_ns = at_ns,
                                .id = 0x123,
                                .len = 12,
                                .flags = CAN_MSG_FD | CAN_MSG_BRS | CAN_MSG_ESI,
                                .data = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}});
    both_ways(AT "123#11 T\n",
              &(struct can_msg){
                  .time_ns = at_ns, .id = 0x123, .len = 1, .flags = CAN_MSG_OWN, .data = {0x11}});
}

static void the_longest_line_fits(void **unused)
{
    (void)unused;
    struct can_msg m = {.time_ns = INT64_MAX - INT64_MAX % 1000,
                        .id = 1 | CAN_ID_EXTENDED,
                        .len = 64,
                        .flags = CAN_MSG_FD | CAN_MSG_OWN};
    char line[CANDUMP_LINE];
    size_t length = candump_format(&m, "a_very_long_name_of_an_interface", line);
    assert_true(length < CANDUMP_LINE && strlen(line) == length);
    assert_non_null(strstr(line, " a_very_long_nam 00000001##0"));
}

static void what_other_tools_write_is_read(void **unused)
{
    (void)unused;
    struct can_msg m = parsed("  (0.5)\tvcan1  123#11.22.33   R\r\n");
    assert_int_equal(m.time_ns, 500000000);
    assert_int_equal(m.len, 3);
    assert_int_equal(m.data[2], 0x33);
    assert_int_equal(m.flags, 0);
    m = parsed("(12.123456789) can0 7df#0201050000000000_9");
    assert_int_equal(m.time_ns, 12123456789);
    assert_int_equal(m.len, 8);
    m = parsed("(1.000000) can0 123##5112233445566778899"); /* 9 bytes: no such frame */
    assert_int_equal(m.len, 12);
    assert_int_equal(m.flags, CAN_MSG_FD | CAN_MSG_BRS);
    assert_int_equal(m.data[8], 0x99);
    assert_int_equal(parsed("(1.0) c 123#aB TX").flags, 0);
    struct candump_line line;
    assert_int_equal(candump_parse("\n", 1, &line), 1);
    assert_int_equal(candump_parse("# log", 5, &line), 1);
    assert_int_equal(candump_parse("", 0, &line), 1);
    assert_int_equal(candump_parse("(1.0) canother_long_name_x 123#", 31, &line), 0);
    assert_string_equal(line.name, "canother_long_n");
}

static void refused(const char *text, size_t column, const char *what)
{
    struct candump_line line;
    assert_int_equal(candump_parse(text, strlen(text), &line), -EINVAL);
    assert_string_equal(line.what, what);
    assert_int_equal(line.column, column);
}

static void lines_that_are_no_frames_are_refused_with_the_place(void **unused)
{
    (void)unused;
    refused("1.0 can0 123#", 1, "expected the time as (seconds.microseconds)");
    refused("(1) can0 123#", 3, "expected the time as (seconds.microseconds)");
    refused("(99999999999.0) can0 1#", 11, "this time is too late for a clock of 64 bits");
    refused("(1.0)", 6, "expected the name of the interface");
    refused("(1.0) can0 12#00", 12, "expected an id of 3 or 8 hexadecimal digits");
    refused("(1.0) can0 800#00", 12, "this id has more than 11 or 29 bits");
    refused("(1.0) can0 40000000#00", 12, "this id has more than 11 or 29 bits");
    refused("(1.0) can0 123 00", 15, "expected # between id and data");
    refused("(1.0) can0 123#0", 16, "expected data as pairs of hexadecimal digits");
    refused("(1.0) can0 123#000000000000000000", 32, "more than 8 bytes of data");
    refused("(1.0) can0 123#R9", 17, "expected 0 to 8 behind R");
    refused("(1.0) can0 123##", 17, "expected a hexadecimal digit with the flags behind ##");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_of_every_kind_are_written_and_read),
        cmocka_unit_test(the_longest_line_fits),
        cmocka_unit_test(what_other_tools_write_is_read),
        cmocka_unit_test(lines_that_are_no_frames_are_refused_with_the_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
