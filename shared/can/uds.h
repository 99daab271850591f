/* UDS (ISO 14229): numbers and names that both sides of diagnosis share. Pure. */
#ifndef SKIDPAD_CAN_UDS_H
#define SKIDPAD_CAN_UDS_H

#include <stdbool.h>
#include <stdint.h>

enum uds_service {
    UDS_SESSION = 0x10,
    UDS_RESET = 0x11,
    UDS_CLEAR = 0x14,
    UDS_READ_CODES = 0x19,
    UDS_READ_DATA = 0x22,
    UDS_SECURITY = 0x27,
    UDS_WRITE_DATA = 0x2e,
    UDS_TESTER_PRESENT = 0x3e,
    UDS_NEGATIVE = 0x7f
};
enum {
    UDS_POSITIVE = 0x40 /* added to the service */,
    UDS_SUPPRESS = 0x80 /* of a sub-function */
};

enum uds_session { UDS_SESSION_DEFAULT = 1, UDS_SESSION_PROGRAMMING = 2, UDS_SESSION_EXTENDED = 3 };

/* Sub-functions of UDS_READ_CODES. */
enum uds_read_codes {
    UDS_CODES_COUNT = 0x01,     /* of those that match a mask */
    UDS_CODES_MATCHING = 0x02,  /* they themselves */
    UDS_CODES_SNAPSHOT = 0x04,  /* values when a code was set */
    UDS_CODES_EXTENDED = 0x06,  /* how often, and how long ago */
    UDS_CODES_SUPPORTED = 0x0a, /* all that there are */
};

/* Negative response codes. */
enum uds_refusal {
    UDS_NO_SERVICE = 0x11,
    UDS_NO_SUB_FUNCTION = 0x12,
    UDS_WRONG_LENGTH = 0x13,
    UDS_TOO_LONG = 0x14,
    UDS_CONDITIONS = 0x22,
    UDS_SEQUENCE = 0x24,
    UDS_OUT_OF_RANGE = 0x31,
    UDS_LOCKED = 0x33,
    UDS_INVALID_KEY = 0x35,
    UDS_TOO_MANY_ATTEMPTS = 0x36,
    UDS_DELAY = 0x37,
    UDS_PENDING = 0x78,
    UDS_NO_SUB_FUNCTION_NOW = 0x7e, /* not in this session */
    UDS_NO_SERVICE_NOW = 0x7f
};

/* Status byte of a trouble code. */
enum uds_status {
    UDS_FAILED = 0x01, /* now */
    UDS_FAILED_THIS_CYCLE = 0x02,
    UDS_STATUS_PENDING = 0x04, /* in this operation cycle or the one before */
    UDS_CONFIRMED = 0x08,
    UDS_NOT_TESTED_SINCE_CLEAR = 0x10,
    UDS_FAILED_SINCE_CLEAR = 0x20,
    UDS_NOT_TESTED_THIS_CYCLE = 0x40,
    UDS_LAMP = 0x80,
    /* what a reader of codes means by "there is a code" */
    UDS_STORED = UDS_FAILED | UDS_STATUS_PENDING | UDS_CONFIRMED
};
#define UDS_ALL_CODES 0xffffffu /* group of everything */

enum { UDS_CODE_TEXT = 12 };

/* "C0035-87" of 0x403587. Returns text. */
const char *uds_code_text(uint32_t code, char text[UDS_CODE_TEXT]);
/* The other way round; also takes six hexadecimal digits, with or without 0x. */
bool uds_code_parse(const char *text, uint32_t *code);

const char *uds_refusal_name(int code);
/* Name of one bit of the status; NULL if it is none. */
const char *uds_status_name(unsigned bit);

/* The stand-in's secret: the key to a seed. A real unit has another. */
uint32_t uds_key(uint32_t seed);

static inline uint32_t uds_code_at(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 16 | (uint32_t)bytes[1] << 8 | bytes[2];
}

#endif
