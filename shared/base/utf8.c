#include "shared/base/utf8.h"

#include <stdbool.h>
#include <string.h>

size_t utf8_character(const char *text, size_t bytes)
{
    const unsigned char *t = (const unsigned char *)text;
    if (bytes == 0)
        return 0;
    const size_t length = t[0] < 0x80                   ? 1
                          : t[0] >= 0xc2 && t[0] < 0xe0 ? 2
                          : t[0] >= 0xe0 && t[0] < 0xf0 ? 3
                          : t[0] >= 0xf0 && t[0] < 0xf5 ? 4
                                                        : 0;
    if (length > bytes)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((t[i] & 0xc0) != 0x80)
            return 0;
    const bool wrong = (t[0] == 0xe0 && t[1] < 0xa0) || (t[0] == 0xed && t[1] > 0x9f) ||
                       (t[0] == 0xf0 && t[1] < 0x90) || (t[0] == 0xf4 && t[1] > 0x8f);
    return wrong ? 0 : length;
}

/* Whether the bytes up to the end of the field are the beginning of a character that it has no room
 * for. */
static bool cut_off(const char *text, size_t bytes)
{
    static const size_t lengths[] = {2, 2, 3, 4}; /* by the bits 5 and 4 of the first byte */
    const unsigned char first = (unsigned char)text[0];
    if (first < 0xc2 || first >= 0xf5 || bytes >= lengths[(first >> 4) & 3])
        return false;
    for (size_t i = 1; i < bytes; i++)
        if (((unsigned char)text[i] & 0xc0) != 0x80)
            return false;
    return true;
}

void utf8_repair_field(char *field, size_t bytes)
{
    size_t at = 0;
    /* One byte is for the zero. */
    while (at + 1 < bytes && field[at] != '\0') {
        const size_t length = utf8_character(field + at, bytes - 1 - at);
        if (length == 0 && cut_off(field + at, bytes - 1 - at))
            break;
        if (length == 0)
            field[at] = '?';
        at += length ? length : 1;
    }
    if (bytes > 0)
        memset(field + at, 0, bytes - at);
}
