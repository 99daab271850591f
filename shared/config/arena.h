/* Memory that is freed all at once: everything a document holds. */
#ifndef SKIDPAD_CONFIG_ARENA_H
#define SKIDPAD_CONFIG_ARENA_H

#include <stddef.h>

struct arena_chunk;

/* All zero is an empty arena. */
struct arena {
    struct arena_chunk *chunks;
};

/* Zeroed memory, aligned for any type; NULL if there is no more. */
void *arena_alloc(struct arena *arena, size_t size);
/* A copy with a NUL behind it. */
char *arena_copy_text(struct arena *arena, const char *text, size_t length);
void arena_free(struct arena *arena);

#endif
