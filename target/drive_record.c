#include "target/drive_record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Fast enough for every criterion, since values are linear in between; long drives have slow ones.
 */
static const double most_hz = 500.0, least_hz = 100.0, rows_wanted = 30000.0;

void drive_record_plan(struct drive_record *r, double duration_s, double step_s)
{
    double hz = fmax(least_hz, fmin(most_hz, rows_wanted / fmax(duration_s, 1e-3)));
    double every = floor(1.0 / (hz * step_s) + 0.5);
    r->every = every >= 1.0 ? (uint64_t)every : 1;
}

static bool grow(struct drive_record *r)
{
    size_t room = r->room ? 2 * r->room : 1024;
    struct signals *row = realloc(r->row, room * sizeof *row);
    if (!row) {
        r->failed = true;
        return false;
    }
    r->row = row;
    r->room = room;
    return true;
}

void drive_record_add(struct drive_record *r, const struct signals *tick)
{
    uint64_t every = r->every ? r->every : 1;
    bool keeps = r->seen++ % every == 0;
    /* A row that is there only because it was the last tick gives way to the next one. */
    if (r->rows > 0 && !r->is_last_kept)
        r->rows--;
    if (r->rows == r->room && !grow(r))
        return;
    r->row[r->rows++] = *tick;
    r->is_last_kept = keeps;
}

struct expr_trace drive_record_trace(const struct drive_record *r)
{
    return (struct expr_trace){.row = r->row, .rows = r->rows};
}

void drive_record_free(struct drive_record *r)
{
    free(r->row);
    memset(r, 0, sizeof *r);
}
