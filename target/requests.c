#include "target/requests.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int requests_init(struct requests *q)
{
    memset(q, 0, sizeof *q);
    int bad = -pthread_mutex_init(&q->lock, NULL);
    q->made = bad == 0;
    if (!bad)
        bad = ring_init(&q->asked, sizeof(struct request), REQUESTS, NULL);
    if (!bad)
        bad = ring_init(&q->done, sizeof(struct request_done), REQUESTS, NULL);
    q->words = calloc(REQUESTS_NAMED, sizeof *q->words);
    return bad || q->words ? bad : -ENOMEM;
}

/* Under the lock. The payload of an answer is what nobody needs any more. */
static void put_answer(struct requests *q, const struct request_done *done)
{
    for (int i = 0; i < REQUESTS; i++) {
        struct request_place *p = &q->place[i];
        if (!p->used || p->answered || p->done.number != done->number)
            continue;
        p->done = *done;
        p->done.payload = NULL;
        p->answered = true;
    }
    free(done->payload);
}

static void collect(struct requests *q)
{
    struct request_done done;
    while (ring_pop(&q->done, &done, 1) == 1)
        put_answer(q, &done);
}

static struct request_place *free_place(struct requests *q, int kind)
{
    struct request_place *found = NULL;
    int room = 0;
    for (int i = 0; i < REQUESTS; i++)
        if (!q->place[i].used) {
            found = &q->place[i];
            room++;
        }
    return kind == REQUEST_SAFE || room > REQUESTS_FOR_STOPS ? found : NULL;
}

int requests_post(struct requests *q, struct request *r, const struct request_words *words)
{
    int bad = 0;
    (void)pthread_mutex_lock(&q->lock);
    struct request_place *p = free_place(q, r->kind);
    if (q->closed) {
        bad = -ESHUTDOWN;
    } else if (!p) {
        bad = -EAGAIN;
        if (r->kind == REQUEST_SAFE) {
            bool others =
                atomic_fetch_add(&q->urgent, 1) > 0 && strcmp(q->urgent_who, words->who) != 0;
            (void)snprintf(q->urgent_who, sizeof q->urgent_who, "%s",
                           others ? "several" : words->who);
        }
    } else {
        r->number = ++q->last;
        q->words[r->number % REQUESTS_NAMED] = *words;
        *p = (struct request_place){.used = true, .done = {.number = r->number, .kind = r->kind}};
        (void)ring_push(&q->asked, r); /* there are no more places than the ring has room for */
    }
    (void)pthread_mutex_unlock(&q->lock);
    return bad;
}

void requests_words(struct requests *q, uint64_t number, struct request_words *words)
{
    *words = (struct request_words){"", ""};
    (void)pthread_mutex_lock(&q->lock);
    if (number == 0)
        (void)snprintf(words->who, sizeof words->who, "%s", q->urgent_who);
    else if (number <= q->last && q->last - number < REQUESTS_NAMED)
        *words = q->words[number % REQUESTS_NAMED];
    (void)pthread_mutex_unlock(&q->lock);
}

bool requests_read(struct requests *q, uint64_t number, struct request_done *done)
{
    bool found = false;
    (void)pthread_mutex_lock(&q->lock);
    collect(q);
    for (int i = 0; i < REQUESTS && !found; i++) {
        struct request_place *p = &q->place[i];
        found = p->used && p->answered && p->done.number == number;
        if (found) {
            *done = p->done;
            p->used = false;
        }
    }
    (void)pthread_mutex_unlock(&q->lock);
    return found;
}

void requests_close(struct requests *q)
{
    struct request r;
    (void)pthread_mutex_lock(&q->lock);
    q->closed = true;
    collect(q);
    while (ring_pop(&q->asked, &r, 1) == 1)
        put_answer(q, &(struct request_done){.number = r.number,
                                             .tick = -1,
                                             .payload = r.payload,
                                             .kind = r.kind,
                                             .result = REQUEST_ENDED});
    (void)pthread_mutex_unlock(&q->lock);
}

void requests_free(struct requests *q)
{
    if (!q->made)
        return;
    if (q->asked.slots && q->done.slots)
        requests_close(q);
    ring_free(&q->asked);
    ring_free(&q->done);
    free(q->words);
    q->words = NULL;
    (void)pthread_mutex_destroy(&q->lock);
    q->made = false;
}

bool requests_wait(const struct requests *q)
{
    return ring_fill(&q->asked) > 0 || atomic_load_explicit(&q->urgent, memory_order_relaxed) > 0;
}

size_t requests_take(struct requests *q, struct request batch[REQUESTS], bool *stop, bool *urgent)
{
    *urgent = *stop = atomic_exchange_explicit(&q->urgent, 0, memory_order_relaxed) > 0;
    size_t n = ring_pop(&q->asked, batch, REQUESTS);
    for (size_t i = 0; i < n; i++)
        *stop |= batch[i].kind == REQUEST_SAFE;
    return n;
}

void requests_answer(struct requests *q, const struct request_done *done)
{
    (void)ring_push(&q->done, done); /* as many places as the other ring */
}

const char *request_name(int kind)
{
    static const char *const names[] = {"start",    "stop",      "safe",  "reset",
                                        "fault on", "fault off", "set-up"};
    return kind >= 0 && kind < REQUEST_KINDS ? names[kind] : "unknown";
}

const char *request_result_text(int result)
{
    static const char *const texts[] = {
        "done",
        "there is no safe state to leave",
        "that is not the number of the safe state: look at its cause first",
        "the model has failed: only a new start helps",
        "the watchdog has taken over the bus: end this run and start it again",
        "`safe` came in the same tick and goes first: ask again",
        "the bench is in its safe state: leave that with reset first",
        "the run has begun already",
        "the run is about to end",
        "the run ended before it could be carried out",
    };
    return result >= 0 && result < REQUEST_RESULTS ? texts[result] : "unknown";
}

int64_t request_event_value(const struct request_done *done)
{
    return (int64_t)(done->number << 8 | (uint64_t)done->kind << 4 | (uint64_t)done->result);
}

struct request_done request_of_event(int64_t value)
{
    uint64_t bits = (uint64_t)value;
    return (struct request_done){
        .number = bits >> 8, .kind = (int32_t)(bits >> 4 & 15u), .result = (int32_t)(bits & 15u)};
}

void request_event_text(struct requests *q, int64_t value, char *text, size_t size)
{
    const struct request_done d = request_of_event(value);
    struct request_words words;
    char number[24] = "";
    requests_words(q, d.number, &words);
    if (d.number > 0)
        (void)snprintf(number, sizeof number, "%" PRIu64 " ", d.number);
    (void)snprintf(text, size, "%s%s by %s: %s", number,
                   words.what[0] ? words.what : request_name(d.kind),
                   words.who[0] ? words.who : "somebody", request_result_text(d.result));
}
