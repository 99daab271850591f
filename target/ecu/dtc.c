#include "target/ecu/dtc.h"

#include <string.h>

static const uint8_t untested = UDS_NOT_TESTED_SINCE_CLEAR | UDS_NOT_TESTED_THIS_CYCLE;

static void forget(struct dtc_entry *e)
{
    memset(e, 0, sizeof *e);
    e->status = untested;
}

void dtc_reset(struct dtc_store *s)
{
    memset(s, 0, sizeof *s);
    for (int id = 0; id < ECU_FAULTS; id++)
        forget(&s->entry[id]);
}

/* The operation cycle is over. */
static void end_cycle(struct dtc_store *s)
{
    for (int id = 0; id < ECU_FAULTS; id++) {
        struct dtc_entry *e = &s->entry[id];
        int passed = !(e->status & (UDS_FAILED_THIS_CYCLE | UDS_NOT_TESTED_THIS_CYCLE));
        if (passed && (e->status & UDS_CONFIRMED) && ++e->aged >= DTC_AGING)
            forget(e);
        if (passed)
            e->status &= (uint8_t)~UDS_STATUS_PENDING;
        e->status &= (uint8_t) ~(UDS_FAILED | UDS_FAILED_THIS_CYCLE | UDS_LAMP);
        e->status |= UDS_NOT_TESTED_THIS_CYCLE;
    }
    s->present = 0;
    s->changes++;
}

static void set(struct dtc_entry *e)
{
    e->status = UDS_FAILED | UDS_FAILED_THIS_CYCLE | UDS_STATUS_PENDING | UDS_CONFIRMED |
                UDS_FAILED_SINCE_CLEAR | UDS_LAMP;
    if (e->times < 255)
        e->times++;
    e->aged = 0;
}

uint32_t dtc_step(struct dtc_store *s, const struct faults *f, uint32_t starts)
{
    if (starts != s->starts)
        end_cycle(s);
    s->starts = starts;
    uint32_t fresh = f->present & ~s->present, gone = s->present & ~f->present;
    for (int id = 0; id < ECU_FAULTS; id++) {
        struct dtc_entry *e = &s->entry[id];
        if (fresh >> id & 1u)
            set(e);
        if (gone >> id & 1u)
            e->status &= (uint8_t) ~(UDS_FAILED | UDS_LAMP);
        if (f->tested >> id & 1u)
            e->status &= (uint8_t)~untested;
    }
    s->changes += fresh != 0 || gone != 0;
    s->present = f->present;
    return fresh;
}

void dtc_snapshot(struct dtc_store *s, int fault, const uint8_t *bytes, int count)
{
    struct dtc_entry *e = &s->entry[fault];
    if (e->snapshot_bytes > 0 || count > DTC_SNAPSHOT)
        return;
    memcpy(e->snapshot, bytes, (size_t)count);
    e->snapshot_bytes = (uint8_t)count;
}

int dtc_find(uint32_t code)
{
    for (int id = 0; id < ECU_FAULTS; id++)
        if (ecu_fault_table[id].code == code)
            return id;
    return -1;
}

const char *dtc_name(uint32_t code)
{
    int id = dtc_find(code);
    return id >= 0 ? ecu_fault_table[id].text : NULL;
}

uint32_t dtc_code(int fault)
{
    return fault >= 0 && fault < ECU_FAULTS ? ecu_fault_table[fault].code : 0;
}

uint32_t dtc_clear(struct dtc_store *s, uint32_t group)
{
    int one = dtc_find(group);
    uint32_t cleared = 0;
    for (int id = 0; id < ECU_FAULTS; id++) {
        if (group != UDS_ALL_CODES && id != one)
            continue;
        forget(&s->entry[id]);
        cleared |= ECU_FAULT_BIT(id);
    }
    s->present &= ~cleared;
    s->changes += cleared != 0;
    return cleared;
}
