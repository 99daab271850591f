/* Attributes: BA_DEF_, BA_DEF_DEF_, BA_, and those that say something about the bus. */
#include "shared/can/dbc_load_reader.h"

#include <stdlib.h>
#include <string.h>

static bool add_attribute(struct dbc_reader *r, const struct dbc_attribute *a)
{
    if (!dbc_grow(r, &r->attributes, &r->attribute_size, r->attribute_count, sizeof *a))
        return false;
    r->attributes[r->attribute_count++] = *a;
    return true;
}

static size_t find_attribute(const struct dbc_reader *r, const char *name)
{
    for (size_t i = 0; i < r->attribute_count; i++)
        if (strcmp(r->attributes[i].name, name) == 0)
            return i;
    return BUILT_NONE;
}

static enum dbc_object read_object(struct dbc_reader *r)
{
    static const char *const words[] = {"", "BU_", "BO_", "SG_", "EV_"};
    for (int i = DBC_OF_NODE; i <= DBC_OF_VARIABLE; i++)
        if (take_word(r, words[i]))
            return (enum dbc_object)i;
    return DBC_OF_FILE;
}

static bool read_choices(struct dbc_reader *r, struct dbc_attribute *a)
{
    const char **list = NULL;
    size_t size = 0;
    bool good = true;
    while (good && next_is(r, '"')) {
        const char *text = "";
        good = scan_string(r, &text, "a choice in quotes") &&
               dbc_grow(r, &list, &size, a->choice_count, sizeof *list);
        if (good)
            list[a->choice_count++] = text;
        (void)take_char(r, ',');
    }
    const char **kept = good ? arena_alloc(&r->arena, a->choice_count * sizeof *kept) : NULL;
    if (kept && list)
        memcpy(kept, list, a->choice_count * sizeof *kept);
    free(list);
    if (good && !kept)
        return dbc_out_of_memory(r);
    a->choices = kept;
    return good;
}

/* BA_DEF_ BO_ "name" INT 0 100; */
bool read_attribute(struct dbc_reader *r)
{
    static const char *const words[] = {"INT", "HEX", "FLOAT", "STRING", "ENUM"};
    struct dbc_attribute a = {.text = "", .object = read_object(r)};
    struct span kind;
    if (!scan_string(r, &a.name, "BU_, BO_, SG_, EV_ or the name of the attribute in quotes") ||
        !scan_name(r, &kind, "INT, HEX, FLOAT, STRING or ENUM"))
        return false;
    size_t k = 0;
    while (k < sizeof words / sizeof *words && !span_is(kind, words[k]))
        k++;
    if (k == sizeof words / sizeof *words)
        return dbc_fail(r, kind.at,
                        "'%.*s' is no type of attribute; allowed are INT, HEX, FLOAT, STRING, ENUM",
                        span_shown(kind), kind.at);
    a.kind = (enum dbc_kind)k;
    if (a.kind == DBC_ENUM && !read_choices(r, &a))
        return false;
    if (a.kind < DBC_TEXT && next_is_number(r) &&
        (!scan_number(r, &a.min, "the least value") ||
         !scan_number(r, &a.max, "the greatest value")))
        return false;
    return scan_end(r) && add_attribute(r, &a);
}

/* A number or a text; for ENUM both become index and text. */
static bool read_value(struct dbc_reader *r, const struct dbc_attribute *a, double *number,
                       const char **text)
{
    *number = 0.0;
    *text = "";
    scan_blank(r);
    const char *at = r->at;
    bool is_text = next_is(r, '"');
    if (!(is_text ? scan_string(r, text, "a value") : scan_number(r, number, "a value")))
        return false;
    if (a->kind != DBC_ENUM)
        return true;
    size_t i = 0;
    if (is_text)
        while (i < a->choice_count && strcmp(a->choices[i], *text) != 0)
            i++;
    else
        i = *number >= 0.0 && *number < (double)a->choice_count ? (size_t)*number : a->choice_count;
    if (i < a->choice_count) {
        *number = (double)i;
        *text = a->choices[i];
    } else if (!is_text || **text) {
        dbc_warn(r, at, "this is none of the choices of the attribute %.80s", a->name);
    }
    return true;
}

/* The attribute of this name; one that was never defined is taken as what its value is. */
static bool know_attribute(struct dbc_reader *r, const char *name, size_t *index)
{
    *index = find_attribute(r, name);
    if (*index != BUILT_NONE)
        return true;
    struct dbc_attribute a = {.name = name, .text = ""};
    a.kind = next_is(r, '"') ? DBC_TEXT : DBC_REAL;
    *index = r->attribute_count;
    return add_attribute(r, &a);
}

/* BA_DEF_DEF_ "name" value; */
bool read_default(struct dbc_reader *r)
{
    const char *name = "", *text = "";
    double number = 0.0;
    size_t i = 0;
    if (!scan_string(r, &name, "the name of the attribute in quotes") ||
        !know_attribute(r, name, &i) || !read_value(r, &r->attributes[i], &number, &text))
        return false;
    struct dbc_attribute *a = &r->attributes[i];
    a->has_default = true;
    a->number = number;
    a->text = text;
    return scan_end(r);
}

/* BA_ "name" SG_ id signal value; */
bool read_setting(struct dbc_reader *r)
{
    struct built_setting b = {.s = {.object = ""}, .message = BUILT_NONE, .signal = BUILT_NONE};
    const char *name = "";
    struct span object = {"", 0};
    if (!scan_string(r, &name, "the name of the attribute in quotes"))
        return false;
    const char *at = r->at;
    enum dbc_object of = b.s.object_kind = read_object(r);
    bool about_message = of == DBC_OF_MESSAGE || of == DBC_OF_SIGNAL;
    if ((about_message && !scan_id(r, &b.s.id)) ||
        (of != DBC_OF_FILE && of != DBC_OF_MESSAGE && !scan_name(r, &object, "a name")))
        return false;
    if (about_message)
        b.message = built_message(r, b.s.id);
    if (of == DBC_OF_SIGNAL)
        b.signal = built_signal(r, b.message, object);
    if ((about_message && b.message == BUILT_NONE) ||
        (of == DBC_OF_SIGNAL && b.signal == BUILT_NONE))
        dbc_warn(r, at, "attribute %.80s for %s%.*s of message %u, which is not there", name,
                 of == DBC_OF_SIGNAL ? "signal " : "", span_shown(object), object.at,
                 (unsigned)b.s.id);
    if (!know_attribute(r, name, &b.attribute) ||
        !read_value(r, &r->attributes[b.attribute], &b.s.number, &b.s.text))
        return false;
    b.s.object = dbc_keep(r, object);
    if (r->code ||
        !dbc_grow(r, &r->settings, &r->setting_size, r->setting_count, sizeof *r->settings))
        return false;
    r->settings[r->setting_count++] = b;
    return scan_end(r);
}

/* ---- what they say about the bus */

static bool is_fd_format(double number, const char *text)
{
    return *text ? strstr(text, "CAN_FD") != NULL : number == 14.0 || number == 15.0;
}

static void set_message(struct dbc_message *m, const char *name, double number, const char *text)
{
    if (strcmp(name, "GenMsgCycleTime") == 0)
        m->cycle_ms = number > 0.0 ? number : 0.0;
    else if (strcmp(name, "VFrameFormat") == 0)
        m->fd = is_fd_format(number, text);
    else if (strcmp(name, "CANFD_BRS") == 0)
        m->brs = number == 1.0 || strcmp(text, "1") == 0;
}

static void set_signal(struct dbc_signal *s, const char *name, double number)
{
    if (strcmp(name, "GenSigStartValue") != 0)
        return;
    s->has_start_value = true;
    s->start_value = number;
}

static void apply_default(struct dbc_reader *r, const struct dbc_attribute *a)
{
    if (!a->has_default)
        return;
    for (size_t i = 0; i < r->message_count; i++)
        set_message(&r->messages[i].m, a->name, a->number, a->text);
    for (size_t i = 0; i < r->signal_count; i++)
        set_signal(&r->signals[i].s, a->name, a->number);
}

void dbc_apply_attributes(struct dbc_reader *r)
{
    static const char *const known[] = {"GenMsgCycleTime", "VFrameFormat", "CANFD_BRS",
                                        "GenSigStartValue"};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        size_t a = find_attribute(r, known[k]);
        if (a == BUILT_NONE)
            continue;
        apply_default(r, &r->attributes[a]);
        for (size_t i = 0; i < r->setting_count; i++) {
            const struct built_setting *b = &r->settings[i];
            if (b->attribute != a || b->message == BUILT_NONE)
                continue;
            if (b->signal != BUILT_NONE)
                set_signal(&r->signals[b->signal].s, known[k], b->s.number);
            else
                set_message(&r->messages[b->message].m, known[k], b->s.number, b->s.text);
        }
    }
}

/* Names of more than 32 letters: tools shorten them in statements and give them in attributes. */
void dbc_apply_long_names(struct dbc_reader *r)
{
    size_t of_message = find_attribute(r, "SystemMessageLongSymbol");
    size_t of_signal = find_attribute(r, "SystemSignalLongSymbol");
    for (size_t i = 0; i < r->setting_count; i++) {
        const struct built_setting *b = &r->settings[i];
        if (b->message == BUILT_NONE || !*b->s.text)
            continue;
        if (b->attribute == of_signal && b->signal != BUILT_NONE)
            r->signals[b->signal].s.name = b->s.text;
        else if (b->attribute == of_message && b->s.object_kind == DBC_OF_MESSAGE)
            r->messages[b->message].m.name = b->s.text;
    }
}
