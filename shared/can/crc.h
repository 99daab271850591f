/* The cyclic redundancy checks of car networks, a table look-up per byte. Most significant bit
 * first; the caller gives the start value and applies the final exclusive-or. */
#ifndef SKIDPAD_CAN_CRC_H
#define SKIDPAD_CAN_CRC_H

#include <stddef.h>
#include <stdint.h>

extern const uint8_t crc8_1d_table[256];     /* SAE J1850: x8 + x4 + x3 + x2 + 1 */
extern const uint8_t crc8_2f_table[256];     /* AUTOSAR 0x2F: x8 + x5 + x3 + x2 + x + 1 */
extern const uint16_t crc16_1021_table[256]; /* CCITT: x16 + x12 + x5 + 1 */

static inline uint8_t crc8_add(const uint8_t table[256], uint8_t crc, uint8_t byte)
{
    return table[crc ^ byte];
}

static inline uint16_t crc16_add(const uint16_t table[256], uint16_t crc, uint8_t byte)
{
    return (uint16_t)((unsigned)crc << 8 ^ table[(crc >> 8) ^ byte]);
}

uint8_t crc8_run(const uint8_t table[256], uint8_t crc, const uint8_t *bytes, size_t count);
uint16_t crc16_run(const uint16_t table[256], uint16_t crc, const uint8_t *bytes, size_t count);

#endif
