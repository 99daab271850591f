/* Any YAML text as the path of a drive: messages, or a path that answers everywhere. */
#include "target/road/path_load.h"

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
    struct path p = {0};
    /* Files that it names are those of other fuzzers. */
    if (size > 2000 || memmem(data, size, "recorded", 8) ||
        cfg_open_text("f.yaml", (const char *)data, size, &doc) || !doc) {
        cfg_close(doc);
        return 0;
    }
    bool good = path_load(cfg_root(doc), NULL, &p);
    expect(good || !cfg_ok(doc));
    for (int i = 0; good && cfg_ok(doc) && i < 8; i++) {
        static const double places[8] = {0.0, 1.0, -1.0, 17.3, -200.0, 1e3, 1e7, -1e12};
        int32_t piece = 0;
        double offset_m = 0.0;
        struct path_point at;
        path_at(&p, path_nearest(&p, places[i], places[7 - i], &piece, &offset_m), &piece, &at);
        expect(isfinite(offset_m) && isfinite(at.at.curvature_1pm));
    }
    path_free(&p);
    cfg_close(doc);
    return 0;
}
