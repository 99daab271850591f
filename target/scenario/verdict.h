/* What a manoeuvre is judged by: measures and pass criteria, evaluated over its recorded drive. */
#ifndef SKIDPAD_SCENARIO_VERDICT_H
#define SKIDPAD_SCENARIO_VERDICT_H

#include "target/scenario/expr.h"

enum { VERDICT_MEASURES = 24, VERDICT_CRITERIA = 24, VERDICT_TEXT = 200, VERDICT_WORD = 40 };

/* A number of the drive, by name; later ones and criteria may use it. */
struct verdict_measure {
    char name[VERDICT_WORD], text[VERDICT_TEXT];
    char unit[16]; /* that it is shown in */
    double per_unit;
    bool has_from, has_to;
    struct expr value, from, to; /* the window: times; the whole drive if absent */
};

struct verdict_criterion {
    char name[VERDICT_WORD], text[VERDICT_TEXT];
    char unit[16];
    char source[VERDICT_TEXT];
    char certainty[16]; /* sure, recalled, ours */
    double per_unit;
    struct expr that;
};

/* Const once loaded. */
struct verdict {
    char standard[VERDICT_TEXT];
    int measures, criteria;
    struct verdict_measure measure[VERDICT_MEASURES];
    struct verdict_criterion criterion[VERDICT_CRITERIA];
};

enum verdict_outcome { VERDICT_PASS, VERDICT_FAIL, VERDICT_NO_VALUE };

struct verdict_result {
    double measure[VERDICT_MEASURES];                       /* SI; NaN: does not exist */
    double left[VERDICT_CRITERIA], right[VERDICT_CRITERIA]; /* of comparisons; else NaN */
    int outcome[VERDICT_CRITERIA];                          /* enum verdict_outcome */
    int failed;                                             /* criteria that did not pass */
};

void verdict_judge(const struct verdict *v, const struct expr_trace *drive,
                   struct verdict_result *out);

#endif
