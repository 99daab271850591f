#include "target/bench_compare.h"

#include "shared/base/out_file.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STATUS_DONE = 0, STATUS_BAD = 2 };

static int refuse(const struct err *e)
{
    fprintf(stderr, "skidpad bench: %s\n", e->text);
    return STATUS_BAD;
}

/* No -0.0 in tables. */
static double tidy(double us)
{
    return us > -0.05 && us < 0.0 ? 0.0 : us;
}

void bench_compare_print(const struct bench_curve *c, int count, FILE *to)
{
    int width = 5;
    for (int i = 0; i < count; i++)
        width = (int)strlen(c[i].label) > width ? (int)strlen(c[i].label) : width;
    fprintf(to, "%-*s %10s %10s %10s %10s | %-39s | %9s | %s\n", width, "", "", "", "", "",
            "wake-up in us", "execution", "left");
    fprintf(to, "%-*s %10s %10s %10s %10s | %9s %9s %9s %9s | %9s | %s\n", width, "label",
            "period us", "steps", "missed", "%", "min", "mean", "p99.9", "max", "max us",
            "real time");
    for (int i = 0; i < count; i++)
        for (int k = 0; k < c[i].count; k++) {
            const struct bench_point *p = &c[i].points[k];
            char left[24] = "-"; /* the core does not tell */
            if (p->left >= 0.0)
                (void)snprintf(left, sizeof left, "%.0f", p->left);
            fprintf(to, "%-*s %10g %10.0f %10.0f %10.4g | %9.1f %9.1f %9.1f %9.1f | %9.1f | %s%s\n",
                    width, c[i].label, p->period_us, p->steps, p->missed,
                    100.0 * p->missed / p->steps, tidy(p->wake_min_us), tidy(p->wake_mean_us),
                    tidy(p->wake_p99_9_us), tidy(p->wake_max_us), p->execution_max_us, left,
                    p->other_state ? "  ENDS IN ANOTHER STATE than offline" : "");
        }
}

static int draw_svg(const struct bench_curve *c, int count, const char *path, struct err *e)
{
    struct out_file f;
    int bad = out_file_open_stream(&f, path, e);
    return bad ? bad : out_file_finish(&f, bench_compare_draw(c, count, f.stream), e);
}

/* rsvg-convert reads the drawing from the file given as its standard input and writes the other. */
static int convert(FILE *svg, const char *path, int to, struct err *e)
{
    char *const words[] = {"rsvg-convert", NULL};
    posix_spawn_file_actions_t actions;
    pid_t pid = 0;
    int status = 0, error = posix_spawn_file_actions_init(&actions);
    if (error)
        return err_set(e, -error, "%s: %s", path, strerror(error));
    error = posix_spawn_file_actions_adddup2(&actions, fileno(svg), STDIN_FILENO);
    if (!error)
        error = posix_spawn_file_actions_adddup2(&actions, to, STDOUT_FILENO);
    if (!error)
        error = posix_spawnp(&pid, words[0], &actions, NULL, words, environ);
    (void)posix_spawn_file_actions_destroy(&actions);
    if (error == ENOENT)
        return err_set(e, -error,
                       "%s: rsvg-convert is not installed (Debian: librsvg2-bin); --svg FILE "
                       "draws without it",
                       path);
    if (error || waitpid(pid, &status, 0) < 0)
        return err_set(e, -EIO, "%s: rsvg-convert could not be started", path);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return err_set(e, -EIO, "%s: rsvg-convert failed", path);
    return 0;
}

static int draw_png(const struct bench_curve *c, int count, const char *path, struct err *e)
{
    struct out_file f;
    int bad = out_file_open(&f, path, e);
    if (bad)
        return bad;
    FILE *svg = tmpfile();
    if (!svg)
        bad = err_set(e, -errno, "no temporary file: %s", strerror(errno));
    else if (bench_compare_draw(c, count, svg) || fseek(svg, 0, SEEK_SET))
        bad = err_set(e, -EIO, "%s: the drawing could not be made", path);
    else
        bad = convert(svg, path, f.fd, e);
    if (!bad)
        bad = out_file_count(&f);
    if (svg)
        (void)fclose(svg);
    if (bad)
        out_file_drop(&f);
    return bad ? bad : out_file_close(&f, e);
}

static bool share_a_period(const struct bench_curve *a, const struct bench_curve *b)
{
    for (int i = 0; i < a->count; i++)
        for (int k = 0; k < b->count; k++)
            if (a->points[i].period_us == b->points[k].period_us)
                return true;
    return false;
}

static int longest_first(const void *a, const void *b)
{
    const struct bench_point *left = a, *right = b;
    return (left->period_us < right->period_us) - (left->period_us > right->period_us);
}

int bench_curves_add(struct bench_curve *all, int *count, const struct bench_curve *c,
                     struct err *e)
{
    for (int i = 0; i < *count; i++) {
        struct bench_curve *same = &all[i];
        if (strcmp(same->label, c->label) != 0 || share_a_period(same, c) ||
            same->count + c->count > BENCH_PERIODS)
            continue;
        memcpy(same->points + same->count, c->points, (size_t)c->count * sizeof *c->points);
        same->count += c->count;
        qsort(same->points, (size_t)same->count, sizeof *same->points, longest_first);
        return 0;
    }
    if (*count == BENCH_CURVES)
        return err_set(e, -E2BIG, "more than %d curves in one drawing", BENCH_CURVES);
    all[(*count)++] = *c;
    return 0;
}

int bench_compare(char **paths, int files, const char *svg_path, const char *png_path)
{
    struct bench_curve *curves = calloc(BENCH_CURVES + 1, sizeof *curves);
    struct bench_curve *one = curves ? &curves[BENCH_CURVES] : NULL;
    struct err e = {"out of memory"};
    int bad = curves ? 0 : -ENOMEM, count = 0;
    for (int i = 0; !bad && i < files; i++) {
        memset(one, 0, sizeof *one);
        bad = bench_curve_read(paths[i], one, &e);
        if (!bad)
            bad = bench_curves_add(curves, &count, one, &e);
    }
    if (!bad && svg_path)
        bad = draw_svg(curves, count, svg_path, &e);
    if (!bad && png_path)
        bad = draw_png(curves, count, png_path, &e);
    if (!bad)
        bench_compare_print(curves, count, stdout);
    free(curves);
    return bad ? refuse(&e) : STATUS_DONE;
}
