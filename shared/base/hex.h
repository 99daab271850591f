/* Bytes as hexadecimal text. */
#ifndef SKIDPAD_BASE_HEX_H
#define SKIDPAD_BASE_HEX_H

#include <stddef.h>
#include <stdint.h>

/* The value of a digit, or -1. */
static inline int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Two digits a byte; blanks, dots and colons between bytes are passed over. Returns how many bytes,
 * -EINVAL if something else is in it or half a byte, -EMSGSIZE if they are more than room. */
int hex_parse(const char *text, uint8_t *bytes, int room);

/* Two capital digits a byte, ended by NUL; cut to whole bytes if the text is too short. Returns
 * text. */
char *hex_print(const uint8_t *bytes, int count, char *text, size_t size);

#endif
