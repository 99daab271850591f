#include "shared/can/crc.h"

/* A CRC is linear: the entry of a byte is the exclusive-or of the entries of its bits. So eight
 * numbers, the remainders of the single bits, make the whole table. */
#define BIT(i, n, entry) (((i) >> (n)&1) ? (entry) : 0)
#define ENTRY(i, b0, b1, b2, b3, b4, b5, b6, b7)                                                   \
    (BIT(i, 0, b0) ^ BIT(i, 1, b1) ^ BIT(i, 2, b2) ^ BIT(i, 3, b3) ^ BIT(i, 4, b4) ^               \
     BIT(i, 5, b5) ^ BIT(i, 6, b6) ^ BIT(i, 7, b7))

#define OF_1D(i)   ENTRY(i, 0x1d, 0x3a, 0x74, 0xe8, 0xcd, 0x87, 0x13, 0x26)
#define OF_2F(i)   ENTRY(i, 0x2f, 0x5e, 0xbc, 0x57, 0xae, 0x73, 0xe6, 0xe3)
#define OF_1021(i) ENTRY(i, 0x1021, 0x2042, 0x4084, 0x8108, 0x1231, 0x2462, 0x48c4, 0x9188)

#define FOUR(of, i)    of(i), of((i) + 1), of((i) + 2), of((i) + 3)
#define SIXTEEN(of, i) FOUR(of, i), FOUR(of, (i) + 4), FOUR(of, (i) + 8), FOUR(of, (i) + 12)
#define QUARTER(of, i)                                                                             \
    SIXTEEN(of, i), SIXTEEN(of, (i) + 16), SIXTEEN(of, (i) + 32), SIXTEEN(of, (i) + 48)
#define ALL(of) QUARTER(of, 0), QUARTER(of, 64), QUARTER(of, 128), QUARTER(of, 192)

const uint8_t crc8_1d_table[256] = {ALL(OF_1D)};
const uint8_t crc8_2f_table[256] = {ALL(OF_2F)};
const uint16_t crc16_1021_table[256] = {ALL(OF_1021)};

uint8_t crc8_run(const uint8_t table[256], uint8_t crc, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        crc = crc8_add(table, crc, bytes[i]);
    return crc;
}

uint16_t crc16_run(const uint16_t table[256], uint16_t crc, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        crc = crc16_add(table, crc, bytes[i]);
    return crc;
}
