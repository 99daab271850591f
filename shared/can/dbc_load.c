/* Reading a DBC file: encoding, statements one by one, the final arrays. */
#include "shared/base/file.h"
#include "shared/base/utf8.h"
#include "shared/can/dbc_load_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- encoding */

static bool is_utf8(const char *text, size_t length)
{
    for (size_t at = 0; at < length;) {
        size_t bytes = utf8_character(text + at, length - at);
        if (bytes == 0)
            return false;
        at += bytes;
    }
    return true;
}

/* Windows-1252: 0x80 to 0x9f are these, 0xa0 to 0xff are U+00A0 to U+00FF. */
static unsigned int code_of_1252(unsigned char c)
{
    static const uint16_t codes[32] = {
        0x20ac, 0xfffd, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
        0x2039, 0x0152, 0xfffd, 0x017d, 0xfffd, 0xfffd, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
        0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0xfffd, 0x017e, 0x0178};
    return c >= 0x80 && c < 0xa0 ? codes[c - 0x80] : c;
}

/* The text as UTF-8; at most three bytes for each. NULL if there is no memory. */
static char *as_utf8(const char *text, size_t length, size_t *utf8_length)
{
    bool already = is_utf8(text, length);
    unsigned char *copy = malloc(already ? length + 1 : 3 * length + 1), *to = copy;
    if (!copy)
        return NULL;
    for (size_t i = 0; i < length; i++) {
        unsigned int c = (unsigned char)text[i];
        if (!already)
            c = code_of_1252((unsigned char)c);
        if (already || c < 0x80) {
            *to++ = (unsigned char)c;
        } else if (c < 0x800) {
            *to++ = (unsigned char)(0xc0 | c >> 6);
            *to++ = (unsigned char)(0x80 | (c & 0x3f));
        } else {
            *to++ = (unsigned char)(0xe0 | c >> 12);
            *to++ = (unsigned char)(0x80 | (c >> 6 & 0x3f));
            *to++ = (unsigned char)(0x80 | (c & 0x3f));
        }
    }
    *utf8_length = (size_t)(to - copy);
    return (char *)copy;
}

/* ---- statements */

static bool read_version(struct dbc_reader *r)
{
    return scan_string(r, &r->dbc->version, "the version in quotes");
}

/* The names that a tool knows: each alone on its line, which is how the list ends. */
static bool read_symbols(struct dbc_reader *r)
{
    struct span name;
    (void)take_char(r, ':');
    for (;;) {
        scan_blank(r);
        const char *start = r->at;
        if (r->at == r->end || !next_on_line(r))
            return true;
        if (!scan_name(r, &name, "a name"))
            return false;
        bool more = next_on_line(r);
        if (more || (r->at < r->end && *r->at != '\n')) {
            r->at = start;
            return true;
        }
    }
}

/* Bit timing, long without use: to the end of the line. */
static bool read_timing(struct dbc_reader *r)
{
    while (r->at < r->end && *r->at != '\n')
        r->at++;
    return true;
}

static bool read_node_list(struct dbc_reader *r)
{
    if (!scan_char(r, ':', "':' and the names of the nodes"))
        return false;
    for (;;) {
        struct span name;
        if (r->at < r->end && *r->at == ',')
            r->at++;
        if (!next_on_line(r)) {
            /* Several lines if the next one begins with blanks. */
            const char *c = r->at;
            if (c + 1 >= r->end || *c != '\n' || (c[1] != ' ' && c[1] != '\t'))
                return true;
            r->at++;
            if (!next_on_line(r))
                return true;
        }
        const char *start = r->at;
        if (!scan_name(r, &name, "the name of a node"))
            return false;
        if (span_is(name, "VAL_TABLE_") || span_is(name, "BO_") || next_is(r, ':')) {
            r->at = start;
            return true;
        }
        r->at = name.at + name.length;
        if (!dbc_grow(r, &r->nodes, &r->node_size, r->node_count, sizeof *r->nodes))
            return false;
        r->nodes[r->node_count++] = (struct dbc_node){dbc_keep(r, name), ""};
    }
}

/* To the ';' that ends it, past texts. */
static bool read_ignored(struct dbc_reader *r)
{
    const char *start = r->at, *unused = "";
    while (!take_char(r, ';')) {
        if (r->at == r->end)
            return dbc_fail(r, start, "this statement has no ';' at its end");
        if (!next_is(r, '"'))
            r->at++;
        else if (!scan_string(r, &unused, "a text"))
            return false;
    }
    r->dbc->ignored++;
    return true;
}

/* A mistake in a statement that only adds texts and attributes is a warning; one in a statement
 * that says where bits are ends the reading. */
struct statement {
    const char *word;
    bool (*read)(struct dbc_reader *r);
    bool essential;
};

static const struct statement statements[] = {
    {"SG_", read_signal, true},
    {"BO_", read_message, true},
    {"BA_", read_setting, false},
    {"VAL_", read_values, false},
    {"CM_", read_comment, false},
    {"VAL_TABLE_", read_table, false},
    {"BA_DEF_", read_attribute, false},
    {"BA_DEF_DEF_", read_default, false},
    {"BO_TX_BU_", read_senders, false},
    {"SG_MUL_VAL_", read_mux_ranges, true},
    {"SIG_VALTYPE_", read_value_type, true},
    {"VERSION", read_version, false},
    {"NS_", read_symbols, true},
    {"BS_", read_timing, false},
    {"BU_", read_node_list, true},
    {"EV_", read_ignored, false},
    {"EV_DATA_", read_ignored, false},
    {"ENVVAR_DATA_", read_ignored, false},
    {"SGTYPE_", read_ignored, false},
    {"SGTYPE_VAL_", read_ignored, false},
    {"SIG_TYPE_REF_", read_ignored, false},
    {"SIGTYPE_VALTYPE_", read_ignored, false},
    {"SIG_GROUP_", read_ignored, false},
    {"BA_DEF_SGTYPE_", read_ignored, false},
    {"BA_SGTYPE_", read_ignored, false},
    {"BA_DEF_REL_", read_ignored, false},
    {"BA_DEF_DEF_REL_", read_ignored, false},
    {"BA_REL_", read_ignored, false},
    {"BU_SG_REL_", read_ignored, false},
    {"BU_EV_REL_", read_ignored, false},
    {"BU_BO_REL_", read_ignored, false},
    {"NS_DESC_", read_ignored, false},
    {"CAT_DEF_", read_ignored, false},
    {"CAT_", read_ignored, false},
    {"FILTER", read_ignored, false},
};

static const struct statement *find_statement(struct span word)
{
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++)
        if (span_is(word, statements[i].word))
            return &statements[i];
    return NULL;
}

/* Not known: to its ';', or to a line that begins with a statement. */
static bool skip_unknown(struct dbc_reader *r, struct span word)
{
    const char *unused = "";
    r->dbc->unknown++;
    dbc_warn(r, word.at, "unknown statement %.*s is passed over", span_shown(word), word.at);
    while (!take_char(r, ';') && r->at < r->end) {
        const char *start = r->at;
        if (next_is(r, '"')) {
            if (!scan_string(r, &unused, "a text"))
                return false;
            continue;
        }
        struct span next = {start, 0};
        bool at_line_start = start > r->text && start[-1] == '\n';
        if (at_line_start && next_on_line(r) && scan_name(r, &next, "a name") &&
            find_statement(next)) {
            r->at = start;
            return true;
        }
        r->at = start + (next.length > 1 ? next.length : 1);
    }
    return true;
}

/* After a mistake: to the next line that begins with a statement. */
static bool pass_over(struct dbc_reader *r, struct span word)
{
    if (r->code != -EINVAL)
        return false;
    r->code = 0;
    dbc_add_warning(r, "%s; passed over", r->mistake.text);
    for (r->at = word.at; r->at < r->end;) {
        const char *newline = memchr(r->at, '\n', (size_t)(r->end - r->at));
        r->at = newline ? newline + 1 : r->end;
        const char *start = r->at;
        struct span next;
        if (next_on_line(r) && scan_name(r, &next, "a name") && find_statement(next)) {
            r->at = start;
            return true;
        }
    }
    return true;
}

static bool read_statement(struct dbc_reader *r)
{
    struct span word;
    if (take_char(r, ';'))
        return true;
    if (!scan_name(r, &word, "a statement such as BO_ or CM_"))
        return false;
    const struct statement *s = find_statement(word);
    if (!s)
        return skip_unknown(r, word);
    return s->read(r) || (!s->essential && pass_over(r, word));
}

/* ---- the final arrays */

static void *keep_array(struct dbc_reader *r, const void *items, size_t bytes)
{
    void *kept = arena_alloc(&r->arena, bytes);
    if (!kept)
        (void)dbc_out_of_memory(r);
    else if (bytes)
        memcpy(kept, items, bytes);
    return kept;
}

static void finish_messages(struct dbc_reader *r)
{
    struct dbc *d = r->dbc;
    d->messages = arena_alloc(&r->arena, r->message_count * sizeof *d->messages);
    struct dbc_signal *signals = arena_alloc(&r->arena, r->signal_count * sizeof *signals);
    if (!d->messages || !signals) {
        (void)dbc_out_of_memory(r);
        return;
    }
    for (size_t i = 0; i < r->signal_count; i++)
        signals[i] = r->signals[i].s;
    for (size_t i = 0; i < r->message_count; i++) {
        const struct built_message *b = &r->messages[i];
        if (b->left_out)
            continue;
        struct dbc_message *m = &d->messages[d->message_count++];
        *m = b->m;
        m->signals = signals + b->first_signal;
    }
}

static void finish_settings(struct dbc_reader *r)
{
    struct dbc *d = r->dbc;
    d->settings = arena_alloc(&r->arena, r->setting_count * sizeof *d->settings);
    if (!d->settings) {
        (void)dbc_out_of_memory(r);
        return;
    }
    d->setting_count = r->setting_count;
    for (size_t i = 0; i < r->setting_count; i++) {
        const struct built_setting *b = &r->settings[i];
        d->settings[i] = b->s;
        d->settings[i].attribute = &d->attributes[b->attribute];
        if (b->signal != BUILT_NONE)
            d->settings[i].object = r->signals[b->signal].s.name;
        else if (b->message != BUILT_NONE && b->s.object_kind == DBC_OF_MESSAGE)
            d->settings[i].object = r->messages[b->message].m.name;
    }
}

static void finish(struct dbc_reader *r)
{
    struct dbc *d = r->dbc;
    dbc_apply_attributes(r);
    dbc_resolve_switches(r);
    dbc_check_layout(r);
    dbc_apply_long_names(r);
    if (r->code)
        return;
    d->nodes = keep_array(r, r->nodes, r->node_count * sizeof *r->nodes);
    d->tables = keep_array(r, r->tables, r->table_count * sizeof *r->tables);
    d->attributes = keep_array(r, r->attributes, r->attribute_count * sizeof *r->attributes);
    d->node_count = r->node_count;
    d->table_count = r->table_count;
    d->attribute_count = r->attribute_count;
    if (!r->code)
        finish_messages(r);
    if (!r->code)
        finish_settings(r);
}

static void read_all(struct dbc_reader *r)
{
    if (r->end - r->at >= 3 && memcmp(r->at, "\xef\xbb\xbf", 3) == 0)
        r->at += 3;
    const char *zero = memchr(r->at, 0, (size_t)(r->end - r->at));
    if (zero) {
        (void)dbc_fail(r, zero, "a zero byte: this is not a text file");
        return;
    }
    scan_blank(r);
    while (r->at < r->end && read_statement(r))
        scan_blank(r);
}

int dbc_parse(const char *name, const char *text, size_t length, struct dbc *dbc, struct err *e)
{
    struct dbc_reader r = {.dbc = dbc, .line = 1};
    memset(dbc, 0, sizeof *dbc);
    dbc->version = dbc->comment = "";
    dbc->name = name;
    if (length > DBC_BYTES_MAX)
        return err_set(e, -EFBIG, "%.200s: larger than %d MB", name, DBC_BYTES_MAX >> 20);
    size_t utf8_length = 0;
    char *copy = as_utf8(text, length, &utf8_length);
    dbc->name = dbc_keep(&r, (struct span){name, strlen(name)});
    if (!copy)
        (void)dbc_out_of_memory(&r);
    r.text = r.at = r.counted = copy ? copy : "";
    r.end = r.text + utf8_length;
    if (!r.code)
        read_all(&r);
    if (!r.code)
        finish(&r);
    free(copy);
    free(r.messages);
    free(r.signals);
    free(r.settings);
    free(r.nodes);
    free(r.tables);
    free(r.attributes);
    dbc->memory = r.arena.chunks;
    if (r.code == 0)
        return 0;
    dbc_free(dbc);
    return err_set(e, r.code, "%s", r.mistake.text);
}

int dbc_load(const char *path, struct dbc *dbc, struct err *e)
{
    char *text = NULL;
    size_t length = 0;
    int rc = file_read_whole(path, DBC_BYTES_MAX, &text, &length);
    memset(dbc, 0, sizeof *dbc);
    if (rc == -EFBIG)
        return err_set(e, rc, "%.200s: larger than %d MB: no DBC file is", path,
                       DBC_BYTES_MAX >> 20);
    if (rc)
        return err_set(e, rc, "%.200s: cannot be read: %s", path, file_why(rc));
    rc = dbc_parse(path, text, length, dbc, e);
    free(text);
    return rc;
}

void dbc_free(struct dbc *dbc)
{
    struct arena arena = {dbc->memory};
    arena_free(&arena);
    memset(dbc, 0, sizeof *dbc);
}
