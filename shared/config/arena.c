#include "shared/config/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_BYTES = 32768 };

struct arena_chunk {
    struct arena_chunk *next;
    size_t size, used;
    alignas(max_align_t) char bytes[];
};

static struct arena_chunk *add_chunk(struct arena *arena, size_t size)
{
    size_t bytes = size > CHUNK_BYTES ? size : CHUNK_BYTES;
    if (bytes > SIZE_MAX - sizeof(struct arena_chunk))
        return NULL;
    struct arena_chunk *chunk = calloc(1, sizeof *chunk + bytes);
    if (!chunk)
        return NULL;
    chunk->next = arena->chunks;
    chunk->size = bytes;
    arena->chunks = chunk;
    return chunk;
}

void *arena_alloc(struct arena *arena, size_t size)
{
    const size_t align = alignof(max_align_t);
    if (size > SIZE_MAX - align)
        return NULL;
    size = (size + align - 1) / align * align;
    struct arena_chunk *chunk = arena->chunks;
    if (!chunk || chunk->size - chunk->used < size)
        chunk = add_chunk(arena, size);
    if (!chunk)
        return NULL;
    void *memory = chunk->bytes + chunk->used;
    chunk->used += size;
    return memory;
}

char *arena_copy_text(struct arena *arena, const char *text, size_t length)
{
    char *copy = length < SIZE_MAX ? arena_alloc(arena, length + 1) : NULL;
    if (copy && length)
        memcpy(copy, text, length);
    return copy;
}

void arena_free(struct arena *arena)
{
    while (arena->chunks) {
        struct arena_chunk *next = arena->chunks->next;
        free(arena->chunks);
        arena->chunks = next;
    }
}
