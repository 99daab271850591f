#include "target/crew.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { CREW_MOST = 64 };

struct crew {
    atomic_int next;
    int count;
    void (*one)(void *what, int i);
    void *what;
};

static void *work(void *crew)
{
    struct crew *c = crew;
    for (int i = atomic_fetch_add(&c->next, 1); i < c->count; i = atomic_fetch_add(&c->next, 1))
        c->one(c->what, i);
    return NULL;
}

void crew_run(int threads, int count, void (*one)(void *what, int i), void *what)
{
    struct crew c = {.count = count, .one = one, .what = what};
    pthread_t id[CREW_MOST];
    int started = 0;
    /* This thread works too, so that a failure only makes it slower. */
    while (started < threads - 1 && started < CREW_MOST &&
           pthread_create(&id[started], NULL, work, &c) == 0)
        started++;
    (void)work(&c);
    for (int i = 0; i < started; i++)
        (void)pthread_join(id[i], NULL);
}
