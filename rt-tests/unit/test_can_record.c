/* Frames to a candump log and back: by our own reader, by can-utils and by python-can. */
#include "target/io/can_record.h"

#include "shared/base/time.h"
#include "target/io/can_replay.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static const char *const names[] = {"chassis", "can1"};

static const struct can_msg frames[] = {
    {.time_ns = 1500000000, .id = 0x123, .len = 2, .data = {0xca, 0xfe}},
    {.time_ns = 1500250000, .id = CAN_ID_EXTENDED | 0x18daf110, .bus = 1, .len = 1, .data = {1}},
    {.time_ns = 1501000000, .id = 0x7ff, .len = 0},
    {.time_ns = 1502000000, .id = 0x10, .len = 8, .flags = CAN_MSG_REMOTE},
    {.time_ns = 1502000000,
     .id = 0x55,
     .bus = 1,
     .len = 12,
     .flags = CAN_MSG_FD | CAN_MSG_BRS,
     .data = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}},
};
enum { FRAMES = sizeof frames / sizeof frames[0] };

struct scratch {
    char path[32];
};

static int make_scratch(void **state)
{
    static struct scratch s;
    (void)snprintf(s.path, sizeof s.path, "/tmp/can_record.XXXXXX");
    const int f = mkstemp(s.path);
    if (f < 0)
        return -1;
    (void)close(f);
    *state = &s;
    return 0;
}

static int remove_scratch(void **state)
{
    return unlink(((struct scratch *)*state)->path);
}

static struct can_record *open_record(const char *path, size_t ring_frames)
{
    struct can_record *r = NULL;
    struct err e = {""};
    const struct can_record_setup setup = {
        .path = path, .names = names, .bus_count = 2, .ring_frames = ring_frames};
    if (can_record_open(&r, &setup, &e))
        fail_msg("%s", e.text);
    return r;
}

/* The sample frames and one that the bench sent. */
static void write_sample(const char *path)
{
    struct can_record *r = open_record(path, 0);
    const struct can_port silent = {.bus = 1}, confirming = {.confirms = true};
    can_record_received(r, frames, FRAMES);
    can_record_sent(r, &silent, 1503000000, frames, 1);
    can_record_sent(r, &confirming, 1503000000, frames, 1); /* comes again with receive */
    assert_int_equal(can_record_waiting(r), FRAMES + 1);
    assert_int_equal(can_record_drain(r), 0);
    assert_int_equal(can_record_written(r), FRAMES + 1);
    assert_int_equal(can_record_lost(r), 0);
    assert_int_equal(can_record_close(r, NULL), 0);
}

static void the_log_has_one_line_a_frame(void **state)
{
    static const char *const want[] = {
        "(1.500000) chassis 123#CAFE\n",
        "(1.500250) can1 18DAF110#01\n",
        "(1.501000) chassis 7FF#\n",
        "(1.502000) chassis 010#R8\n",
        "(1.502000) can1 055##10102030405060708090A0B0C\n",
        "(1.503000) can1 123#CAFE T\n",
    };
    const struct scratch *s = *state;
    char line[256];
    write_sample(s->path);
    FILE *f = fopen(s->path, "r");
    assert_non_null(f);
    for (int i = 0; i <= FRAMES; i++) {
        assert_non_null(fgets(line, sizeof line, f));
        /* seconds may be written with leading zeros */
        const char *number = line + 1 + strspn(line + 1, "0");
        assert_string_equal(number, want[i] + 1);
    }
    assert_null(fgets(line, sizeof line, f));
    (void)fclose(f);
}

static void wall_clock_times_are_those_of_today(void **state)
{
    const struct scratch *s = *state;
    struct can_record *r = NULL;
    const struct can_record_setup setup = {.path = s->path, .wall_clock = true};
    struct timespec t;
    long long seconds = 0;
    assert_int_equal(can_record_open(&r, &setup, NULL), 0);
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    const struct can_msg m = {.time_ns = (int64_t)t.tv_sec * NS_PER_S};
    const time_t today = time(NULL);
    can_record_received(r, &m, 1);
    assert_int_equal(can_record_close(r, NULL), 0);
    FILE *f = fopen(s->path, "r");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "(%lld.", &seconds), 1); // NOLINT(cert-err34-c)
    (void)fclose(f);
    assert_in_range(seconds, today - 2, today + 1);
}

/* What a command prints, in one line. */
static void output(const char *command, char *text, size_t size)
{
    FILE *f = popen(command, "r"); // NOLINT(cert-env33-c)
    assert_non_null(f);
    size_t n = fread(text, 1, size - 1, f);
    text[n] = '\0';
    assert_int_equal(pclose(f), 0);
}

static void can_utils_read_the_log(void **state)
{
    const struct scratch *s = *state;
    char command[128], text[4096];
    write_sample(s->path);
    (void)snprintf(command, sizeof command, "log2asc -I %s chassis can1 2>&1", s->path);
    output(command, text, sizeof text);
    assert_non_null(strstr(text, "123             Rx   d 2 CA FE"));
    assert_non_null(strstr(text, "18DAF110x       Rx   d 1 01"));
    assert_non_null(strstr(text, "01 02 03 04 05 06 07 08 09 0A 0B 0C")); /* FD */
}

static void python_can_reads_the_log(void **state)
{
    const struct scratch *s = *state;
    char command[512], text[4096];
    write_sample(s->path);
    (void)snprintf(command, sizeof command,
                   "/usr/bin/python3 -c 'import can\n"
                   "for m in can.CanutilsLogReader(\"%s\"):\n"
                   "  print(m.timestamp, m.channel, hex(m.arbitration_id), m.is_extended_id,"
                   " m.is_remote_frame, m.is_fd, m.bitrate_switch, m.dlc, m.data.hex(), m.is_rx)'",
                   s->path);
    output(command, text, sizeof text);
    assert_string_equal(text,
                        "1.5 chassis 0x123 False False False False 2 cafe True\n"
                        "1.50025 can1 0x18daf110 True False False False 1 01 True\n"
                        "1.501 chassis 0x7ff False False False False 0  True\n"
                        "1.502 chassis 0x10 False True False False 8  True\n"
                        "1.502 can1 0x55 False False True True 12 0102030405060708090a0b0c True\n"
                        "1.503 can1 0x123 False False False False 2 cafe False\n");
}

static void a_recorded_log_replays_the_same_frames(void **state)
{
    const struct scratch *s = *state;
    struct can_port *p = NULL;
    struct err e = {""};
    struct can_msg got[CAN_BATCH];
    const struct can_replay_setup setup = {.path = s->path};
    write_sample(s->path);
    if (can_replay_open(&p, &setup, &e))
        fail_msg("%s", e.text);
    const int64_t start = 7 * NS_PER_S;
    int n = 0;
    for (int64_t t = 0; t <= 5 * NS_PER_MS; t += NS_PER_MS / 10)
        n += p->ops->receive(p, start + t, got + n, CAN_BATCH - n);
    assert_int_equal(n, FRAMES); /* not the one that was sent */
    for (int i = 0; i < FRAMES; i++) {
        struct can_msg want = frames[i];
        want.time_ns += start - frames[0].time_ns;
        want.bus = 0;
        assert_memory_equal(&got[i], &want, sizeof want);
    }
    p->ops->close(p);
}

static void a_full_ring_loses_frames_and_counts_them(void **state)
{
    const struct scratch *s = *state;
    struct can_record *r = open_record(s->path, 4);
    can_record_received(r, frames, FRAMES);
    assert_int_equal(can_record_lost(r), FRAMES - 4);
    assert_int_equal(can_record_drain(r), 0);
    can_record_received(r, frames, 4);
    assert_int_equal(can_record_close(r, NULL), 0);
}

static void a_full_disk_is_told_once(void **unused)
{
    (void)unused;
    struct err e = {""};
    struct can_record *r = open_record("/dev/full", 0);
    can_record_received(r, frames, FRAMES);
    assert_int_equal(can_record_drain(r), -ENOSPC);
    can_record_received(r, frames, FRAMES);
    assert_int_equal(can_record_drain(r), 0);
    assert_int_equal(can_record_close(r, &e), -ENOSPC);
    assert_non_null(strstr(e.text, "/dev/full"));
}

static void what_cannot_be_opened_says_why(void **unused)
{
    (void)unused;
    struct err e = {""};
    struct can_record *r = NULL;
    const struct can_record_setup nowhere = {.path = "/nowhere/can.log"};
    assert_int_equal(can_record_open(&r, &nowhere, &e), -ENOENT);
    assert_non_null(strstr(e.text, "/nowhere/can.log"));
    const struct can_record_setup odd = {.path = "/dev/null", .ring_frames = 3};
    assert_int_equal(can_record_open(&r, &odd, &e), -EINVAL);
    const struct can_record_setup many = {.path = "/dev/null", .bus_count = 1000};
    assert_int_equal(can_record_open(&r, &many, &e), -EINVAL);
    assert_int_equal(can_record_close(NULL, &e), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_log_has_one_line_a_frame, make_scratch, remove_scratch),
        cmocka_unit_test_setup_teardown(wall_clock_times_are_those_of_today, make_scratch,
                                        remove_scratch),
        cmocka_unit_test_setup_teardown(can_utils_read_the_log, make_scratch, remove_scratch),
        cmocka_unit_test_setup_teardown(python_can_reads_the_log, make_scratch, remove_scratch),
        cmocka_unit_test_setup_teardown(a_recorded_log_replays_the_same_frames, make_scratch,
                                        remove_scratch),
        cmocka_unit_test_setup_teardown(a_full_ring_loses_frames_and_counts_them, make_scratch,
                                        remove_scratch),
        cmocka_unit_test(a_full_disk_is_told_once),
        cmocka_unit_test(what_cannot_be_opened_says_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
