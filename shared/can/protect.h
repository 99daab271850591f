/* End-to-end protection of frames: a checksum, an alive counter, a data id.
 *
 * The rule is const once the run starts; what was last seen and how often it was wrong is separate.
 * One rule covers the AUTOSAR profiles 1, 2 and 5, the plain CRC-8 families, additive and
 * exclusive-or checksums, and a counter alone: docs/can.md, "Protection".
 *
 * Pure: no clock, no heap. */
#ifndef SKIDPAD_CAN_PROTECT_H
#define SKIDPAD_CAN_PROTECT_H

#include <stdbool.h>
#include <stdint.h>

enum protect_sum {
    PROTECT_NO_SUM,
    PROTECT_CRC8_1D,
    PROTECT_CRC8_2F,
    PROTECT_CRC16_1021, /* two bytes, low byte first */
    PROTECT_ADD,        /* modulo 256 */
    PROTECT_XOR
};

/* Which bytes of the data id enter the checksum. */
enum protect_id {
    PROTECT_ID_NONE,
    PROTECT_ID_LOW_FIRST,   /* low byte, then the data */
    PROTECT_ID_BOTH_FIRST,  /* low byte, high byte, then the data: profile 1A */
    PROTECT_ID_ALTERNATING, /* low byte with even counters, high byte with odd: profile 1B */
    PROTECT_ID_NIBBLE,      /* low byte, zero, then the data, which carries bits 8..11: 1C */
    PROTECT_ID_LIST_FIRST,  /* data_ids[counter mod 16], then the data */
    PROTECT_ID_LOW_LAST,    /* the data, then the low byte */
    PROTECT_ID_BOTH_LAST,   /* the data, low byte, high byte: profile 5 */
    PROTECT_ID_LIST_LAST    /* the data, then data_ids[counter mod 16]: profile 2 */
};

enum protect_profile {
    PROTECT_NONE,
    PROTECT_E2E_1A,
    PROTECT_E2E_1B,
    PROTECT_E2E_1C,
    PROTECT_E2E_1_LOW, /* profile 1 with the low byte of the data id only */
    PROTECT_E2E_2,
    PROTECT_E2E_5,
    PROTECT_PLAIN_1D, /* CRC-8 0x1D, start and final exclusive-or 0xFF */
    PROTECT_PLAIN_2F, /* CRC-8 0x2F, the same */
    PROTECT_PLAIN_ADD,
    PROTECT_PLAIN_XOR,
    PROTECT_COUNTER, /* a counter alone */
    PROTECT_PROFILES
};

enum { PROTECT_IDS = 16, PROTECT_COUNTER_BITS = 32 };

struct protect_rule {
    uint8_t sum;             /* enum protect_sum */
    uint8_t sum_at;          /* byte of the checksum; the CRC-16's first */
    uint8_t length;          /* bytes of the frame */
    uint8_t first;           /* the checksum covers the bytes first .. end - 1 without its own */
    uint8_t end;             /* */
    uint8_t id_mode;         /* enum protect_id */
    uint8_t counter_bits;    /* 0: no counter */
    uint8_t counter_big;     /* the counter continues in the byte before, not behind */
    uint16_t counter_at;     /* its lowest bit: 8 * byte + bit */
    uint16_t nibble_at;      /* lowest bit of the data id's nibble; PROTECT_ID_NIBBLE only */
    uint32_t counter_last;   /* after this the counter is 0 again */
    uint16_t start, xor_out; /* of the checksum */
    uint16_t data_id;
    uint8_t data_ids[PROTECT_IDS];
    uint32_t lost_max; /* received: so many may be lost in a row, more is a wrong sequence */
    /* The short way, by protect_check() where the rule allows it: a CRC-8 of the bytes from .. to -
     * 1 alone, with the id already in the seed, and a counter inside one byte. */
    uint8_t fast, seed, from, to;
    uint8_t counter_byte, counter_shift, counter_mask, spare;
};

/* What was wrong with a received frame; 0 is nothing. */
enum protect_fault {
    PROTECT_WRONG_LENGTH = 1,
    PROTECT_WRONG_SUM = 2, /* or the data id's nibble */
    PROTECT_REPEATED = 4,  /* the counter stands still */
    PROTECT_LOST = 8,      /* up to lost_max frames are missing; this one is good */
    PROTECT_SEQUENCE = 16, /* more are missing, or the counter is beyond its last value */
    PROTECT_REFUSED = PROTECT_WRONG_LENGTH | PROTECT_WRONG_SUM | PROTECT_REPEATED | PROTECT_SEQUENCE
};

struct protect_status {
    uint32_t counter; /* last one seen in a frame whose checksum was right */
    uint32_t started; /* such a frame was seen */
    uint32_t good;    /* frames that may be used; these counts wrap around */
    uint32_t wrong_length, wrong_sum, repeated, sequence;
    uint32_t lost; /* frames that the counter says are missing */
};

/* The rule of a profile at its standard places: checksum in byte 0, counter in the low nibble of
 * byte 1 (profile 5: bytes 0, 1 and 2). The caller changes what differs, then calls
 * protect_check(). */
void protect_profile(struct protect_rule *rule, enum protect_profile profile, uint8_t length);

/* Completes the rule after any change. Returns NULL, or what is wrong with it, as text for the
 * user. An incomplete rule gives the same checksums, only slower. */
const char *protect_check(struct protect_rule *rule);

/* Writes the counter, the data id's nibble and the checksum into the frame's data. counter is taken
 * modulo counter_last + 1. The data is at least rule->length bytes. */
void protect_apply(const struct protect_rule *rule, uint32_t counter, uint8_t *data);

/* Checksum and nibble only: the counter in the data stays. */
void protect_seal(const struct protect_rule *rule, uint8_t *data);

uint32_t protect_counter(const struct protect_rule *rule, const uint8_t *data);

/* Judges a received frame and keeps account. Returns a set of enum protect_fault. After a wrong
 * sequence the next frame in order is good again. */
unsigned protect_verify(const struct protect_rule *rule, struct protect_status *status,
                        const uint8_t *data, uint8_t length);

#endif
