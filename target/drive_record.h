/* The record of a drive: what criteria are judged by and charts are drawn from. */
#ifndef SKIDPAD_TARGET_DRIVE_RECORD_H
#define SKIDPAD_TARGET_DRIVE_RECORD_H

#include "target/scenario/expr.h"

/* All zero is an empty one. */
struct drive_record {
    struct signals *row; /* owned */
    size_t rows, room;
    uint64_t every, seen; /* ticks between rows; ticks so far */
    bool is_last_kept;    /* the last row is of the last tick */
    bool failed;          /* memory ran out */
};

/* Which ticks are kept of a drive: 500 rows a second, fewer in long ones. */
void drive_record_plan(struct drive_record *r, double duration_s, double step_s);
/* The record of the next tick; only some become rows, the last one always. */
void drive_record_add(struct drive_record *r, const struct signals *tick);
struct expr_trace drive_record_trace(const struct drive_record *r);
void drive_record_free(struct drive_record *r);

#endif
