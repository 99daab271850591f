#include "host/window.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int window_init(struct window *w, size_t record_bytes)
{
    memset(w, 0, sizeof *w);
    w->record_bytes = record_bytes;
    w->slots = malloc(WINDOW_SLOTS * record_bytes);
    return w->slots ? 0 : -ENOMEM;
}

void window_free(struct window *w)
{
    free(w->slots);
    memset(w, 0, sizeof *w);
}

enum window_verdict window_put(struct window *w, uint64_t number, const void *record)
{
    size_t slot = number % WINDOW_SLOTS;
    if (number >= w->end)
        w->end = number + 1;
    if (number < w->next)
        return WINDOW_DUPLICATE;
    if (number - w->next >= WINDOW_SLOTS)
        return WINDOW_TOO_FAR;
    if (w->kept[slot])
        return WINDOW_DUPLICATE;
    memcpy(w->slots + slot * w->record_bytes, record, w->record_bytes);
    w->kept[slot] = true;
    return WINDOW_KEPT;
}

const void *window_peek(const struct window *w)
{
    size_t slot = w->next % WINDOW_SLOTS;
    return w->kept[slot] ? w->slots + slot * w->record_bytes : NULL;
}

void window_pop(struct window *w)
{
    w->kept[w->next++ % WINDOW_SLOTS] = false;
}

uint32_t window_missing(const struct window *w, uint32_t max, uint64_t *first)
{
    uint64_t number = w->next, limit = w->next + WINDOW_SLOTS;
    limit = limit < w->end ? limit : w->end;
    while (number < limit && w->kept[number % WINDOW_SLOTS])
        number++;
    *first = number;
    uint32_t count = 0;
    while (count < max && number < limit && !w->kept[number % WINDOW_SLOTS]) {
        number++;
        count++;
    }
    return count;
}

uint64_t window_skip(struct window *w, uint64_t to)
{
    uint64_t stop = w->next;
    if (to > w->end)
        to = w->end;
    /* What is kept before it stays: the caller takes it first. */
    while (stop < to && stop - w->next < WINDOW_SLOTS && !w->kept[stop % WINDOW_SLOTS])
        stop++;
    if (stop - w->next == WINDOW_SLOTS)
        stop = to; /* nothing is kept at all */
    if (stop <= w->next)
        return 0;
    uint64_t missed = stop - w->next;
    w->next = stop;
    return missed;
}
