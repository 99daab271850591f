/* Any YAML text as a road: messages, or a road that answers everywhere. */
#include "target/road/segments_load.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(int promise)
{
    if (!promise)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cfg_doc *doc = NULL;
    /* Long roads are slow, not wrong. */
    if (size > 2000 || cfg_open_text("f.yaml", (const char *)data, size, &doc) || !doc) {
        cfg_close(doc);
        return 0;
    }
    struct segments *r = segments_load_map(cfg_root(doc), doc);
    expect(r || !cfg_ok(doc));
    for (int i = 0; r && cfg_ok(doc) && i < 64; i++) {
        static const double places[8] = {0.0, 1.0, -1.0, 17.3, -200.0, 1e3, 1e7, -1e12};
        struct ground g = segments_ground(r);
        struct ground_point p;
        struct segments_place at;
        g.query(g.road, places[i % 8], places[i / 8], &p);
        segments_find(r, places[i % 8], places[i / 8], &at);
        expect(p.friction >= 0.01 && p.friction <= 2.0 && p.normal[2] >= 0.0);
        expect(isfinite(at.n_m));
    }
    segments_free(r);
    cfg_close(doc);
    return 0;
}
