#ifndef SKIDPAD_SHIM_EVL_THREAD_H
#define SKIDPAD_SHIM_EVL_THREAD_H

#include <signal.h>
#include <stdint.h>

#define SIGDEBUG        SIGXCPU
#define sigdebug_marker 0xfccf0000

#define EVL_T_WOSS  0x00008000
#define EVL_T_HMSIG 0x00100000

#define EVL_HMDIAG_SIGDEMOTE   1
#define EVL_HMDIAG_SYSDEMOTE   2
#define EVL_HMDIAG_EXDEMOTE    3
#define EVL_HMDIAG_WATCHDOG    4
#define EVL_HMDIAG_LKDEPEND    5
#define EVL_HMDIAG_LKIMBALANCE 6
#define EVL_HMDIAG_LKSLEEP     7
#define EVL_HMDIAG_STAGEX      8
#define EVL_HMDIAG_OVERRUN     9

struct evl_sched_attrs {
    int sched_policy, sched_priority;
};

struct evl_thread_state {
    struct evl_sched_attrs eattrs;
    uint32_t cpu, state, isw, csw, sc, rwa;
    uint64_t xtime;
};

int evl_attach_self(const char *format, ...) __attribute__((format(printf, 1, 2)));
int evl_detach_self(void);
int evl_get_state(int fd, struct evl_thread_state *out);
int evl_set_thread_mode(int fd, int mask, int *old);

#endif
