/* The unit's trouble codes: what its faults leave behind for a tester.
 *
 * Every fault has one code (ecu_faults.def). A fault that is present sets it: failed, pending,
 * confirmed, with a snapshot of the first time. An operation cycle lasts from one start to the
 * next; a code that did not fail in a whole cycle is no longer pending, and after DTC_AGING such
 * cycles it is forgotten. */
#ifndef SKIDPAD_ECU_DTC_H
#define SKIDPAD_ECU_DTC_H

#include "shared/can/uds.h"
#include "target/ecu/faults.h"

enum { DTC_SNAPSHOT = 32, DTC_AGING = 40 };

struct dtc_entry {
    uint8_t status;         /* enum uds_status */
    uint8_t times;          /* it was set, at most 255 */
    uint8_t aged;           /* operation cycles since it failed last */
    uint8_t snapshot_bytes; /* 0: none */
    uint8_t snapshot[DTC_SNAPSHOT];
};

struct dtc_store {
    struct dtc_entry entry[ECU_FAULTS];
    uint32_t present; /* as of the last cycle */
    uint32_t starts;  /* operation cycle that is counted now */
    uint32_t changes; /* counts up with every change worth keeping */
    uint32_t reserved;
};

/* As new: nothing tested yet. */
void dtc_reset(struct dtc_store *s);

/* One cycle. starts is another number in another operation cycle. Returns the codes that were set
 * now, bit for each fault: they want a snapshot. */
uint32_t dtc_step(struct dtc_store *s, const struct faults *f, uint32_t starts);

/* Keeps a snapshot, unless there is one of an earlier time. */
void dtc_snapshot(struct dtc_store *s, int fault, const uint8_t *bytes, int count);

/* Forgets the codes of a group: one code, or UDS_ALL_CODES. Returns the faults whose codes they
 * were; 0: there is no such group. */
uint32_t dtc_clear(struct dtc_store *s, uint32_t group);

/* The fault of a code; -1: none has it. */
int dtc_find(uint32_t code);
/* What the code means; NULL: there is no such code. */
const char *dtc_name(uint32_t code);
/* The code of a fault, 0 to ECU_FAULTS - 1; 0: there is no such fault. */
uint32_t dtc_code(int fault);

#endif
