/* The hydraulics for callgrind: every step of an ABS-like sequence with pump and faults goes
 * through hydraulics_counted(). With an argument all wheels are slowed down, and solved for as
 * often as that takes. */
#include "target/model/hydraulics_load.h"

#include <stdio.h>
#include <string.h>

/* What is counted. Not static, so that callgrind finds it. */
__attribute__((noinline)) void hydraulics_counted(const struct hydraulics_model *m,
                                                  struct hydraulics_state *s,
                                                  const struct plant_in *in);
void hydraulics_counted(const struct hydraulics_model *m, struct hydraulics_state *s,
                        const struct plant_in *in)
{
    double pressure_Pa[WHEELS];
    hydraulics_step(m, s, in, 1e-3);
    hydraulics_caliper_Pa(m, s, pressure_Pa);
}

int main(int argc, char **argv)
{
    (void)argv;
    struct hydraulics_model m;
    struct hydraulics_state s;
    struct plant_in in;
    hydraulics_defaults(&m);
    hydraulics_reset(&m, &s);
    memset(&in, 0, sizeof in);
    in.brake = PLANT_BRAKE_VALVES;
    for (int n = 0; n < 2000; n++) {
        in.brake_pedal = n < 100 ? 0.0 : n < 1500 ? 0.8 : 0.0;
        for (int i = 0; i < WHEELS; i++) {
            int phase = (n / 7 + 3 * i) % 10;
            in.valves.inlet[i] = n > 300 && phase < 6 ? 1.0 : 0.0;
            in.valves.outlet[i] = n > 300 && phase < 2 ? 1.0 : 0.0;
        }
        for (int c = 0; c < CIRCUITS; c++)
            in.valves.separation[c] = in.valves.prime[c] = n > 1600 ? 1.0 : 0.0;
        in.valves.pump = n > 350 ? 1.0 : 0.0;
        in.leak.wheel[FL] = n > 1200 ? 0.1 : 0.0; /* the most work: leaks everywhere */
        in.leak.circuit[CIRCUIT_2] = n > 1300 ? 0.1 : 0.0;
        for (int i = 0; i < WHEELS && argc > 1; i++)
            in.slow_Paps[i] = 2e7 * (1 + (n / 11 + i) % 5); /* 200 to 1,000 bar/s */
        hydraulics_counted(&m, &s, &in);
    }
    printf("%.3f cm3\n", 1e6 * hydraulics_volume_m3(&s));
    return 0;
}
