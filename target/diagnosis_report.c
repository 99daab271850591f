/* What the unit remembered of a drive, and whether that is as it should be. */
#include "target/diagnosis.h"

bool diagnosis_expects(const struct diagnosis *d, uint32_t code)
{
    for (int i = 0; i < d->setup.expected; i++)
        if (d->setup.expect[i] == code)
            return true;
    return false;
}

static bool has(const struct diagnosis *d, uint32_t code)
{
    for (int i = 0; i < d->count; i++)
        if (d->code[i].code.code == code)
            return true;
    return false;
}

enum diagnosis_verdict diagnosis_verdict(const struct diagnosis *d)
{
    if (!d->setup.on)
        return DIAGNOSIS_PASS;
    if (!d->cleared || !d->read)
        return DIAGNOSIS_SILENT;
    if (!d->setup.judged)
        return DIAGNOSIS_PASS;
    for (int i = 0; i < d->count; i++)
        if (!diagnosis_expects(d, d->code[i].code.code))
            return DIAGNOSIS_UNEXPECTED;
    for (int i = 0; i < d->setup.expected; i++)
        if (!has(d, d->setup.expect[i]))
            return DIAGNOSIS_UNEXPECTED;
    return DIAGNOSIS_PASS;
}

void diagnosis_print(const struct diagnosis *d, const char *(*name)(uint32_t code), FILE *to)
{
    char text[UDS_CODE_TEXT];
    if (!d->setup.on)
        return;
    if (!d->cleared)
        fprintf(to, "codes      the unit does NOT ANSWER its tester\n");
    else if (!d->read)
        fprintf(to, "codes      cleared before, but after the drive the unit does NOT ANSWER\n");
    else if (d->count == 0)
        fprintf(to, "codes      none (cleared before, read after)\n");
    for (int i = 0; i < d->count; i++) {
        const struct uds_code *c = &d->code[i].code;
        const char *known = name ? name(c->code) : NULL;
        fprintf(to, "code       %s status 0x%02X%s%s%s\n", uds_code_text(c->code, text), c->status,
                known ? " " : "", known ? known : "",
                !d->setup.judged                ? " (not judged)"
                : diagnosis_expects(d, c->code) ? " (expected)"
                                                : " UNEXPECTED");
    }
    for (int i = 0; i < d->setup.expected && d->read; i++)
        if (!has(d, d->setup.expect[i]))
            fprintf(to, "code       %s MISSING: it was expected\n",
                    uds_code_text(d->setup.expect[i], text));
}
