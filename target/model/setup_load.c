#include "target/model/setup_load.h"

static void scale_table(struct table1 *t, double factor)
{
    for (int i = 0; i < t->count; i++)
        t->y[i] *= factor;
    table1_finish(t);
}

/* A constant on every coefficient of the spline is the same constant on its values. */
static void add_to(struct kinematics_model *k, int quantity, double angle_rad)
{
    for (int i = 0; i < KIN_TRAVEL_MAX + 2; i++)
        for (int j = 0; j < KIN_RACK_MAX + 2; j++)
            k->coef[i][j][quantity] += angle_rad;
}

void setup_load(const struct setup *s, struct chassis *c)
{
    static const struct {
        int spring, damper, bar, toe_in, camber;
    } of[AXLES] = {
        {SETUP_front_spring, SETUP_front_damper, SETUP_front_bar, SETUP_front_toe_in_rad,
         SETUP_front_camber_rad},
        {SETUP_rear_spring, SETUP_rear_damper, SETUP_rear_bar, SETUP_rear_toe_in_rad,
         SETUP_rear_camber_rad},
    };
    for (int k = 0; k < AXLES; k++) {
        struct axle_model *a = &c->axle[k];
        int first = k == FRONT ? FL : RL;
        scale_table(&a->spring_N, s->value[of[k].spring]);
        scale_table(&a->damper_N, s->value[of[k].damper]);
        for (int i = first; i < first + 2; i++)
            c->bar_Npm[i] *= s->value[of[k].bar];
        /* The left wheel is described: it toes in by turning right, and its top leans in to the
         * right. Both are positive on a person's sheet as toe-in and negative camber. */
        add_to(&a->kin, KIN_TOE, -s->value[of[k].toe_in]);
        add_to(&a->kin, KIN_CAMBER, -s->value[of[k].camber]);
    }
}
