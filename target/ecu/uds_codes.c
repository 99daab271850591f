#include "target/ecu/uds_codes.h"

#include <string.h>

enum { ALL_BITS = 0xff, FORMAT_ISO14229 = 1, FIRST_RECORD = 1, ALL_RECORDS = 0xff };

int uds_clear_codes(struct dtc_store *store, struct faults *faults, const uint8_t *request,
                    int length, uint8_t *answer)
{
    if (length != 4)
        return -UDS_WRONG_LENGTH;
    uint32_t cleared = dtc_clear(store, uds_code_at(request + 1));
    if (!cleared)
        return -UDS_OUT_OF_RANGE;
    faults_clear(faults, cleared);
    answer[0] = UDS_CLEAR + UDS_POSITIVE;
    return 1;
}

static int put_code(const struct dtc_store *store, int id, uint8_t *to)
{
    uint32_t code = ecu_fault_table[id].code;
    to[0] = (uint8_t)(code >> 16);
    to[1] = (uint8_t)(code >> 8);
    to[2] = (uint8_t)code;
    to[3] = store->entry[id].status;
    return 4;
}

static int count_codes(const struct dtc_store *store, uint8_t mask, uint8_t *answer)
{
    int n = 0;
    for (int id = 0; id < ECU_FAULTS; id++)
        n += (store->entry[id].status & mask) != 0;
    answer[2] = ALL_BITS;
    answer[3] = FORMAT_ISO14229;
    answer[4] = (uint8_t)(n >> 8);
    answer[5] = (uint8_t)n;
    return 6;
}

static int list_codes(const struct dtc_store *store, bool all, uint8_t mask, uint8_t *answer,
                      int room)
{
    int n = 3;
    answer[2] = ALL_BITS;
    for (int id = 0; id < ECU_FAULTS; id++) {
        if (!all && !(store->entry[id].status & mask))
            continue;
        if (n + 4 > room)
            return -UDS_TOO_LONG;
        n += put_code(store, id, answer + n);
    }
    return n;
}

/* The one record that there is of a code, if it is asked for. */
static int record(const struct dtc_store *store, const uint8_t *request, uint8_t *answer)
{
    int id = dtc_find(uds_code_at(request + 2)), n = 6;
    if (id < 0 || (request[5] != FIRST_RECORD && request[5] != ALL_RECORDS))
        return -UDS_OUT_OF_RANGE;
    const struct dtc_entry *e = &store->entry[id];
    (void)put_code(store, id, answer + 2);
    if ((request[1] & ~UDS_SUPPRESS) == UDS_CODES_EXTENDED && e->times > 0) {
        answer[n++] = FIRST_RECORD;
        answer[n++] = e->times;
        answer[n++] = e->aged;
    } else if ((request[1] & ~UDS_SUPPRESS) == UDS_CODES_SNAPSHOT && e->snapshot_bytes > 0) {
        answer[n++] = FIRST_RECORD;
        memcpy(answer + n, e->snapshot, e->snapshot_bytes);
        n += e->snapshot_bytes;
    }
    return n;
}

int uds_read_codes(const struct dtc_store *store, const uint8_t *request, int length,
                   uint8_t *answer, int room)
{
    if (length < 2)
        return -UDS_WRONG_LENGTH;
    int sub = request[1] & ~UDS_SUPPRESS;
    answer[0] = UDS_READ_CODES + UDS_POSITIVE;
    answer[1] = (uint8_t)sub;
    switch (sub) {
    case UDS_CODES_COUNT:
        return length == 3 ? count_codes(store, request[2], answer) : -UDS_WRONG_LENGTH;
    case UDS_CODES_MATCHING:
        return length == 3 ? list_codes(store, false, request[2], answer, room) : -UDS_WRONG_LENGTH;
    case UDS_CODES_SNAPSHOT:
    case UDS_CODES_EXTENDED:
        return length == 6 ? record(store, request, answer) : -UDS_WRONG_LENGTH;
    case UDS_CODES_SUPPORTED:
        return length == 2 ? list_codes(store, true, 0, answer, room) : -UDS_WRONG_LENGTH;
    default:
        return -UDS_NO_SUB_FUNCTION;
    }
}
