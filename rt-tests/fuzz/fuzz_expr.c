/* Any text as an expression: a message of one line, or something that can be evaluated, to a value
 * within the span that is known before. */
#include "target/scenario/expr_load.h"
#include "target/scenario/expr_load_span.h"

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

static void evaluate(const struct expr *e, enum expr_use use)
{
    static const double named[1] = {3.0};
    struct signals row[3];
    memset(row, 0, sizeof row);
    for (int i = 0; i < 3; i++) {
        row[i].time_s = i;
        row[i].vx_mps = 3.0 - 2.0 * i;
        row[i].locked = (uint32_t)i;
    }
    if (use == EXPR_CONDITION || use == EXPR_QUANTITY) {
        double v = expr_value(e, &row[1]);
        expect(!isinf(v) && (use == EXPR_QUANTITY || v != v || v == 0.0 || v == 1.0));
        expect(use == EXPR_QUANTITY || expr_holds(e, &row[1]) == (v == 1.0));
        return;
    }
    const struct expr_trace drive = {.row = row, .rows = 3};
    struct expr_result r;
    expr_over(e, &drive, expr_window_of(&drive, 0.0, 2.0), named, &r);
    expect(!r.exists || isfinite(r.value));
    expect(!r.exists || use == EXPR_MEASURE || r.value == 0.0 || r.value == 1.0);
    const struct expr_span is = {named[0], named[0]}, span = expr_span(e, &is);
    double slack = 1e-9 * fmax(fabs(r.value), 1.0); /* a mean is rounded */
    expect(!r.exists || (r.value >= span.low - slack && r.value <= span.high + slack));
    expr_over(e, &drive, expr_window_of(&drive, 5.0, 6.0), named, &r);
    expect(!r.exists);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const named[] = {"stop_m"};
    static const struct expr_dim dim = {1, 0, 0, 0};
    static const struct expr_scope scope = {named, &dim, 1};
    char *text = malloc(size + 1);
    expect(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    for (int use = EXPR_CONDITION; use <= EXPR_MEASURE; use++) {
        struct expr e;
        struct err err = {""};
        int rc =
            expr_compile(text, (enum expr_use)use, use <= EXPR_QUANTITY ? NULL : &scope, &e, &err);
        expect((rc == 0) == (err.text[0] == '\0'));
        expect(strpbrk(err.text, "\r\n\t\033") == NULL);
        if (rc == 0)
            evaluate(&e, (enum expr_use)use);
    }
    free(text);
    return 0;
}
