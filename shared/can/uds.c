#include "shared/can/uds.h"

#include "shared/base/hex.h"

#include <stddef.h>
#include <string.h>

static const char hex[] = "0123456789ABCDEF", letters[] = "PCBU";

const char *uds_code_text(uint32_t code, char text[UDS_CODE_TEXT])
{
    text[0] = letters[code >> 22 & 3u];
    text[1] = hex[code >> 20 & 3u];
    text[2] = hex[code >> 16 & 15u];
    text[3] = hex[code >> 12 & 15u];
    text[4] = hex[code >> 8 & 15u];
    text[5] = '-';
    text[6] = hex[code >> 4 & 15u];
    text[7] = hex[code & 15u];
    text[8] = '\0';
    return text;
}

/* So many digits at the start of the text. */
static bool digits(const char *text, int count, uint32_t *value)
{
    for (int i = 0; i < count; i++) {
        int d = hex_digit(text[i]);
        if (d < 0)
            return false;
        *value = *value << 4 | (uint32_t)d;
    }
    return true;
}

bool uds_code_parse(const char *text, uint32_t *code)
{
    uint32_t value = 0;
    for (uint32_t k = 0; k < 4; k++) {
        if (text[0] != letters[k])
            continue;
        /* C0035-87; the letter C also begins hexadecimal numbers, but those have no dash */
        if (!digits(text + 1, 4, &value) || text[5] != '-')
            break;
        if (value > 0x3fff || !digits(text + 6, 2, &value) || text[8] != '\0')
            return false;
        *code = k << 22 | value;
        return true;
    }
    value = 0;
    if (text[0] == '0' && text[1] == 'x')
        text += 2;
    if (!digits(text, 6, &value) || text[6] != '\0')
        return false;
    *code = value;
    return true;
}

const char *uds_refusal_name(int code)
{
    static const struct {
        int code;
        const char *name;
    } names[] = {
        {0x10, "general reject"},
        {UDS_NO_SERVICE, "service not supported"},
        {UDS_NO_SUB_FUNCTION, "sub-function not supported"},
        {UDS_WRONG_LENGTH, "wrong length or format"},
        {UDS_TOO_LONG, "response too long"},
        {0x21, "busy, repeat the request"},
        {UDS_CONDITIONS, "conditions not correct"},
        {UDS_SEQUENCE, "request out of sequence"},
        {UDS_OUT_OF_RANGE, "request out of range"},
        {UDS_LOCKED, "security access denied"},
        {UDS_INVALID_KEY, "invalid key"},
        {UDS_TOO_MANY_ATTEMPTS, "too many attempts"},
        {UDS_DELAY, "required time delay not expired"},
        {UDS_PENDING, "response pending"},
        {UDS_NO_SUB_FUNCTION_NOW, "sub-function not supported in this session"},
        {UDS_NO_SERVICE_NOW, "service not supported in this session"},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].code == code)
            return names[i].name;
    return "refused";
}

const char *uds_status_name(unsigned bit)
{
    switch (bit) {
    case UDS_FAILED:
        return "failed";
    case UDS_FAILED_THIS_CYCLE:
        return "failed this cycle";
    case UDS_STATUS_PENDING:
        return "pending";
    case UDS_CONFIRMED:
        return "confirmed";
    case UDS_NOT_TESTED_SINCE_CLEAR:
        return "not tested since clear";
    case UDS_FAILED_SINCE_CLEAR:
        return "failed since clear";
    case UDS_NOT_TESTED_THIS_CYCLE:
        return "not tested this cycle";
    case UDS_LAMP:
        return "lamp";
    default:
        return NULL;
    }
}

uint32_t uds_key(uint32_t seed)
{
    uint32_t mixed = seed ^ 0x5a17d0c3u;
    mixed = mixed << 7 | mixed >> 25;
    return mixed * 0x9e3779b1u + 0x1f123bb5u;
}
