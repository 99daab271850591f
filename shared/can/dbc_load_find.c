#include "shared/base/nearest.h"
#include "shared/can/dbc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* "what 'name'; did you mean 'other'?" */
static void not_found(struct err *e, const char *what, const char *name, const char **known,
                      size_t count)
{
    const char *nearest = known ? nearest_word(name, known, count) : NULL;
    if (nearest)
        (void)err_set(e, -ENOENT, "%s '%.80s'; did you mean '%.80s'?", what, name, nearest);
    else
        (void)err_set(e, -ENOENT, "%s '%.80s'", what, name);
    free(known);
}

const struct dbc_message *dbc_find_message(const struct dbc *dbc, const char *name, struct err *e)
{
    for (size_t i = 0; i < dbc->message_count; i++)
        if (strcmp(dbc->messages[i].name, name) == 0)
            return &dbc->messages[i];
    struct err what;
    (void)err_set(&what, 0, "%.200s has no message", dbc->name);
    const char **known = malloc((dbc->message_count + 1) * sizeof *known);
    for (size_t i = 0; known && i < dbc->message_count; i++)
        known[i] = dbc->messages[i].name;
    not_found(e, what.text, name, known, dbc->message_count);
    return NULL;
}

const struct dbc_signal *dbc_find_signal(const struct dbc_message *m, const char *name,
                                         struct err *e)
{
    for (size_t i = 0; i < m->signal_count; i++)
        if (strcmp(m->signals[i].name, name) == 0)
            return &m->signals[i];
    struct err what;
    (void)err_set(&what, 0, "message %.80s has no signal", m->name);
    const char **known = malloc((m->signal_count + 1) * sizeof *known);
    for (size_t i = 0; known && i < m->signal_count; i++)
        known[i] = m->signals[i].name;
    not_found(e, what.text, name, known, m->signal_count);
    return NULL;
}

const struct dbc_message *dbc_message_by_id(const struct dbc *dbc, uint32_t id)
{
    for (size_t i = 0; i < dbc->message_count; i++)
        if (dbc->messages[i].id == id)
            return &dbc->messages[i];
    return NULL;
}

const char *dbc_value_text(const struct dbc_signal *s, int64_t raw)
{
    for (size_t i = 0; i < s->value_count; i++)
        if (s->values[i].raw == raw)
            return s->values[i].text;
    return NULL;
}

int dbc_value_raw(const struct dbc_signal *s, const char *text, int64_t *raw)
{
    for (size_t i = 0; i < s->value_count; i++)
        if (strcmp(s->values[i].text, text) == 0) {
            *raw = s->values[i].raw;
            return 0;
        }
    return -ENOENT;
}

static bool is_about(const struct dbc_setting *set, const struct dbc_message *m,
                     const struct dbc_signal *s)
{
    enum dbc_object of = set->object_kind;
    if (s)
        return of == DBC_OF_SIGNAL && set->id == m->id && strcmp(set->object, s->name) == 0;
    if (m)
        return of == DBC_OF_MESSAGE && set->id == m->id;
    return of == DBC_OF_FILE;
}

bool dbc_attribute(const struct dbc *dbc, const struct dbc_message *m, const struct dbc_signal *s,
                   const char *name, double *number, const char **text)
{
    const struct dbc_attribute *a = NULL;
    for (size_t i = 0; i < dbc->attribute_count && !a; i++)
        if (strcmp(dbc->attributes[i].name, name) == 0)
            a = &dbc->attributes[i];
    if (!a)
        return false;
    const struct dbc_setting *found = NULL;
    for (size_t i = 0; i < dbc->setting_count && !found; i++)
        if (dbc->settings[i].attribute == a && is_about(&dbc->settings[i], m, s))
            found = &dbc->settings[i];
    if (!found && !a->has_default)
        return false;
    if (number)
        *number = found ? found->number : a->number;
    if (text)
        *text = found ? found->text : a->text;
    return true;
}
