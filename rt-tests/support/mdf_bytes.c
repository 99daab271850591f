#include "rt-tests/support/mdf_bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { HD_AT = 64, HEAD_BYTES = 24 };

struct mdf_bytes mdf_bytes_load(const char *path)
{
    struct mdf_bytes b = {0};
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    const long size = ftell(file);
    assert_true(size >= 0);
    rewind(file);
    b.size = (size_t)size;
    b.bytes = malloc(b.size + 1);
    assert_non_null(b.bytes);
    assert_int_equal(fread(b.bytes, 1, b.size, file), b.size);
    assert_int_equal(fclose(file), 0);
    return b;
}

void mdf_bytes_free(struct mdf_bytes *b)
{
    free(b->bytes);
    b->bytes = NULL;
}

uint64_t mdf_u(const struct mdf_bytes *b, uint64_t at, size_t bytes)
{
    assert_true(at <= b->size && bytes <= b->size - at);
    uint64_t value = 0;
    for (size_t i = bytes; i-- > 0;)
        value = value << 8 | b->bytes[at + i];
    return value;
}

double mdf_f64(const struct mdf_bytes *b, uint64_t at)
{
    const uint64_t bits = mdf_u(b, at, 8);
    double value = 0.0;
    memcpy(&value, &bits, sizeof value);
    return value;
}

uint64_t mdf_link(const struct mdf_bytes *b, uint64_t block, size_t index)
{
    assert_true(index < mdf_u(b, block + 16, 8));
    return mdf_u(b, block + HEAD_BYTES + 8 * index, 8);
}

void mdf_expect_block(const struct mdf_bytes *b, uint64_t at, const char *id, uint64_t length,
                      uint64_t links)
{
    assert_int_equal(at % 8, 0);
    assert_true(at >= HD_AT && at + HEAD_BYTES <= b->size);
    assert_memory_equal(b->bytes + at, "##", 2);
    assert_memory_equal(b->bytes + at + 2, id, 2);
    assert_int_equal(mdf_u(b, at + 4, 4), 0);
    const uint64_t found = mdf_u(b, at + 8, 8);
    if (length)
        assert_int_equal(found, length);
    assert_true(found >= HEAD_BYTES && found <= b->size - at);
    assert_int_equal(mdf_u(b, at + 16, 8), links);
}

const char *mdf_text(const struct mdf_bytes *b, uint64_t block)
{
    if (block == 0)
        return "";
    const bool xml = memcmp(b->bytes + block, "##MD", 4) == 0;
    mdf_expect_block(b, block, xml ? "MD" : "TX", 0, 0);
    const size_t room = (size_t)mdf_u(b, block + 8, 8) - HEAD_BYTES;
    const char *text = (const char *)b->bytes + block + HEAD_BYTES;
    assert_non_null(memchr(text, '\0', room));
    return text;
}

static void walk_channels(const struct mdf_bytes *b, struct mdf_walk *walk, size_t group)
{
    uint64_t at = walk->group[group].first_channel;
    for (; at; at = mdf_link(b, at, 0)) {
        mdf_expect_block(b, at, "CN", 160, 8);
        assert_true(mdf_text(b, mdf_link(b, at, 2))[0] != '\0');
        (void)mdf_text(b, mdf_link(b, at, 6));
        (void)mdf_text(b, mdf_link(b, at, 7));
        if (mdf_link(b, at, 4))
            mdf_expect_block(b, mdf_link(b, at, 4), "CC", 96, 4);
        const uint64_t end_bit = mdf_u(b, at + 92, 4) * 8 + mdf_u(b, at + 96, 4);
        assert_true(end_bit <= walk->group[group].record_bytes * 8);
        walk->group[group].channel_count++;
    }
}

static void walk_groups(const struct mdf_bytes *b, struct mdf_walk *walk, uint64_t at)
{
    for (; at; at = mdf_link(b, at, 0)) {
        const size_t i = walk->group_count++;
        assert_true(i < MDF_WALK_GROUPS);
        mdf_expect_block(b, at, "CG", 104, 6);
        walk->group[i].at = at;
        walk->group[i].first_channel = mdf_link(b, at, 1);
        (void)mdf_text(b, mdf_link(b, at, 2));
        walk->group[i].record_id = mdf_u(b, at + 72, 8);
        walk->group[i].cycle_count = mdf_u(b, at + 80, 8);
        walk->group[i].record_bytes = mdf_u(b, at + 96, 4);
        assert_int_equal(mdf_u(b, at + 100, 4), 0); /* no invalidation bytes */
        walk_channels(b, walk, i);
    }
}

static void walk_records(const struct mdf_bytes *b, struct mdf_walk *walk)
{
    uint64_t at = walk->data_at;
    for (;;) {
        walk->left_over = walk->data_end - at;
        if (walk->left_over < walk->record_id_bytes || walk->left_over == 0)
            return;
        const uint64_t id = mdf_u(b, at, walk->record_id_bytes);
        size_t i = 0;
        while (i < walk->group_count && walk->record_id_bytes && walk->group[i].record_id != id)
            i++;
        if (i == walk->group_count)
            return; /* no record of ours */
        const uint64_t bytes = walk->record_id_bytes + walk->group[i].record_bytes;
        if (walk->left_over < bytes)
            return;
        walk->group[i].complete++;
        at += bytes;
    }
}

void mdf_walk(const struct mdf_bytes *b, struct mdf_walk *walk)
{
    *walk = (struct mdf_walk){0};
    walk->finished = memcmp(b->bytes, "MDF     ", 8) == 0;
    if (!walk->finished)
        assert_memory_equal(b->bytes, "UnFinMF ", 8);
    mdf_expect_block(b, HD_AT, "HD", 104, 6);
    (void)mdf_text(b, mdf_link(b, HD_AT, 5));
    for (uint64_t at = mdf_link(b, HD_AT, 1); at; at = mdf_link(b, at, 0)) {
        mdf_expect_block(b, at, "FH", 56, 2);
        (void)mdf_text(b, mdf_link(b, at, 1));
    }
    for (uint64_t at = mdf_link(b, HD_AT, 3); at; at = mdf_link(b, at, 0))
        mdf_expect_block(b, at, "AT", 96 + mdf_u(b, at + 88, 8), 4);

    const uint64_t dg = mdf_link(b, HD_AT, 0);
    mdf_expect_block(b, dg, "DG", 64, 4);
    assert_int_equal(mdf_link(b, dg, 0), 0); /* one data group */
    walk->record_id_bytes = (size_t)mdf_u(b, dg + 56, 1);
    walk_groups(b, walk, mdf_link(b, dg, 1));

    const uint64_t data = mdf_link(b, dg, 2);
    mdf_expect_block(b, data, "DT", walk->finished ? 0 : HEAD_BYTES, 0);
    walk->data_at = data + HEAD_BYTES;
    walk->data_end = walk->finished ? data + mdf_u(b, data + 8, 8) : b->size;
    walk_records(b, walk);
}
