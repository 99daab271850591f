#include "target/ecu/faults.h"

#include "target/ecu/car.h"

#include <assert.h>
#include <math.h>

static_assert((int)ECU_FAULTS <= 32, "one bit each");

const struct ecu_fault_info ecu_fault_table[ECU_FAULTS] = {
#define ECU_FAULT(id, code, qualify_s, heal_s, reaction, text)                                     \
    {#id, text, qualify_s, heal_s, ECU_REACT_##reaction, code},
#include "target/ecu/ecu_faults.def"
#undef ECU_FAULT
};

static void step_one(const struct ecu_fault_info *info, int id, int bad, struct faults *f)
{
    uint32_t bit = ECU_FAULT_BIT(id);
    if (bad) {
        f->bad_s[id] += ECU_CYCLE_S;
        f->good_s[id] = 0.0;
        if (f->bad_s[id] >= info->qualify_s) {
            f->bad_s[id] = info->qualify_s;
            f->present |= bit;
            f->stored |= bit;
        }
        return;
    }
    f->bad_s[id] = fmax(f->bad_s[id] - ECU_CYCLE_S, 0.0);
    f->good_s[id] = fmin(f->good_s[id] + ECU_CYCLE_S, 1e3);
    if (info->heal_s > 0.0 && f->good_s[id] >= info->heal_s)
        f->present &= ~bit;
}

void faults_step(uint32_t bad, uint32_t judged, struct faults *f)
{
    f->tested |= judged;
    for (int id = 0; id < ECU_FAULTS; id++)
        if (judged >> id & 1u)
            step_one(&ecu_fault_table[id], id, (int)(bad >> id & 1u), f);
}

void faults_clear(struct faults *f, uint32_t which)
{
    for (int id = 0; id < ECU_FAULTS; id++)
        if (which >> id & 1u)
            f->bad_s[id] = f->good_s[id] = 0.0;
    f->present &= ~which;
    f->stored &= ~which;
    f->tested &= ~which;
}

/* How many wheels have no speed. */
static int wheels_lost(uint32_t present)
{
    int lost = 0;
    for (int i = 0; i < ECU_WHEELS; i++) {
        uint32_t any = ECU_FAULT_BIT(ECU_FAULT_FL_FRAME + i) |
                       ECU_FAULT_BIT(ECU_FAULT_FL_SILENT + i) |
                       ECU_FAULT_BIT(ECU_FAULT_FL_TEETH + i);
        lost += (present & any) != 0;
    }
    return lost;
}

enum ecu_mode faults_mode(const struct faults *f)
{
    int lost = wheels_lost(f->present);
    enum ecu_mode mode = ECU_MODE_READY;
    for (int id = 0; id < ECU_FAULTS; id++) {
        if (!(f->present >> id & 1u))
            continue;
        enum ecu_mode left = ECU_MODE_NO_MODEL;
        switch (ecu_fault_table[id].reaction) {
        case ECU_REACT_NONE:
            left = ECU_MODE_READY;
            break;
        case ECU_REACT_WHEEL:
            left = lost > 1 ? ECU_MODE_PASSIVE : ECU_MODE_EBD_ONLY;
            break;
        case ECU_REACT_ABS:
            left = ECU_MODE_EBD_ONLY;
            break;
        case ECU_REACT_PASSIVE:
            left = ECU_MODE_PASSIVE;
            break;
        default:
            break;
        }
        mode = left > mode ? left : mode;
    }
    return mode;
}
