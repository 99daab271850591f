/* SHA-1 (FIPS 180-4), which the handshake of WebSockets asks for. No secret depends on it. */
#ifndef SKIDPAD_HOST_SHA1_H
#define SKIDPAD_HOST_SHA1_H

#include <stddef.h>
#include <stdint.h>

enum { SHA1_BYTES = 20, SHA1_TEXT_MAX = 183 };

/* Of a text of at most SHA1_TEXT_MAX bytes. */
void sha1(const void *text, size_t bytes, uint8_t hash[SHA1_BYTES]);

#endif
