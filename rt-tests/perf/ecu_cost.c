/* The stand-in unit in a full stop of the sedan, for measurements and for the picture of
 * docs/ecu.md.
 *
 *   ecu_cost count             for callgrind: every cycle of a stop on friction 0.8, by pressures,
 *                              and of a sine with dwell, by valves, goes through unit_cycle()
 *   ecu_cost speed             simulated time over CPU time, car and unit together
 *   ecu_cost picture FILE.svg  speeds, pressures and phases of that stop */
#include "rt-tests/support/ecu_sine.h"
#include "rt-tests/support/ecu_stop.h"
#include "shared/base/chart.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { POINTS = 700, EVERY_TICKS = 5 };

static struct ecu_car car; /* large: not for the stack */

/* What is counted. Not static, so that callgrind finds it. */
__attribute__((noinline)) void unit_cycle(struct ecu_car *c, struct ecu_rx *rx);
void unit_cycle(struct ecu_car *c, struct ecu_rx *rx)
{
    static struct ecu_state state; /* a second unit that sees the same frames */
    static struct ecu_tx tx;
    ecu_step(&c->params, &state, rx, &tx, (int64_t)c->tick * 1000000);
}

static void open_car(int interface)
{
    struct stop_plan plan = stop_plan();
    ecu_car_open_by(&car, "sedan", 0.8, plan.from_mps, interface);
}

static int count(void)
{
    struct stop_plan plan = stop_plan();
    open_car(VALVES_OFF);
    car.tamper = unit_cycle;
    (void)stop_run(&car, &plan);
    ecu_car_close(&car);
    open_car(VALVES_PERCENT);
    car.tamper = unit_cycle;
    car.road.left = car.road.right = 1.0;
    (void)sine_run(&car, 2.0, 0); /* ESP and ABS at once */
    ecu_car_close(&car);
    return 0;
}

static double cpu_s(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int speed(void)
{
    struct stop_plan plan = stop_plan();
    double simulated_s = 0.0, begin_s;
    open_car(VALVES_OFF);
    begin_s = cpu_s();
    for (int n = 0; n < 10; n++) {
        ecu_car_reset(&car, plan.from_mps);
        simulated_s += stop_run(&car, &plan).time_s;
    }
    printf("%.0f times real time\n", simulated_s / (cpu_s() - begin_s));
    ecu_car_close(&car);
    return 0;
}

/* ---- the picture: the front left wheel */

struct trace {
    size_t count;
    double time_s[POINTS], car_kmh[POINTS], reference_kmh[POINTS], wheel_kmh[POINTS];
    double asked_bar[POINTS], acts_bar[POINTS], driver_bar[POINTS], phase[POINTS];
};

static void note(struct trace *t)
{
    size_t n = t->count++;
    t->time_s[n] = ecu_car_time_s(&car);
    t->car_kmh[n] = 3.6 * car.out.vel_mps[0];
    t->reference_kmh[n] = 3.6 * car.tx.reference_mps;
    t->wheel_kmh[n] = 3.6 * car.tx.wheel_mps[ECU_FL];
    t->asked_bar[n] = 1e-5 * car.tx.pressure_Pa[ECU_FL];
    t->acts_bar[n] = 1e-5 * car.out.pressure_Pa[FL];
    t->driver_bar[n] = 1e-5 * car.rx.master_Pa;
    t->phase[n] = car.tx.phase[ECU_FL];
}

static void draw(const struct trace *t, FILE *to)
{
    const struct chart_line speeds[] = {
        {"car", t->time_s, t->car_kmh, t->count, 0, false, false},
        {"reference speed", t->time_s, t->reference_kmh, t->count, 1, true, false},
        {"front left wheel", t->time_s, t->wheel_kmh, t->count, 2, false, false}};
    const struct chart_line pressures[] = {
        {"driver", t->time_s, t->driver_bar, t->count, 0, true, false},
        {"asked for", t->time_s, t->asked_bar, t->count, 1, false, false},
        {"in the brake", t->time_s, t->acts_bar, t->count, 2, false, false}};
    const struct chart_line phases[] = {{NULL, t->time_s, t->phase, t->count, 3, false, false}};
    struct chart c = {.x = {.label = "time in s"},
                      .y = {.label = "speed in km/h"},
                      .lines = speeds,
                      .line_count = 3,
                      .legend = CHART_TOP_RIGHT};
    chart_begin(to, 900, 980, "ABS stop of the sedan on friction 0.8");
    chart_draw(to, &c, 0, 30, 900, 380);
    c = (struct chart){.x = {.label = "time in s"},
                       .y = {.label = "pressure in bar"},
                       .lines = pressures,
                       .line_count = 3,
                       .legend = CHART_TOP_RIGHT};
    chart_draw(to, &c, 0, 410, 900, 330);
    c = (struct chart){.x = {.label = "time in s"},
                       .y = {.label = "phase", .low = 0.0, .high = 5.0},
                       .lines = phases,
                       .line_count = 1};
    c.title = "phase: 0 off, 1 hold, 2 release, 3 recover, 4 build";
    chart_draw(to, &c, 0, 740, 900, 230);
    chart_end(to);
}

static int picture(const char *path)
{
    static struct trace t;
    FILE *to = fopen(path, "w");
    if (!to) {
        perror(path);
        return 2;
    }
    open_car(VALVES_OFF);
    while (ecu_car_time_s(&car) < 3.5 && t.count < POINTS) {
        car.in.brake_pedal = fmin(fmax((ecu_car_time_s(&car) - 0.5) / 0.1, 0.0), 1.0) * 0.8;
        for (int n = 0; n < EVERY_TICKS; n++)
            ecu_car_step(&car);
        if (ecu_car_time_s(&car) > 0.4)
            note(&t);
    }
    draw(&t, to);
    ecu_car_close(&car);
    return fclose(to) ? 2 : 0;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "count") == 0)
        return count();
    if (argc == 2 && strcmp(argv[1], "speed") == 0)
        return speed();
    if (argc == 3 && strcmp(argv[1], "picture") == 0)
        return picture(argv[2]);
    fprintf(stderr, "usage: ecu_cost count | speed | picture FILE.svg\n");
    return 2;
}
