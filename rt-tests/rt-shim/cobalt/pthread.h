#include_next <pthread.h>
#ifndef SKIDPAD_SHIM_PTHREAD_H
#define SKIDPAD_SHIM_PTHREAD_H

#include <shim_cobalt.h>
#include <signal.h>

#define PTHREAD_WARNSW 0x00080000

int __cobalt_pthread_setschedparam(pthread_t thread, int policy, const struct sched_param *param);
int __cobalt_pthread_getschedparam(pthread_t thread, int *policy, struct sched_param *param);
int __cobalt_pthread_setname_np(pthread_t thread, const char *name);
int pthread_setmode_np(int clear, int set, int *old);

#endif
