/* Any bytes as an OpenCRG file: a message, or a surface that answers everywhere. */
#include "target/road/crg_load.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(int promise)
{
    if (!promise)
        abort();
}

static void ask(const struct crg *c, double x_m, double y_m)
{
    struct ground g = crg_ground(c);
    struct ground_point p;
    g.query(g.road, x_m, y_m, &p);
    expect(isfinite(p.z_m));
    expect(p.normal[2] >= 0.0 && p.normal[2] <= 1.0 + 1e-9);
    expect(p.friction > 0.0);
    struct crg_place at;
    crg_find(c, x_m, y_m, &at);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct crg_wish none = {.mode_u = -1, .mode_v = -1};
    struct crg_file f;
    struct crg *c = NULL;
    struct err e = {""};
    if (size > 4000) /* long ones are slow, not wrong */
        return 0;
    int bad = crg_file_parse("f.crg", (const char *)data, size, &f, &e);
    if (!bad)
        bad = crg_build("f.crg", &f, &none, &c, &e);
    expect(bad ? !c : c != NULL);
    expect(bad != -22 || e.text[0]);
    crg_file_free(&f);
    for (int i = 0; c && i < 64; i++) {
        static const double places[8] = {0.0, 1.0, -1.0, 17.3, -200.0, 1e3, 1e7, -1e12};
        ask(c, places[i % 8], places[i / 8]);
        const struct crg_part *p = &c->part[i % c->parts];
        ask(c, p->p[0] + places[i % 4] * 0.1, p->p[1] + places[i / 8 % 4] * 0.1);
    }
    crg_free(c);
    return 0;
}
