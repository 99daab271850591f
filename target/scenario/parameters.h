/* Named numbers of a scenario: of the car, of drives that came before, of the file itself. They
 * stand in numbers of the file written as `=expression`, in measures and in criteria. */
#ifndef SKIDPAD_SCENARIO_PARAMETERS_H
#define SKIDPAD_SCENARIO_PARAMETERS_H

#include "target/scenario/expr.h"

enum { PARAMETERS = 40, PARAMETER_NAME = 40 };

/* Plain data, const once loaded. */
struct parameters {
    int count;
    char name[PARAMETERS][PARAMETER_NAME];
    double value[PARAMETERS]; /* SI */
    struct expr_dim dim[PARAMETERS];
};

/* A name in a series of drives, and the values it takes one after the other. */
enum { SERIES_NAMES = 3, SERIES_VALUES = 80, BEFORE_DRIVES = 6 };

struct series_name {
    char name[PARAMETER_NAME];
    char unit[16]; /* that it is shown in */
    double per_unit;
    int count;
    double value[SERIES_VALUES];
    struct expr_dim dim;
};

enum before_take { BEFORE_LAST, BEFORE_MAX, BEFORE_MIN };

/* A number taken from a drive that comes first: its measure, of a series the last, largest or
 * smallest one. */
struct before {
    char scenario[1024];
    char measure[PARAMETER_NAME], name[PARAMETER_NAME];
    int take;              /* enum before_take */
    struct parameters set; /* of that scenario; the others are handed on by name */
};

struct series_plan {
    int names, befores;
    struct series_name name[SERIES_NAMES];
    struct before before[BEFORE_DRIVES];
};

/* Index of a name, or -1. */
int parameters_find(const struct parameters *p, const char *name);
/* Sets or adds; false if there is no room. */
bool parameters_set(struct parameters *p, const char *name, double value, struct expr_dim dim);

/* How many drives a series has, and the values of drive number i: the last name changes fastest. */
int plan_count(const struct series_plan *s);
void plan_at(const struct series_plan *s, int i, struct parameters *p);

#endif
