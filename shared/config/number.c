#include "shared/config/number.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    LONGEST = 127, /* characters of a number; the longest exact double has more, nobody writes it */
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static size_t skip_digits(const char *text, size_t length, size_t at)
{
    while (at < length && is_digit(text[at]))
        at++;
    return at;
}

static size_t skip_sign(const char *text, size_t length, size_t at)
{
    return at < length && (text[at] == '+' || text[at] == '-') ? at + 1 : at;
}

/* The longest beginning of the text that is a number: [+-] digits [. digits] [e [+-] digits], with
 * digits on at least one side of the point. 0 if there is none. *whole: only sign and digits. */
static size_t number_length(const char *text, size_t length, bool *whole)
{
    size_t start = skip_sign(text, length, 0);
    size_t at = skip_digits(text, length, start);
    size_t digits = at - start;
    *whole = true;
    if (at < length && text[at] == '.') {
        size_t end = skip_digits(text, length, at + 1);
        digits += end - (at + 1);
        at = end;
        *whole = false;
    }
    if (digits == 0)
        return 0;
    if (at < length && (text[at] == 'e' || text[at] == 'E')) {
        size_t first = skip_sign(text, length, at + 1);
        size_t end = skip_digits(text, length, first);
        if (end > first) {
            at = end;
            *whole = false;
        }
    }
    return at;
}

/* Copies a text that is a number and nothing else, so that the C library finds its NUL. */
static bool copy_number(const char *text, size_t length, char copy[LONGEST + 1], bool *whole)
{
    if (length == 0 || length > LONGEST || number_length(text, length, whole) != length)
        return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    return true;
}

int number_parse_double(const char *text, size_t length, double *value)
{
    char copy[LONGEST + 1];
    bool whole = false;
    if (!copy_number(text, length, copy, &whole))
        return -EINVAL;
    /* strtod() would expect the decimal mark of the user's locale. */
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (c_locale == (locale_t)0)
        return -EINVAL;
    double number = strtod_l(copy, NULL, c_locale);
    freelocale(c_locale);
    if (!isfinite(number))
        return -ERANGE;
    *value = number;
    return 0;
}

int number_parse_int(const char *text, size_t length, int64_t *value)
{
    static const double exact = 9007199254740992.0; /* 2^53 */
    char copy[LONGEST + 1];
    bool whole = false;
    if (!copy_number(text, length, copy, &whole))
        return -EINVAL;
    if (whole) {
        errno = 0;
        long long number = strtoll(copy, NULL, 10);
        if (errno == ERANGE)
            return -ERANGE;
        *value = number;
        return 0;
    }
    double number = 0.0;
    int rc = number_parse_double(text, length, &number);
    if (rc)
        return rc;
    if (!(fabs(number) <= exact))
        return -ERANGE;
    if (trunc(number) != number)
        return -EDOM;
    *value = (int64_t)number;
    return 0;
}

const char *number_hint(const char *text, size_t length)
{
    bool whole = false;
    size_t number = number_length(text, length, &whole);
    if (number == length || number == 0)
        return "";
    char next = text[number];
    if (next == ',')
        return "; the decimal mark is a point";
    if (next == 'x' || next == 'X')
        return "; hexadecimal is not accepted";
    if (next == '_' || next == '\'')
        return "; write the digits without separators";
    if (next == ' ' || next == '%' || isalpha((unsigned char)next))
        return "; write the number alone, the key names the unit";
    return "";
}
