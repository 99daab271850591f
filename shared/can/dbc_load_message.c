/* BO_, SG_ and what completes them: SG_MUL_VAL_, SIG_VALTYPE_, BO_TX_BU_. */
#include "shared/can/dbc_load_reader.h"

#include <stdlib.h>
#include <string.h>

/* The placeholders that tools write where a message or signal belongs to nobody in particular: part
 * of the format, "Vector__XXX" in nearly every file. */
static bool is_nobody(struct span node)
{
    return span_is(node, "Vector__XXX") || span_is(node, "Vector_XXX") || span_is(node, "XXX");
}

/* Names up to the end of the line or ';', with commas or blanks between. */
static bool read_nodes(struct dbc_reader *r, const char *const **nodes, size_t *count)
{
    struct span names[256];
    size_t found = 0;
    for (;;) {
        struct span name;
        if (next_on_line(r)) {
            if (!scan_name(r, &name, "a node"))
                return false;
            if (found < sizeof names / sizeof *names && !is_nobody(name))
                names[found++] = name;
        } else if (r->at < r->end && *r->at == ',') {
            r->at++;
        } else {
            break;
        }
    }
    const char **list = arena_alloc(&r->arena, found * sizeof *list);
    if (!list)
        return dbc_out_of_memory(r);
    for (size_t i = 0; i < found; i++)
        list[i] = dbc_keep(r, names[i]);
    *nodes = list;
    *count = found;
    return !r->code;
}

bool read_message(struct dbc_reader *r)
{
    struct built_message b = {.first_signal = r->signal_count};
    struct span name, sender = {"", 0};
    uint64_t length = 0;
    scan_blank(r);
    b.at = r->at;
    if (!scan_id(r, &b.m.id) || !scan_name(r, &name, "the name of the message") ||
        !scan_char(r, ':', "':' behind the message's name") ||
        !scan_uint(r, &length, "the length of the message in bytes") ||
        (next_on_line(r) && !scan_name(r, &sender, "the sender")))
        return false;
    if (length > 65535)
        return dbc_fail(r, b.at, "a message of %llu bytes; CAN has at most 8, CAN FD 64",
                        (unsigned long long)length);
    size_t first = built_message(r, b.m.id);
    b.left_out = !dbc_id_exists(b.m.id) || first != BUILT_NONE;
    /* What is left out without a word holds the signals that belong to no message. */
    if (!dbc_id_exists(b.m.id) && !span_is(name, "VECTOR__INDEPENDENT_SIG_MSG"))
        dbc_warn(r, b.at,
                 "%.*s is left out: CAN has the ids 0 to 2047 and, with 2147483648 (bit 31) added, "
                 "0 to 536870911",
                 span_shown(name), name.at);
    else if (first != BUILT_NONE)
        dbc_warn(r, b.at, "%.*s has the id of %s (line %d) and is left out; give it one of its own",
                 span_shown(name), name.at, r->messages[first].m.name, r->messages[first].m.line);
    b.m.name = dbc_keep(r, name);
    b.m.sender = is_nobody(sender) ? "" : dbc_keep(r, sender);
    b.m.comment = "";
    b.m.length = (uint32_t)length;
    b.m.line = dbc_line(r, b.at);
    if (r->code ||
        !dbc_grow(r, &r->messages, &r->message_size, r->message_count, sizeof *r->messages))
        return false;
    r->messages[r->message_count++] = b;
    return true;
}

/* M, m3, m3M or nothing between name and colon. */
static bool read_mux(struct dbc_reader *r, struct dbc_signal *s)
{
    struct span word;
    if (next_is(r, ':'))
        return true;
    if (!scan_name(r, &word, "':' or M, m0, m0M behind the signal's name"))
        return false;
    const char *c = word.at, *end = word.at + word.length;
    uint64_t value = 0;
    if (*c == 'm') {
        s->is_multiplexed = true;
        const char *digits = ++c;
        for (; c < end && *c >= '0' && *c <= '9' && value < UINT32_MAX; c++)
            value = value * 10 + (uint64_t)(*c - '0');
        s->is_multiplexed = c > digits;
    }
    if (c < end && *c == 'M') {
        s->is_switch = true;
        c++;
    }
    if (word.length == 1 && word.at[0] == 'm') {
        s->is_switch = true;
        dbc_warn(r, word.at, "m without a number is taken as M, the switch");
    } else if (c != end || (word.at[0] == 'm' && !s->is_multiplexed))
        return dbc_fail(r, word.at,
                        "'%.*s' is no multiplexer mark; allowed are M (switch), m3 (there when the "
                        "switch is 3) and m3M (both)",
                        span_shown(word), word.at);
    if (!s->is_multiplexed)
        return true;
    struct dbc_range *range = arena_alloc(&r->arena, sizeof *range);
    if (!range)
        return dbc_out_of_memory(r);
    *range = (struct dbc_range){value, value};
    s->ranges = range;
    s->range_count = 1;
    return true;
}

/* start|length@order sign */
static bool read_place(struct dbc_reader *r, struct dbc_signal *s)
{
    uint64_t start = 0, length = 0, order = 0;
    const char *at = r->at;
    if (!scan_uint(r, &start, "the signal's start bit") ||
        !scan_char(r, '|', "'|' between start bit and length") ||
        !scan_uint(r, &length, "the signal's length in bits") ||
        !scan_char(r, '@', "'@' and the byte order"))
        return false;
    if (start >= 65536 * 8 || length > 65536 * 8)
        return dbc_fail(r, at, "start bit %llu, length %llu: a CAN FD frame has 512 bits",
                        (unsigned long long)start, (unsigned long long)length);
    scan_blank(r);
    const char *order_at = r->at;
    if (!scan_uint(r, &order, "the byte order, 0 (Motorola) or 1 (Intel)"))
        return false;
    if (order > 1)
        return dbc_fail(r, order_at, "byte order %llu; allowed are 0 (Motorola) and 1 (Intel)",
                        (unsigned long long)order);
    s->start = (uint32_t)start;
    s->length = (uint32_t)length;
    s->big_endian = order == 0;
    if (take_char(r, '-'))
        s->type = DBC_SIGNED;
    else if (!scan_char(r, '+', "'+' (unsigned) or '-' (signed)"))
        return false;
    return true;
}

/* (factor,offset) [min|max] "unit" */
static bool read_scale(struct dbc_reader *r, struct dbc_signal *s)
{
    scan_blank(r);
    const char *at = r->at;
    if (!scan_char(r, '(', "'(' and the factor") || !scan_number(r, &s->factor, "the factor") ||
        !scan_char(r, ',', "',' and the offset") || !scan_number(r, &s->offset, "the offset") ||
        !scan_char(r, ')', "')' behind the offset") ||
        !scan_char(r, '[', "'[' and the least value") ||
        !scan_number(r, &s->min, "the least value") ||
        !scan_char(r, '|', "'|' and the greatest value") ||
        !scan_number(r, &s->max, "the greatest value") ||
        !scan_char(r, ']', "']' behind the greatest value") ||
        !scan_string(r, &s->unit, "the unit in quotes"))
        return false;
    if (s->factor == 0.0) {
        dbc_warn(r, at, "factor 0 is taken as 1");
        s->factor = 1.0;
    }
    return true;
}

bool read_signal(struct dbc_reader *r)
{
    struct built_signal b = {.s = {.comment = "", .switch_index = -1}};
    struct span name;
    if (r->message_count == 0)
        return dbc_fail(r, r->at, "SG_ before the first message; signals follow a line with BO_");
    if (!scan_name(r, &name, "the name of the signal"))
        return false;
    b.at = name.at;
    b.s.line = dbc_line(r, b.at);
    if (!read_mux(r, &b.s) || !scan_char(r, ':', "':' behind the signal's name") ||
        !read_place(r, &b.s) || !read_scale(r, &b.s) ||
        !read_nodes(r, &b.s.receivers, &b.s.receiver_count))
        return false;
    struct built_message *m = &r->messages[r->message_count - 1];
    if (built_signal(r, r->message_count - 1, name) != BUILT_NONE) {
        dbc_warn(r, b.at, "%s has a signal %.*s already; this one is left out", m->m.name,
                 span_shown(name), name.at);
        return true;
    }
    b.s.name = dbc_keep(r, name);
    if (r->code || !dbc_grow(r, &r->signals, &r->signal_size, r->signal_count, sizeof *r->signals))
        return false;
    r->signals[r->signal_count++] = b;
    m->m.signal_count++;
    return true;
}

/* "id signal": the signal's index, or BUILT_NONE after a warning. */
static bool read_reference(struct dbc_reader *r, size_t *signal)
{
    struct span name;
    uint32_t id = 0;
    if (!scan_id(r, &id) || !scan_name(r, &name, "the name of a signal"))
        return false;
    *signal = built_signal(r, built_message(r, id), name);
    if (*signal == BUILT_NONE)
        dbc_warn(r, name.at, "there is no signal %.*s in message %u; passed over", span_shown(name),
                 name.at, (unsigned)id);
    return true;
}

/* SG_MUL_VAL_ id signal switch 0-3, 7-7 ; */
bool read_mux_ranges(struct dbc_reader *r)
{
    struct span by;
    struct dbc_range ranges[1024];
    size_t signal = 0, count = 0;
    if (!read_reference(r, &signal) || !scan_name(r, &by, "the name of the switch"))
        return false;
    do {
        struct dbc_range range;
        const char *at = r->at;
        if (!scan_uint(r, &range.low, "a value of the switch") ||
            !scan_char(r, '-', "'-' and the end of the range") ||
            !scan_uint(r, &range.high, "the end of the range"))
            return false;
        if (range.low > range.high)
            return dbc_fail(r, at, "the range ends before it begins; write low-high");
        if (count == sizeof ranges / sizeof *ranges)
            return dbc_fail(r, at, "more than %zu ranges", count);
        ranges[count++] = range;
    } while (take_char(r, ','));
    if (!scan_end(r))
        return false;
    if (signal == BUILT_NONE)
        return true;
    struct dbc_range *kept = arena_alloc(&r->arena, count * sizeof *kept);
    if (!kept)
        return dbc_out_of_memory(r);
    memcpy(kept, ranges, count * sizeof *kept);
    struct built_signal *b = &r->signals[signal];
    b->s.ranges = kept;
    b->s.range_count = count;
    b->s.is_multiplexed = true;
    b->switch_name = dbc_keep(r, by);
    return !r->code;
}

/* SIG_VALTYPE_ id signal : 1 ; */
bool read_value_type(struct dbc_reader *r)
{
    size_t signal = 0;
    uint64_t type = 0;
    if (!read_reference(r, &signal))
        return false;
    (void)take_char(r, ':');
    scan_blank(r);
    const char *at = r->at;
    if (!scan_uint(r, &type, "0 (integer), 1 (float) or 2 (double)"))
        return false;
    if (!scan_end(r))
        return false;
    if (type > 2)
        return dbc_fail(r, at, "type %llu; allowed are 0 (integer), 1 (float) and 2 (double)",
                        (unsigned long long)type);
    if (signal == BUILT_NONE || type == 0)
        return true;
    struct dbc_signal *s = &r->signals[signal].s;
    if (s->length != 32 * type) {
        dbc_warn(r, at, "%s has %u bits, a %s has %u; taken as integer", s->name, s->length,
                 type == 1 ? "float" : "double", (unsigned)(32 * type));
        return true;
    }
    s->type = type == 1 ? DBC_FLOAT32 : DBC_FLOAT64;
    return true;
}

/* BO_TX_BU_ id : node, node ; */
bool read_senders(struct dbc_reader *r)
{
    uint32_t id = 0;
    const char *const *nodes = NULL;
    size_t count = 0;
    if (!scan_id(r, &id) || !scan_char(r, ':', "':' and the senders") ||
        !read_nodes(r, &nodes, &count))
        return false;
    if (!scan_end(r))
        return false;
    size_t message = built_message(r, id);
    if (message != BUILT_NONE) {
        r->messages[message].m.more_senders = nodes;
        r->messages[message].m.more_sender_count = count;
    }
    return true;
}
