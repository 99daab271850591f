#include "rt-tests/support/chatter.h"

#include <math.h>
#include <string.h>

void chatter_begin(struct chatter *c)
{
    memset(c, 0, sizeof *c);
    c->what = "nothing";
}

static void add(struct chatter *c, int k, double value, double least, const char *what)
{
    double bend = value - 2.0 * c->last[k] + c->before[k];
    bool turns = c->ticks >= 3 && bend * c->bend[k] < 0.0 && fabs(bend) > least;
    c->run[k] = turns ? c->run[k] + 1 : 0;
    if (c->run[k] > c->longest) {
        c->longest = c->run[k];
        c->what = what;
    }
    c->before[k] = c->last[k];
    c->last[k] = value;
    c->bend[k] = bend;
}

void chatter_add(struct chatter *c, const struct lumped15_state *s)
{
    for (int i = 0; i < WHEELS; i++) {
        add(c, i, s->spin_radps[i], 0.02, "wheel speed");
        add(c, WHEELS + i, s->seen.load_N[i], 20.0, "wheel load");
    }
    add(c, 2 * WHEELS, s->rack_mps, 5e-4, "rack speed");
    c->ticks++;
}
