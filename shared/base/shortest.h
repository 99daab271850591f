/* Numbers as text for tables: the fewest digits that read back as the same bits, in the C locale's
 * form ("0.1", "-1e-07", "nan", "inf"). Not for the real-time thread. */
#ifndef SKIDPAD_BASE_SHORTEST_H
#define SKIDPAD_BASE_SHORTEST_H

enum { SHORTEST_SIZE = 32 }; /* of the text, with the zero byte at its end */

/* At most 17 digits for a double, 9 for a float. Whole numbers below 1e15 (1e6 for a float) have
 * neither point nor exponent. The sign and the bits of a NaN are lost. Return the length. */
int shortest_double(double x, char text[SHORTEST_SIZE]);
int shortest_float(float x, char text[SHORTEST_SIZE]);

#endif
