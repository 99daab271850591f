#include_next <sys/ioctl.h>
#ifndef SKIDPAD_SHIM_SYS_IOCTL_H
#define SKIDPAD_SHIM_SYS_IOCTL_H

#include <shim_cobalt.h>

int __cobalt_ioctl(int fd, unsigned request, ...);

#endif
