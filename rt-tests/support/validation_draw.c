/* Both runs as charts on a page. */
#include "rt-tests/support/validation.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { COLUMNS = 3, LINES = 4 };
static const double width_px = 330.0, height_px = 280.0, head_px = 44.0;

static void draw_panel(FILE *f, const struct validation_runs *r, const struct validation_panel *p,
                       size_t thin, const char *other, double left, double top)
{
    size_t points = (r->theirs.rows + thin - 1) / thin, count = p->signal[1] ? 4 : 2;
    double *values = calloc((LINES + 1) * points, sizeof *values), *time_s = values;
    struct chart_line lines[LINES];
    assert_non_null(values);
    for (size_t k = 0; k < points; k++)
        time_s[k] = (double)(k * thin) * r->every_s;
    for (size_t n = 0; n < count; n++) {
        const struct validation_signal *s = p->signal[n / 2];
        double *y = values + (n + 1) * points;
        bool theirs = n % 2 == 1;
        for (size_t k = 0; k < points; k++)
            y[k] = theirs ? validation_theirs(r, s, k * thin) : validation_ours(r, s, k * thin);
        lines[n] = (struct chart_line){
            .x = time_s, .y = y, .count = points, .colour = (int)n, .dashed = theirs};
    }
    lines[0].name = p->signal[1] ? p->name[0] : "skidpad";
    lines[1].name = p->signal[1] ? NULL : other;
    if (count > 2)
        lines[2].name = p->name[1];
    const struct chart chart = {.title = p->title,
                                .x = {.label = "time in s"},
                                .y = {.label = p->label, .low = p->low, .high = p->high},
                                .lines = lines,
                                .line_count = count,
                                .legend = p->legend};
    chart_draw(f, &chart, left, top, width_px, height_px);
    free(values);
}

void validation_draw(const struct validation_runs *r, const struct validation_panel *panels,
                     size_t count, size_t thin, const char *file, const char *heading,
                     const char *theirs)
{
    char name[100], note[100];
    (void)snprintf(name, sizeof name, "%s.svg", file);
    FILE *f = validation_document(name);
    if (!f)
        return;
    double rows = ceil((double)count / COLUMNS);
    (void)snprintf(note, sizeof note, "solid: skidpad, dashed: %s", theirs);
    chart_begin(f, COLUMNS * width_px, head_px + height_px * rows, heading);
    chart_text(f, 2.0 * width_px + 66.0, 30.0, note);
    for (size_t n = 0; n < count; n++) {
        size_t row = n / COLUMNS, column = n % COLUMNS;
        draw_panel(f, r, &panels[n], thin, theirs, width_px * (double)column,
                   head_px + height_px * (double)row);
    }
    chart_end(f);
    validation_close(f);
}
