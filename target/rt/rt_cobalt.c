/* Xenomai 3. Nothing is wrapped at link time: what shall go to the Cobalt core says __RT(). Only
 * the real-time thread becomes one of Cobalt's; all others stay those of Linux. */
#include "shared/base/time.h"
#include "target/rt/rt.h"
#include "target/rt/rt_switch.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/cobalt.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <xenomai/init.h>
#include <xenomai/version.h>

_Static_assert(SIGDEBUG == RT_SIGDEBUG, "the signal of mode switches");
_Static_assert(sigdebug_marker == RT_SIGDEBUG_MARK, "the mark of that signal");

/* ---- the process */

/* libcobalt may be initialised once in a process and cannot be left again. */
static bool bound;

/* Ends the process with a message of its own if the core cannot be used. */
static void bind_process(void)
{
    char name[] = "skidpad";
    char *const arguments[] = {name, NULL}, *const *left = arguments;
    int count = 1;
    /* Bind only: else it would make the main thread one of Cobalt's. */
    __cobalt_control_bind = 1;
    xenomai_init(&count, &left);
}

/* What libcobalt says in a process that may die of it. Returns 0, or -ENOTSUP and its words. */
static int try_bind(char *words, size_t size)
{
    int ends[2], status = 0;
    size_t used = 0;
    words[0] = '\0';
    if (pipe(ends))
        return -errno;
    (void)fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        (void)dup2(ends[1], STDERR_FILENO);
        (void)close(ends[0]);
        (void)close(ends[1]);
        bind_process();
        _exit(0);
    }
    (void)close(ends[1]);
    for (ssize_t n = 1; n > 0 && used + 1 < size; used += n > 0 ? (size_t)n : 0)
        n = read(ends[0], words + used, size - 1 - used);
    words[used] = '\0';
    (void)close(ends[0]);
    if (child < 0)
        return -EAGAIN;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -ENOTSUP;
}

/* The last line without time, function and thread: `0"000.000| BUG in f(): [main] text`. */
static const char *plain_words(char *words)
{
    size_t length = strlen(words);
    while (length > 0 && words[length - 1] == '\n')
        words[--length] = '\0';
    const char *line = strrchr(words, '\n'), *bracket;
    line = line ? line + 1 : words;
    bracket = strstr(line, "] ");
    line = bracket ? bracket + 2 : line;
    return line[0] ? line : "it gave no reason";
}

static const char *advice(const char *words)
{
    static const struct {
        const char *word, *advice;
    } table[] = {
        {"not enabled", "boot a kernel with the Cobalt core (docs/real-time.md, Xenomai 3)"},
        {"ABI mismatch", "build skidpad with the Xenomai libraries of the kernel's release"},
        {"stopped", "start it: corectl --start, or xenomai.state=enabled for the kernel"},
        {"ermitted", "run as root, or in the group named by xenomai.allowed_group"},
        {"mlockall", "run as root, or raise the limit (ulimit -l unlimited)"},
        {"missing feature", "build libraries and kernel with the same options, SMP above all"},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (strstr(words, table[i].word))
            return table[i].advice;
    return "see that the latency program of Xenomai runs";
}

static int open_core(struct rt *rt, struct err *e)
{
    char words[400];
    int code = 0, bad = bound ? 0 : try_bind(words, sizeof words);
    if (bad == -ENOTSUP) {
        const char *why = plain_words(words);
        return err_set(e, bad,
                       "libcobalt " XENO_VERSION_STRING " cannot use this kernel: %s; %s, or use "
                       "--rt posix",
                       why, advice(why));
    }
    if (bad)
        return err_set(e, bad, "libcobalt could not be tried: %s", strerror(-bad));
    if (!bound)
        bind_process();
    bound = true;
    /* A core that is stopped lets itself be bound by a program that could start it. */
    if (cobalt_corectl(_CC_COBALT_GET_CORE_STATUS, &code, sizeof code) == 0 &&
        code != COBALT_STATE_RUNNING)
        return err_set(e, -ENOTSUP,
                       "libcobalt " XENO_VERSION_STRING " cannot use this kernel: the Cobalt core "
                       "is stopped; %s, or use --rt posix",
                       advice("stopped"));
    if (cobalt_corectl(_CC_COBALT_GET_VERSION, &code, sizeof code) < 0)
        code = 0;
    (void)snprintf(rt->about, sizeof rt->about,
                   "Cobalt core %d.%d.%d, libcobalt " XENO_VERSION_STRING ", of one ABI",
                   code >> 16, (code >> 8) & 0xff, code & 0xff);
    return 0;
}

/* ---- the real-time thread */

static int64_t now_ns(struct rt *rt)
{
    struct timespec t = {0, 0};
    (void)rt;
    (void)__RT(clock_gettime(CLOCK_MONOTONIC, &t)); /* through the vDSO; cannot fail */
    return (int64_t)t.tv_sec * NS_PER_S + t.tv_nsec;
}

static int sleep_until(struct rt *rt, int64_t until_ns)
{
    struct timespec t = {.tv_sec = (time_t)(until_ns / NS_PER_S),
                         .tv_nsec = (long)(until_ns % NS_PER_S)};
    int error;
    (void)rt;
    do
        error = __RT(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL));
    while (error == EINTR);
    return -error; /* it returns a positive error */
}

static struct cobalt_threadstat statistics(void)
{
    struct cobalt_threadstat s;
    if (cobalt_thread_stat(0, &s)) /* 0: this thread; stays in its mode */
        memset(&s, 0, sizeof s);
    return s;
}

static uint64_t switches(struct rt *rt)
{
    return statistics().msw - rt->switches_start;
}

static int64_t cpu_ns(struct rt *rt)
{
    (void)rt;
    return (int64_t)statistics().xtime;
}

/* Makes the calling thread one of Cobalt's, with the priority that it has. */
static int join_core(const struct rt *rt, struct err *e)
{
    struct sched_param p = {0};
    int policy = SCHED_OTHER;
    int error = __RT(pthread_getschedparam(pthread_self(), &policy, &p));
    if (!error && policy != SCHED_FIFO)
        return err_set(e, -EPERM,
                       "the Cobalt core needs SCHED_FIFO, and this thread has not got it: run as "
                       "root, or allow it (rtprio in /etc/security/limits.conf); --allow-nonrt "
                       "goes with --rt posix only");
    if (!error)
        error = __RT(pthread_setschedparam(pthread_self(), SCHED_FIFO, &p));
    if (!error)
        error = __RT(pthread_setname_np(pthread_self(), rt->name ? rt->name : "skidpad"));
    return error
               ? err_set(e, -error, "the Cobalt core did not take the thread: %s", strerror(error))
               : 0;
}

static int start(struct rt *rt, struct err *e)
{
    struct cobalt_threadstat s;
    int bad = join_core(rt, e);
    if (!bad)
        bad = rt_switch_watch(rt, e);
    if (bad)
        return bad;
    /* A mode switch from now on raises SIGDEBUG. */
    int error = pthread_setmode_np(0, PTHREAD_WARNSW, NULL);
    if (error)
        return err_set(e, -error, "mode switches cannot be watched: %s", strerror(error));
    bad = rt_switch_warm_up(rt);
    if (bad)
        return err_set(e, bad, "the Cobalt core does not wait: %s", strerror(-bad));
    bad = cobalt_thread_stat(0, &s);
    if (bad)
        return err_set(e, bad, "the Cobalt core does not count mode switches: %s", strerror(-bad));
    return rt_switch_baseline(rt, s.csw, s.msw, "Cobalt core", "CONFIG_XENO_OPT_STATS", e);
}

static void stop(struct rt *rt)
{
    (void)pthread_setmode_np(PTHREAD_WARNSW, 0, NULL);
    rt_switch_unwatch(rt);
}

static const char *reason_name(int reason)
{
    static const char *const names[] = {
        [SIGDEBUG_UNDEFINED] = "no reason told: memory allocated in real time?",
        [SIGDEBUG_MIGRATE_SIGNAL] = "signal of Linux",
        [SIGDEBUG_MIGRATE_SYSCALL] = "system call of Linux",
        [SIGDEBUG_MIGRATE_FAULT] = "processor fault",
        [SIGDEBUG_MIGRATE_PRIOINV] = "priority inversion",
        [SIGDEBUG_NOMLOCK] = "memory not locked",
        [SIGDEBUG_WATCHDOG] = "watchdog",
        [SIGDEBUG_RESCNT_IMBALANCE] = "unbalanced locks",
    };
    return rt_reason(names, sizeof names / sizeof names[0], reason);
}

const struct rt_ops rt_cobalt = {
    .name = "cobalt",
    .switch_name = "MSW",
    .open = open_core,
    .start = start,
    .wait = sleep_until,
    .now_ns = now_ns,
    .switches = switches,
    .cpu_ns = cpu_ns,
    .burn = rt_spin,
    .stop = stop,
    .reason_name = reason_name,
};
