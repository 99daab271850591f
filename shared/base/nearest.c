#include "shared/base/nearest.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

enum {
    LETTERS_MAX = 63,
    PREFIX_MIN = 3 /* shorter beginnings fit too many words */
};

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Optimal string alignment (Levenshtein plus swapped neighbours), row by row; only the last three
 * rows are kept. */
size_t nearest_distance(const char *a, const char *b)
{
    size_t a_length = strnlen(a, LETTERS_MAX);
    size_t b_length = strnlen(b, LETTERS_MAX);
    size_t rows[3][LETTERS_MAX + 1];

    for (size_t j = 0; j <= b_length; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i + 2) % 3];
        const size_t *two_above = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            size_t replace = above[j - 1] + (a[i - 1] != b[j - 1]);
            row[j] = smaller(replace, 1 + smaller(above[j], row[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = smaller(row[j], two_above[j - 2] + 1);
        }
    }
    return rows[a_length % 3][b_length];
}

/* How far apart two words are as mistakes go: a lost unit or another case is one mistake, however
 * many letters it takes. */
static bool is_beginning(const char *word, const char *known)
{
    size_t length = strlen(word);
    return length >= PREFIX_MIN && strncmp(word, known, length) == 0;
}

static size_t mistakes(const char *word, const char *known)
{
    size_t distance = nearest_distance(word, known);
    bool beginning = is_beginning(word, known);
    if (distance > 1 && (beginning || strcasecmp(word, known) == 0))
        return 1;
    return distance;
}

const char *nearest_word(const char *word, const char *const *words, size_t count)
{
    const char *best = NULL;
    size_t best_mistakes = SIZE_MAX;

    for (size_t i = 0; i < count; i++) {
        if (!words[i] || words[i][0] == '\0')
            continue;
        size_t known_length = strnlen(words[i], LETTERS_MAX);
        size_t found = mistakes(word, words[i]);
        /* One mistake, and one more for every three letters; never the whole word. */
        size_t allowed = 1 + smaller(strnlen(word, LETTERS_MAX), known_length) / 3;
        /* Who stops in the middle of a word has made no mistake in it. */
        bool better =
            found < best_mistakes || (best && found == best_mistakes &&
                                      is_beginning(word, words[i]) && !is_beginning(word, best));
        if (found <= smaller(allowed, known_length - 1) && better) {
            best = words[i];
            best_mistakes = found;
        }
    }
    return best;
}
