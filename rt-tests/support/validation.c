#include "rt-tests/support/validation.h"

#include "target/offline.h"
#include "target/signals_fill.h"

#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

const char *validation_data(const char *name, char path[VALIDATION_PATH])
{
    const char *folder = getenv("SKIDPAD_DATA");
    if (!folder)
        skip();
    (void)snprintf(path, VALIDATION_PATH, "%s/%s", folder, name);
    return path;
}

void validation_folder_make(struct validation_folder *f)
{
    const char *base = getenv("TMPDIR");
    (void)snprintf(f->path, sizeof f->path, "%s/skidpad-validation-XXXXXX", base ? base : "/tmp");
    if (!mkdtemp(f->path))
        fail_msg("%s: a folder cannot be made there", f->path);
}

static void path_in(const struct validation_folder *f, const char *name, char path[VALIDATION_PATH])
{
    if (snprintf(path, VALIDATION_PATH, "%s/%s", f->path, name) >= VALIDATION_PATH)
        fail_msg("%s/%s: the path is too long", f->path, name);
}

void validation_folder_remove(struct validation_folder *f)
{
    DIR *folder = opendir(f->path);
    char path[VALIDATION_PATH];
    for (struct dirent *e = folder ? readdir(folder) : NULL; e; e = readdir(folder)) {
        path_in(f, e->d_name, path);
        if (e->d_name[0] != '.')
            assert_int_equal(unlink(path), 0);
    }
    if (folder)
        (void)closedir(folder);
    assert_int_equal(rmdir(f->path), 0);
}

int validation_setup(void **state)
{
    *state = calloc(1, sizeof(struct validation_folder));
    return *state ? 0 : -1;
}

int validation_teardown(void **state)
{
    struct validation_folder *f = *state;
    if (f->path[0] != '\0')
        validation_folder_remove(f);
    free(f);
    return 0;
}

FILE *validation_create(const struct validation_folder *f, const char *name)
{
    char path[VALIDATION_PATH];
    path_in(f, name, path);
    FILE *file = fopen(path, "w");
    if (!file)
        fail_msg("%s cannot be written", path);
    return file;
}

void validation_close(FILE *file)
{
    bool bad = ferror(file) != 0;
    assert_true(fclose(file) == 0 && !bad);
}

void validation_read(const char *path, struct csv *table)
{
    struct err e;
    if (csv_read(path, table, &e))
        fail_msg("%s", e.text);
}

/* One row of the table: the signals as they are now. */
static void keep(const struct offline *o, double *row)
{
    struct signals record = {0};
    signals_fill(&record, &o->in, &o->out, &o->sense);
    for (size_t i = 0; i < signal_count; i++)
        row[i] = signal_value(&record, i);
}

void validation_drive(const struct validation_folder *f, const char *name, struct csv *table)
{
    static const struct offline_options as_file = {.duration_s = -1.0,
                                                   .integrator = VEHICLE_AS_FILE};
    struct offline *o = calloc(1, sizeof *o);
    char path[VALIDATION_PATH];
    path_in(f, name, path);
    assert_non_null(o);
    assert_int_equal(offline_open(path, &as_file, o), 0);
    const struct scenario *sc = o->scenario;
    long per_row = lround(1.0 / (sc->output_hz * sc->step_s));
    table->columns = signal_count;
    table->rows = (size_t)lround(sc->duration_s * sc->output_hz) + 1;
    table->names = calloc(signal_count, sizeof *table->names);
    table->values = calloc(table->rows * signal_count, sizeof *table->values);
    assert_true(table->names && table->values);
    for (size_t i = 0; i < signal_count; i++)
        (void)snprintf(table->names[i], sizeof table->names[i], "%s", signal_table[i].name);
    keep(o, table->values);
    for (size_t row = 1; row < table->rows; row++) {
        for (long n = 0; n < per_row; n++)
            offline_step(o);
        keep(o, &table->values[row * signal_count]);
    }
    assert_int_equal(o->out.fault, 0);
    offline_close(o);
    free(o);
}

double validation_cell(const struct csv *table, size_t row, const char *column)
{
    int at = csv_column(table, column);
    if (at < 0 || row >= table->rows)
        fail_msg("no column %s or no row %zu", column, row);
    return table->values[row * table->columns + (size_t)at];
}

static double value(const struct csv *table, enum validation_kind kind, const char *const column[2],
                    size_t row, size_t zero)
{
    double first = validation_cell(table, row, column[0]);
    switch (kind) {
    case VALIDATION_SUM:
        return first + validation_cell(table, row, column[1]);
    case VALIDATION_ANGLE:
        return atan2(first, validation_cell(table, row, column[1]));
    case VALIDATION_RISE:
        return first - validation_cell(table, zero, column[0]);
    case VALIDATION_VALUE:
    default:
        return first;
    }
}

double validation_theirs(const struct validation_runs *r, const struct validation_signal *s,
                         size_t row)
{
    return value(&r->theirs, s->kind, s->theirs, row, 0);
}

double validation_ours(const struct validation_runs *r, const struct validation_signal *s,
                       size_t row)
{
    return value(&r->ours, s->kind, s->ours, row + r->lead, r->lead);
}

size_t validation_row(const struct validation_runs *r, double time_s)
{
    return (size_t)lround(time_s / r->every_s);
}

FILE *validation_document(const char *name)
{
    const char *folder = getenv("SKIDPAD_VALIDATION_DIR");
    char path[VALIDATION_PATH];
    if (!folder)
        return NULL;
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    if (!f)
        fail_msg("%s cannot be written", path);
    return f;
}

static void say(struct validation_table *t, const char *text)
{
    print_message("%s", text);
    if (t->copy && fputs(text, t->copy) == EOF)
        t->failed++;
}

static void open_table(struct validation_table *t, const char *name)
{
    char file[100];
    (void)snprintf(file, sizeof file, "%s.md", name);
    *t = (struct validation_table){.copy = validation_document(file)};
}

void validation_begin(struct validation_table *t, const char *name)
{
    open_table(t, name);
    say(t, "| signal | unit | at, s | theirs | ours | difference | limit |\n");
    say(t, "|---|---|---|---|---|---|---|\n");
}

/* A limit as the reader sees it: a share, or a number in the signal's unit. */
static void limit_text(const struct validation_signal *s, char *text, size_t size)
{
    if (s->share > 0.0 && s->bound > 0.0)
        (void)snprintf(text, size, "%g %% + %g", 100.0 * s->share, s->bound);
    else if (s->share > 0.0)
        (void)snprintf(text, size, "%g %%", 100.0 * s->share);
    else
        (void)snprintf(text, size, "%g", s->bound);
}

void validation_line(struct validation_table *t, const struct validation_signal *s, const char *at,
                     double theirs, double ours)
{
    char limit[40], difference[40], text[300];
    double off = ours - theirs, allowed = s->share * fabs(theirs) + s->bound;
    bool bad = !(fabs(off) <= allowed);
    limit_text(s, limit, sizeof limit);
    if (s->share > 0.0)
        (void)snprintf(difference, sizeof difference, "%+.1f %%", 100.0 * off / theirs);
    else
        (void)snprintf(difference, sizeof difference, "%+.2g", off);
    (void)snprintf(text, sizeof text, "| %s | %s | %s | %.5g | %.5g | %s | %s |%s\n", s->name,
                   s->unit, at, theirs, ours, difference, limit, bad ? " BEYOND" : "");
    say(t, text);
    t->failed += bad;
}

void validation_at(struct validation_table *t, const struct validation_runs *r,
                   const struct validation_signal *s, size_t count, double time_s)
{
    size_t row = validation_row(r, time_s);
    char at[20];
    (void)snprintf(at, sizeof at, "%.2f", time_s);
    for (size_t i = 0; i < count; i++)
        validation_line(t, &s[i], at, validation_theirs(r, &s[i], row),
                        validation_ours(r, &s[i], row));
}

void validation_end(struct validation_table *t)
{
    if (t->copy)
        validation_close(t->copy);
    t->copy = NULL;
    if (t->failed)
        fail_msg("%d lines of the table are beyond their limit", t->failed);
}

void validation_whole(const struct validation_runs *r, const struct validation_signal *s,
                      size_t count, double limit, const char *name)
{
    struct validation_table t;
    open_table(&t, name);
    say(&t, "| signal | unit | largest change, theirs | largest difference | at, s | share | limit "
            "|\n|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < count; i++) {
        double straight = validation_theirs(r, &s[i], 0), change = 0.0, worst = 0.0, at_s = 0.0;
        for (size_t row = 0; row < r->theirs.rows; row++) {
            double theirs = validation_theirs(r, &s[i], row);
            double off = fabs(validation_ours(r, &s[i], row) - theirs);
            change = fmax(change, fabs(theirs - straight));
            at_s = off > worst ? (double)row * r->every_s : at_s;
            worst = fmax(worst, off);
        }
        char text[300];
        bool bad = !(worst <= limit * change);
        (void)snprintf(text, sizeof text, "| %s | %s | %.4g | %.2g | %.2f | %.1f %% | %g %% |%s\n",
                       s[i].name, s[i].unit, change, worst, at_s, 100.0 * worst / change,
                       100.0 * limit, bad ? " BEYOND" : "");
        say(&t, text);
        t.failed += bad;
    }
    validation_end(&t);
}
