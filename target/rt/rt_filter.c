#include "target/rt/rt_filter.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define FILTER_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define FILTER_ARCH AUDIT_ARCH_AARCH64
#endif

/* All that the loop may call (DESIGN: wait and clock), then what the C library calls to end a
 * thread, then CAN. */
static const uint32_t allowed[] = {
    SYS_clock_nanosleep, SYS_clock_gettime, SYS_exit,     SYS_madvise,
    SYS_rt_sigprocmask,  SYS_recvmmsg,      SYS_sendmmsg,
};
enum { ALLOWED = sizeof allowed / sizeof allowed[0], SOCKETS = 2 /* the last ones */ };

int rt_filter_install(bool sockets, struct err *e)
{
#ifdef FILTER_ARCH
    struct sock_filter code[6 + ALLOWED];
    unsigned short n = 0;
    code[n++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
    code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, FILTER_ARCH, 1, 0);
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    code[n++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    const unsigned count = sockets ? ALLOWED : ALLOWED - SOCKETS;
    for (unsigned i = 0; i < count; i++)
        code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, allowed[i],
                                                 (uint8_t)(count - i), 0);
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {.len = n, .filter = code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0)
        return 0;
    int error = errno;
    return err_set(e, -error, "the system call filter was refused: %s", strerror(error));
#else
    (void)sockets;
    return err_set(e, -ENOTSUP, "the system call filter is not known for this kind of CPU");
#endif
}
