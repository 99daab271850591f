/* Requests of people to a run, in the order in which they were taken.
 *
 * Any number of ordinary threads ask; the thread that ticks (before the start: the one that waits
 * for it) carries out. Every request has a number, and is answered by the tick that carried it out
 * or refused it: what was not answered was not done. The real-time thread only takes from one ring
 * and puts into another; the lock is between the ordinary threads. docs/requests.md has the states.
 */
#ifndef SKIDPAD_TARGET_REQUESTS_H
#define SKIDPAD_TARGET_REQUESTS_H

#include "shared/base/ring.h"

#include <pthread.h>

/* REQUESTS_FOR_STOPS of the places are kept free for stops. Of the last REQUESTS_NAMED it is known
 * who asked. */
enum { REQUESTS = 64, REQUESTS_FOR_STOPS = 16, REQUESTS_NAMED = 4096 };
enum { REQUEST_WHO = 32, REQUEST_WHAT = 96 };

enum request_kind {
    REQUEST_START,     /* of a run that waits for one */
    REQUEST_END,       /* the run ends after this tick */
    REQUEST_SAFE,      /* a person's stop: the safe state */
    REQUEST_RESET,     /* leaves the safe state of that number */
    REQUEST_FAULT_ON,  /* a fault of the bench file */
    REQUEST_FAULT_OFF, /* likewise */
    REQUEST_SETUP,     /* goes on with another car */
    REQUEST_KINDS
};

enum request_result {
    REQUEST_DONE,
    REQUEST_NOT_SAFE,   /* reset: there is no safe state to leave */
    REQUEST_OTHER_SAFE, /* reset: the safe state has another number */
    REQUEST_MODEL,      /* reset: a model that failed stays so */
    REQUEST_BUS_TAKEN,  /* reset: the watchdog has the bus */
    REQUEST_STOP_BEATS, /* a stop came in the same tick */
    REQUEST_IN_SAFE,    /* start: the bench is in its safe state */
    REQUEST_BEGUN,      /* start: the run has begun */
    REQUEST_ENDS,       /* start: the run is to end */
    REQUEST_ENDED,      /* the run ended before its tick came */
    REQUEST_RESULTS
};

struct request {
    uint64_t number; /* from 1 */
    uint64_t safe;   /* reset: number of the safe state */
    void *payload;   /* set-up: the new car */
    int32_t kind;    /* enum request_kind */
    int32_t fault;   /* index in the bench file */
};

struct request_done {
    uint64_t number;
    int64_t tick;   /* that did it; -1: before the first one */
    uint64_t safe;  /* number of the safe state then */
    void *payload;  /* to be freed */
    int32_t kind;   /* enum request_kind */
    int32_t result; /* enum request_result */
};

/* What people read of a request. */
struct request_words {
    char who[REQUEST_WHO];
    char what[REQUEST_WHAT]; /* "set rear_bar 1.5" */
};

/* A request between being taken and its answer being read. */
struct request_place {
    bool used, answered;
    struct request_done done; /* its number and kind from the beginning */
};

struct requests {
    pthread_mutex_t lock; /* of all below but the rings' other sides and urgent */
    bool made, closed;
    uint64_t last; /* number given */
    struct request_place place[REQUESTS];
    struct request_words *words;  /* by number; the tick knows numbers only */
    char urgent_who[REQUEST_WHO]; /* of the last stop that found no place */
    struct ring asked;            /* struct request, to the tick */
    struct ring done;             /* struct request_done, back */
    atomic_uint urgent;           /* stops that found no place */
};

/* ---- set-up */

/* Returns 0 or a negative errno; to be freed in both cases. */
int requests_init(struct requests *q);
void requests_free(struct requests *q);

/* ---- ordinary threads */

/* Gives the request, in these words, its number and hands it to the tick, payload included. Returns
 * 0; -EAGAIN: too many are on their way, but a stop is carried out all the same, only not answered;
 * -ESHUTDOWN: the run has ended. On errors the payload stays the caller's. */
int requests_post(struct requests *q, struct request *r, const struct request_words *words);
/* Who asked for the request of that number, and for what; 0: for the last stop that found no place.
 * Empty: that is not known any more. */
void requests_words(struct requests *q, uint64_t number, struct request_words *words);
/* Whether the answer to that request is there; it is read once. */
bool requests_read(struct requests *q, uint64_t number, struct request_done *done);
/* After the last tick: all that is still on its way is answered with REQUEST_ENDED, and nothing
 * more is taken. */
void requests_close(struct requests *q);

/* ---- the thread that ticks */

/* Whether anything has come. */
bool requests_wait(const struct requests *q);
/* What has come, in order; returns how many. *urgent: a stop found no place; *stop: that, or one is
 * among them. */
size_t requests_take(struct requests *q, struct request batch[REQUESTS], bool *stop, bool *urgent);
void requests_answer(struct requests *q, const struct request_done *done);

/* ---- words and numbers */

const char *request_name(int kind);
/* Why it was refused, in words. */
const char *request_result_text(int result);
/* The value of an EVENT_REQUEST, and back. */
int64_t request_event_value(const struct request_done *done);
struct request_done request_of_event(int64_t value);
/* What an EVENT_REQUEST says: number, what was asked for, by whom, result. An ordinary thread. */
void request_event_text(struct requests *q, int64_t value, char *text, size_t size);

#endif
