#include_next <time.h>
#ifndef SKIDPAD_SHIM_TIME_H
#define SKIDPAD_SHIM_TIME_H

#include <shim_cobalt.h>

int __cobalt_clock_gettime(clockid_t clock, struct timespec *t);
int __cobalt_clock_nanosleep(clockid_t clock, int flags, const struct timespec *until,
                             struct timespec *left);

#endif
