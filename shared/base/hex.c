#include "shared/base/hex.h"

#include <errno.h>
#include <string.h>

int hex_parse(const char *text, uint8_t *bytes, int room)
{
    int n = 0;
    while (*text != '\0') {
        if (strchr(" .:", *text)) {
            text++;
            continue;
        }
        int high = hex_digit(text[0]), low = high < 0 ? -1 : hex_digit(text[1]);
        if (low < 0)
            return -EINVAL;
        if (n == room)
            return -EMSGSIZE;
        bytes[n++] = (uint8_t)(high << 4 | low);
        text += 2;
    }
    return n;
}

char *hex_print(const uint8_t *bytes, int count, char *text, size_t size)
{
    static const char digits[] = "0123456789ABCDEF";
    char *to = text;
    for (int i = 0; i < count && (size_t)(to - text) + 3 <= size; i++) {
        *to++ = digits[bytes[i] >> 4];
        *to++ = digits[bytes[i] & 15];
    }
    *to = '\0';
    return text;
}
