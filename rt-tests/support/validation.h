/* Runs of our car against runs of another system: files in a folder that is gone afterwards, both
 * runs as tables over time, a table of differences with a limit for each, and charts.
 *
 * Tables of differences are printed in Markdown. With SKIDPAD_VALIDATION_DIR they and the charts
 * are also written there; rt-tests/model/validate.sh puts them into docs/. */
#ifndef SKIDPAD_TESTS_VALIDATION_H
#define SKIDPAD_TESTS_VALIDATION_H

#include "shared/base/chart.h"
#include "shared/config/csv.h"

#include <stddef.h>
#include <stdio.h>

enum { VALIDATION_PATH = 600 };

/* Path of a file below SKIDPAD_DATA; without that variable the test is skipped. Returns path. */
const char *validation_data(const char *name, char path[VALIDATION_PATH]);

/* A new folder for files of a test. */
struct validation_folder {
    char path[VALIDATION_PATH];
};
void validation_folder_make(struct validation_folder *f);
void validation_folder_remove(struct validation_folder *f); /* with the files in it */
/* The same as cmocka's fixtures: the state is a folder not yet made, removed if it was. */
int validation_setup(void **state);
int validation_teardown(void **state);
/* A new file in it; fails the test if that cannot be. The caller closes it. */
FILE *validation_create(const struct validation_folder *f, const char *name);
void validation_close(FILE *file);

/* Reads a table; fails the test with the reader's message. The caller frees it. */
void validation_read(const char *path, struct csv *table);
/* Drives the scenario f/name: every signal (signals.def) at its output rate from 0 to its end. The
 * caller frees the table. */
void validation_drive(const struct validation_folder *f, const char *name, struct csv *table);

/* One value; the column and the row must be there. */
double validation_cell(const struct csv *table, size_t row, const char *column);

/* What is compared. */
enum validation_kind {
    VALIDATION_VALUE, /* the first column */
    VALIDATION_SUM,   /* first and second column */
    VALIDATION_ANGLE, /* atan2(first, second) */
    VALIDATION_RISE,  /* the first column less its value at time 0 */
};
struct validation_signal {
    const char *name, *unit;
    enum validation_kind kind;
    const char *theirs[2], *ours[2]; /* columns */
    double share, bound;             /* |ours - theirs| <= share |theirs| + bound; bound in unit */
};

/* Both runs. Rows follow each other at the same rate; ours begins lead rows earlier. */
struct validation_runs {
    struct csv theirs, ours;
    double every_s;
    size_t lead;
};
double validation_theirs(const struct validation_runs *r, const struct validation_signal *s,
                         size_t row);
double validation_ours(const struct validation_runs *r, const struct validation_signal *s,
                       size_t row);
/* Row of a time of theirs. */
size_t validation_row(const struct validation_runs *r, double time_s);

/* The file NAME in the folder of SKIDPAD_VALIDATION_DIR, or NULL if that is not set. */
FILE *validation_document(const char *name);

/* A table of differences. */
struct validation_table {
    FILE *copy; /* Markdown file, or NULL */
    int failed;
};
void validation_begin(struct validation_table *t, const char *name);
/* A row: at says when. */
void validation_line(struct validation_table *t, const struct validation_signal *s, const char *at,
                     double theirs, double ours);
/* Each signal at a time of theirs. */
void validation_at(struct validation_table *t, const struct validation_runs *r,
                   const struct validation_signal *s, size_t count, double time_s);
/* Closes the table and fails the test if a line was beyond its limit. */
void validation_end(struct validation_table *t);

/* A table of the largest difference of each signal in the whole run, as a share of the largest
 * change of theirs from its first row; fails the test if one is beyond limit. */
void validation_whole(const struct validation_runs *r, const struct validation_signal *s,
                      size_t count, double limit, const char *name);

/* A chart of one signal, or of two with names. */
struct validation_panel {
    const char *title, *label;
    const struct validation_signal *signal[2];
    const char *name[2];
    double low, high; /* of the axis; equal: as the data are */
    enum chart_corner legend;
};
/* Draws FILE.svg with both runs, every thin-th row, three panels side by side; only with
 * SKIDPAD_VALIDATION_DIR. theirs is the other system's name. */
void validation_draw(const struct validation_runs *r, const struct validation_panel *panels,
                     size_t count, size_t thin, const char *file, const char *heading,
                     const char *theirs);

#endif
