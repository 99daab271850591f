#ifndef SKIDPAD_SHIM_EVL_CLOCK_H
#define SKIDPAD_SHIM_EVL_CLOCK_H

#include <time.h>

#define EVL_CLOCK_MONOTONIC (-CLOCK_MONOTONIC)

int evl_read_clock(int clock, struct timespec *t);
int evl_sleep_until(int clock, const struct timespec *until);

#endif
