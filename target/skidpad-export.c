/* skidpad export: a log as a table, or what it holds. */
#include "shared/base/options.h"
#include "shared/wire/mdf_read.h"
#include "target/export_csv.h"
#include "target/export_info.h"
#include "target/export_mat.h"
#include "target/log_end.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { STATUS_BAD_INPUT = 2, PATH_SIZE = 4096 };

/* The group of this name, or of this number as --info counts them; without a name the first. */
static const struct mdf_read_group *group_find(const struct mdf_reader *log, const char *name)
{
    const struct mdf_read_file *file = mdf_read_file(log);
    char *end = NULL;
    if (!name)
        return file->group_count > 0 ? file->groups : NULL;
    const struct mdf_read_group *group = mdf_read_group_find(log, name);
    if (group)
        return group;
    unsigned long number = strtoul(name, &end, 10);
    bool plain = name[0] >= '0' && name[0] <= '9' && *end == '\0';
    return plain && number >= 1 && number <= file->group_count ? &file->groups[number - 1] : NULL;
}

/* LOG.csv or LOG.mat for LOG.mf4, unless another name is given. */
static const char *out_path(const struct options *o, const char *log, char *path, size_t size)
{
    size_t length = strlen(log);
    if (options_text(o, "csv"))
        return options_text(o, "csv");
    if (options_text(o, "out"))
        return options_text(o, "out");
    if (length > 4 &&
        (strcmp(log + length - 4, ".mf4") == 0 || strcmp(log + length - 4, ".mdf") == 0))
        length -= 4;
    int wrote =
        snprintf(path, size, "%.*s.%s", (int)length, log, options_given(o, "mat") ? "mat" : "csv");
    return wrote > 0 && (size_t)wrote < size ? path : NULL;
}

static bool same_file(const char *a, const char *b)
{
    struct stat first, second;
    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

static int fail(const struct err *e)
{
    (void)fprintf(stderr, "%s\n", e->text);
    return STATUS_BAD_INPUT;
}

static void print_result(const struct export_csv *x, const char *path, struct mdf_reader *log)
{
    FILE *f = strcmp(x->path, "-") == 0 ? stderr : stdout;
    (void)fprintf(f, "%s: %" PRIu64 " rows, %zu columns\n", x->path, x->rows, x->column_count);
    for (size_t i = 0; i < x->column_count; i++)
        if (x->columns[i]->conversion == MDF_READ_UNKNOWN)
            (void)fprintf(stderr, "%s: column %zu is as stored: its conversion is not supported\n",
                          path, i + 1);
    char end[LOG_END_TEXT];
    log_end_text(log, end);
    if (end[0] == '\0')
        return;
    (void)fprintf(stderr,
                  "%s: %s; the run crashed or still runs; it has %" PRIu64
                  " complete records of this group",
                  path, end, mdf_read_count(log, x->group));
    if (mdf_read_left_over(log) > 0)
        (void)fprintf(stderr, "; its last %" PRIu64 " bytes are no complete record",
                      mdf_read_left_over(log));
    (void)fputc('\n', stderr);
}

static int export_table(struct options *o, const char *path, struct mdf_reader *log)
{
    char name[PATH_SIZE];
    struct export_csv x = {.every = 1};
    struct err e = {""};
    int64_t every = 1;
    const char *group_name = options_text(o, "group");
    const struct mdf_read_group *group = group_find(log, group_name);
    options_int(o, "every", &every, 1, INT64_C(1000000000000));
    if (!options_ok(o))
        return STATUS_BAD_INPUT;
    if (options_given(o, "mat") && options_text(o, "csv"))
        return options_complain(o, "--mat and --csv: one table at a time; --out names either");
    if (options_given(o, "mat") && options_text(o, "out") && !strcmp(options_text(o, "out"), "-"))
        return options_complain(o, "--mat: a MATLAB file cannot go to standard output");
    if (!group && !group_name)
        return options_complain(o, "%s has no groups", path);
    if (!group)
        return options_complain(o, "%s has no group '%s'; --info lists them", path, group_name);
    if (group->variable)
        return options_complain(o, "%s: records of variable length are not supported", path);
    x.path = out_path(o, path, name, sizeof name);
    if (!x.path)
        return options_complain(o, "the name of the log is too long; give one for the table");
    if (same_file(path, x.path))
        return options_complain(o, "%s is the log itself", x.path);
    x.every = (uint64_t)every;
    int rc = export_csv_columns(&x, group, options_text(o, "signals"), &e);
    if (rc) {
        export_csv_free(&x);
        return options_complain(o, "%s: %s", path, e.text);
    }
    rc = options_given(o, "mat") ? export_mat_write(&x, log, &e) : export_csv_write(&x, log, &e);
    if (rc) {
        (void)fail(&e);
        if (x.rows > 0 && !options_given(o, "mat")) /* half a MATLAB file is none */
            (void)fprintf(stderr, "%s: %" PRIu64 " rows were written before that\n", x.path,
                          x.rows);
    } else {
        print_result(&x, path, log);
    }
    export_csv_free(&x);
    return !rc ? 0 : ferror(stdout) ? OPTIONS_NOT_PRINTED : STATUS_BAD_INPUT;
}

int main(int argc, char **argv)
{
    static const struct option_spec specs[] = {
        {"csv", "OUT.csv", "(LOG.csv)", "where the table goes; - is standard output"},
        {"mat", NULL, NULL, "a MATLAB file (version 5) instead of CSV"},
        {"out", "FILE", "(LOG.csv, .mat)", "where the table goes"},
        {"group", "NAME", "(the first)", "which records, by the name or number of their group"},
        {"signals", "A,B,C", "(all)", "which columns, in this order"},
        {"every", "N", "1", "one row for every N records"},
        {"info", NULL, NULL, "print what the log holds: groups, signals, counts, properties"},
        {0},
    };
    static const struct options_program program = {
        .name = "export",
        .summary = "turn a log into a table, or tell what it holds",
        .arguments = "LOG.mf4",
        .args_min = 1,
        .args_max = 1,
        .specs = specs,
        .example = "skidpad export out/scripted.mf4 --signals time_s,vx_mps --every 10",
        .notes =
            "Numbers have as many digits as it takes to read back the same bits. A log that\n"
            "is unfinished, because the run crashed or still runs, gives all complete records.\n"
            "Status: 0 done, 2 bad input; of a damaged log the rows before the damage are kept.",
    };
    struct options o;
    int status = options_parse(&o, &program, argc, argv);
    if (status != OPTIONS_GO)
        return status;
    struct mdf_reader *log = NULL;
    struct err e = {""};
    const char *path = o.args[0];
    if (mdf_read_open(path, &log, &e))
        return fail(&e);
    if (!options_given(&o, "info")) {
        status = export_table(&o, path, log);
    } else {
        status = export_info(path, log, stdout, &e) ? fail(&e) : 0;
    }
    mdf_read_close(log);
    return status;
}
