#include_next <semaphore.h>
#ifndef SKIDPAD_SHIM_SEMAPHORE_H
#define SKIDPAD_SHIM_SEMAPHORE_H

#include <shim_cobalt.h>

int __cobalt_sem_init(sem_t *semaphore, int shared, unsigned value);
int __cobalt_sem_destroy(sem_t *semaphore);
int __cobalt_sem_post(sem_t *semaphore);
int __cobalt_sem_wait(sem_t *semaphore);

#endif
