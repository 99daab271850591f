/* Just the calls of libevl that skidpad uses, on shim_mode.h; names and meanings as there. */
#ifndef SKIDPAD_SHIM_EVL_H
#define SKIDPAD_SHIM_EVL_H

#include <evl/clock.h>
#include <evl/thread.h>

#include <sys/ioctl.h>

/* A file that is there or not, as the device is. */
const char *shim_evl_device(void);
#define EVL_CONTROL_DEV shim_evl_device()

struct evl_core_info {
    uint32_t abi_base, abi_current, fpu_features;
    uint64_t shm_size;
};
#define EVL_CTLIOC_GET_COREINFO _IOR('C', 0, struct evl_core_info)

struct evl_version {
    int api_level, abi_level;
    const char *version_string;
};

int evl_init(void);
struct evl_version evl_get_version(void);

#endif
