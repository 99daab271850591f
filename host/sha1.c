#include "host/sha1.h"

#include <assert.h>
#include <string.h>

enum { BLOCK = 64, WORDS = 16, ROUNDS = 80, BLOCKS_MAX = 3 };
static_assert(SHA1_TEXT_MAX == BLOCKS_MAX * BLOCK - 9, "with the bit and the length behind it");

static uint32_t turn(uint32_t x, int bits)
{
    return x << bits | x >> (32 - bits);
}

static uint32_t big_endian(const uint8_t *b)
{
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

/* FIPS 180-4, 6.1.2; f and k by the round, 4.1.1 and 4.2.1. */
static void take_block(uint32_t h[5], const uint8_t *block)
{
    static const uint32_t k[4] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
    uint32_t w[ROUNDS], a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];
    for (int t = 0; t < WORDS; t++)
        w[t] = big_endian(block + 4 * t);
    for (int t = WORDS; t < ROUNDS; t++)
        w[t] = turn(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
    for (int t = 0; t < ROUNDS; t++) {
        const uint32_t choose = (b & c) ^ (~b & d), parity = b ^ c ^ d,
                       majority = (b & c) ^ (b & d) ^ (c & d);
        const uint32_t f[4] = {choose, parity, majority, parity};
        const uint32_t next = turn(a, 5) + f[t / 20] + e + k[t / 20] + w[t];
        e = d;
        d = c;
        c = turn(b, 30);
        b = a;
        a = next;
    }
    h[0] += a;
    h[1] += b;
    h[2] += c;
    h[3] += d;
    h[4] += e;
}

void sha1(const void *text, size_t bytes, uint8_t hash[SHA1_BYTES])
{
    uint32_t h[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
    uint8_t padded[BLOCKS_MAX * BLOCK] = {0};
    assert(bytes <= SHA1_TEXT_MAX);
    const size_t blocks = (bytes + 9 + BLOCK - 1) / BLOCK;
    memcpy(padded, text, bytes);
    padded[bytes] = 0x80;
    padded[blocks * BLOCK - 2] = (uint8_t)(bytes * 8 >> 8);
    padded[blocks * BLOCK - 1] = (uint8_t)(bytes * 8);
    for (size_t i = 0; i < blocks; i++)
        take_block(h, padded + i * BLOCK);
    for (int i = 0; i < SHA1_BYTES; i++)
        hash[i] = (uint8_t)(h[i / 4] >> (24 - 8 * (i % 4)));
}
