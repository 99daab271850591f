#ifndef SKIDPAD_SHIM_SYS_COBALT_H
#define SKIDPAD_SHIM_SYS_COBALT_H

#include <shim_cobalt.h>

#define _CC_COBALT_GET_VERSION     0
#define _CC_COBALT_GET_CORE_STATUS 6

enum cobalt_run_states { COBALT_STATE_DISABLED, COBALT_STATE_RUNNING, COBALT_STATE_STOPPED };

struct cobalt_threadstat {
    uint64_t xtime, timeout, msw, csw, xsc;
    uint32_t status, pf;
    int32_t cpu, cprio;
};

extern int __cobalt_control_bind;

int cobalt_corectl(int request, void *data, size_t size);
int cobalt_thread_stat(pid_t pid, struct cobalt_threadstat *out);

#endif
