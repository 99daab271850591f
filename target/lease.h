/* Who commands the bench: one page or one socket at a time, so that two people do not steer it
 * against each other. The first request takes a lease that is free, every further one renews it,
 * and it ends by itself. A stop needs none. This keeps order among people who may command; it keeps
 * nobody out, which is the part of the key and of the socket's rights.
 *
 * Any ordinary thread. Times are of a clock that does not step. */
#ifndef SKIDPAD_TARGET_LEASE_H
#define SKIDPAD_TARGET_LEASE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum { LEASE_NAME = 32 };

struct lease {
    pthread_mutex_t lock;
    char holder[LEASE_NAME]; /* empty: nobody */
    int64_t until_ns;
};

void lease_init(struct lease *l);
void lease_free(struct lease *l);

/* Takes or renews it. False: another holds it, whose name is then in holder. */
bool lease_take(struct lease *l, const char *who, int64_t now_ns, char holder[LEASE_NAME]);
/* Takes it from whoever holds it. */
void lease_take_over(struct lease *l, const char *who, int64_t now_ns);
/* Gives it back; false: another holds it. */
bool lease_release(struct lease *l, const char *who, int64_t now_ns);
/* Renews it if it is who's. */
void lease_renew(struct lease *l, const char *who, int64_t now_ns);
/* Who holds it now; empty: nobody. */
void lease_holder(struct lease *l, int64_t now_ns, char holder[LEASE_NAME]);

/* Whether a name may be shown: 1 to 31 of letters, digits and "._@-". */
bool lease_name_is_good(const char *who);

#endif
