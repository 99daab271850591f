/* Any bytes as an MDF log: a message with a position, or records whose values can all be read. */
#include "shared/wire/mdf_read.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(int promise)
{
    if (!promise)
        abort();
}

static void expect_message(int rc, const struct err *e)
{
    static const char begin[] = "f.mf4: at byte ";
    expect(rc < 0);
    expect(strncmp(e->text, begin, sizeof begin - 1) == 0);
    expect(strpbrk(e->text, "\r\n\t\033") == NULL);
}

/* Texts end, numbers and bytes lie within the record: the sanitizer sees the rest. */
static uint64_t touch(const struct mdf_read_group *g, const void *record)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < g->channel_count; i++) {
        const struct mdf_read_channel *c = &g->channels[i];
        size_t bytes = 0;
        const uint8_t *raw = mdf_read_raw(c, record, &bytes);
        double number = mdf_read_number(c, record);
        for (size_t k = 0; k < bytes; k++)
            sum += raw[k];
        sum += mdf_read_uint64(c, record) + (uint64_t)mdf_read_int64(c, record);
        sum += (uint64_t)mdf_read_valid(c, record) + (uint64_t)(number > 0.0);
    }
    return sum;
}

static uint64_t describe(const struct mdf_reader *r)
{
    const struct mdf_read_file *file = mdf_read_file(r);
    uint64_t sum = strlen(file->comment) + strlen(file->version) + strlen(file->program);
    for (size_t i = 0; i < file->group_count; i++) {
        const struct mdf_read_group *g = &file->groups[i];
        expect(mdf_read_group_find(r, g->name) != NULL);
        sum += strlen(g->comment);
        for (size_t k = 0; k < g->channel_count; k++)
            sum += strlen(g->channels[k].name) + strlen(g->channels[k].unit) +
                   strlen(g->channels[k].comment);
    }
    for (size_t i = 0; i < file->property_count; i++)
        expect(mdf_read_property(r, file->properties[i].name) != NULL);
    for (size_t i = 0; i < file->attachment_count; i++) {
        const struct mdf_read_attachment *a = &file->attachments[i];
        uint8_t bytes[64] = {0};
        struct err e = {""};
        int rc = mdf_read_attachment_bytes(r, a, 0, bytes, a->bytes < 64 ? a->bytes : 64, &e);
        expect(rc == 0 || !a->embedded || a->compressed);
        sum += strlen(a->name) + strlen(a->mime) + strlen(a->comment) + bytes[0];
    }
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mdf_reader *r = NULL;
    struct err e = {""};
    uint64_t records[2] = {0, 0}, sum = 0;
    int rc = mdf_read_open_bytes("f.mf4", data, size, &r, &e);
    expect((rc == 0) == (r != NULL) && (rc == 0) == (e.text[0] == '\0'));
    if (rc) {
        expect_message(rc, &e);
        return 0;
    }
    sum += describe(r);
    for (int again = 0; again < 2; again++) {
        const struct mdf_read_group *g = NULL;
        const void *record = NULL;
        while ((rc = mdf_read_next(r, &g, &record, &e)) == 1) {
            sum += touch(g, record);
            records[again]++;
        }
        if (rc)
            expect_message(rc, &e);
        expect(mdf_read_left_over(r) <= size);
        mdf_read_rewind(r);
    }
    expect(records[0] == records[1]);
    mdf_read_close(r);
    return sum == UINT64_MAX; /* so that nothing is left out; libFuzzer wants 0 */
}
