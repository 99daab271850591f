#include "target/signals_fill.h"

void signals_fill(struct signals *record, const struct plant_in *in, const struct plant_out *p,
                  const struct sensors_out *s)
{
#define SIGNAL(type, name, unit, source, meaning) record->name = source;
#define SIGNAL4(type, name, unit, source, meaning)                                                 \
    record->fl_##name = (source)[FL];                                                              \
    record->fr_##name = (source)[FR];                                                              \
    record->rl_##name = (source)[RL];                                                              \
    record->rr_##name = (source)[RR];
#include "shared/wire/signals.def"
#undef SIGNAL
#undef SIGNAL4
}
