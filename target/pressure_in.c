#include "target/pressure_in.h"

#include <math.h>
#include <string.h>

void pressure_defaults(struct pressure_rule *r)
{
    *r = (struct pressure_rule){.most_Pa = 250e5, .rise_Paps = 4000e5, .age_most_s = 0.020};
}

void pressure_reset(struct pressure_state *s, const double now_Pa[WHEELS])
{
    memset(s, 0, sizeof *s);
    memcpy(s->held_Pa, now_Pa, sizeof s->held_Pa);
    memcpy(s->asked_Pa, now_Pa, sizeof s->asked_Pa);
    s->age_s = INFINITY;
    s->driver = (1u << WHEELS) - 1u; /* until the unit's first frame */
}

static void violated(struct pressure_state *s, uint32_t now[PRESSURE_VIOLATIONS], int kind, int i)
{
    now[kind] |= 1u << (unsigned)i;
    s->count[kind][i]++;
}

/* A wheel that the unit controls: within the range, and no faster than the ramp. The first frame of
 * a wheel that was the driver's is compared with none before it. */
static void take_wheel(const struct pressure_rule *r, struct pressure_state *s, int i, double p_Pa,
                       bool fresh, double most_step_Pa, uint32_t now[PRESSURE_VIOLATIONS])
{
    const bool first = s->driver >> i & 1u;
    if (!(p_Pa >= 0.0 && p_Pa <= r->most_Pa)) {
        violated(s, now, PRESSURE_RANGE, i);
        p_Pa = p_Pa > r->most_Pa ? r->most_Pa : 0.0;
    }
    if (fresh && !first && fabs(p_Pa - s->asked_Pa[i]) > r->rise_Paps * s->since_s)
        violated(s, now, PRESSURE_RAMP, i);
    s->driver &= ~(1u << (unsigned)i);
    s->asked_Pa[i] = p_Pa;
    s->held_Pa[i] += fmin(fmax(p_Pa - s->held_Pa[i], -most_step_Pa), most_step_Pa);
}

uint32_t pressure_take(const struct pressure_rule *r, struct pressure_state *s,
                       const double asked_Pa[WHEELS], const bool valid[WHEELS],
                       const double acting_Pa[WHEELS], double age_s, double step_s)
{
    uint32_t now[PRESSURE_VIOLATIONS] = {0}, began = 0;
    const double most_step_Pa = r->rise_Paps * step_s;
    const bool fresh = age_s < s->age_s; /* a frame has come */
    s->since_s += step_s;
    s->age_s = age_s;
    for (int i = 0; i < WHEELS; i++) {
        if (s->driver >> i & 1u)
            s->held_Pa[i] = acting_Pa[i];
        if (!(age_s <= r->age_most_s))
            violated(s, now, PRESSURE_OLD, i); /* whose wheel it is stays as well */
        else if (valid[i])
            take_wheel(r, s, i, asked_Pa[i], fresh, most_step_Pa, now);
        else
            s->driver |= 1u << (unsigned)i;
    }
    if (fresh)
        s->since_s = 0.0;
    for (int k = 0; k < PRESSURE_VIOLATIONS; k++)
        if (now[k] & ~s->now[k])
            began |= 1u << (unsigned)k;
    memcpy(s->now, now, sizeof now);
    return began;
}

const char *pressure_violation_name(int kind)
{
    static const char *const names[] = {"too old", "out of range", "changes too fast"};
    return kind >= 0 && kind < PRESSURE_VIOLATIONS ? names[kind] : "unknown";
}
