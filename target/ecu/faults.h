/* The unit's faults: qualified over time, remembered, and turned into what the unit may still do.
 */
#ifndef SKIDPAD_ECU_FAULTS_H
#define SKIDPAD_ECU_FAULTS_H

#include "target/ecu/ecu_io.h"

enum ecu_fault_id {
#define ECU_FAULT(id, code, qualify_s, heal_s, reaction, text) ECU_FAULT_##id,
#include "target/ecu/ecu_faults.def"
#undef ECU_FAULT
    ECU_FAULTS
};

enum ecu_reaction {
    ECU_REACT_NONE,   /* that function alone is off */
    ECU_REACT_MODEL,  /* stability functions off, ABS on wheel speeds alone */
    ECU_REACT_WHEEL,  /* one wheel: EBD only; two: passive */
    ECU_REACT_ABS,    /* EBD only */
    ECU_REACT_PASSIVE /* valves at rest */
};

struct ecu_fault_info {
    const char *name, *text;
    double qualify_s, heal_s;
    int reaction;
    uint32_t code; /* of diagnosis, three bytes */
};
extern const struct ecu_fault_info ecu_fault_table[ECU_FAULTS];

#define ECU_FAULT_BIT(id) (1u << (unsigned)(id))

struct faults {
    double bad_s[ECU_FAULTS]; /* how long the condition has held */
    double good_s[ECU_FAULTS];
    uint32_t present; /* bit for each enum ecu_fault_id */
    uint32_t stored;  /* every one that was present since the start */
    uint32_t tested;  /* every one that could be judged since the start */
    uint32_t reserved;
};

/* One cycle; bad has a bit for each condition that holds, judged for those that could be judged
 * now: the others keep their time. */
void faults_step(uint32_t bad, uint32_t judged, struct faults *f);

/* Forgets some of them; what is still there must hold for its time again. */
void faults_clear(struct faults *f, uint32_t which);

/* What the present faults leave. */
enum ecu_mode faults_mode(const struct faults *f);

#endif
