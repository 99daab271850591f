#include "rt-tests/support/mdf_hand.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

void hand_set(struct hand *h, uint64_t at, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        h->bytes[at + i] = (uint8_t)(value >> (8 * i));
}

uint64_t hand_get(const struct hand *h, uint64_t at, size_t bytes)
{
    uint64_t value = 0;
    for (size_t i = bytes; i-- > 0;)
        value = value << 8 | h->bytes[at + i];
    return value;
}

void hand_raw(struct hand *h, const void *data, size_t bytes)
{
    assert_true(bytes <= sizeof h->bytes - h->used);
    if (bytes > 0)
        memcpy(h->bytes + h->used, data, bytes);
    h->used += bytes;
}

uint64_t hand_block(struct hand *h, const char *id, size_t links, const void *data, size_t bytes)
{
    static const uint8_t zeros[8];
    hand_raw(h, zeros, (8 - h->used % 8) % 8);
    uint64_t at = h->used;
    hand_raw(h, id, 4);
    hand_raw(h, zeros, 4);
    h->used += 16;
    hand_set(h, at + 8, 24 + 8 * links + bytes, 8);
    hand_set(h, at + 16, links, 8);
    for (size_t i = 0; i < links; i++)
        hand_raw(h, zeros, 8);
    hand_raw(h, data, bytes);
    return at;
}

uint64_t hand_text(struct hand *h, const char *id, const char *text)
{
    return hand_block(h, id, 0, text, strlen(text) + 1);
}

void hand_link(struct hand *h, uint64_t block, size_t number, uint64_t to)
{
    hand_set(h, block + 24 + 8 * number, to, 8);
}

void hand_field(struct hand *h, uint64_t block, size_t at, uint64_t value, size_t bytes)
{
    hand_set(h, block + 24 + 8 * hand_get(h, block + 16, 8) + at, value, bytes);
}

void hand_begin(struct hand *h)
{
    static const uint8_t header[32];
    memset(h, 0, sizeof *h);
    hand_raw(h, "MDF     4.10    by hand ", 24);
    h->used = HAND_HD;
    hand_set(h, 28, 410, 2);
    (void)hand_block(h, "##HD", 6, header, sizeof header);
}

void hand_unfinished(struct hand *h, int flags, int custom)
{
    memcpy(h->bytes, "UnFinMF ", 8);
    hand_set(h, 60, (uint64_t)flags, 2);
    hand_set(h, 62, (uint64_t)custom, 2);
}

/* Follows the first link of each block to the end of a list and hangs a block on. */
static void append(struct hand *h, uint64_t link_at, uint64_t block)
{
    while (hand_get(h, link_at, 8) != 0)
        link_at = hand_get(h, link_at, 8) + 24;
    hand_set(h, link_at, block, 8);
}

uint64_t hand_data_group(struct hand *h, int id_bytes, uint64_t data)
{
    const uint8_t fields[8] = {(uint8_t)id_bytes};
    uint64_t at = hand_block(h, "##DG", 4, fields, sizeof fields);
    hand_link(h, at, 2, data);
    append(h, HAND_HD + 24, at);
    return at;
}

uint64_t hand_group(struct hand *h, uint64_t data_group, const char *name, uint64_t id,
                    uint32_t data_bytes, uint64_t cycles)
{
    static const uint8_t fields[32];
    uint64_t text = hand_text(h, "##TX", name),
             at = hand_block(h, "##CG", 6, fields, sizeof fields);
    hand_link(h, at, 2, text);
    hand_field(h, at, 0, id, 8);
    hand_field(h, at, 8, cycles, 8);
    hand_field(h, at, 24, data_bytes, 4);
    append(h, data_group + 24 + 8, at);
    return at;
}

uint64_t hand_channel(struct hand *h, uint64_t group, const struct hand_channel *c)
{
    static const uint8_t fields[72];
    uint64_t text = hand_text(h, "##TX", c->name);
    uint64_t at = hand_block(h, "##CN", 8, fields, sizeof fields);
    hand_link(h, at, 2, text);
    hand_field(h, at, 0, (uint64_t)c->type, 1);
    hand_field(h, at, 1, (uint64_t)c->sync, 1);
    hand_field(h, at, 2, (uint64_t)c->data_type, 1);
    hand_field(h, at, 3, (uint64_t)c->bit_offset, 1);
    hand_field(h, at, 4, c->byte_offset, 4);
    hand_field(h, at, 8, c->bit_count, 4);
    append(h, group + 24 + 8, at);
    return at;
}

uint64_t hand_linear(struct hand *h, double add, double factor)
{
    uint8_t fields[40] = {1}; /* type 1: linear */
    memcpy(fields + 24, &add, 8);
    memcpy(fields + 32, &factor, 8);
    uint64_t at = hand_block(h, "##CC", 4, fields, sizeof fields);
    hand_field(h, at, 6, 2, 2);
    return at;
}

uint64_t hand_list(struct hand *h, size_t count, const uint64_t *blocks)
{
    static const uint8_t fields[8];
    uint64_t at = hand_block(h, "##DL", 1 + count, fields, sizeof fields);
    hand_field(h, at, 4, count, 4);
    for (size_t i = 0; i < count; i++)
        hand_link(h, at, 1 + i, blocks[i]);
    return at;
}

struct mdf_reader *hand_open(const struct hand *h)
{
    struct mdf_reader *r = NULL;
    struct err e = {""};
    if (mdf_read_open_bytes("hand.mf4", h->bytes, h->used, &r, &e) != 0)
        fail_msg("%s", e.text);
    return r;
}

void hand_expect_refused(const struct hand *h, int code, const char *text)
{
    struct mdf_reader *r = NULL;
    struct err e = {""};
    assert_int_equal(mdf_read_open_bytes("hand.mf4", h->bytes, h->used, &r, &e), code);
    assert_null(r);
    if (!strstr(e.text, text) || strncmp(e.text, "hand.mf4: at byte ", 18) != 0)
        fail_msg("'%s' does not say '%s'", e.text, text);
}

const void *hand_expect_record(struct mdf_reader *r, size_t group)
{
    const struct mdf_read_group *g = NULL;
    const void *record = NULL;
    struct err e = {""};
    if (mdf_read_next(r, &g, &record, &e) != 1)
        fail_msg("no record: %s", e.text);
    assert_ptr_equal(g, &mdf_read_file(r)->groups[group]);
    return record;
}

void hand_expect_end(struct mdf_reader *r, int code, const char *text)
{
    const struct mdf_read_group *g = NULL;
    const void *record = NULL;
    for (int again = 0; again < 2; again++) {
        struct err e = {""};
        assert_int_equal(mdf_read_next(r, &g, &record, &e), code);
        if (!strstr(e.text, text))
            fail_msg("'%s' does not say '%s'", e.text, text);
    }
    mdf_read_close(r);
}
