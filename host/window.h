/* Puts numbered records back in order: what comes early waits, what came already is dropped, what
 * is missing can be asked for. Memory is bounded; a record too far ahead is not kept, and will be
 * missing later. One thread. */
#ifndef SKIDPAD_HOST_WINDOW_H
#define SKIDPAD_HOST_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WINDOW_SLOTS = 4096 };

enum window_verdict { WINDOW_KEPT, WINDOW_DUPLICATE, WINDOW_TOO_FAR };

struct window {
    unsigned char *slots;
    size_t record_bytes;
    bool kept[WINDOW_SLOTS];
    uint64_t next; /* the first number not yet given out */
    uint64_t end;  /* one above the highest seen or told of */
};

/* Returns 0 or -ENOMEM. */
int window_init(struct window *w, size_t record_bytes);
void window_free(struct window *w);
enum window_verdict window_put(struct window *w, uint64_t number, const void *record);
/* The next record in order; NULL: it is missing. It stays until window_pop(). */
const void *window_peek(const struct window *w);
void window_pop(struct window *w);
/* The first run of missing numbers, at most max of them; returns how many. */
uint32_t window_missing(const struct window *w, uint32_t max, uint64_t *first);
/* Numbers below are not to be had: goes on behind them. Returns how many of them were missing. */
uint64_t window_skip(struct window *w, uint64_t to);

#endif
