#include "target/valve_in.h"

#include <string.h>

/* Not a number counts as off. */
static double share(double x)
{
    return x > 0.0 ? (x < 1.0 ? x : 1.0) : 0.0;
}

static double pulse(double current, bool pulses, double on_s, double age_s)
{
    return !pulses || age_s < on_s ? share(current) : 0.0;
}

bool valve_take(const struct valve_request *r, bool pulses, bool valid, double age_s,
                double age_most_s, struct plant_valves *out)
{
    memset(out, 0, sizeof *out);
    if (!valid || !(age_s <= age_most_s))
        return true;
    for (int i = 0; i < WHEELS; i++) {
        out->inlet[i] = pulse(r->current.inlet[i], pulses, r->inlet_on_s[i], age_s);
        out->outlet[i] = pulse(r->current.outlet[i], pulses, r->outlet_on_s[i], age_s);
    }
    for (int c = 0; c < CIRCUITS; c++) {
        out->separation[c] = share(r->current.separation[c]);
        out->prime[c] = share(r->current.prime[c]);
    }
    out->pump = share(r->current.pump);
    return false;
}
