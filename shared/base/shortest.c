#include "shared/base/shortest.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int put(const char *word, char text[SHORTEST_SIZE])
{
    size_t length = strlen(word);
    memcpy(text, word, length + 1);
    return (int)length;
}

/* The texts without digits. Returns 0 for other numbers. */
static int not_finite(double x, char text[SHORTEST_SIZE])
{
    if (isnan(x))
        return put("nan", text);
    if (isinf(x))
        return put(x < 0.0 ? "-inf" : "inf", text);
    return 0;
}

/* Fifteen digits of a decimal number survive a double, seventeen tell all doubles apart; six and
 * nine for a float. What is too small to have all its bits may need fewer. The last try needs no
 * check. */
int shortest_double(double x, char text[SHORTEST_SIZE])
{
    int length = not_finite(x, text);
    if (length > 0)
        return length;
    if (fabs(x) < 1e15 && x == floor(x) && !(x == 0.0 && signbit(x)))
        return snprintf(text, SHORTEST_SIZE, "%" PRId64, (int64_t)x); /* the same, but faster */
    for (int digits = fabs(x) < DBL_MIN ? 1 : 15; digits <= 17; digits++) {
        length = snprintf(text, SHORTEST_SIZE, "%.*g", digits, x);
        if (digits == 17 || strtod(text, NULL) == x)
            break;
    }
    return length;
}

int shortest_float(float x, char text[SHORTEST_SIZE])
{
    int length = not_finite((double)x, text);
    if (length > 0)
        return length;
    for (int digits = fabsf(x) < FLT_MIN ? 1 : 6; digits <= 9; digits++) {
        length = snprintf(text, SHORTEST_SIZE, "%.*g", digits, (double)x);
        if (digits == 9 || strtof(text, NULL) == x)
            break;
    }
    return length;
}
