/* skidpad report: logs judged and drawn; two results compared. */
#include "shared/base/options.h"
#include "shared/base/out_file.h"
#include "target/compare.h"
#include "target/trial_log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { STATUS_WORSE = 1, STATUS_BAD_INPUT = 2 };

/* One of two results: of `skidpad test --json`, or a log. */
struct side {
    struct json_doc *json;
    struct trial trial;
    struct log_drive drive;
    bool is_log;
};

static bool is_log(const char *path)
{
    size_t length = strlen(path);
    return length > 4 && strcmp(path + length - 4, ".mf4") == 0;
}

static int write_file(const char *path, int (*write)(const void *what, FILE *to), const void *what)
{
    struct out_file f;
    struct err e = {""};
    int bad = out_file_open_stream(&f, path, &e);
    if (!bad)
        bad = out_file_finish(&f, write(what, f.stream), &e);
    if (bad)
        fprintf(stderr, "skidpad report: %s\n", e.text);
    return bad;
}

static int write_html(const void *what, FILE *to)
{
    return trial_html(what, to);
}

static int write_json(const void *what, FILE *to)
{
    return trial_json(what, to);
}

static void trial_release(struct trial *t)
{
    for (int i = 0; i < t->runs; i++)
        free(t->run[i].charts);
    free(t->run);
    free(t->verdict);
}

/* ---- logs */

static int report_logs(const struct options *o)
{
    static struct trials all; /* large: not for the stack */
    int status = 0;
    for (int i = 0; i < o->arg_count && status == 0; i++) {
        struct log_drive d;
        if (all.count == TRIALS) {
            fprintf(stderr, "skidpad report: at most %d logs at a time\n", TRIALS);
            status = STATUS_BAD_INPUT;
            break;
        }
        if (trial_from_log(&all.trial[all.count++], o->args[i], true, &d))
            status = STATUS_BAD_INPUT;
        log_drive_free(&d);
    }
    if (status == 0) {
        (void)trial_table(&all, stdout);
        const char *html = options_text(o, "html"), *json = options_text(o, "json");
        status = trials_failed(&all) ? STATUS_WORSE : 0;
        if ((html[0] != '\0' && write_file(html, write_html, &all)) ||
            (options_given(o, "json") && write_file(json, write_json, &all)))
            status = STATUS_BAD_INPUT;
    }
    trials_free(&all);
    return status;
}

/* ---- two results */

/* A log becomes the result that `skidpad test --json` would have written. */
static int log_as_json(struct side *s, const char *path, struct err *e)
{
    struct trials *one = calloc(1, sizeof *one);
    char *text = NULL;
    size_t size = 0;
    int bad = one ? trial_from_log(&s->trial, path, false, &s->drive) : -ENOMEM;
    FILE *to = bad ? NULL : open_memstream(&text, &size);
    if (to) {
        one->count = 1;
        one->trial[0] = s->trial;
        (void)snprintf(one->trial[0].name, sizeof one->trial[0].name, "%s", "log");
        bad = trial_json(one, to);
        if (fclose(to) == EOF)
            bad = -errno;
    }
    if (!bad)
        bad = json_read(path, text, size, &s->json, e);
    s->is_log = true;
    free(text);
    free(one);
    return bad;
}

static int side_open(struct side *s, const char *path)
{
    struct err e = {""};
    int bad = is_log(path) ? log_as_json(s, path, &e) : json_read_file(path, &s->json, &e);
    if (bad && e.text[0])
        fprintf(stderr, "skidpad report: %s\n", e.text);
    return bad;
}

static void side_close(struct side *s)
{
    if (s->json)
        json_free(s->json);
    trial_release(&s->trial);
    log_drive_free(&s->drive);
}

static int write_comparison(const char *path, const struct compare *c, const struct options *o,
                            const struct side side[2])
{
    struct expr_trace a = drive_record_trace(&side[0].drive.record);
    struct expr_trace b = drive_record_trace(&side[1].drive.record);
    char *charts = side[0].is_log && side[1].is_log ? trial_overlay(&a, &b) : NULL;
    struct out_file f;
    struct err e = {""};
    int bad = out_file_open_stream(&f, path, &e);
    if (!bad)
        bad = out_file_finish(&f, compare_html(c, o->args[0], o->args[1], charts, f.stream), &e);
    if (bad)
        fprintf(stderr, "skidpad report: %s\n", e.text);
    free(charts);
    return bad;
}

static int report_comparison(struct options *o)
{
    struct side side[2] = {0};
    struct compare c = {0};
    struct err e = {""};
    double tolerance_percent = 0.1;
    options_double(o, "tolerance", &tolerance_percent, 0.0, 100.0);
    if (o->arg_count != 2)
        (void)options_complain(o, "--compare takes two results");
    if (!options_ok(o))
        return STATUS_BAD_INPUT;
    int status = STATUS_BAD_INPUT;
    if (side_open(&side[0], o->args[0]) == 0 && side_open(&side[1], o->args[1]) == 0) {
        if (compare_results(&c, side[0].json, side[1].json, 0.01 * tolerance_percent, &e))
            fprintf(stderr, "skidpad report: %s\n", e.text);
        else
            status = c.worse ? STATUS_WORSE : 0;
    }
    if (status != STATUS_BAD_INPUT) {
        (void)compare_table(&c, stdout);
        if (options_given(o, "html") && write_comparison(options_text(o, "html"), &c, o, side))
            status = STATUS_BAD_INPUT;
    }
    compare_free(&c);
    side_close(&side[0]);
    side_close(&side[1]);
    return status;
}

int main(int argc, char **argv)
{
    static const struct option_spec specs[] = {
        {"html", "FILE", "report.html", "the report, one page; with --compare only if given"},
        {"json", "FILE", NULL, "verdicts and measures of the logs as JSON"},
        {"compare", NULL, NULL, "two results: what differs, and whether anything got worse"},
        {"tolerance", "PERCENT", "0.1", "with --compare: changes up to this are none"},
        {0},
    };
    static const struct options_program program = {
        .name = "report",
        .summary = "judge and draw logs of skidpad run; compare two results",
        .arguments = "LOG.mf4... | --compare BEFORE AFTER",
        .args_min = 1,
        .args_max = -1,
        .specs = specs,
        .example = "skidpad report out/abs_split.mf4 --html abs_split.html",
        .notes = "BEFORE and AFTER are logs, or results of skidpad test --json.\n"
                 "Status: 0 all pass or nothing got worse, 1 a criterion failed, something got "
                 "worse, or "
                 "a log is not\nfinished or lacks records (INCOMPLETE, whatever its criteria say), "
                 "2 bad input.",
    };
    struct options o;
    int status = options_parse(&o, &program, argc, argv);
    if (status != OPTIONS_GO)
        return status;
    if (!options_ok(&o))
        return STATUS_BAD_INPUT;
    return options_given(&o, "compare") ? report_comparison(&o) : report_logs(&o);
}
