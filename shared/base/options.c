#include "shared/base/options.h"

#include "shared/base/nearest.h"
#include "shared/base/used_files.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int spec_count(const struct options_program *program)
{
    int count = 0;
    while (program->specs && program->specs[count].name)
        count++;
    assert(count <= OPTIONS_MAX);
    return count;
}

/* Index of the option whose name is the first length letters of text, or -1. */
static int spec_find(const struct options_program *program, const char *text, size_t length)
{
    int count = spec_count(program);
    for (int i = 0; i < count; i++) {
        const char *name = program->specs[i].name;
        if (strlen(name) == length && strncmp(name, text, length) == 0)
            return i;
    }
    return -1;
}

static int spec_index(const struct options *o, const char *name)
{
    int index = spec_find(o->program, name, strlen(name));
    assert(index >= 0 && "the option is not in the program's table");
    return index;
}

int options_complain(struct options *o, const char *format, ...)
{
    const char *name = o->program->name;
    va_list args;

    (void)fprintf(stderr, "skidpad %s: ", name);
    va_start(args, format);
    (void)vfprintf(stderr, format, args);
    va_end(args);
    if (!o->failed)
        (void)fprintf(stderr, "\n  `skidpad %s --help` lists the options", name);
    (void)fputc('\n', stderr);
    o->failed = true;
    return OPTIONS_USAGE;
}

static int complain_unknown(struct options *o, const char *typed, size_t length)
{
    const struct options_program *program = o->program;
    const char *names[OPTIONS_MAX + 1] = {"help"};
    char name[64];
    int count = spec_count(program);

    for (int i = 0; i < count; i++)
        names[i + 1] = program->specs[i].name;
    (void)snprintf(name, sizeof name, "%.*s", (int)length, typed);
    const char *near = nearest_word(name, names, (size_t)count + 1);
    if (near)
        return options_complain(o, "unknown option --%s; did you mean --%s?", name, near);
    return options_complain(o, "unknown option --%s", name);
}

/* Takes argv[i], which begins with two dashes and more. Returns how many words were taken, or 0
 * after a mistake. */
static int take_option(struct options *o, int i, int argc, char **argv)
{
    const char *name = argv[i] + 2;
    size_t length = strcspn(name, "=");
    const char *value = name[length] == '=' ? name + length + 1 : NULL;
    int index = spec_find(o->program, name, length);

    if (index < 0) {
        (void)complain_unknown(o, name, length);
        return 0;
    }
    const struct option_spec *spec = &o->program->specs[index];
    if (!spec->metavar) {
        if (value) {
            (void)options_complain(o, "--%s takes no value", spec->name);
            return 0;
        }
        o->given[index] = "";
        return 1;
    }
    if (value) {
        o->given[index] = value;
        return 1;
    }
    /* A negative number is a value; what looks like the next option is not. */
    if (i + 1 >= argc || strncmp(argv[i + 1], "--", 2) == 0) {
        (void)options_complain(o, "--%s needs a value: --%s %s", spec->name, spec->name,
                               spec->metavar);
        return 0;
    }
    o->given[index] = argv[i + 1];
    return 2;
}

static int check_arg_count(struct options *o)
{
    const struct options_program *program = o->program;
    const char *arguments = program->arguments ? program->arguments : "no arguments";

    if (o->arg_count < program->args_min)
        return options_complain(o, "an argument is missing; usage: skidpad %s %s", program->name,
                                arguments);
    if (program->args_max >= 0 && o->arg_count > program->args_max)
        return options_complain(o, "unexpected argument '%s'; allowed: %s",
                                o->args[program->args_max], arguments);
    return OPTIONS_GO;
}

/* Whatever a command prints is part of what it does: if that did not get through, it failed. */
static void check_output(int status, void *unused)
{
    (void)unused;
    bool failed = ferror(stdout) != 0;
    errno = 0;
    if (fflush(stdout) == 0 && !failed)
        return;
    fprintf(stderr, "skidpad: the output could not be written: %s\n",
            strerror(errno ? errno : EIO));
    if (status == 0)
        _exit(OPTIONS_NOT_PRINTED);
}

int options_parse(struct options *o, const struct options_program *program, int argc, char **argv)
{
    bool only_args = false;
    int taken = 0;

    (void)on_exit(check_output, NULL);
    (void)signal(SIGXFSZ, SIG_IGN); /* beyond a limit of file sizes, writing fails and is told */
    used_files_begin();
    *o = (struct options){.program = program, .args = argv + (argc > 0), .arg_count = 0};
    for (int i = 1; i < argc; i += taken) {
        const char *word = argv[i];
        taken = 1;
        if (only_args || word[0] != '-' || strcmp(word, "-") == 0) {
            o->args[o->arg_count++] = argv[i];
        } else if (strcmp(word, "--") == 0) {
            only_args = true;
        } else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
            options_print_help(program);
            return 0;
        } else if (strcmp(word, "--summary") == 0) {
            (void)puts(program->summary);
            return 0;
        } else if (word[1] != '-') {
            return options_complain(o, "unknown option %s; options begin with two dashes", word);
        } else {
            taken = take_option(o, i, argc, argv);
            if (taken == 0)
                return OPTIONS_USAGE;
        }
    }
    return check_arg_count(o);
}

bool options_given(const struct options *o, const char *name)
{
    return o->given[spec_index(o, name)] != NULL;
}

const char *options_text(const struct options *o, const char *name)
{
    int index = spec_index(o, name);
    if (o->given[index])
        return o->given[index];
    const char *fallback = o->program->specs[index].fallback;
    return fallback && fallback[0] != '(' ? fallback : NULL;
}

void options_double(struct options *o, const char *name, double *value, double low, double high)
{
    const char *text = options_text(o, name);
    char *end = NULL;

    if (!text)
        return;
    double number = strtod(text, &end);
    /* strtod skips blanks and takes hexadecimal, "nan" and "inf"; none is meant here. */
    bool plain = text[0] != '\0' && strspn(text, "+-.0123456789eE") == strlen(text);
    if (!plain || *end != '\0' || !isfinite(number))
        (void)options_complain(o, "--%s %s: not a number; allowed: %g to %g", name, text, low,
                               high);
    else if (!(number >= low && number <= high))
        (void)options_complain(o, "--%s %s: out of range; allowed: %g to %g", name, text, low,
                               high);
    else
        *value = number;
}

void options_int(struct options *o, const char *name, int64_t *value, int64_t low, int64_t high)
{
    const char *text = options_text(o, name);
    char *end = NULL;

    if (!text)
        return;
    errno = 0;
    int64_t number = strtoll(text, &end, 10);
    bool plain = text[0] != '\0' && strspn(text, "+-0123456789") == strlen(text);
    if (!plain || *end != '\0')
        (void)options_complain(o, "--%s %s: not a whole number; allowed: %lld to %lld", name, text,
                               (long long)low, (long long)high);
    else if (errno != 0 || number < low || number > high)
        (void)options_complain(o, "--%s %s: out of range; allowed: %lld to %lld", name, text,
                               (long long)low, (long long)high);
    else
        *value = number;
}

void options_choice(struct options *o, const char *name, int *value, const char *const *words)
{
    const char *text = options_text(o, name);
    char list[256] = "";
    size_t count = 0, used = 0;

    if (!text)
        return;
    for (; words[count]; count++) {
        if (strcmp(text, words[count]) == 0) {
            *value = (int)count;
            return;
        }
        int wrote =
            snprintf(list + used, sizeof list - used, "%s%s", count ? ", " : "", words[count]);
        if (wrote > 0 && (size_t)wrote < sizeof list - used)
            used += (size_t)wrote;
    }
    const char *near = nearest_word(text, words, count);
    if (near)
        (void)options_complain(o, "--%s %s: did you mean %s? allowed: %s", name, text, near, list);
    else
        (void)options_complain(o, "--%s %s: unknown; allowed: %s", name, text, list);
}

void options_copy_path(struct options *o, const char *what, const char *path, char *to, size_t size)
{
    const size_t length = strlen(path);
    to[0] = '\0';
    if (length < size)
        memcpy(to, path, length + 1);
    else
        (void)options_complain(o, "%s: the name is too long (%zu bytes), at most %zu are allowed",
                               what, length, size - 1);
}

bool options_ok(const struct options *o)
{
    return !o->failed;
}
