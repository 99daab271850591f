/* Numbers as users write them in configuration files and tables: decimal, with a point, in every
 * locale. Accepted: 5  -.5  3.  +1e3  1.25E-6. Refused: NaN, infinities, hexadecimal, 1_000, 1,5
 * and whatever has something before or behind it, blanks included. */
#ifndef SKIDPAD_CONFIG_NUMBER_H
#define SKIDPAD_CONFIG_NUMBER_H

#include <stddef.h>
#include <stdint.h>

/* Both need no NUL behind the text and leave *value alone on failure. */

/* Returns 0, -EINVAL if the text is not a number, -ERANGE if it is too large for a double. What is
 * too small for a double becomes 0. */
int number_parse_double(const char *text, size_t length, double *value);

/* Also takes 1e3 and 2.0, because these are whole. Returns 0, -EINVAL if the text is not a number,
 * -EDOM if it is not whole, -ERANGE if it is too large for an int64_t (written with a point or an
 * exponent: larger than 2^53, the last whole number that a double surely holds). */
int number_parse_int(const char *text, size_t length, int64_t *value);

/* What to do about a text that number_parse_double() refused, to be put behind a message: "; ..."
 * or an empty string. */
const char *number_hint(const char *text, size_t length);

#endif
