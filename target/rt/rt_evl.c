/* Xenomai 4. Only the real-time thread is attached to the EVL core, and it uses nothing of it but
 * the clock: whatever goes to or comes from Linux crosses in rings. */
#include "shared/base/time.h"
#include "target/rt/rt.h"
#include "target/rt/rt_switch.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* The headers of the library have other names in some packages. */
#include <evl/atomic.h>
#if __has_include(<evl/clock-evl.h>)
#include <evl/clock-evl.h>
#include <evl/thread-evl.h>
#else
#include <evl/clock.h>
#include <evl/thread.h>
#endif
#include <evl/evl.h>

_Static_assert(SIGDEBUG == RT_SIGDEBUG, "the signal of in-band switches");
_Static_assert(sigdebug_marker == RT_SIGDEBUG_MARK, "the mark of that signal");

/* ---- the process */

/* What the kernel's core offers, in words: "ABI 36". */
static void kernel_abi(char *text, size_t size)
{
    struct evl_core_info info;
    int fd = open(EVL_CONTROL_DEV, O_RDWR | O_CLOEXEC);
    memset(&info, 0, sizeof info);
    (void)snprintf(text, size, "another ABI");
    if (fd < 0)
        return;
    if (ioctl(fd, EVL_CTLIOC_GET_COREINFO, &info) == 0)
        (void)snprintf(text, size, "ABI %u to %u", (unsigned)info.abi_base,
                       (unsigned)info.abi_current);
    (void)close(fd);
}

static int explain(int bad, const struct evl_version *v, struct err *e)
{
    char offered[64];
    switch (bad) {
    case -ENOENT:
    case -ENOSYS:
        return err_set(e, bad,
                       "this kernel has no EVL core (no /dev/evl/control"
                       "): boot one that has (docs/real-time.md, Xenomai 4), or use --rt posix");
    case -ENOEXEC:
        kernel_abi(offered, sizeof offered);
        return err_set(e, bad,
                       "libevl %s needs ABI %d, the EVL core of this kernel offers %s: build "
                       "skidpad with the libevl that belongs to the kernel, or use --rt posix",
                       v->version_string, v->abi_level, offered);
    case -EPERM:
    case -EACCES:
        return err_set(e, bad,
                       "the EVL core cannot be used without rights: run as root, or use --rt "
                       "posix with the rights it wants");
    default:
        return err_set(e, bad,
                       "libevl %s cannot use the EVL core of this kernel: %s; see that `evl "
                       "check` and `evl test` succeed, or use --rt posix",
                       v->version_string, strerror(-bad));
    }
}

static int open_core(struct rt *rt, struct err *e)
{
    const struct evl_version v = evl_get_version();
    int bad = access(EVL_CONTROL_DEV, F_OK) ? -ENOENT : evl_init();
    if (bad)
        return explain(bad, &v, e);
    (void)snprintf(rt->about, sizeof rt->about, "EVL core, libevl %s, ABI %d", v.version_string,
                   v.abi_level);
    return 0;
}

/* ---- the real-time thread */

static int64_t now_ns(struct rt *rt)
{
    struct timespec t = {0, 0};
    (void)rt;
    (void)evl_read_clock(EVL_CLOCK_MONOTONIC, &t); /* through the vDSO; cannot fail */
    return (int64_t)t.tv_sec * NS_PER_S + t.tv_nsec;
}

static int sleep_until(struct rt *rt, int64_t until_ns)
{
    struct timespec t = {.tv_sec = (time_t)(until_ns / NS_PER_S),
                         .tv_nsec = (long)(until_ns % NS_PER_S)};
    int bad;
    (void)rt;
    do
        bad = evl_sleep_until(EVL_CLOCK_MONOTONIC, &t);
    while (bad == -EINTR);
    return bad;
}

static struct evl_thread_state state_of(const struct rt *rt)
{
    struct evl_thread_state s;
    memset(&s, 0, sizeof s);
    (void)evl_get_state(rt->descriptor, &s); /* stays on its stage */
    return s;
}

/* The core counts with 32 bits. */
static uint64_t switches(struct rt *rt)
{
    return (uint32_t)(state_of(rt).isw - (uint32_t)rt->switches_start);
}

static int64_t cpu_ns(struct rt *rt)
{
    return (int64_t)state_of(rt).xtime;
}

/* Attaches the calling thread; the core takes over the priority that it has. */
static int join_core(struct rt *rt, struct err *e)
{
    rt->descriptor = evl_attach_self("%s:%d", rt->name ? rt->name : "skidpad", (int)getpid());
    if (rt->descriptor < 0)
        return err_set(e, rt->descriptor, "the EVL core did not take the thread: %s",
                       strerror(-rt->descriptor));
    if (state_of(rt).eattrs.sched_policy != SCHED_FIFO)
        return err_set(e, -EPERM,
                       "the EVL core needs SCHED_FIFO, and this thread has not got it: run as "
                       "root, or allow it (rtprio in /etc/security/limits.conf); --allow-nonrt "
                       "goes with --rt posix only");
    return 0;
}

static int start(struct rt *rt, struct err *e)
{
    struct evl_thread_state s;
    int bad = rt_switch_watch(rt, e);
    if (!bad)
        bad = join_core(rt, e);
    if (bad)
        return bad;
    /* A switch to the in-band stage from now on raises SIGDEBUG. */
    bad = evl_set_thread_mode(rt->descriptor, EVL_T_WOSS | EVL_T_HMSIG, NULL);
    if (bad)
        return err_set(e, bad, "in-band switches cannot be watched: %s", strerror(-bad));
    bad = rt_switch_warm_up(rt);
    if (bad)
        return err_set(e, bad, "the EVL core does not wait: %s", strerror(-bad));
    bad = evl_get_state(rt->descriptor, &s);
    if (bad)
        return err_set(e, bad, "the EVL core does not count in-band switches: %s", strerror(-bad));
    return rt_switch_baseline(rt, s.csw, s.isw, "EVL core", "CONFIG_EVL_RUNSTATS", e);
}

static void stop(struct rt *rt)
{
    (void)evl_detach_self(); /* silences SIGDEBUG first */
    rt_switch_unwatch(rt);
}

static const char *reason_name(int reason)
{
    static const char *const names[] = {
        [0] = "no reason told",
        [EVL_HMDIAG_SIGDEMOTE] = "signal of Linux",
        [EVL_HMDIAG_SYSDEMOTE] = "system call of Linux",
        [EVL_HMDIAG_EXDEMOTE] = "processor fault",
        [EVL_HMDIAG_WATCHDOG] = "watchdog",
        [EVL_HMDIAG_LKDEPEND] = "switched in-band with a lock",
        [EVL_HMDIAG_LKIMBALANCE] = "unbalanced locks",
        [EVL_HMDIAG_LKSLEEP] = "slept with a lock",
        [EVL_HMDIAG_STAGEX] = "locked out of the out-of-band stage",
        [EVL_HMDIAG_OVERRUN] = "overrun",
    };
    return rt_reason(names, sizeof names / sizeof names[0], reason);
}

const struct rt_ops rt_evl = {
    .name = "evl",
    .switch_name = "ISW",
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
