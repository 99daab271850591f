#include "shared/base/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct option_spec specs[] = {
    {"duration", "SECONDS", "(scenario)", "stop after this simulated time"},
    {"step-ms", "MS", "1", "step of the plant"},
    {"seed", "N", NULL, "seed of the sensors' noise"},
    {"integrator", "NAME", "euler", "how the plant is integrated"},
    {"quiet", NULL, NULL, "no summary"},
    {0},
};
static const struct options_program program = {
    .name = "try",
    .summary = "try the options",
    .arguments = "FILE...",
    .args_max = 2,
    .specs = specs,
    .example = "skidpad try one.yaml --quiet",
};

enum { WORDS_MAX = 16 };

struct run {
    struct options o;
    char *argv[WORDS_MAX];
    int argc;
    int status;
    char printed[4096]; /* stdout and stderr */
};

static FILE *saved_out, *saved_err;

/* glibc lets a program point stdout and stderr elsewhere. */
static void capture_begin(struct run *r)
{
    saved_out = stdout;
    saved_err = stderr;
    memset(r->printed, 0, sizeof r->printed);
    FILE *memory = fmemopen(r->printed, sizeof r->printed - 1, "w");
    assert_non_null(memory);
    stdout = stderr = memory;
}

static void capture_end(void)
{
    FILE *memory = stdout;
    stdout = saved_out;
    stderr = saved_err;
    assert_int_equal(fclose(memory), 0);
}

/* Parses the words of a line, which blanks separate. line must outlive the run. */
static void parse(struct run *r, const struct options_program *p, char *line)
{
    static char name[] = "skidpad-try";
    r->argc = 0;
    r->argv[r->argc++] = name;
    for (char *word = strtok(line, " "); word; word = strtok(NULL, " "))
        r->argv[r->argc++] = word;
    r->argv[r->argc] = NULL;
    capture_begin(r);
    r->status = options_parse(&r->o, p, r->argc, r->argv);
    capture_end();
}

#define PARSE(r, text)                                                                             \
    char line[] = text;                                                                            \
    parse((r), &program, line)

static void both_forms_and_mixed_arguments_are_understood(void **state)
{
    (void)state;
    struct run r;
    PARSE(&r, "a.yaml --duration 2.5 --seed=7 b.yaml --quiet");
    assert_int_equal(r.status, OPTIONS_GO);
    assert_int_equal(r.o.arg_count, 2);
    assert_string_equal(r.o.args[0], "a.yaml");
    assert_string_equal(r.o.args[1], "b.yaml");
    double duration_s = 0.0;
    int64_t seed = 0;
    options_double(&r.o, "duration", &duration_s, 0.0, 100.0);
    options_int(&r.o, "seed", &seed, 0, 100);
    assert_true(options_ok(&r.o));
    assert_true(duration_s == 2.5); /* exact in binary */
    assert_int_equal(seed, 7);
    assert_true(options_given(&r.o, "quiet"));
    assert_false(options_given(&r.o, "step-ms"));
}

static void defaults_are_values_unless_in_parentheses(void **state)
{
    (void)state;
    struct run r;
    PARSE(&r, "");
    double duration_s = -1.0, step_ms = -1.0;
    int64_t seed = -1;
    options_double(&r.o, "duration", &duration_s, 0.0, 100.0);
    options_double(&r.o, "step-ms", &step_ms, 0.0, 100.0);
    options_int(&r.o, "seed", &seed, 0, 100);
    assert_true(duration_s == -1.0); /* left alone: bit for bit */
    assert_true(step_ms == 1.0);
    assert_int_equal(seed, -1);
    assert_null(options_text(&r.o, "duration"));
    assert_string_equal(options_text(&r.o, "integrator"), "euler");
}

static void last_of_repeated_options_counts(void **state)
{
    (void)state;
    struct run r;
    PARSE(&r, "--seed 1 --seed 2");
    assert_string_equal(options_text(&r.o, "seed"), "2");
}

static void two_dashes_end_the_options(void **state)
{
    (void)state;
    struct run r;
    PARSE(&r, "- -- --quiet");
    assert_int_equal(r.status, OPTIONS_GO);
    assert_int_equal(r.o.arg_count, 2);
    assert_string_equal(r.o.args[0], "-");
    assert_string_equal(r.o.args[1], "--quiet");
    assert_false(options_given(&r.o, "quiet"));
}

static void unknown_option_suggests_the_nearest(void **state)
{
    (void)state;
    struct run r;
    PARSE(&r, "--duratoin=3");
    assert_int_equal(r.status, OPTIONS_USAGE);
    assert_non_null(
        strstr(r.printed, "skidpad try: unknown option --duratoin; did you mean --duration?"));
}

static void hopeless_option_suggests_nothing(void **state)
{
    (void)state;
    struct run r;
    PARSE(&r, "--zzzzzzzz");
    assert_int_equal(r.status, OPTIONS_USAGE);
    assert_null(strstr(r.printed, "did you mean"));
}

static void single_dash_option_is_refused(void **state)
{
    (void)state;
    struct run r;
    PARSE(&r, "-q");
    assert_int_equal(r.status, OPTIONS_USAGE);
}

static void missing_value_is_refused(void **state)
{
    (void)state;
    struct run r;
    char at_the_end[] = "--duration";
    parse(&r, &program, at_the_end);
    assert_int_equal(r.status, OPTIONS_USAGE);
    char before_an_option[] = "--duration --quiet";
    parse(&r, &program, before_an_option);
    assert_int_equal(r.status, OPTIONS_USAGE);
    assert_non_null(strstr(r.printed, "--duration needs a value: --duration SECONDS"));
}

static void flag_with_a_value_is_refused(void **state)
{
    (void)state;
    struct run r;
    PARSE(&r, "--quiet=yes");
    assert_int_equal(r.status, OPTIONS_USAGE);
}

static void negative_number_is_a_value(void **state)
{
    (void)state;
    struct run r;
    PARSE(&r, "--duration -3");
    double duration_s = 0.0;
    options_double(&r.o, "duration", &duration_s, -10.0, 10.0);
    assert_true(duration_s == -3.0);
}

static void too_many_and_too_few_arguments_are_refused(void **state)
{
    (void)state;
    struct run r;
    PARSE(&r, "a b c");
    assert_int_equal(r.status, OPTIONS_USAGE);
    assert_non_null(strstr(r.printed, "unexpected argument 'c'"));

    struct options_program strict = program;
    strict.args_min = 1;
    char none[] = "--quiet";
    parse(&r, &strict, none);
    assert_int_equal(r.status, OPTIONS_USAGE);
    assert_non_null(strstr(r.printed, "an argument is missing"));
}

static void bad_numbers_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"",   "abc",   "1x",  "nan", "inf", "0x10", "1e999", " 1",
                                      "1 ", "-0.01", "101", "1,5", "--",  "1e",   "1.2.3"};
    struct run r;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        PARSE(&r, "");
        r.o.given[0] = bad[i];
        double duration_s = 50.0;
        capture_begin(&r);
        options_double(&r.o, "duration", &duration_s, 0.0, 100.0);
        capture_end();
        assert_false(options_ok(&r.o));
        assert_true(duration_s == 50.0);
        assert_non_null(strstr(r.printed, "allowed: 0 to 100"));
    }
}

static void bad_whole_numbers_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"", "1.0", "1e3", "99999999999999999999", "-1", "11", "+-1"};
    struct run r;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        PARSE(&r, "");
        r.o.given[2] = bad[i];
        int64_t seed = 5;
        capture_begin(&r);
        options_int(&r.o, "seed", &seed, 0, 10);
        capture_end();
        assert_false(options_ok(&r.o));
        assert_int_equal(seed, 5);
    }
}

static void choice_takes_a_word_and_suggests_one(void **state)
{
    (void)state;
    static const char *const words[] = {"euler", "semi-implicit", NULL};
    struct run r;
    int value = -1;
    char good[] = "--integrator semi-implicit";
    parse(&r, &program, good);
    options_choice(&r.o, "integrator", &value, words);
    assert_int_equal(value, 1);

    char bad[] = "--integrator eular";
    parse(&r, &program, bad);
    capture_begin(&r);
    options_choice(&r.o, "integrator", &value, words);
    capture_end();
    assert_false(options_ok(&r.o));
    assert_int_equal(value, 1);
    assert_non_null(strstr(r.printed, "did you mean euler? allowed: euler, semi-implicit"));
}

static void help_is_a_table_that_ends_with_the_example(void **state)
{
    (void)state;
    struct run r;
    PARSE(&r, "--help --nonsense");
    assert_int_equal(r.status, 0);
    assert_non_null(strstr(r.printed, "usage: skidpad try [OPTION]... FILE...\n"));
    assert_non_null(strstr(r.printed, "  option              default     meaning\n"));
    assert_non_null(strstr(r.printed, "  --duration SECONDS  (scenario)  stop after"));
    assert_non_null(strstr(r.printed, "  --quiet                         no summary\n"));
    const char *tail = "example:\n  skidpad try one.yaml --quiet\n";
    assert_string_equal(r.printed + strlen(r.printed) - strlen(tail), tail);
}

static void long_meanings_are_broken_between_words(void **state)
{
    (void)state;
    static const struct option_spec wordy[] = {
        {"wordy", NULL, NULL,
         "a meaning that is much too long for a line of one hundred letters goes on in the third "
         "column of the next line"},
        {0},
    };
    struct options_program p = program;
    struct run r;
    p.specs = wordy;
    char line[] = "--help";
    parse(&r, &p, line);
    for (const char *start = r.printed; *start;) {
        size_t width = strcspn(start, "\n");
        assert_in_range(width, 0, 100);
        start += width + (start[width] == '\n');
    }
    assert_non_null(strstr(r.printed, "\n                    "));
}

static void summary_is_one_line(void **state)
{
    (void)state;
    struct run r;
    PARSE(&r, "--summary");
    assert_int_equal(r.status, 0);
    assert_string_equal(r.printed, "try the options\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_forms_and_mixed_arguments_are_understood),
        cmocka_unit_test(defaults_are_values_unless_in_parentheses),
        cmocka_unit_test(last_of_repeated_options_counts),
        cmocka_unit_test(two_dashes_end_the_options),
        cmocka_unit_test(unknown_option_suggests_the_nearest),
        cmocka_unit_test(hopeless_option_suggests_nothing),
        cmocka_unit_test(single_dash_option_is_refused),
        cmocka_unit_test(missing_value_is_refused),
        cmocka_unit_test(flag_with_a_value_is_refused),
        cmocka_unit_test(negative_number_is_a_value),
        cmocka_unit_test(too_many_and_too_few_arguments_are_refused),
        cmocka_unit_test(bad_numbers_are_refused),
        cmocka_unit_test(bad_whole_numbers_are_refused),
        cmocka_unit_test(choice_takes_a_word_and_suggests_one),
        cmocka_unit_test(help_is_a_table_that_ends_with_the_example),
        cmocka_unit_test(long_meanings_are_broken_between_words),
        cmocka_unit_test(summary_is_one_line),
    };
    return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
