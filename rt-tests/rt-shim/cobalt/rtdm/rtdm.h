#ifndef SKIDPAD_SHIM_RTDM_H
#define SKIDPAD_SHIM_RTDM_H

#include <stdint.h>
#include <sys/ioctl.h>

typedef uint64_t nanosecs_abs_t;
typedef int64_t nanosecs_rel_t;

#define RTDM_CLASS_CAN 3

struct rtdm_device_info {
    int device_flags, device_class, device_sub_class, profile_version;
};

#define RTIOC_DEVICE_INFO _IOR(0, 0x00, struct rtdm_device_info)

#endif
