/* Proof of the system calls that the real-time thread makes: a seccomp filter that kills the
 * process on any other. */
#ifndef SKIDPAD_RT_RT_FILTER_H
#define SKIDPAD_RT_RT_FILTER_H

#include "shared/base/err.h"

#include <stdbool.h>

/* For the calling thread, from now on: clock_nanosleep, clock reads where the vDSO cannot do them,
 * and what ends a thread; with sockets also recvmmsg and sendmmsg, for a thread that talks CAN
 * itself. Returns 0 or a negative errno with a message. */
int rt_filter_install(bool sockets, struct err *e);

#endif
