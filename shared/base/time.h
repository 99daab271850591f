/* Time is int64_t nanoseconds everywhere; struct timespec lives only inside target/rt. */
#ifndef SKIDPAD_BASE_TIME_H
#define SKIDPAD_BASE_TIME_H

#include <stdint.h>

#define NS_PER_US INT64_C(1000)
#define NS_PER_MS INT64_C(1000000)
#define NS_PER_S  INT64_C(1000000000)

#endif
