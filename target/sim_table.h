/* The CSV table of an offline run. */
#ifndef SKIDPAD_TARGET_SIM_TABLE_H
#define SKIDPAD_TARGET_SIM_TABLE_H

#include "shared/base/out_file.h"
#include "target/offline.h"
#include "target/signals_fill.h"

#include <stdio.h>

struct sim_table {
    struct out_file out; /* not open: stdout */
    FILE *file;
    char path[1024];
    size_t columns;
    int column[SCENARIO_SIGNALS]; /* indices of signal_table */
    double every_s;               /* time between rows */
    uint64_t rows;
};

/* Creates the file (and its folder), writes the header. "-" is standard output. Returns 0 or a
 * negative errno after a message on stderr. */
int sim_table_open(struct sim_table *t, const char *path, const struct scenario *sc);
/* A row if one is due. */
int sim_table_row(struct sim_table *t, const struct offline *o);
int sim_table_close(struct sim_table *t);

#endif
