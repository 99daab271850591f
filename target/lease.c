#include "target/lease.h"

#include "shared/base/time.h"

#include <stdio.h>
#include <string.h>

static const int64_t lease_ns = 10 * NS_PER_S; /* after the holder's last request */

void lease_init(struct lease *l)
{
    *l = (struct lease){.until_ns = 0};
    (void)pthread_mutex_init(&l->lock, NULL);
}

void lease_free(struct lease *l)
{
    (void)pthread_mutex_destroy(&l->lock);
}

/* Under the lock. */
static bool is_of(const struct lease *l, const char *who, int64_t now_ns)
{
    return l->holder[0] != '\0' && now_ns < l->until_ns && strcmp(l->holder, who) == 0;
}

static bool is_free(const struct lease *l, int64_t now_ns)
{
    return l->holder[0] == '\0' || now_ns >= l->until_ns;
}

static void give(struct lease *l, const char *who, int64_t now_ns)
{
    (void)snprintf(l->holder, sizeof l->holder, "%s", who);
    l->until_ns = now_ns + lease_ns;
}

bool lease_take(struct lease *l, const char *who, int64_t now_ns, char holder[LEASE_NAME])
{
    (void)pthread_mutex_lock(&l->lock);
    bool may = is_free(l, now_ns) || is_of(l, who, now_ns);
    if (may)
        give(l, who, now_ns);
    memcpy(holder, l->holder, LEASE_NAME);
    (void)pthread_mutex_unlock(&l->lock);
    return may;
}

void lease_take_over(struct lease *l, const char *who, int64_t now_ns)
{
    (void)pthread_mutex_lock(&l->lock);
    give(l, who, now_ns);
    (void)pthread_mutex_unlock(&l->lock);
}

bool lease_release(struct lease *l, const char *who, int64_t now_ns)
{
    (void)pthread_mutex_lock(&l->lock);
    bool may = is_free(l, now_ns) || is_of(l, who, now_ns);
    if (may)
        l->holder[0] = '\0';
    (void)pthread_mutex_unlock(&l->lock);
    return may;
}

void lease_renew(struct lease *l, const char *who, int64_t now_ns)
{
    (void)pthread_mutex_lock(&l->lock);
    if (is_of(l, who, now_ns))
        give(l, who, now_ns);
    (void)pthread_mutex_unlock(&l->lock);
}

void lease_holder(struct lease *l, int64_t now_ns, char holder[LEASE_NAME])
{
    (void)pthread_mutex_lock(&l->lock);
    if (is_free(l, now_ns))
        holder[0] = '\0';
    else
        memcpy(holder, l->holder, LEASE_NAME);
    (void)pthread_mutex_unlock(&l->lock);
}

bool lease_name_is_good(const char *who)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._@-";
    size_t n = strlen(who);
    return n > 0 && n < LEASE_NAME && strspn(who, allowed) == n;
}
