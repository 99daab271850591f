/* For callgrind: driver_cost SCENARIO drives it for 5 s; every step of its driver goes through
 * one_drive(). */
#include "rt-tests/support/lumped15_of.h"
#include "target/offline.h"

#include <stdio.h>

/* Not static, so that callgrind finds it. */
__attribute__((noinline)) void one_drive(const struct driver_model *m, struct driver_state *s,
                                         const struct plant_out *now, struct plant_in *in);
void one_drive(const struct driver_model *m, struct driver_state *s, const struct plant_out *now,
               struct plant_in *in)
{
    driver_step(m, s, now, 1e-3, in);
}

int main(int argc, char **argv)
{
    static struct offline o;
    struct offline_options set = {.duration_s = -1.0, .integrator = VEHICLE_AS_FILE};
    if (argc != 3) {
        fprintf(stderr, "usage: driver_cost SCENARIO.yaml position|preview\n");
        return 2;
    }
    if (offline_open(argv[1], &set, &o) || !o.scenario->manoeuvre.has_driver) {
        offline_close(&o);
        return 2;
    }
    struct driver_settings who = {.kind = argv[2][1] == 'r' ? DRIVER_PREVIEW : DRIVER_POSITION};
    struct driver_model driver;
    struct driver_state state;
    struct plant_in in = {0};
    position_defaults(&who.position);
    preview_defaults(&who.preview, PREVIEW_AGGRESSIVE);
    driver_init(&driver, &who, &o.vehicle->facts, &o.scenario->manoeuvre.path);
    driver_reset(&state);
    for (int n = 0; n < 5000; n++) {
        offline_step(&o);
        if (n % 10 == 0)
            one_drive(&driver, &state, &o.out, &in);
    }
    printf("%g\n", in.hand_wheel_rad);
    offline_close(&o);
    return 0;
}
