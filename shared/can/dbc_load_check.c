/* What follows from several statements: which switch selects a signal, whether signals fit their
 * message, whether they share bits. */
#include "shared/can/dbc_load_reader.h"
#include "shared/can/frame.h"

#include <stdlib.h>
#include <string.h>

/* ---- switches */

/* The switch of a message that is there in every frame; BUILT_NONE if there is none or several. */
static size_t only_switch(const struct dbc_reader *r, const struct built_message *m)
{
    size_t found = BUILT_NONE;
    for (size_t i = 0; i < m->m.signal_count; i++) {
        const struct dbc_signal *s = &r->signals[m->first_signal + i].s;
        if (!s->is_switch || s->is_multiplexed)
            continue;
        if (found != BUILT_NONE)
            return BUILT_NONE;
        found = i;
    }
    return found;
}

static void resolve_switch(struct dbc_reader *r, const struct built_message *m, size_t index,
                           size_t only)
{
    struct built_signal *b = &r->signals[m->first_signal + index];
    size_t by = only;
    if (!b->s.is_multiplexed)
        return;
    if (b->switch_name) {
        size_t at = built_signal(r, (size_t)(m - r->messages),
                                 (struct span){b->switch_name, strlen(b->switch_name)});
        by = at == BUILT_NONE ? BUILT_NONE : at - m->first_signal;
    }
    if (by == BUILT_NONE || by == index) {
        dbc_warn(r, b->at,
                 "%s of %s is multiplexed, but no single signal of the message is marked M as its "
                 "switch; taken as always there",
                 b->s.name, m->m.name);
        return;
    }
    b->s.switch_index = (int)by;
    r->signals[m->first_signal + by].s.is_switch = true;
}

/* Switches that select each other in a ring would never end. */
static void cut_ring(struct dbc_reader *r, const struct built_message *m, size_t index)
{
    struct built_signal *first = &r->signals[m->first_signal];
    size_t steps = 0;
    int at = (int)index;
    while (at >= 0 && steps++ <= m->m.signal_count)
        at = first[at].s.switch_index;
    if (at < 0)
        return;
    dbc_warn(r, first[index].at, "%s of %s depends on itself; taken as always there",
             first[index].s.name, m->m.name);
    first[index].s.switch_index = -1;
}

void dbc_resolve_switches(struct dbc_reader *r)
{
    for (size_t i = 0; i < r->message_count; i++) {
        const struct built_message *m = &r->messages[i];
        size_t only = only_switch(r, m);
        for (size_t k = 0; k < m->m.signal_count; k++)
            resolve_switch(r, m, k, only);
        for (size_t k = 0; k < m->m.signal_count; k++)
            cut_ring(r, m, k);
    }
}

/* ---- bits */

enum { WORDS = CAN_MSG_DATA * 8 / 64 };

/* The bits of a signal in the count of the file. */
struct bits {
    uint64_t word[WORDS];
};

static bool mark_bits(const struct dbc_signal *s, uint32_t bytes, struct bits *bits)
{
    uint32_t position = s->start;
    memset(bits, 0, sizeof *bits);
    if (s->length == 0 || s->length > DBC_SIGNAL_BITS)
        return false;
    for (uint32_t i = 0; i < s->length; i++) {
        if (position >= 8 * bytes || position >= 8 * CAN_MSG_DATA)
            return false;
        bits->word[position / 64] |= (uint64_t)1 << position % 64;
        position = !s->big_endian ? position + 1 : position % 8 ? position - 1 : position + 15;
    }
    return true;
}

static bool ranges_meet(const struct dbc_signal *a, const struct dbc_signal *b)
{
    for (size_t i = 0; i < a->range_count; i++)
        for (size_t k = 0; k < b->range_count; k++)
            if (a->ranges[i].low <= b->ranges[k].high && b->ranges[k].low <= a->ranges[i].high)
                return true;
    return false;
}

/* Whether both can be in one frame: not if they want different values of the same switch. */
static bool together(const struct built_signal *first, const struct dbc_signal *a,
                     const struct dbc_signal *b)
{
    for (const struct dbc_signal *x = a; x->switch_index >= 0; x = &first[x->switch_index].s)
        for (const struct dbc_signal *y = b; y->switch_index >= 0; y = &first[y->switch_index].s)
            if (x->switch_index == y->switch_index && !ranges_meet(x, y))
                return false;
    return true;
}

static void check_overlaps(struct dbc_reader *r, const struct built_message *m,
                           const struct bits *bits)
{
    const struct built_signal *first = &r->signals[m->first_signal];
    for (size_t i = 0; i < m->m.signal_count; i++)
        for (size_t k = 0; k < i; k++) {
            uint64_t shared = 0;
            for (int w = 0; w < WORDS; w++)
                shared |= bits[i].word[w] & bits[k].word[w];
            if (shared && together(first, &first[i].s, &first[k].s))
                dbc_warn(r, first[i].at, "%s of %s shares bits with %s (line %d)", first[i].s.name,
                         m->m.name, first[k].s.name, first[k].s.line);
        }
}

static void check_fit(struct dbc_reader *r, const struct built_message *m, struct built_signal *b,
                      struct bits *bits)
{
    b->s.fits = mark_bits(&b->s, m->m.length, bits);
    if (b->s.fits)
        return;
    memset(bits, 0, sizeof *bits);
    if (b->s.length == 0 || b->s.length > DBC_SIGNAL_BITS)
        dbc_warn(r, b->at, "%s of %s has %u bits; only 1 to %d can be coded, so it cannot be used",
                 b->s.name, m->m.name, b->s.length, DBC_SIGNAL_BITS);
    else
        dbc_warn(
            r, b->at,
            "%s of %s (start %u, %u bits, %s) does not fit into %u bytes, so it cannot be used",
            b->s.name, m->m.name, b->s.start, b->s.length, b->s.big_endian ? "Motorola" : "Intel",
            m->m.length);
}

static bool is_fd_length(uint32_t bytes)
{
    return bytes <= CAN_MSG_DATA && can_frame_fd_length((int)bytes) == (int)bytes;
}

void dbc_check_layout(struct dbc_reader *r)
{
    struct bits *bits = NULL;
    size_t size = 0;
    for (size_t i = 0; i < r->message_count && !r->code; i++) {
        struct built_message *m = &r->messages[i];
        if (m->left_out)
            continue;
        if (m->m.length > CAN_CLASSIC_DATA && !m->m.fd) {
            m->m.fd = is_fd_length(m->m.length);
            dbc_warn(r, m->at, "%s has %u bytes but is not marked as CAN FD (VFrameFormat)%s",
                     m->m.name, m->m.length,
                     m->m.fd ? "; taken as CAN FD" : ", and no frame of CAN FD has that length");
        }
        for (size_t k = 0; k < m->m.signal_count && !r->code; k++)
            if (dbc_grow(r, &bits, &size, k, sizeof *bits))
                check_fit(r, m, &r->signals[m->first_signal + k], &bits[k]);
        if (!r->code && m->m.signal_count > 0)
            check_overlaps(r, m, bits);
    }
    free(bits);
}
