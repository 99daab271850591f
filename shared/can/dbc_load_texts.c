/* Texts about things: CM_, VAL_, VAL_TABLE_. */
#include "shared/can/dbc_load_reader.h"

#include <stdlib.h>
#include <string.h>

static bool comment_node(struct dbc_reader *r)
{
    struct span name;
    const char *text = "";
    if (!scan_name(r, &name, "the name of a node") || !scan_string(r, &text, "a comment in quotes"))
        return false;
    for (size_t i = 0; i < r->node_count; i++)
        if (span_is(name, r->nodes[i].name)) {
            r->nodes[i].comment = text;
            return true;
        }
    dbc_warn(r, name.at, "a comment for node %.*s, which is not in the list BU_", span_shown(name),
             name.at);
    return true;
}

static bool comment_message(struct dbc_reader *r, bool of_signal)
{
    struct span name = {"", 0};
    const char *text = "";
    uint32_t id = 0;
    scan_blank(r);
    const char *at = r->at;
    if (!scan_id(r, &id) || (of_signal && !scan_name(r, &name, "the name of a signal")) ||
        !scan_string(r, &text, "a comment in quotes"))
        return false;
    size_t message = built_message(r, id);
    size_t signal = of_signal ? built_signal(r, message, name) : BUILT_NONE;
    if (message == BUILT_NONE)
        dbc_warn(r, at, "a comment for message %u, which is not there", (unsigned)id);
    else if (!of_signal)
        r->messages[message].m.comment = text;
    else if (signal == BUILT_NONE)
        dbc_warn(r, name.at, "a comment for signal %.*s, which is not in message %u",
                 span_shown(name), name.at, (unsigned)id);
    else
        r->signals[signal].s.comment = text;
    return true;
}

bool read_comment(struct dbc_reader *r)
{
    const char *text = "";
    struct span name;
    bool good;
    if (take_word(r, "BU_"))
        good = comment_node(r);
    else if (take_word(r, "BO_"))
        good = comment_message(r, false);
    else if (take_word(r, "SG_"))
        good = comment_message(r, true);
    else if (take_word(r, "EV_"))
        good = scan_name(r, &name, "the name of a variable") &&
               scan_string(r, &text, "a comment in quotes");
    else if ((good = scan_string(r, &text, "a comment in quotes, or BU_, BO_, SG_, EV_")))
        r->dbc->comment = text;
    return good && scan_end(r);
}

/* 3 "text" 2 "text" ... ; into the arena. */
static bool read_pairs(struct dbc_reader *r, const struct dbc_value **values, size_t *count)
{
    struct dbc_value *list = NULL;
    size_t found = 0, size = 0;
    bool good = true;
    while (good && next_is_number(r)) {
        struct dbc_value v = {0, ""};
        good = scan_int(r, &v.raw, "a whole number") &&
               scan_string(r, &v.text, "the text of the value in quotes") &&
               dbc_grow(r, &list, &size, found, sizeof *list);
        if (good)
            list[found++] = v;
    }
    struct dbc_value *kept = good ? arena_alloc(&r->arena, found * sizeof *kept) : NULL;
    if (kept && list)
        memcpy(kept, list, found * sizeof *kept);
    free(list);
    if (!good)
        return false;
    if (!kept)
        return dbc_out_of_memory(r);
    *values = kept;
    *count = found;
    return scan_end(r);
}

bool read_table(struct dbc_reader *r)
{
    struct span name;
    struct dbc_table table = {0};
    if (!scan_name(r, &name, "the name of the table") ||
        !read_pairs(r, &table.values, &table.value_count))
        return false;
    table.name = dbc_keep(r, name);
    if (r->code || !dbc_grow(r, &r->tables, &r->table_size, r->table_count, sizeof *r->tables))
        return false;
    r->tables[r->table_count++] = table;
    return true;
}

/* The values of a table in the place of a list. */
static bool read_table_name(struct dbc_reader *r, struct dbc_signal *s)
{
    struct span name;
    if (!scan_name(r, &name, "values or the name of a table"))
        return false;
    size_t i = 0;
    while (i < r->table_count && !span_is(name, r->tables[i].name))
        i++;
    if (i == r->table_count)
        return dbc_fail(r, name.at, "there is no VAL_TABLE_ %.*s before this line",
                        span_shown(name), name.at);
    s->values = r->tables[i].values;
    s->value_count = r->tables[i].value_count;
    return scan_end(r);
}

bool read_values(struct dbc_reader *r)
{
    struct dbc_signal unused = {0}, *s = &unused;
    struct span name;
    if (next_is_number(r)) {
        uint32_t id = 0;
        if (!scan_id(r, &id) || !scan_name(r, &name, "the name of a signal"))
            return false;
        size_t signal = built_signal(r, built_message(r, id), name);
        if (signal == BUILT_NONE)
            dbc_warn(r, name.at, "values for signal %.*s of message %u, which is not there",
                     span_shown(name), name.at, (unsigned)id);
        else
            s = &r->signals[signal].s;
    } else {
        /* of an environment variable */
        if (!scan_name(r, &name, "the id of a message or the name of a variable"))
            return false;
        r->dbc->ignored++;
    }
    if (next_is(r, ';') || next_is_number(r))
        return read_pairs(r, &s->values, &s->value_count);
    return read_table_name(r, s);
}
