/* Command-line options of every program, from one table.
 *
 *     static const struct option_spec specs[] = {
 *         {"duration", "SECONDS", "(scenario)", "stop after this simulated time"},
 *         {"step-ms", "MS", "1", "step of the plant"},
 *         {"quiet", NULL, NULL, "no summary"},
 *         {0},
 *     };
 *     static const struct options_program program = {
 *         .name = "sim", .summary = "drive a car offline", .arguments = "SCENARIO.yaml",
 *         .args_min = 1, .args_max = 1, .specs = specs,
 *         .example = "skidpad sim config/scenarios/brake.yaml --duration 5",
 *     };
 *
 *     struct options o;
 *     int status = options_parse(&o, &program, argc, argv);
 *     if (status != OPTIONS_GO)
 *         return status;
 *     double step_ms = 0.0;
 *     options_double(&o, "step-ms", &step_ms, 0.001, 100.0);
 *     if (!options_ok(&o))
 *         return 2;
 *
 * Understood are --name value, --name=value, flags as --name, and -- which ends the options.
 * Options and arguments may be mixed; if an option comes twice the last one counts. A lone - is an
 * argument. --help, -h and --summary (the one-liner for the list that `skidpad` prints) are built
 * in. Messages go to stderr, help to stdout. For set-up only; one thread. */
#ifndef SKIDPAD_BASE_OPTIONS_H
#define SKIDPAD_BASE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct option_spec {
    const char *name;     /* without the dashes; NULL ends the table */
    const char *metavar;  /* what the value is, e.g. "SECONDS"; NULL: a flag, takes no value */
    const char *fallback; /* the default, read as if typed; "(text)" is only shown; NULL: none */
    const char *meaning;  /* one line, lower case, no full stop */
};

struct options_program {
    const char *name;                /* as in `skidpad NAME` */
    const char *summary;             /* one line, lower case, no full stop */
    const char *arguments;           /* for the usage line, e.g. "FILE..."; NULL: takes none */
    int args_min, args_max;          /* how many arguments are allowed; args_max < 0: any number */
    const struct option_spec *specs; /* at most OPTIONS_MAX, ended by {0}; may be NULL */
    const char *example;             /* a complete command line that runs as it stands */
    const char *notes;               /* printed between table and example; may be NULL */
};

enum {
    OPTIONS_MAX = 48,
    OPTIONS_GO = -1,   /* go on */
    OPTIONS_USAGE = 2, /* exit status after a mistake on the command line */
    /* Exit status of any program whose standard output could not be written, unless it has another
     * reason not to be 0. The end of the program looks at it: nobody else needs to. */
    OPTIONS_NOT_PRINTED = 1,
};

/* Result of parsing. Strings point into argv and the table. */
struct options {
    const struct options_program *program;
    const char *given[OPTIONS_MAX]; /* value of each option on the command line, or NULL */
    char **args;                    /* the arguments, in order */
    int arg_count;
    bool failed;
};

/* Returns OPTIONS_GO, or the status to exit with: 0 after help, OPTIONS_USAGE after a mistake that
 * has been reported. Reorders argv: arguments come first. */
int options_parse(struct options *o, const struct options_program *program, int argc, char **argv);

/* Values. The name must be in the table (asserted). Each getter takes the typed value, else the
 * table's default, else leaves *value alone. A bad value is reported with what is allowed, and
 * *value is left alone; options_ok() is false from then on. NaN and infinities are bad values. */
bool options_given(const struct options *o, const char *name); /* typed; the value of a flag */
const char *options_text(const struct options *o, const char *name); /* NULL if there is none */
void options_double(struct options *o, const char *name, double *value, double low, double high);
void options_int(struct options *o, const char *name, int64_t *value, int64_t low, int64_t high);
/* One word of a list ended by NULL; *value becomes its index. */
void options_choice(struct options *o, const char *name, int *value, const char *const *words);
bool options_ok(const struct options *o);
/* Copies the name of a file, which `what` calls, e.g. "--log". One that does not fit is reported
 * and *to becomes empty: a file whose name is cut is another one. */
void options_copy_path(struct options *o, const char *what, const char *path, char *to,
                       size_t size);

/* "skidpad NAME: message" and a line that points to --help, on stderr; returns OPTIONS_USAGE. For
 * mistakes only the program can see. */
int options_complain(struct options *o, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

void options_print_help(const struct options_program *program);

#endif
