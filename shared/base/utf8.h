/* UTF-8 as RFC 3629 has it: no forms that are longer than need be, no halves of surrogate pairs,
 * nothing beyond U+10FFFF. */
#ifndef SKIDPAD_BASE_UTF8_H
#define SKIDPAD_BASE_UTF8_H

#include <stddef.h>

/* Bytes of the character at the beginning of the text, 1 to 4; 0 if there is none or it is not
 * valid. At most `bytes` are looked at. A zero byte is a character of one byte. */
size_t utf8_character(const char *text, size_t bytes);

/* Makes a field of fixed size a text: valid up to its zero byte, with '?' in place of each byte
 * that is not; cut between two characters if there is no zero byte; zeros behind it. */
void utf8_repair_field(char *field, size_t bytes);

#endif
