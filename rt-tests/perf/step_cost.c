/* Drives a scenario for measurements.
 *
 *   step_cost time SCENARIO VEHICLE REPEATS    nanoseconds per step: the median of so many drives
 *   step_cost count SCENARIO VEHICLE FROM TO   for callgrind: from second FROM to TO the steps go
 *                                              through step_with_sensors() */
#include "target/offline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { REPEATS_MAX = 101 };

/* What is counted: the plant, its outputs, the sensors. Not static, so that callgrind finds it. */
__attribute__((noinline)) void step_with_sensors(struct offline *o);
void step_with_sensors(struct offline *o)
{
    offline_plant(o);
    offline_sense(o);
}

/* Time of this program only: other programs on the machine do not count. */
static double clock_ns(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int open_run(const char *scenario, const char *vehicle, struct offline *run)
{
    struct offline_options options = {
        .duration_s = -1.0, .integrator = VEHICLE_AS_FILE, .vehicle = vehicle};
    return offline_open(scenario, &options, run);
}

static int time_steps(struct offline *run, char **argv)
{
    double ns[REPEATS_MAX];
    long repeats = strtol(argv[4], NULL, 10);
    if (repeats < 1 || repeats > REPEATS_MAX)
        return 2;
    for (long n = 0; n < repeats; n++) {
        if (open_run(argv[2], argv[3], run))
            return 2;
        double steps = run->scenario->duration_s / run->scenario->step_s;
        double begin = clock_ns();
        while ((double)run->tick < steps) {
            offline_command(run);
            step_with_sensors(run);
        }
        ns[n] = (clock_ns() - begin) / steps;
        offline_close(run);
    }
    qsort(ns, (size_t)repeats, sizeof ns[0], by_size);
    printf("%.0f\n", ns[repeats / 2]);
    return 0;
}

static int count_steps(struct offline *run, char **argv)
{
    double from_s = strtod(argv[4], NULL), to_s = strtod(argv[5], NULL);
    if (open_run(argv[2], argv[3], run))
        return 2;
    double step_s = run->scenario->step_s;
    while (((double)run->tick + 0.5) * step_s < from_s)
        offline_step(run);
    while (((double)run->tick + 0.5) * step_s < to_s) {
        offline_command(run);
        step_with_sensors(run);
    }
    offline_close(run);
    return 0;
}

int main(int argc, char **argv)
{
    static struct offline run; /* large: not for the stack */
    if (argc == 5 && strcmp(argv[1], "time") == 0)
        return time_steps(&run, argv);
    if (argc == 6 && strcmp(argv[1], "count") == 0)
        return count_steps(&run, argv);
    fprintf(stderr, "usage: step_cost time SCENARIO VEHICLE REPEATS\n"
                    "       step_cost count SCENARIO VEHICLE FROM TO\n");
    return 2;
}
