/* Writes marks beside a file system, so that the order of writes to the disk tells what a run had
 * done at any moment: each mark is a sector, written past all caches, with the tick that the run
 * said it was in before. Payload rt-tests/vm/payload/power.sh; rt-tests/vm/power_loss.py reads
 * them.
 *
 *   MARK_DISK      the device, /dev/vda
 *   MARK_SOCKET    the control socket of the run
 *   MARK_SECONDS   for how long */
#include "target/control.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { SECTOR = 512, FIRST_MARK_BYTE = 60 << 20, MARKS_MAX = 4096 };

static double now_s(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The tick that the run is in; -1: it does not drive. */
static long long tick_of(const char *socket)
{
    char answer[CONTROL_LINE];
    struct err e;
    if (control_ask(socket, "status", answer, sizeof answer, &e))
        return -1;
    const char *at = strstr(answer, "tick ");
    return at ? strtoll(at + 5, NULL, 10) : -1;
}

static void marks_are_written(void **state)
{
    (void)state;
    const char *socket = getenv("MARK_SOCKET"), *disk = getenv("MARK_DISK");
    double end_s = now_s() + strtod(getenv("MARK_SECONDS"), NULL);
    char *sector = aligned_alloc(4096, SECTOR * 8);
    int fd = open(disk, O_WRONLY | O_DIRECT | O_CLOEXEC);
    int marks = 0;
    assert_true(fd >= 0);
    assert_non_null(sector);
    while (now_s() < end_s && marks < MARKS_MAX) {
        const struct timespec pause = {.tv_nsec = 10 * 1000000};
        long long tick = tick_of(socket);
        (void)nanosleep(&pause, NULL);
        if (tick <= 0)
            continue;
        memset(sector, 0, SECTOR);
        (void)snprintf(sector, SECTOR, "skidpad mark tick %lld\n", tick);
        assert_int_equal(pwrite(fd, sector, SECTOR, FIRST_MARK_BYTE + (off_t)marks * SECTOR),
                         SECTOR);
        marks++;
    }
    (void)close(fd);
    free(sector);
    assert_true(marks > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(marks_are_written)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
