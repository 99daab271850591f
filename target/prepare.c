#include "target/prepare.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void work_once(struct prepare *p)
{
    p->vehicle = NULL;
    p->path[0] = '\0';
    p->error.text[0] = '\0';
    p->bad = p->is_scenario ? serve_check(p->serve, p->name, p->path, sizeof p->path, &p->error)
                            : tune_build(p->tune, p->name, p->value, &p->vehicle, &p->error);
}

static void *work(void *argument)
{
    struct prepare *p = argument;
    (void)pthread_mutex_lock(&p->lock);
    while (!p->finish) {
        if (p->state != PREPARE_WANTED) {
            (void)pthread_cond_wait(&p->wake, &p->lock);
            continue;
        }
        (void)pthread_mutex_unlock(&p->lock);
        work_once(p);
        (void)pthread_mutex_lock(&p->lock);
        p->state = PREPARE_READY;
    }
    (void)pthread_mutex_unlock(&p->lock);
    return NULL;
}

int prepare_open(struct prepare *p, struct tune *tune, struct serve *serve, bool thread,
                 struct err *e)
{
    *p = (struct prepare){.tune = tune, .serve = serve};
    (void)pthread_mutex_init(&p->lock, NULL);
    (void)pthread_cond_init(&p->wake, NULL);
    p->made = true;
    int error = thread ? pthread_create(&p->thread, NULL, work, p) : 0;
    p->started = thread && error == 0;
    return error ? err_set(e, -error, "the thread that prepares requests did not start: %s",
                           strerror(error))
                 : 0;
}

void prepare_close(struct prepare *p)
{
    if (!p->made)
        return;
    if (p->started) {
        (void)pthread_mutex_lock(&p->lock);
        p->finish = true;
        (void)pthread_cond_signal(&p->wake);
        (void)pthread_mutex_unlock(&p->lock);
        (void)pthread_join(p->thread, NULL);
    }
    free(p->vehicle);
    (void)pthread_cond_destroy(&p->wake);
    (void)pthread_mutex_destroy(&p->lock);
    *p = (struct prepare){.tune = NULL};
}

int prepare_begin(struct prepare *p, bool is_scenario, const char *name, double value)
{
    (void)pthread_mutex_lock(&p->lock);
    bool idle = p->state == PREPARE_IDLE;
    if (idle) {
        p->is_scenario = is_scenario;
        p->value = value;
        (void)snprintf(p->name, sizeof p->name, "%s", name);
        p->state = PREPARE_WANTED;
        (void)pthread_cond_signal(&p->wake);
    }
    (void)pthread_mutex_unlock(&p->lock);
    if (idle && !p->started) {
        work_once(p);
        p->state = PREPARE_READY;
    }
    return idle ? 0 : -EBUSY;
}

bool prepare_is_ready(struct prepare *p)
{
    (void)pthread_mutex_lock(&p->lock);
    bool ready = p->state == PREPARE_READY;
    (void)pthread_mutex_unlock(&p->lock);
    return ready;
}

void prepare_end(struct prepare *p)
{
    (void)pthread_mutex_lock(&p->lock);
    p->state = PREPARE_IDLE;
    (void)pthread_mutex_unlock(&p->lock);
}
