/* Messages: file:line:column: key: what is wrong, what is allowed. */
#include "shared/config/node.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static bool is_known(const struct cfg_doc *doc, const char *text)
{
    for (size_t i = 0; i < doc->message_count; i++)
        if (doc->messages[i] && strcmp(doc->messages[i], text) == 0)
            return true;
    return false;
}

/* A message that finds no memory stays NULL; the document is spoiled all the same. */
static void store(struct cfg_doc *doc, const struct line *line)
{
    doc->complained = true;
    struct line clean = LINE_EMPTY;
    line_add_text(&clean, line->text, line->used, sizeof line->text);
    if (is_known(doc, clean.text))
        return;
    if (doc->message_count < CFG_MAX_MESSAGES) {
        doc->messages[doc->message_count++] = strdup(clean.text);
        return;
    }
    struct line more = LINE_EMPTY;
    line_add_text(&more, doc->name, strlen(doc->name), sizeof more.text / 2);
    line_add(&more, ": more messages left out, correct these first");
    doc->messages[doc->message_count++] = strdup(more.text);
}

static void line_add_place(struct line *line, const struct cfg_doc *doc, struct cfg_mark at)
{
    line_add_text(line, doc->name, strlen(doc->name), sizeof line->text / 2);
    if (at.line)
        line_add(line, ":%zu:%zu", at.line, at.column);
    line_add(line, ": ");
}

/* Nothing more is kept of a text that gave no tree, nor past the last message. */
static bool is_closed(const struct cfg_doc *doc)
{
    return doc->unreadable || doc->message_count > CFG_MAX_MESSAGES;
}

void cfg_add_message(struct cfg_doc *doc, struct cfg_mark at, const char *format, ...)
{
    if (is_closed(doc))
        return;
    struct line line = LINE_EMPTY;
    line_add_place(&line, doc, at);
    va_list args;
    va_start(args, format);
    line_vadd(&line, format, args);
    va_end(args);
    store(doc, &line);
}

/* The path, then the text; the top of a document has no path. */
static void complain_at(const struct cfg_node *node, const char *key, struct cfg_mark at,
                        const char *format, va_list args) __attribute__((format(printf, 4, 0)));

static void complain_at(const struct cfg_node *node, const char *key, struct cfg_mark at,
                        const char *format, va_list args)
{
    if (is_closed(node->doc))
        return;
    struct line line = LINE_EMPTY;
    line_add_place(&line, node->doc, at);
    size_t before = line.used;
    cfg_add_path(&line, node, key);
    if (line.used > before)
        line_add(&line, ": ");
    line_vadd(&line, format, args);
    store(node->doc, &line);
}

static struct cfg_mark key_place(const struct cfg_node *node)
{
    return node->key_at.line ? node->key_at : node->at;
}

struct cfg_mark cfg_mark_of(const struct cfg_node *node, const char *key)
{
    if (!node || !node->doc)
        return (struct cfg_mark){0, 0};
    const struct cfg_node *child = key ? cfg_find(node, key) : NULL;
    return key_place(child ? child : node);
}

void cfg_complain(const struct cfg_node *node, const char *key, const char *format, ...)
{
    if (!node || !node->doc)
        return;
    va_list args;
    va_start(args, format);
    complain_at(node, key, cfg_mark_of(node, key), format, args);
    va_end(args);
}

void cfg_complain_value(const struct cfg_node *node, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    complain_at(node, NULL, cfg_is_null(node) ? key_place(node) : node->at, format, args);
    va_end(args);
}

void cfg_add_path(struct line *line, const struct cfg_node *node, const char *key)
{
    const struct cfg_node *way[CFG_MAX_DEPTH + 2];
    size_t steps = 0;
    for (; node && node->parent && steps < CFG_MAX_DEPTH + 2; node = node->parent)
        way[steps++] = node;
    const char *dot = "";
    while (steps > 0) {
        const struct cfg_node *step = way[--steps];
        if (step->key) {
            line_add(line, "%s", dot);
            line_add_text(line, step->key, strlen(step->key), CFG_SHOWN_KEY_BYTES);
        } else {
            line_add(line, "[%zu]", step->index);
        }
        dot = ".";
    }
    if (key) {
        line_add(line, "%s", dot);
        line_add_text(line, key, strlen(key), CFG_SHOWN_KEY_BYTES);
    }
}

void cfg_add_value(struct line *line, const struct cfg_node *node)
{
    if (node->kind == CFG_MAP) {
        line_add(line, "is a mapping");
    } else if (node->kind == CFG_LIST) {
        line_add(line, "is a list");
    } else if (cfg_is_null(node)) {
        line_add(line, "has no value");
    } else {
        line_add(line, "is \"");
        line_add_text(line, node->text, node->length, CFG_SHOWN_BYTES);
        line_add(line, "\"");
    }
}

bool cfg_ok(const struct cfg_doc *doc)
{
    return !doc->complained;
}

size_t cfg_message_count(const struct cfg_doc *doc)
{
    return doc->message_count;
}

const char *cfg_message(const struct cfg_doc *doc, size_t index)
{
    if (index >= doc->message_count)
        return "";
    return doc->messages[index] ? doc->messages[index] : "out of memory";
}

void cfg_print_messages(const struct cfg_doc *doc, FILE *to)
{
    for (size_t i = 0; i < doc->message_count; i++)
        (void)fprintf(to, "%s\n", cfg_message(doc, i));
}
