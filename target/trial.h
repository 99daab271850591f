/* `skidpad test`: manoeuvres driven offline, recorded and judged. */
#ifndef SKIDPAD_TARGET_TRIAL_H
#define SKIDPAD_TARGET_TRIAL_H

#include "target/offline.h"
#include "target/scenario/verdict.h"

#include <stdio.h>

enum { TRIALS = 200, TRIAL_PATH = 1024, TRIAL_NAME = 120, TRIAL_EXPECTED = 8 };

/* One line of a suite, or a scenario of the command line. */
struct trial {
    char name[TRIAL_NAME];
    char scenario[TRIAL_PATH];
    char vehicle[TRIAL_PATH]; /* empty: the scenario's */
    int integrator;           /* VEHICLE_AS_FILE, or enum lumped15_integrator */
    double friction;          /* of a plane; 0: the scenario's */
    /* Criteria that have to fail for this trial to be as it should; none: all must pass. */
    int expected;
    char expect_fail[TRIAL_EXPECTED][VERDICT_WORD];

    /* The result. */
    int status; /* 0 driven, 2 bad input, 3 the state became not finite */
    bool passed;
    double time_s, wall_s; /* of the drive; that it took */
    char standard[VERDICT_TEXT], car[VEHICLE_NAME];
    struct verdict *verdict; /* a copy; owned */
    struct verdict_result result;
    char *charts; /* SVG, owned; NULL: none were asked for */
};

struct trials {
    int count;
    struct trial trial[TRIALS];
};

/* Adds a scenario, or all of a suite (kind: suite). Returns 0, or a negative errno after messages
 * on stderr. */
int trials_add(struct trials *t, const char *path);

/* Drives all of them on so many threads. */
void trials_drive(struct trials *t, int threads, bool with_charts);
void trials_free(struct trials *t);

/* Number of trials that are not as they should be. */
int trials_failed(const struct trials *t);

/* Reports; each returns 0 or a negative errno. */
int trial_table(const struct trials *t, FILE *to);
int trial_junit(const struct trials *t, FILE *to);
int trial_json(const struct trials *t, FILE *to);
int trial_html(const struct trials *t, FILE *to);

/* A value in the unit of its criterion or measure: "6.7 deg". */
void trial_value(double si, double per_unit, const char *unit, char *text, size_t size);
/* "pass", "fail" or "no value". */
const char *trial_word(int outcome);

/* trial_charts.c: the drive as SVG, malloc'ed; NULL if memory ran out. */
char *trial_charts(const struct offline *o, const struct expr_trace *drive);

#endif
