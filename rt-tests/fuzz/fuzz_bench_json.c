/* Any bytes as a result of skidpad bench: a curve that can be drawn or a message, nothing else. */
#include "target/bench_compare.h"

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
    static struct bench_curve curve; /* large: not for the stack */
    struct err e = {""};
    int rc = bench_curve_parse("f.json", (const char *)data, size, &curve, &e);
    expect((rc == 0) == (e.text[0] == '\0'));
    expect(rc == 0 || strpbrk(e.text, "\r\n\t\033") == NULL);
    if (rc == 0) {
        expect(curve.count >= 1 && curve.count <= BENCH_PERIODS);
        FILE *nowhere = fopen("/dev/null", "w");
        expect(nowhere != NULL);
        expect(bench_compare_draw(&curve, 1, nowhere) == 0);
        bench_compare_print(&curve, 1, nowhere);
        (void)fclose(nowhere);
    }
    return 0;
}
