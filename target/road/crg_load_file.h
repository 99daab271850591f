/* Reader of OpenCRG files: header and numbers as they stand in the file. Not for the real-time
 * thread: it allocates. */
#ifndef SKIDPAD_ROAD_CRG_LOAD_FILE_H
#define SKIDPAD_ROAD_CRG_LOAD_FILE_H

#include "shared/base/err.h"

#include <stdbool.h>
#include <stddef.h>

enum { CRG_MAX_COLUMNS = 20000, CRG_MAX_BYTES = 1 << 30, CRG_PATH = 1024 };
#define CRG_MAX_VALUES 268435456.0

/* Parameters, options and modifiers that mean something here. */
enum crg_key {
    CRG_START_U,
    CRG_END_U,
    CRG_INCREMENT,
    CRG_V_RIGHT,
    CRG_V_LEFT,
    CRG_V_INCREMENT,
    CRG_START_X,
    CRG_START_Y,
    CRG_START_Z,
    CRG_START_PHI,
    CRG_START_SLOPE,
    CRG_START_BANK,
    CRG_END_X,
    CRG_END_Y,
    CRG_END_Z,
    CRG_MODE_U, /* options */
    CRG_MODE_V,
    CRG_OFFSET_U,
    CRG_OFFSET_V,
    CRG_SMOOTH_BEGIN,
    CRG_SMOOTH_END,
    CRG_CONTINUE,
    CRG_SCALE_Z, /* modifiers */
    CRG_SCALE_SLOPE,
    CRG_SCALE_BANK,
    CRG_SCALE_LENGTH,
    CRG_SCALE_WIDTH,
    CRG_SCALE_CURVATURE,
    CRG_NAN_MODE,
    CRG_NAN_OFFSET,
    CRG_TURN_X,
    CRG_TURN_Y,
    CRG_MOVE_PHI,
    CRG_MOVE_X,
    CRG_MOVE_Y,
    CRG_MOVE_Z,
    CRG_POINT_U,
    CRG_POINT_V,
    CRG_POINT_U_SHARE,
    CRG_POINT_V_SHARE,
    CRG_POINT_U_OFFSET,
    CRG_POINT_V_OFFSET,
    CRG_POINT_X,
    CRG_POINT_Y,
    CRG_POINT_Z,
    CRG_POINT_PHI,
    CRG_KEYS
};

enum crg_channel { CRG_PHI, CRG_SLOPE, CRG_BANK, CRG_X, CRG_Y, CRG_Z, CRG_SECTION, CRG_UNKNOWN };

struct crg_column {
    enum crg_channel channel;
    double v_m; /* of a long section; NaN: by its number */
    int number;
};

struct crg_file {
    double value[CRG_KEYS];
    bool has[CRG_KEYS];
    struct crg_column *column;
    size_t columns;
    double *row; /* columns numbers each; NaN where there is none */
    size_t rows;
};

/* Reads a file and those it refers to. Returns 0, or a negative errno and a message "file:line:
 * what is wrong, what is allowed" (binary data: the byte instead of the line). The caller calls
 * crg_file_free() in any case. */
int crg_file_read(const char *path, struct crg_file *out, struct err *e);
/* The same for text in memory, without references. */
int crg_file_parse(const char *name, const char *text, size_t length, struct crg_file *out,
                   struct err *e);
void crg_file_free(struct crg_file *f);

/* crg_load_data.c: the numbers behind the header, which ends at `at` in line number `line`. */
enum crg_form { CRG_KRBI, CRG_KDBI, CRG_LRFI, CRG_LDFI };
int crg_data_parse(const char *name, const char *text, size_t length, size_t at, int line,
                   enum crg_form form, struct crg_file *f, struct err *e);

#endif
