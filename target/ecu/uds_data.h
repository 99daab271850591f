/* Data identifiers of the stand-in: values of the unit as bytes, and back. Pure. */
#ifndef SKIDPAD_ECU_UDS_DATA_H
#define SKIDPAD_ECU_UDS_DATA_H

#include "target/ecu/ecu.h"

#include <stdbool.h>

enum uds_access { UDS_ACCESS_READ, UDS_ACCESS_WRITE /* and read; with security only */ };

enum uds_item_id {
#define UDS_TEXT(did, name, bytes, access, meaning)                      UDS_ITEM_##name,
#define UDS_NUMBER(did, name, bytes, sign, scale, unit, access, meaning) UDS_ITEM_##name,
#include "target/ecu/uds_data.def"
#undef UDS_TEXT
#undef UDS_NUMBER
    UDS_ITEMS
};

struct uds_item {
    const char *name, *unit, *meaning; /* unit NULL: a text */
    double scale;
    uint16_t did;
    uint8_t bytes, sign, access;
};
extern const struct uds_item uds_item_table[UDS_ITEMS];

enum { UDS_VIN = 17, UDS_SERIAL = 12, UDS_SOFTWARE = 16 };

/* What names the unit; texts without NUL, filled up with blanks. */
struct uds_identity {
    char vin[UDS_VIN], serial_number[UDS_SERIAL], software[UDS_SOFTWARE];
};

/* The unit as diagnosis sees it. */
struct uds_unit {
    const struct ecu_params *params;
    struct ecu_state *state;
    const struct ecu_rx *rx;
    const struct ecu_tx *tx;
    struct uds_identity *identity;
    uint8_t session;
};

/* The item of an identifier; -1: there is none. */
int uds_item_find(uint16_t did);
/* Writes its bytes; to has room for them. Returns how many. */
int uds_item_read(const struct uds_unit *u, int item, uint8_t *to);
/* Takes bytes, as many as the item has. False: the value is not allowed. */
bool uds_item_write(struct uds_unit *u, int item, const uint8_t *from);

/* The raw number of bytes, highest first. */
int64_t uds_number(const uint8_t *bytes, int count, int is_signed);

/* The identifiers of a snapshot with their values. Returns the length; *count: how many. */
int uds_snapshot(const struct uds_unit *u, uint8_t *to, int room, int *count);

#endif
