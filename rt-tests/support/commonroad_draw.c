/* A run by both sides as six charts on a page. */
#include "rt-tests/support/commonroad.h"

#include "shared/base/chart.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { PANELS = 6, COLUMNS = 3, LINES = 4 };
static const double width_px = 330.0, height_px = 280.0, head_px = 44.0;

/* One quantity of two wheels, which have names, or of the car. */
struct panel {
    const char *title, *label;
    size_t at[2]; /* offsets into struct commonroad_row */
    const char *name[2];
    enum chart_corner legend[2]; /* where the first line falls, where it rises */
    double high;                 /* of an axis from 0; 0: as the data are */
};

#define OF(field) offsetof(struct commonroad_row, field)

static const struct panel turn[PANELS] = {
    {.title = "Sideways position",
     .label = "y in m",
     .at = {OF(y_m)},
     .legend = {CHART_TOP_RIGHT, CHART_TOP_LEFT}},
    {.title = "Yaw rate", .label = "rad/s", .at = {OF(yaw_radps)}},
    {.title = "Speed", .label = "m/s", .at = {OF(vx_mps)}},
    {.title = "Roll", .label = "rad", .at = {OF(roll_rad)}},
    {.title = "Load",
     .label = "N",
     .at = {OF(load_N[FR]), OF(load_N[FL])},
     .name = {"front right", "front left"},
     .legend = {CHART_TOP_LEFT, CHART_TOP_LEFT}},
    {.title = "Height of the sprung body", .label = "m", .at = {OF(height_m)}},
};

static const struct panel straight[PANELS] = {
    {.title = "Speed",
     .label = "m/s",
     .at = {OF(vx_mps)},
     .legend = {CHART_TOP_RIGHT, CHART_TOP_LEFT}},
    {.title = "Wheel speed",
     .label = "rad/s",
     .at = {OF(spin_radps[FL]), OF(spin_radps[RL])},
     .name = {"front left", "rear left"},
     .legend = {CHART_BOTTOM_LEFT, CHART_BOTTOM_RIGHT}},
    {.title = "Yaw rate", .label = "rad/s", .at = {OF(yaw_radps)}},
    {.title = "Pitch, nose down", .label = "rad", .at = {OF(pitch_rad)}},
    {.title = "Load",
     .label = "N",
     .at = {OF(load_N[FL]), OF(load_N[RL])},
     .name = {"front left", "rear left"},
     .legend = {CHART_BOTTOM_RIGHT, CHART_BOTTOM_RIGHT},
     .high = 5000.0},
    {.title = "Height of the sprung body", .label = "m", .at = {OF(height_m)}},
};

static double value(const struct commonroad_row *row, size_t offset)
{
    return *(const double *)(const void *)((const char *)row + offset);
}

/* Ours is solid, theirs dashed; the first panel says so, panels of two wheels name these. */
static void draw_panel(FILE *f, const struct panel *panel, bool names,
                       const struct commonroad_pair *pair, double left, double top)
{
    double y[LINES][COMMONROAD_ROWS];
    struct chart_line lines[LINES];
    size_t count = panel->name[1] ? 4 : 2;
    for (size_t n = 0; n < count; n++) {
        bool theirs = n % 2 == 1;
        const struct commonroad_row *rows = theirs ? pair->theirs : pair->ours;
        for (size_t k = 0; k < COMMONROAD_ROWS; k++)
            y[n][k] = value(&rows[k], panel->at[n / 2]);
        lines[n] = (struct chart_line){.x = pair->time_s,
                                       .y = y[n],
                                       .count = COMMONROAD_ROWS,
                                       .colour = (int)n,
                                       .dashed = theirs};
    }
    lines[0].name = names ? "skidpad" : panel->name[0];
    lines[1].name = names ? "CommonRoad" : NULL;
    if (count > 2)
        lines[2].name = panel->name[1];
    bool rises = y[0][COMMONROAD_ROWS - 1] > y[0][0];
    const struct chart chart = {.title = panel->title,
                                .x = {.label = "time in s"},
                                .y = {.label = panel->label, .high = panel->high},
                                .lines = lines,
                                .line_count = count,
                                .legend = panel->legend[rises]};
    chart_draw(f, &chart, left, top, width_px, height_px);
}

void commonroad_draw(const struct commonroad_run *run, const struct commonroad_pair *pair)
{
    char path[VALIDATION_PATH], heading[80];
    const char *folder = getenv("SKIDPAD_VALIDATION_DIR");
    if (!folder)
        return;
    (void)snprintf(path, sizeof path, "%s/validation_commonroad_%s.svg", folder, run->name);
    (void)snprintf(heading, sizeof heading, "CommonRoad BMW 320i, %s", run->name);
    FILE *f = fopen(path, "w");
    if (!f)
        fail_msg("%s cannot be written", path);
    const struct panel *panels = run->acc_mps2 < 0.0 || run->acc_mps2 > 0.0 ? straight : turn;
    chart_begin(f, COLUMNS * width_px, head_px + height_px * PANELS / COLUMNS, heading);
    chart_text(f, 2.0 * width_px + 66.0, 30.0, "solid: skidpad, dashed: CommonRoad");
    for (int n = 0; n < PANELS; n++) {
        int row = n / COLUMNS;
        draw_panel(f, &panels[n], n == 0, pair, width_px * (n % COLUMNS),
                   head_px + height_px * row);
    }
    chart_end(f);
    validation_close(f);
}
