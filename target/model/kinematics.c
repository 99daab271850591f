#include "target/model/kinematics.h"

#include "target/model/kinematics_kernel.h"

void kinematics_at(const struct kinematics_model *m, double travel_m, double rack_m, double side,
                   struct kinematics_out *out)
{
    struct kin_blocks k;
    struct kin_place z, s;
    struct kin_grid travel = kin_travel_grid(m, m), rack = kin_rack_grid(m);
    kin_find(v4_all(travel_m), &travel, &z);
    kin_find(v4_all(side * rack_m), &rack, &s);
    kin_blocks_at(m, &z, &s, 0, &k);
    for (int q = 0; q < KIN_QUANTITIES; q++) {
        /* The mirror image: these three change their sign, and so does every rate by rack. */
        double sign = q == KIN_HUB_Y || q == KIN_TOE || q == KIN_CAMBER ? side : 1.0;
        out->f[q] = sign * k.f[q / 4][q % 4];
        out->fz[q] = sign * k.fz[q / 4][q % 4];
        out->fs[q] = sign * side * k.fs[q / 4][q % 4];
    }
    for (int q = 0; q < KIN_SECOND; q++) {
        double sign = q == KIN_HUB_Y ? side : 1.0;
        out->fzz[q] = sign * k.fzz[q];
        out->fzs[q] = sign * side * k.fzs[KIN_GUIDE][q];
        out->fss[q] = sign * k.fss[q];
    }
}
