#include "target/control_uds.h"

#include "shared/base/hex.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

bool control_uds_is(const char *line)
{
    return strcmp(line, "dtc") == 0 || strncmp(line, "uds ", 4) == 0 || strcmp(line, "uds") == 0;
}

bool control_uds_begin(struct control_uds *u, struct diagnosis *d, const char *line, char *answer,
                       size_t size)
{
    uint8_t request[ISOTP_DATA];
    bool codes = line[0] == 'd';
    int n =
        codes ? uds_codes_request(UDS_STORED, request) : hex_parse(line + 3, request, ISOTP_DATA);
    if (!d || !d->setup.on) {
        (void)snprintf(answer, size,
                       "error the bench has no unit with diagnosis (docs/diagnosis.md)");
    } else if (n <= 0) {
        (void)snprintf(answer, size, "error give the request in hexadecimal digits: uds 22F190");
    } else if (!atomic_load(&d->begun)) {
        (void)snprintf(answer, size, "error the run waits for a start");
    } else if (u->pending || diagnosis_ask(d, request, n)) {
        (void)snprintf(answer, size, "error another request is under way; try again");
    } else {
        *u = (struct control_uds){.pending = true, .codes = codes};
        return true;
    }
    return false;
}

static void list_codes(const uint8_t *bytes, int n, char *answer, size_t size)
{
    struct uds_code list[UDS_CODES];
    char text[UDS_CODE_TEXT];
    int count = uds_codes_parse(bytes, n, list, UDS_CODES);
    if (count < 0)
        (void)snprintf(answer, size, "error the unit's answer is no list of codes");
    else if (count == 0)
        (void)snprintf(answer, size, "ok no trouble code");
    for (int i = 0; i < count; i++) {
        size_t used = i ? strlen(answer) : 0;
        if (used + sizeof ", C0035-31 status 0xAF, and 64 more" > size) {
            (void)snprintf(answer + used, size - used, ", and %d more", count - i);
            break;
        }
        (void)snprintf(answer + used, size - used, "%s %s status 0x%02X", i ? "," : "ok",
                       uds_code_text(list[i].code, text), list[i].status);
    }
}

bool control_uds_answer(struct control_uds *u, struct diagnosis *d, char *answer, size_t size)
{
    uint8_t bytes[ISOTP_DATA];
    char hex[2 * ISOTP_DATA + 1];
    int n = 0;
    uint32_t result = UDS_SILENT;
    if (!u->pending || diagnosis_answer(d, bytes, &n, &result))
        return false;
    u->pending = false;
    if (result == UDS_SILENT)
        (void)snprintf(answer, size, "error the unit does not answer");
    else if (u->codes && result == UDS_ANSWERED)
        list_codes(bytes, n, answer, size);
    else if (snprintf(answer, size, "ok %s", hex_print(bytes, n, hex, sizeof hex)) >= (int)size)
        (void)snprintf(answer, size, "error the unit's answer of %d bytes does not fit here", n);
    return true;
}
