/* FNV-1a with 64 bits: equal content, equal hash, on every machine. Not against forgery. */
#ifndef SKIDPAD_BASE_HASH_H
#define SKIDPAD_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HASH_BEGIN 14695981039346656037u

static inline uint64_t hash_bytes(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *b = data;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ b[i]) * 1099511628211u;
    return hash;
}

/* With its NUL, so that texts that follow each other do not run together. */
static inline uint64_t hash_text(uint64_t hash, const char *text)
{
    return hash_bytes(hash, text, strlen(text) + 1);
}

/* The low byte first, whatever the order in memory. */
static inline uint64_t hash_u64(uint64_t hash, uint64_t value)
{
    for (int i = 0; i < 8; i++, value >>= 8)
        hash = (hash ^ (value & 0xffu)) * 1099511628211u;
    return hash;
}

/* The bits: zeros of both signs differ. */
static inline uint64_t hash_f64(uint64_t hash, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return hash_u64(hash, bits);
}

#endif
