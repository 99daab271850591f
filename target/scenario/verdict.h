/* What a manoeuvre is judged by: measures and pass criteria, evaluated over its recorded drive. */
#ifndef SKIDPAD_SCENARIO_VERDICT_H
#define SKIDPAD_SCENARIO_VERDICT_H

#include "target/scenario/parameters.h"

enum { VERDICT_MEASURES = 24, VERDICT_CRITERIA = 24, VERDICT_TEXT = 200, VERDICT_WORD = 40 };

/* A number of the drive, by name; later ones and criteria may use it. */
struct verdict_measure {
    char name[VERDICT_WORD], text[VERDICT_TEXT];
    char unit[16]; /* that it is shown in */
    double per_unit;
    bool has_from, has_to, has_if;
    struct expr value, from, to; /* the window: times; the whole drive if absent */
    struct expr when;            /* `if`: has a value only where this holds */
};

struct verdict_criterion {
    char name[VERDICT_WORD], text[VERDICT_TEXT];
    char unit[16];
    char source[VERDICT_TEXT];
    char certainty[16]; /* sure, recalled, ours */
    double per_unit;
    bool has_if;
    struct expr that, when; /* `if`: asked only where this holds */
};

/* Const once loaded. */
struct verdict {
    char standard[VERDICT_TEXT];
    struct parameters known; /* names before those of the measures */
    int measures, criteria;
    struct verdict_measure measure[VERDICT_MEASURES];
    struct verdict_criterion criterion[VERDICT_CRITERIA];
};

enum verdict_outcome { VERDICT_PASS, VERDICT_FAIL, VERDICT_NO_VALUE, VERDICT_NOT_ASKED };

struct verdict_result {
    double measure[VERDICT_MEASURES];                       /* SI; NaN: does not exist */
    double left[VERDICT_CRITERIA], right[VERDICT_CRITERIA]; /* of comparisons asked; else NaN */
    int outcome[VERDICT_CRITERIA];                          /* enum verdict_outcome */
    int failed;                                             /* criteria that did not pass */
};

/* Whether an outcome is as a car that passes has it. */
static inline bool verdict_good(int outcome)
{
    return outcome == VERDICT_PASS || outcome == VERDICT_NOT_ASKED;
}

void verdict_judge(const struct verdict *v, const struct expr_trace *drive,
                   struct verdict_result *out);

#endif
