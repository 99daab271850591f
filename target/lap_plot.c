/* Laps as a page of charts: circuit, speed and offset over the lap, lap times. */
#include "shared/base/chart.h"
#include "target/lap.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum { LAP_DRAWN = CHART_COLOURS, LAP_LINES = LAP_DRAWN + 1 };

/* Which variants are drawn: evenly picked from those with a lap. */
static int pick(const struct laps *l, int drawn[LAP_DRAWN])
{
    int have = 0, count = 0;
    for (int i = 0; i < l->count; i++)
        have += l->variant[i].trace.count > 1;
    for (int i = 0, n = 0; i < l->count; i++) {
        if (l->variant[i].trace.count < 2)
            continue;
        if (have <= LAP_DRAWN || n * (LAP_DRAWN - 1) >= count * (have - 1))
            drawn[count++] = i;
        if (count == LAP_DRAWN)
            break;
        n++;
    }
    return count;
}

static void lap_times(const struct laps *l, FILE *to, double left, double top)
{
    double *x = calloc((size_t)l->count * 2, sizeof *x);
    const struct lap_axis *a = l->axes == 1 && isfinite(l->axis[0].value[0]) ? &l->axis[0] : NULL;
    if (!x)
        return;
    double *y = x + l->count;
    for (int i = 0; i < l->count; i++) {
        x[i] = a ? a->value[l->variant[i].index[0]] : i + 1.0;
        y[i] = l->variant[i].result.best_s;
    }
    struct chart_line lines[2] = {{.x = x, .y = y, .count = (size_t)l->count},
                                  {.x = x, .y = y, .count = (size_t)l->count, .dots = true}};
    struct chart c = {.title = "Lap time in s", /* a label would not fit beside its numbers */
                      .x = {.label = a ? a->key : "variant, in the order of the table"},
                      .lines = a ? lines : lines + 1,
                      .line_count = a ? 2 : 1};
    chart_draw(to, &c, left, top, 480.0, 310.0);
    free(x);
}

int lap_svg(const struct laps *l, FILE *to)
{
    int drawn[LAP_DRAWN], count = pick(l, drawn);
    struct chart_line speed[LAP_LINES], offset[LAP_LINES], place[LAP_LINES];
    char words[LAP_DRAWN][LAP_TEXT], heading[SCENARIO_NAME + VEHICLE_NAME + 8];
    for (int i = 0; i < count; i++) {
        const struct lap_trace *t = &l->variant[drawn[i]].trace;
        lap_words(l, drawn[i], words[i], sizeof words[i]);
        const char *name = l->axes ? words[i] : "driven";
        speed[i] = (struct chart_line){
            .name = name, .x = t->s_m, .y = t->speed_kmh, .count = t->count, .colour = i};
        offset[i] =
            (struct chart_line){.x = t->s_m, .y = t->offset_m, .count = t->count, .colour = i};
        place[i] = (struct chart_line){.x = t->x_m, .y = t->y_m, .count = t->count, .colour = i};
    }
    size_t lines = (size_t)count;
    if (count == 1)
        speed[lines++] = (struct chart_line){.name = "planned",
                                             .x = l->variant[drawn[0]].trace.s_m,
                                             .y = l->variant[drawn[0]].trace.plan_kmh,
                                             .count = l->variant[drawn[0]].trace.count,
                                             .colour = 1,
                                             .dashed = true};
    (void)snprintf(heading, sizeof heading, "%s: %s", l->name, l->car);
    chart_begin(to, 1520.0, 710.0, heading);
    struct chart c = {.title = "Speed",
                      .x = {.label = "way from the line in m"},
                      .y = {.label = "speed in km/h"},
                      .legend = CHART_TOP_RIGHT,
                      .lines = speed,
                      .line_count = lines};
    chart_draw(to, &c, 20.0, 50.0, 980.0, 310.0);
    c = (struct chart){.title = "Beside the path",
                       .x = {.label = "way from the line in m"},
                       .y = {.label = "to the left in m"},
                       .lines = offset,
                       .line_count = (size_t)count};
    chart_draw(to, &c, 20.0, 380.0, 980.0, 310.0);
    c = (struct chart){.title = "Circuit",
                       .x = {.label = "x in m"},
                       .y = {.label = "y in m"},
                       .same_scale = true,
                       .lines = place,
                       .line_count = (size_t)count};
    chart_draw(to, &c, 1020.0, 50.0, 480.0, 310.0);
    lap_times(l, to, 1020.0, 380.0);
    chart_end(to);
    return ferror(to) ? -EIO : 0;
}
