/* `skidpad lap`: laps of a circuit with variants of a set-up. */
#ifndef SKIDPAD_TARGET_LAP_H
#define SKIDPAD_TARGET_LAP_H

#include "shared/base/err.h"
#include "target/offline.h"

#include <stdio.h>

enum { LAP_KEYS = 8, LAP_VALUES = 200, LAP_VARIANTS = 2000, LAP_TEXT = 120, LAP_FIXED = 4 };

/* What a key changes. */
enum lap_target { LAP_SETUP, LAP_FRICTION, LAP_SCENARIO, LAP_VEHICLE };

/* One key and the values it takes. */
struct lap_axis {
    char key[LAP_TEXT]; /* without "scenario." */
    int target;         /* enum lap_target */
    int setup;          /* enum setup_id */
    int count;
    double value[LAP_VALUES];
    char text[LAP_VALUES][32]; /* as it was typed, or the number of a range */
};

enum lap_end {
    LAP_DONE,
    LAP_BAD_INPUT,
    LAP_NOT_FINITE,
    LAP_LEFT_PATH,
    LAP_ROLLED,
    LAP_STOPPED,
    LAP_TOO_LONG
};

/* Where the car was on its first flying lap, every few metres. */
struct lap_trace {
    size_t count, room;
    double *s_m, *x_m, *y_m, *speed_kmh, *offset_m, *plan_kmh;
};

struct lap_result {
    int end;             /* enum lap_end */
    double end_s, end_m; /* when and where, of the path, it ended before its time */
    double grip;         /* found, if it was sought; NAN: none keeps it near */
    double out_s;        /* the out lap, from the start to the line */
    double best_s;       /* the best flying lap; NAN: none */
    double planned_s;    /* as the path's speeds have it */
    int laps;            /* flying ones completed */
    /* Of the flying laps. */
    double slowest_mps, fastest_mps, lateral_mps2, sideslip_rad;
    double offset_m, offset_rms_m; /* beside the path */
    double slow_rms_mps;           /* speed against that of the path */
};

struct lap_variant {
    int index[LAP_KEYS]; /* of each axis' values */
    struct lap_result result;
    struct lap_trace trace;
};

struct laps {
    const char *scenario; /* the file */
    const char *vehicle;  /* NULL: the scenario's */
    double step_s;        /* 0: the scenario's */
    double seek_m; /* > 0: each variant with the most grip that keeps it so near to the path */
    int laps;      /* flying ones */
    bool traces;   /* shall be kept */
    /* Of the command line, for all variants. */
    struct cfg_change fixed[LAP_FIXED];
    size_t fixed_count;
    int axes;
    struct lap_axis axis[LAP_KEYS];
    int count;
    struct lap_variant *variant; /* owned */
    char name[SCENARIO_NAME], car[VEHICLE_NAME];
    double lap_m;
};

/* Adds "KEY=FROM:TO:STEP" or "KEY=VALUE,VALUE,...". Returns 0 or -EINVAL with a message. */
int lap_vary(struct laps *l, const char *text, struct err *e);
/* Makes all combinations. Returns 0 or a negative errno with a message. */
int lap_combine(struct laps *l, struct err *e);
void lap_free(struct laps *l);

/* Opens the car of a variant in its scenario, which must have a driver on a closed path. grip: in
 * place of the path's; 0: that. Messages go to stderr. 0 or a negative errno; the caller closes in
 * both cases. */
int lap_open(const struct laps *l, int variant, double grip, struct offline *o);
/* Drives one variant; what is a crew's piece of work. */
void lap_drive(void *laps, int variant);

/* Reports; each returns 0 or a negative errno. */
int lap_table(const struct laps *l, FILE *to);
int lap_csv(const struct laps *l, FILE *to);
int lap_json(const struct laps *l, FILE *to);
int lap_svg(const struct laps *l, FILE *to);
/* "did not finish: left the path at 512 m, 31.2 s", or "". */
void lap_why(const struct lap_result *r, char *text, size_t size);
/* The variant in words: "front_bar 1.5, friction 0.9". */
void lap_words(const struct laps *l, int variant, char *text, size_t size);

#endif
