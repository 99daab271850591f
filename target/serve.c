#include "target/serve.h"

#include "shared/base/console.h"
#include "shared/base/io.h"
#include "shared/base/nearest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- what there is to choose from */

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

static bool take_name(const char *file, char name[SERVE_NAME])
{
    const char *end = strrchr(file, '.');
    size_t length = end ? (size_t)(end - file) : 0;
    if (length == 0 || length >= SERVE_NAME || strcmp(end, ".yaml") != 0 || strchr(file, ' '))
        return false;
    memcpy(name, file, length);
    name[length] = '\0';
    return true;
}

void serve_list_of(const char *path, struct serve_list *list)
{
    const char *slash = strrchr(path, '/');
    memset(list, 0, sizeof *list);
    (void)snprintf(list->folder, sizeof list->folder, "%.*s", slash ? (int)(slash - path) : 1,
                   slash ? path : ".");
    DIR *d = opendir(list->folder);
    const struct dirent *f;
    /* Of a folder that no other thread reads. */
    /* cppcheck-suppress readdirCalled */
    while (d && list->count < SERVE_SCENARIOS && (f = readdir(d)))
        if (take_name(f->d_name, list->name[list->count]))
            list->count++;
    if (d)
        (void)closedir(d);
    qsort(list->name, (size_t)list->count, sizeof list->name[0], by_name);
}

/* The threads that take requests must not wait for whoever reads this. */
static void say_messages(const struct cfg_doc *doc)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *to = open_memstream(&text, &bytes);
    if (to)
        cfg_print_messages(doc, to);
    if (to && fclose(to) == 0)
        console_say("%s", text);
    free(text);
}

/* Whether it loads, before the run at hand is given up for it. */
static int check_scenario(const char *path, struct err *e)
{
    struct scenario *sc = NULL;
    struct cfg_doc *doc = NULL;
    int bad = scenario_load(path, &sc, &doc);
    if (doc)
        say_messages(doc);
    if (bad)
        (void)err_set(e, bad, "%.400s",
                      doc && cfg_message_count(doc) > 0 ? cfg_message(doc, 0) : "out of memory");
    cfg_close(doc);
    scenario_free(sc);
    return bad;
}

static const char *nearest(const struct serve_list *list, const char *name)
{
    const char *names[SERVE_SCENARIOS];
    for (int i = 0; i < list->count; i++)
        names[i] = list->name[i];
    return nearest_word(name, names, (size_t)list->count);
}

int serve_check(const struct serve *s, const char *name, char *path, size_t size, struct err *e)
{
    int i = 0;
    while (i < s->list.count && strcmp(s->list.name[i], name) != 0)
        i++;
    if (i == s->list.count) {
        const char *near = nearest(&s->list, name);
        return err_set(e, -ENOENT, "%s has no scenario \"%s\"%s%s%s", s->list.folder, name,
                       near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    }
    if (snprintf(path, size, "%s/%s.yaml", s->list.folder, name) >= (int)size)
        return err_set(e, -ENAMETOOLONG, "the path of %s is too long", name);
    return check_scenario(path, e);
}

void serve_commit(struct serve *s, const char *path)
{
    (void)pthread_mutex_lock(&s->lock);
    (void)snprintf(s->next.scenario, sizeof s->next.scenario, "%s", path);
    (void)pthread_mutex_unlock(&s->lock);
}

/* ---- one run after the other */

void serve_number(char *path, size_t size, int run)
{
    char ending[32] = "";
    char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    if (path[0] == '\0' || run < 2)
        return;
    if (dot && dot > path && strlen(dot) < sizeof ending)
        (void)snprintf(ending, sizeof ending, "%s", dot);
    size_t stem = strlen(path) - strlen(ending);
    (void)snprintf(path + stem, size - stem, "-%d%s", run, ending);
}

static volatile sig_atomic_t asked; /* the signal that shall end it all */
static volatile pid_t child;

static void pass_on(int signal_number)
{
    asked = signal_number;
    if (child > 0)
        (void)kill(child, signal_number);
}

/* In the new process. */
static int in_child(struct bench *bench, const struct serve_next *now, int run, int to,
                    int (*one_run)(struct bench *bench, struct serve *s))
{
    static struct serve s;
    (void)pthread_mutex_init(&s.lock, NULL);
    serve_list_of(bench->scenario, &s.list);
    if (now->scenario[0] != '\0')
        (void)snprintf(bench->scenario, sizeof bench->scenario, "%s", now->scenario);
    serve_number(bench->log, sizeof bench->log, run);
    serve_number(bench->frames, sizeof bench->frames, run);
    bench->wait_for_start = true;
    int status = one_run(bench, &s);
    if (s.next.scenario[0] == '\0')
        (void)snprintf(s.next.scenario, sizeof s.next.scenario, "%s", now->scenario);
    (void)io_write(to, &s.next, sizeof s.next); /* the other side says so if it does not arrive */
    return status;
}

/* Until the run is over; what it said last, and its status. */
static int await_child(int from, struct serve_next *next)
{
    int status = 0;
    bool told = io_read(from, next, sizeof *next) == sizeof *next;
    (void)close(from);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    child = 0;
    status = WIFEXITED(status) ? WEXITSTATUS(status) : 3;
    if (told)
        return status;
    *next = (struct serve_next){.leave = true, .driven = true};
    fprintf(stderr, "skidpad run: the run died without a word on what follows: the bench ends\n");
    return status ? status : 3;
}

/* Returns the status; *next is what the run said last. */
static int run_child(struct bench *bench, struct serve_next *next, int run,
                     int (*one_run)(struct bench *bench, struct serve *s))
{
    int ends[2];
    pid_t parent = getpid();
    (void)fflush(NULL);
    bool piped = pipe2(ends, O_CLOEXEC) == 0;
    child = piped ? fork() : -1;
    if (child < 0) {
        fprintf(stderr, "skidpad run: the next run cannot be started: %s\n", strerror(errno));
        next->leave = true;
        if (piped) {
            (void)close(ends[0]);
            (void)close(ends[1]);
        }
        child = 0;
        return 2;
    }
    if (child == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (getppid() != parent)
            _exit(0); /* it was too late for that signal */
        (void)signal(SIGINT, SIG_DFL);
        (void)signal(SIGTERM, SIG_DFL);
        (void)signal(SIGHUP, SIG_DFL);
        (void)close(ends[0]);
        exit(in_child(bench, next, run, ends[1], one_run));
    }
    (void)close(ends[1]);
    if (asked)
        (void)kill(child, asked);
    return await_child(ends[0], next);
}

/* ---- how they ended */

void serve_count(struct serve_tally *t, int run, int status)
{
    int kind = status < 0 || status >= SERVE_STATUSES ? SERVE_STATUSES - 1 : status;
    int at = t->ended[kind].count++;
    if (at < SERVE_LISTED)
        t->ended[kind].run[at] = run;
    t->runs++;
}

int serve_worst(const struct serve_tally *t)
{
    int worst = SERVE_STATUSES - 1;
    while (worst > 0 && t->ended[worst].count == 0)
        worst--;
    return worst;
}

struct line {
    char *text;
    size_t size;
};

static void add(struct line *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct line *l, const char *format, ...)
{
    va_list arguments;
    size_t used = strlen(l->text);
    va_start(arguments, format);
    (void)vsnprintf(l->text + used, l->size - used, format, arguments);
    va_end(arguments);
}

static void add_ended(struct line *l, const struct serve_tally *t, int status)
{
    int count = t->ended[status].count, listed = count < SERVE_LISTED ? count : SERVE_LISTED;
    add(l, "%d ended with status %d (run%s", count, status, count > 1 ? "s" : "");
    for (int i = 0; i < listed; i++)
        add(l, "%s %d", i > 0 ? "," : "", t->ended[status].run[i]);
    if (count > listed)
        add(l, " and %d more", count - listed);
    add(l, ")");
}

void serve_tally_text(const struct serve_tally *t, char *text, size_t size)
{
    struct line l = {text, size};
    const char *runs = t->runs == 1 ? "run" : "runs", *before = "";
    text[0] = '\0';
    if (t->ended[0].count == t->runs)
        add(&l, "%d %s, all clean", t->runs, runs);
    else
        add(&l, "of %d %s ", t->runs, runs);
    for (int status = 1; status < SERVE_STATUSES; status++)
        if (t->ended[status].count > 0) {
            add(&l, "%s", before);
            add_ended(&l, t, status);
            before = ", ";
        }
}

/* Whether the end of a process was that of a run. One whose scenario was refused was none; a person
 * chose it and has seen why. */
static bool counts(const struct serve_next *next, bool chosen, int status)
{
    return next->driven || (status != 0 && !(next->refused && chosen));
}

int serve_runs(struct bench *bench, int (*one_run)(struct bench *bench, struct serve *s),
               struct serve_tally *tally)
{
    const struct sigaction action = {.sa_handler = pass_on, .sa_flags = SA_RESTART};
    struct serve_next next = {.leave = false};
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    (void)sigaction(SIGHUP, &action, NULL);
    for (int run = 1; !next.leave && !asked; run += next.driven) {
        bool chosen = next.scenario[0] != '\0';
        int status = run_child(bench, &next, run, one_run);
        if (counts(&next, chosen, status))
            serve_count(tally, run, status);
        if (!next.refused)
            continue;
        if (!chosen)
            break;
        fprintf(stderr, "skidpad run: back to the scenario of the bench\n");
        next = (struct serve_next){.leave = next.leave};
    }
    return serve_worst(tally);
}
