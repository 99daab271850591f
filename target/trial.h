/* `skidpad test`: manoeuvres driven, recorded and judged. */
#ifndef SKIDPAD_TARGET_TRIAL_H
#define SKIDPAD_TARGET_TRIAL_H

#include "shared/config/config.h"
#include "target/offline.h"
#include "target/scenario/verdict.h"
#include "target/trial_loop.h"

#include <stdio.h>

enum {
    TRIALS = 200,
    TRIAL_PATH = 1024,
    TRIAL_NAME = 120,
    TRIAL_LACKS = 160,
    TRIAL_EXPECTED = 8,
    TRIAL_TAKEN = BEFORE_DRIVES
};

enum trial_status {
    TRIAL_DRIVEN,
    TRIAL_LATE, /* more deadlines missed than the bench allows, or real time left */
    TRIAL_BAD_INPUT,
    TRIAL_NOT_FINITE, /* the model's state */
    TRIAL_NO_VALUE    /* the drives before gave no number to go on with */
};

/* Deadlines of a drive in real time. */
struct trial_deadlines {
    bool is_real_time;
    bool unjudged; /* there were no real-time rights */
    char core[32];
    double period_us;
    uint64_t ticks, missed, skipped;
    double late_us;                                /* the worst */
    double wake_us[3], execute_us[3], reply_us[3]; /* median, 99.9 %, largest */
};

/* One drive of a trial: the only one, or one of its series. */
struct trial_run {
    char label[TRIAL_NAME]; /* "amplitude 31.95 deg, side -1"; empty: the only one */
    int status;             /* enum trial_status */
    uint32_t cause;         /* of the safe state, enum loop_cause; 0: none */
    double cause_s;         /* when it was entered */
    struct trial_codes codes;
    double time_s; /* of the drive */
    struct verdict_result result;
    struct trial_deadlines deadlines;
    char *charts; /* SVG, owned; NULL: none */
    /* What the log of the drive lacks: "log is not finished: ends at t = 3.210000 s"; empty:
     * nothing. */
    char lacks[TRIAL_LACKS];
};

/* A number that came from drives before. */
struct trial_taken {
    char name[PARAMETER_NAME];
    double value, per_unit;
    char unit[16];
};

/* One line of a suite, or a scenario of the command line. */
struct trial {
    char name[TRIAL_NAME];
    bool is_named; /* by the suite; else it becomes the scenario's name */
    char scenario[TRIAL_PATH];
    char vehicle[TRIAL_PATH];     /* empty: the scenario's */
    int integrator;               /* VEHICLE_AS_FILE, or enum model_integrator */
    struct scenario_unit unit;    /* not said: the scenario's, else the car's if there is one */
    struct parameters parameters; /* of the scenario, set by the suite */
    /* Criteria that have to fail for this trial to be as it should; none: all must pass. */
    int expected;
    char expect_fail[TRIAL_EXPECTED][VERDICT_WORD];
    /* Where the suite says so; whether it is right is known only with the scenario. */
    char suite[TRIAL_PATH];
    struct cfg_mark expect_at[TRIAL_EXPECTED], parameter_at[PARAMETERS];

    /* The result. */
    int status; /* the worst of its drives */
    bool passed;
    bool unjudged;         /* a log whose scenario has no criteria */
    double time_s, wall_s; /* of its drives; that they took */
    int drives;            /* with those before */
    double driven_s;
    char standard[VERDICT_TEXT], car[VEHICLE_NAME], unit_file[TRIAL_PATH];
    struct verdict *verdict; /* a copy of the last drive's; owned */
    int taken;
    struct trial_taken take[TRIAL_TAKEN];
    int runs;
    struct trial_run *run; /* owned */
};

/* A way to drive other than on the simulated clock: in real time, on a bench. */
struct trial_bench {
    /* Drives the scenario with these names, with the bench's unit or without; the record, cause,
     * deadlines and status of the run come from its log. */
    void (*drive)(struct trial_bench *self, const struct trial *t, const char *scenario,
                  const char *vehicle, bool no_unit, const struct parameters *given,
                  struct drive_record *record, struct trial_run *run);
    char unit[TRIAL_PATH]; /* what was on the bus in the last drive */
};

struct trials {
    const struct trial_units *units;
    double wall_s;             /* that all took; 0: not driven here */
    struct trial_bench *bench; /* NULL: on the simulated clock */
    int count;
    struct trial trial[TRIALS];
};

/* Adds a scenario, or all of a suite (kind: suite). Returns 0, or a negative errno after messages
 * on stderr. */
int trials_add(struct trials *t, const char *path);

/* Drives all of them on so many threads. */
void trials_drive(struct trials *t, int threads, bool with_charts);
void trials_free(struct trials *t);

/* The drives of one trial, after those that come before it. */
void trial_drive(struct trial *t, const struct trial_units *units, struct trial_bench *bench,
                 bool with_charts);
/* Whether a trial is as it should be, from its runs. */
void trial_conclude(struct trial *t);

/* Parameters that a suite sets, and criteria that should fail, must be there; messages on stderr.
 */
bool trial_knows_names(const struct trial *t, const struct parameters *own);
bool trial_knows_expected(const struct trial *t, const struct verdict *v);

/* Number of trials that are not as they should be. */
int trials_failed(const struct trials *t);

/* The drive that says most about a criterion: the first that fails, or the nearest to failing. */
int trial_telling_run(const struct trial *t, int criterion);

/* Reports; each returns 0 or a negative errno. */
int trial_table(const struct trials *t, FILE *to);
int trial_junit(const struct trials *t, FILE *to);
int trial_json(const struct trials *t, FILE *to);
int trial_html(const struct trials *t, FILE *to);
/* The manoeuvres and their criteria as a table of Markdown; nothing is driven. */
int trial_list(const struct trials *t, FILE *to);

/* A value in the unit of its criterion or measure: "6.7 deg". */
void trial_value(double si, double per_unit, const char *unit, char *text, size_t size);
/* "pass", "fail", "no value" or "not asked". */
const char *trial_word(int outcome);
/* "pass", "as expected", "FAIL", "bad input", ... */
const char *trial_state(const struct trial *t);

/* trial_charts.c: the drive as SVG, malloc'ed; NULL if memory ran out. What is not known of
 * scenario and car (NULL) is left out. */
char *trial_charts(const struct scenario *scenario, const struct vehicle *vehicle,
                   const struct expr_trace *drive);
/* trial_overlay.c: two drives in the same charts, malloc'ed; NULL if memory ran out. */
char *trial_overlay(const struct expr_trace *before, const struct expr_trace *after);

#endif
