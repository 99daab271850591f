#include "target/model/contact_load.h"

void contact_load(const struct cfg_node *map, struct contact_model *c)
{
    static const char *const kinds[] = {"point", "line", "closest", "patch", NULL};
    double points[2] = {5.0, 3.0};
    int kind = CONTACT_POINT;
    *c = (struct contact_model){.length_m = 0.12, .width_m = 0.15};
    if (map) {
        cfg_need(map, "kind");
        cfg_choice(map, "kind", &kind, kinds);
        bool is_patch = kind == CONTACT_PATCH;
        static const char *const keys[] = {"length_m", "width_m", "points"};
        for (int i = 0; i < 3; i++)
            if (cfg_has(map, keys[i]) && !is_patch)
                cfg_complain(map, keys[i], "is only for kind: patch");
        cfg_double(map, "length_m", &c->length_m, CFG_BETWEEN(0.01, 1.0));
        cfg_double(map, "width_m", &c->width_m, CFG_BETWEEN(0.01, 1.0));
        cfg_doubles(map, "points", points, 2, CFG_BETWEEN(3.0, CONTACT_POINTS_MAX));
        for (int i = 0; i < 2; i++)
            if ((int)points[i] != points[i] || (int)points[i] % 2 == 0)
                cfg_complain(map, "points", "are odd numbers along and across: 3, 5, 7 or 9");
        cfg_done(map);
    }
    c->kind = kind;
    c->along = (int32_t)points[0];
    c->across = (int32_t)points[1];
}
