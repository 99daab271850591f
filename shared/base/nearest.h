/* "Did you mean": the known word that a mistyped one was probably meant to be. Not for the
 * real-time thread. */
#ifndef SKIDPAD_BASE_NEAREST_H
#define SKIDPAD_BASE_NEAREST_H

#include <stddef.h>

/* Number of single letters to insert, drop or replace, or neighbours to swap, to turn a into b.
 * Only the first 63 letters of each count. */
size_t nearest_distance(const char *a, const char *b);

/* The word of the list nearest to the given one, or NULL if none is near enough to be a
 * misspelling of it. A word that only lacks its end ("mass" for "mass_kg") counts as near. NULL
 * entries are passed over. The first of equally near words wins. */
const char *nearest_word(const char *word, const char *const *words, size_t count);

#endif
