/* How the deflections of standing and rolling tyres make slip, docs/model.md (C-6) to (C-9). */
#ifndef SKIDPAD_MODEL_SLIP_H
#define SKIDPAD_MODEL_SLIP_H

struct slip_model {
    double crawl_mps;      /* below it carcass damping is blended in */
    double damping_spm[2]; /* carcass damping at standstill over slip stiffness: x, y */
};

#endif
