/* libevl's part of the stand-in. */
#include "shim_mode.h"

#include <errno.h>
#include <evl/evl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { DESCRIPTOR = 1000, ABI = 36 };

const char *shim_evl_device(void)
{
    return shim_core_is("absent") ? "/dev/null/none" : "/dev/null";
}

int evl_init(void)
{
    if (shim_core_is("absent"))
        return -ENOSYS;
    if (shim_core_is("abi"))
        return -ENOEXEC;
    return shim_core_is("rights") ? -EPERM : 0;
}

struct evl_version evl_get_version(void)
{
    return (struct evl_version){.abi_level = ABI, .version_string = "0.49-shim"};
}

int evl_attach_self(const char *format, ...)
{
    int bad = format[0] == '\0' ? -EINVAL : shim_joined() ? -EBUSY : shim_join();
    return bad ? bad : DESCRIPTOR;
}

int evl_detach_self(void)
{
    if (!shim_joined())
        return -EPERM;
    shim_leave();
    return 0;
}

int evl_get_state(int fd, struct evl_thread_state *out)
{
    if (fd != DESCRIPTOR || !shim_joined())
        return -EBADF;
    memset(out, 0, sizeof *out);
    out->eattrs.sched_policy = shim_core_is("not-fifo") ? SCHED_OTHER : SCHED_FIFO;
    out->isw = (uint32_t)shim_switches();
    out->csw = (uint32_t)shim_waits();
    out->xtime = shim_cpu_ns();
    return 0;
}

int evl_set_thread_mode(int fd, int mask, int *old)
{
    if (old)
        *old = 0;
    if (fd != DESCRIPTOR || !shim_joined())
        return -EBADF;
    shim_warn((mask & EVL_T_WOSS) && (mask & EVL_T_HMSIG));
    return 0;
}

int evl_read_clock(int clock, struct timespec *t)
{
    return clock_gettime(-clock, t) ? -errno : 0;
}

int evl_sleep_until(int clock, const struct timespec *until)
{
    return clock == EVL_CLOCK_MONOTONIC ? -shim_wait(until) : -EINVAL;
}
