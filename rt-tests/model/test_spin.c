/* Brakes, clutch and locks together: what spin_solve() returns must be dry friction. Each element
 * either holds (no slip, torque within its capacity) or slips (its whole capacity against the
 * slip), and torques and speeds obey Newton. Problems are drawn at random. */
#include "rt-tests/support/near.h"
#include "target/model/spin.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const double step_s = 1e-3;

static double random_share(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 9007199254740992.0; /* 0 to 1 */
}

static double pick(uint64_t *seed, double low, double high)
{
    return low + (high - low) * random_share(seed);
}

static void draw(struct spin_problem *p, uint64_t *seed)
{
    double ratio = pick(seed, -14.0, 14.0), front = pick(seed, 0.0, 1.0);
    memset(p, 0, sizeof *p);
    if (random_share(seed) < 0.3)
        front = 1.0;
    for (int i = 0; i < WHEELS; i++) {
        p->inertia_kgm2[i] = pick(seed, 0.8, 4.0);
        p->speed_radps[i] = random_share(seed) < 0.3 ? 0.0 : pick(seed, -20.0, 80.0);
        p->torque_Nm[i] = pick(seed, -1500.0, 1500.0);
        p->carrier_radps[i] = pick(seed, -0.5, 0.5);
        p->body_radps[i] = pick(seed, -0.2, 0.2);
        p->gear[i] = ratio * 0.5 * (i < RL ? front : 1.0 - front);
        p->capacity_Nm[i] = random_share(seed) < 0.4 ? 15.0 : pick(seed, 100.0, 3000.0);
    }
    p->inertia_kgm2[SPIN_ENGINE] = pick(seed, 0.1, 0.3);
    p->speed_radps[SPIN_ENGINE] = pick(seed, 80.0, 600.0);
    p->torque_Nm[SPIN_ENGINE] = pick(seed, -60.0, 300.0);
    p->capacity_Nm[SPIN_CLUTCH] = random_share(seed) < 0.3 ? 0.0 : pick(seed, 50.0, 500.0);
    p->capacity_Nm[SPIN_LOCK_FRONT] = random_share(seed) < 0.7 ? 0.0 : pick(seed, 20.0, 400.0);
    p->capacity_Nm[SPIN_LOCK_REAR] = random_share(seed) < 0.5 ? 0.0 : pick(seed, 20.0, 400.0);
}

/* Slip of each element at the end of the step. */
static void slips(const struct spin_problem *p, const struct spin_result *r,
                  double slip[SPIN_ELEMENTS])
{
    const double *v = r->speed_radps, *b = p->body_radps;
    slip[SPIN_CLUTCH] = v[SPIN_ENGINE];
    for (int i = 0; i < WHEELS; i++) {
        slip[i] = v[i] - p->carrier_radps[i];
        slip[SPIN_CLUTCH] -= p->gear[i] * (v[i] - b[i]);
    }
    slip[SPIN_LOCK_FRONT] = (v[FL] - b[FL]) - (v[FR] - b[FR]);
    slip[SPIN_LOCK_REAR] = (v[RL] - b[RL]) - (v[RR] - b[RR]);
}

/* The largest violation, as a torque: what the element lacks to hold, or could still give. */
static double violation_Nm(const struct spin_problem *p, const struct spin_result *r)
{
    double slip[SPIN_ELEMENTS], worst = 0.0;
    slips(p, r, slip);
    for (int k = 0; k < SPIN_ELEMENTS; k++) {
        double t = r->friction_Nm[k], most = p->capacity_Nm[k];
        double inertia = k < WHEELS ? p->inertia_kgm2[k] : p->inertia_kgm2[SPIN_ENGINE];
        double hold = t + slip[k] * inertia / step_s; /* what would stop it, at least */
        double wanted = hold > most ? most : hold < -most ? -most : hold;
        assert_true(fabs(t) <= most);
        /* between two wheels that stand still a lock may carry anything */
        unsigned pair = k == SPIN_LOCK_FRONT ? 3u : k == SPIN_LOCK_REAR ? 12u : 0u;
        if (pair && (r->locked & pair) == pair)
            continue;
        worst = fmax(worst, fabs(t - wanted));
    }
    return worst;
}

/* Speeds are those that the torques make. A wheel that is held is set to its carrier's speed, which
 * is the same but for the sweeps' last error. */
static double newton_Nm(const struct spin_problem *p, const struct spin_result *r)
{
    const double *t = r->friction_Nm;
    double worst = 0.0;
    for (int i = 0; i < WHEELS; i++) {
        double lock = t[i < RL ? SPIN_LOCK_FRONT : SPIN_LOCK_REAR];
        double torque = p->torque_Nm[i] + p->gear[i] * t[SPIN_CLUTCH] - t[i] +
                        (i == FL || i == RL ? -lock : lock);
        double made = (r->speed_radps[i] - p->speed_radps[i]) * p->inertia_kgm2[i] / step_s;
        worst = fmax(worst, fabs(torque - made));
    }
    double engine = p->torque_Nm[SPIN_ENGINE] - t[SPIN_CLUTCH];
    double made = (r->speed_radps[SPIN_ENGINE] - p->speed_radps[SPIN_ENGINE]) *
                  p->inertia_kgm2[SPIN_ENGINE] / step_s;
    return fmax(worst, fabs(engine - made));
}

static void friction_holds_or_slips(void **unused)
{
    (void)unused;
    uint64_t seed = 11;
    double first = 0.0, tenth = 0.0, newton = 0.0;
    int slow = 0;
    for (int n = 0; n < 20000; n++) {
        struct spin_problem p;
        struct spin_result r;
        draw(&p, &seed);
        memset(&r, 0, sizeof r);
        spin_solve(&p, step_s, &r);
        double cold = violation_Nm(&p, &r);
        for (int k = 0; k < 9; k++) /* the next ticks begin with these torques */
            spin_solve(&p, step_s, &r);
        double warm = violation_Nm(&p, &r);
        first = fmax(first, cold);
        tenth = fmax(tenth, warm);
        newton = fmax(newton, newton_Nm(&p, &r));
        slow += cold > 1e-3;
        for (int i = 0; i < WHEELS; i++)
            assert_int_equal((r.locked >> i) & 1u, r.speed_radps[i] == p.carrier_radps[i]);
    }
    print_message("    violation at most %.1e Nm at once, %.1e Nm ten ticks later, Newton %.1e Nm; "
                  "%d of 20000 above 1e-3 Nm at once\n",
                  first, tenth, newton, slow);
    /* From nothing 24 sweeps do for all but a few, which are those with clutch, locks and brakes
     * all at work on the same wheels; a tick begins with the last one's torques. */
    assert_below(first, 5.0);
    assert_true(slow < 100);
    assert_below(tenth, 1e-6);
    assert_below(newton, 1e-8); /* rounding of speeds over the step */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(friction_holds_or_slips),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
