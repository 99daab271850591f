/* A pretended dual kernel for one thread: real time, and leaving it.
 *
 * A thread that joined is in real time after each blocking call of the core. Every system call that
 * it makes by itself is a call of Linux: a seccomp filter stops it, and before it is made the
 * thread leaves real time, which is counted and, if asked for, raises SIGDEBUG with the reason, as
 * the real cores do. So a test sees calls that nobody planted, too. */
#ifndef SKIDPAD_SHIM_MODE_H
#define SKIDPAD_SHIM_MODE_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

enum { SHIM_SIGNAL = 1, SHIM_SYSCALL = 2, SHIM_FAULT = 3 };

/* What SHIM_CORE in the environment makes of the core; see README.md. */
bool shim_core_is(const char *word);

/* The calling thread joins the core. Returns 0 or a negative errno. */
int shim_join(void);
void shim_leave(void);
bool shim_joined(void);
/* SIGDEBUG on leaving real time. */
void shim_warn(bool on);
/* Leaves real time, if it is there, for a reason of the core's. */
void shim_switch(int reason);

uint64_t shim_switches(void);
uint64_t shim_waits(void);
uint64_t shim_cpu_ns(void);
/* In real time now. */
bool shim_realtime(void);

/* Sleeps in real time. Returns 0 or a positive error. The first waits leave real time, as the
 * start-up of a thread does on the real cores: SHIM_STARTUP in the environment says how many. */
int shim_wait(const struct timespec *until);
/* The same for any other call of the core that waits: the thread is in real time after it. Returns
 * 0, or EPERM for a thread that did not join. */
int shim_wait_begins(void);
void shim_sleep_until_ns(int64_t until_ns);
/* A semaphore of the core: sleeps while the value is 0, then takes one. */
int shim_semaphore_wait(atomic_int *value);
void shim_semaphore_post(atomic_int *value);
/* A system call of the core: not one of Linux. */
long shim_call(long number, long a, long b, long c, long d, long e, long f);

#endif
