#include "shim_mode.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#define MARK 0xfccf0000u /* as both cores mark the signal */

static _Thread_local struct {
    bool filtered, joined, realtime, warn;
    uint64_t switches, waits;
    int startup; /* waits that still leave real time */
} mode;

bool shim_core_is(const char *word)
{
    const char *core = getenv("SHIM_CORE");
    return core && strcmp(core, word) == 0;
}

/* ---- the one place that the filter lets through, by the address behind the instruction */

extern const char shim_call_end[];

#ifdef __clang__
#define ONCE __attribute__((noinline))
#else
#define ONCE __attribute__((noinline, noclone))
#endif

ONCE long shim_call(long number, long a, long b, long c, long d, long e, long f)
{
#if defined(__x86_64__)
    register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
    long result;
    __asm__ volatile("syscall\n.globl shim_call_end\nshim_call_end:"
                     : "=a"(result)
                     : "0"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
#elif defined(__aarch64__)
    register long x8 __asm__("x8") = number, x0 __asm__("x0") = a, x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c, x3 __asm__("x3") = d, x4 __asm__("x4") = e;
    register long x5 __asm__("x5") = f;
    __asm__ volatile("svc 0\n.globl shim_call_end\nshim_call_end:"
                     : "+r"(x0)
                     : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                     : "memory");
    return x0;
#else
#error "the stand-in knows x86-64 and AArch64 only"
#endif
}

/* ---- leaving real time */

void shim_switch(int reason)
{
    if (!mode.joined || !mode.realtime)
        return;
    mode.realtime = false;
    mode.switches++;
    if (!mode.warn)
        return;
    siginfo_t info;
    memset(&info, 0, sizeof info);
    info.si_signo = SIGXCPU;
    info.si_code = SI_QUEUE;
    info.si_value.sival_int = (int)(MARK | (unsigned)reason);
    long process = shim_call(SYS_getpid, 0, 0, 0, 0, 0, 0);
    long thread = shim_call(SYS_gettid, 0, 0, 0, 0, 0, 0);
    (void)shim_call(SYS_rt_tgsigqueueinfo, process, thread, SIGXCPU, (long)&info, 0, 0);
}

/* A system call that the filter stopped: a switch, then the call itself. */
static void on_call(int number, siginfo_t *info, void *context)
{
    ucontext_t *u = context;
    (void)number;
    shim_switch(SHIM_SYSCALL);
#if defined(__x86_64__)
    greg_t *g = u->uc_mcontext.gregs;
    g[REG_RAX] = shim_call(info->si_syscall, g[REG_RDI], g[REG_RSI], g[REG_RDX], g[REG_R10],
                           g[REG_R8], g[REG_R9]);
#else
    unsigned long long *r = u->uc_mcontext.regs;
    r[0] = (unsigned long long)shim_call(info->si_syscall, (long)r[0], (long)r[1], (long)r[2],
                                         (long)r[3], (long)r[4], (long)r[5]);
#endif
}

/* Allowed besides: reads of the clock where the vDSO cannot do them, the end of a handler, and what
 * the C library calls with all signals blocked when a thread ends. */
static const uint32_t allowed[] = {SYS_clock_gettime, SYS_rt_sigreturn, SYS_rt_sigprocmask,
                                   SYS_exit,          SYS_madvise,      SYS_munmap};
enum { ALLOWED = sizeof allowed / sizeof allowed[0] };

static int install(void)
{
    struct sigaction action;
    uint64_t end = (uint64_t)(uintptr_t)shim_call_end;
    struct sock_filter code[8 + ALLOWED];
    const size_t address = offsetof(struct seccomp_data, instruction_pointer);
    unsigned short n = 0;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_call;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    if (sigaction(SIGSYS, &action, NULL))
        return -errno;
    code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)address);
    code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)end, 0, 2);
    code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)address + 4);
    code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(end >> 32),
                                             ALLOWED + 2, 0);
    code[n++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (unsigned i = 0; i < ALLOWED; i++)
        code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, allowed[i],
                                                 (uint8_t)(ALLOWED - i), 0);
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {.len = n, .filter = code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
        return -errno;
    mode.filtered = true;
    return 0;
}

/* ---- the thread */

int shim_join(void)
{
    const char *startup = getenv("SHIM_STARTUP");
    int bad = mode.filtered ? 0 : install();
    if (bad)
        return bad;
    mode.joined = true;
    mode.realtime = false;
    mode.warn = false;
    mode.switches = mode.waits = 0;
    mode.startup = startup ? (int)strtol(startup, NULL, 10) : 0;
    return 0;
}

void shim_leave(void)
{
    mode.joined = false;
}

bool shim_joined(void)
{
    return mode.joined;
}

void shim_warn(bool on)
{
    mode.realtime = true; /* as the real calls do */
    mode.warn = on;
}

uint64_t shim_switches(void)
{
    return mode.switches;
}

uint64_t shim_waits(void)
{
    return shim_core_is("no-stats") ? 0 : mode.waits;
}

bool shim_realtime(void)
{
    return mode.joined && mode.realtime;
}

uint64_t shim_cpu_ns(void)
{
    struct timespec t = {0, 0};
    (void)shim_call(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, (long)&t, 0, 0, 0, 0);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

int shim_wait_begins(void)
{
    if (!mode.joined)
        return EPERM;
    mode.realtime = true;
    mode.waits++;
    if (mode.startup > 0) {
        mode.startup--;
        shim_switch(SHIM_FAULT);
        mode.realtime = true;
    }
    return 0;
}

static long sleep_until(const struct timespec *until)
{
    /* A stopped core wakes nobody. */
    const struct timespec never = {.tv_sec = INT32_MAX};
    if (shim_core_is("stopped") || shim_core_is("stuck"))
        until = &never;
    return shim_call(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, (long)until, 0, 0, 0);
}

int shim_wait(const struct timespec *until)
{
    int error = shim_wait_begins();
    return error ? error : (int)-sleep_until(until);
}

void shim_sleep_until_ns(int64_t until_ns)
{
    const struct timespec until = {.tv_sec = until_ns / 1000000000,
                                   .tv_nsec = until_ns % 1000000000};
    (void)sleep_until(&until);
}

int shim_semaphore_wait(atomic_int *value)
{
    int error = shim_wait_begins();
    for (int n = atomic_load(value); !error;) {
        if (n > 0 && atomic_compare_exchange_strong(value, &n, n - 1))
            return 0;
        if (n == 0)
            (void)shim_call(SYS_futex, (long)value, FUTEX_WAIT, 0, 0, 0, 0);
        n = atomic_load(value);
    }
    return error;
}

void shim_semaphore_post(atomic_int *value)
{
    atomic_fetch_add(value, 1);
    (void)shim_call(SYS_futex, (long)value, FUTEX_WAKE, 1, 0, 0, 0);
}
