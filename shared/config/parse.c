/* From libyaml's events to the tree.
 *
 * Anchors are supported by copying: *name becomes a copy of what &name marked, so that every value
 * has one path. The limit on values bounds what nested aliases can grow to, and an alias inside
 * its own anchor is refused, so the tree is finite. Tags, merge keys and keys that are not plain
 * text are refused: they would only make files that nobody can read. */
#include "shared/config/node.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

struct anchor {
    struct anchor *next;
    const char *name;
    const struct cfg_node *node;
    bool complete; /* the node has all its children */
};

struct builder {
    struct cfg_doc *doc;
    const char *text;
    size_t length;
    yaml_parser_t parser;
    yaml_event_t event;    /* the current one */
    struct cfg_node **top; /* children of the nodes that are not complete, innermost last */
    size_t top_count, top_size;
    struct anchor *anchors;
    size_t anchor_count;
};

/* Where a node is to be put. It is known before the children are built, so that their messages
 * have a path. */
struct spot {
    const struct cfg_node *parent;
    const char *key;
    struct cfg_mark key_at;
    size_t index, depth;
};

static int build_node(struct builder *b, struct spot spot, struct cfg_node **out);

static struct cfg_mark place(yaml_mark_t mark)
{
    return (struct cfg_mark){mark.line + 1, mark.column + 1};
}

/* Refuses the document at the current event; the path is that of the node it stands in. A macro,
 * so that static analysis sees what is returned. */
#define REFUSE(b, node, ...)                                                                       \
    (complain((b), (node), place((b)->event.start_mark), __VA_ARGS__), -EINVAL)

static void complain(struct builder *b, const struct cfg_node *node, struct cfg_mark at,
                     const char *format, ...) __attribute__((format(printf, 4, 5)));

static void complain(struct builder *b, const struct cfg_node *node, struct cfg_mark at,
                     const char *format, ...)
{
    struct line line = LINE_EMPTY;
    cfg_add_path(&line, node, NULL);
    if (line.used)
        line_add(&line, ": ");
    va_list args;
    va_start(args, format);
    line_vadd(&line, format, args);
    va_end(args);
    cfg_add_message(b->doc, at, "%s", line.text);
}

static int next_event(struct builder *b)
{
    yaml_event_delete(&b->event);
    if (yaml_parser_parse(&b->parser, &b->event))
        return 0;
    if (b->parser.error == YAML_MEMORY_ERROR)
        return -ENOMEM;
    cfg_explain_syntax(b->doc, &b->parser, b->text, b->length);
    return -EINVAL;
}

static int push(struct builder *b, struct cfg_node *node)
{
    if (b->top_count == b->top_size) {
        size_t size = b->top_size ? b->top_size * 2 : 256;
        struct cfg_node **larger = realloc(b->top, size * sizeof(struct cfg_node *));
        if (!larger)
            return -ENOMEM;
        b->top = larger;
        b->top_size = size;
    }
    b->top[b->top_count++] = node;
    return 0;
}

/* Makes what was pushed since `base` the children of the node. */
static int pop(struct builder *b, struct cfg_node *node, size_t base)
{
    size_t count = b->top_count - base;
    b->top_count = base;
    return count ? cfg_node_adopt(node, b->top + base, count) : 0;
}

static int new_node(struct builder *b, struct spot spot, enum cfg_kind kind, struct cfg_node **out)
{
    if (spot.depth > CFG_MAX_DEPTH)
        return REFUSE(b, NULL, "nested too deeply, at most %d levels are allowed", CFG_MAX_DEPTH);
    if (b->doc->values++ >= CFG_MAX_VALUES)
        return REFUSE(b, NULL, "too many values, at most %d are allowed, aliases written out",
                      CFG_MAX_VALUES);
    struct cfg_node *node = cfg_node_new(b->doc, spot.parent, kind);
    if (!node)
        return -ENOMEM;
    node->key = spot.key;
    node->key_at = spot.key_at;
    node->index = spot.index;
    *out = node;
    return 0;
}

static const struct anchor *find_anchor(const struct builder *b, const char *name)
{
    const struct anchor *anchor = b->anchors;
    while (anchor && strcmp(anchor->name, name) != 0)
        anchor = anchor->next;
    return anchor;
}

static int add_anchor(struct builder *b, const struct cfg_node *node, const char *name,
                      struct anchor **out)
{
    const struct anchor *other = find_anchor(b, name);
    if (other)
        return REFUSE(b, node, "anchor &%.40s exists already in line %zu, names are used once",
                      name, other->node->at.line);
    if (b->anchor_count++ >= CFG_MAX_ANCHORS)
        return REFUSE(b, node, "too many anchors, at most %d are allowed", CFG_MAX_ANCHORS);
    struct anchor *anchor = arena_alloc(&b->doc->arena, sizeof *anchor);
    const char *copy = arena_copy_text(&b->doc->arena, name, strlen(name));
    if (!anchor || !copy)
        return -ENOMEM;
    *anchor = (struct anchor){.next = b->anchors, .name = copy, .node = node};
    b->anchors = anchor;
    *out = anchor;
    return 0;
}

/* A copy at another spot. Values keep their place in the file: that is where a wrong one is
 * corrected. */
static int copy_node(struct builder *b, const struct cfg_node *from, struct spot spot,
                     struct cfg_node **out)
{
    struct cfg_node *node = NULL;
    int rc = new_node(b, spot, from->kind, &node);
    if (rc)
        return rc;
    node->quoted = from->quoted;
    node->at = from->at;
    node->text = from->text;
    node->length = from->length;
    size_t base = b->top_count;
    for (size_t i = 0; i < from->count; i++) {
        const struct cfg_node *item = from->items[i];
        struct cfg_node *child = NULL;
        rc = copy_node(b, item, (struct spot){node, item->key, item->key_at, i, spot.depth + 1},
                       &child);
        if (rc == 0)
            rc = push(b, child);
        if (rc)
            return rc;
    }
    *out = node;
    return pop(b, node, base);
}

static int build_alias(struct builder *b, struct spot spot, struct cfg_node **out)
{
    const char *name = (const char *)b->event.data.alias.anchor;
    const struct anchor *anchor = find_anchor(b, name);
    const struct cfg_node here = {.parent = spot.parent, .key = spot.key, .index = spot.index};
    if (!anchor)
        return REFUSE(b, &here, "alias *%.40s has no anchor &%.40s before it", name, name);
    if (!anchor->complete)
        return REFUSE(b, &here, "alias *%.40s stands inside its own anchor", name);
    return copy_node(b, anchor->node, spot, out);
}

static int check_text(struct builder *b, const struct cfg_node *node)
{
    if (memchr(b->event.data.scalar.value, '\0', b->event.data.scalar.length))
        return REFUSE(b, node, "contains a NUL character, which no text may have");
    return 0;
}

static int build_scalar(struct builder *b, struct cfg_node *node)
{
    int rc = check_text(b, node);
    if (rc)
        return rc;
    const char *text = (const char *)b->event.data.scalar.value;
    node->quoted = b->event.data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    node->length = b->event.data.scalar.length;
    node->text = arena_copy_text(&b->doc->arena, text, node->length);
    return node->text ? 0 : -ENOMEM;
}

static int build_list(struct builder *b, struct cfg_node *list, size_t depth)
{
    size_t base = b->top_count;
    for (;;) {
        int rc = next_event(b);
        if (rc)
            return rc;
        if (b->event.type == YAML_SEQUENCE_END_EVENT)
            return pop(b, list, base);
        struct spot spot = {.parent = list, .index = b->top_count - base, .depth = depth + 1};
        struct cfg_node *item = NULL;
        rc = build_node(b, spot, &item);
        if (rc == 0)
            rc = push(b, item);
        if (rc)
            return rc;
    }
}

/* The current event as a key; only plain, quoted or block text is one. */
static int take_key(struct builder *b, const struct cfg_node *map, const char **key)
{
    if (b->event.type != YAML_SCALAR_EVENT)
        return REFUSE(b, map, "a key must be text, is a list, a mapping or an alias");
    int rc = check_text(b, map);
    if (rc)
        return rc;
    if (b->event.data.scalar.length == 0)
        return REFUSE(b, map, "a key must be text, is empty");
    if (b->event.data.scalar.anchor || b->event.data.scalar.tag)
        return REFUSE(b, map, "a key must be text alone, without anchor (&) or tag (!)");
    *key = arena_copy_text(&b->doc->arena, (const char *)b->event.data.scalar.value,
                           b->event.data.scalar.length);
    if (!*key)
        return -ENOMEM;
    if (strcmp(*key, "<<") == 0)
        return REFUSE(b, map, "merge keys (<<) are not supported, write the keys out");
    return 0;
}

static int build_map(struct builder *b, struct cfg_node *map, size_t depth)
{
    size_t base = b->top_count;
    for (;;) {
        int rc = next_event(b);
        if (rc)
            return rc;
        if (b->event.type == YAML_MAPPING_END_EVENT)
            return pop(b, map, base);
        struct spot spot = {
            .parent = map, .key_at = place(b->event.start_mark), .depth = depth + 1};
        struct cfg_node *child = NULL;
        rc = take_key(b, map, &spot.key);
        if (rc == 0)
            rc = next_event(b);
        if (rc == 0)
            rc = build_node(b, spot, &child);
        if (rc == 0)
            rc = push(b, child);
        if (rc)
            return rc;
    }
}

/* What the events of scalars, lists and mappings have in common. */
static void read_start(const yaml_event_t *event, enum cfg_kind *kind, const yaml_char_t **anchor,
                       const yaml_char_t **tag)
{
    if (event->type == YAML_MAPPING_START_EVENT) {
        *kind = CFG_MAP;
        *anchor = event->data.mapping_start.anchor;
        *tag = event->data.mapping_start.tag;
    } else if (event->type == YAML_SEQUENCE_START_EVENT) {
        *kind = CFG_LIST;
        *anchor = event->data.sequence_start.anchor;
        *tag = event->data.sequence_start.tag;
    } else {
        *kind = CFG_SCALAR;
        *anchor = event->data.scalar.anchor;
        *tag = event->data.scalar.tag;
    }
}

/* Builds the node that the current event starts; the event that ends it is then the current one. */
static int build_node(struct builder *b, struct spot spot, struct cfg_node **out)
{
    if (b->event.type == YAML_ALIAS_EVENT)
        return build_alias(b, spot, out);
    enum cfg_kind kind = CFG_SCALAR;
    const yaml_char_t *anchor = NULL, *tag = NULL;
    read_start(&b->event, &kind, &anchor, &tag);
    struct cfg_node *node = NULL;
    int rc = new_node(b, spot, kind, &node);
    if (rc)
        return rc;
    node->at = place(b->event.start_mark);
    if (tag)
        return REFUSE(b, node, "tags (!) are not supported, write the value alone");
    struct anchor *own = NULL;
    if (anchor)
        rc = add_anchor(b, node, (const char *)anchor, &own);
    if (rc)
        return rc;
    if (kind == CFG_MAP)
        rc = build_map(b, node, spot.depth);
    else if (kind == CFG_LIST)
        rc = build_list(b, node, spot.depth);
    else
        rc = build_scalar(b, node);
    if (rc)
        return rc;
    if (own)
        own->complete = true;
    *out = node;
    return 0;
}

/* Exactly one document with a mapping at its top. */
static int build_doc(struct builder *b)
{
    int rc = next_event(b); /* the stream starts */
    if (rc == 0)
        rc = next_event(b); /* the document starts */
    if (rc)
        return rc;
    if (b->event.type == YAML_STREAM_END_EVENT) {
        complain(b, NULL, (struct cfg_mark){1, 1}, "is empty, must be a mapping of keys");
        return -EINVAL;
    }
    rc = next_event(b);
    if (rc)
        return rc;
    struct cfg_node *root = NULL;
    rc = build_node(b, (struct spot){0}, &root);
    if (rc)
        return rc;
    rc = next_event(b); /* the document ends */
    if (rc == 0)
        rc = next_event(b);
    if (rc)
        return rc;
    if (b->event.type != YAML_STREAM_END_EVENT)
        return REFUSE(b, NULL, "a second document starts here, one file holds one document");
    if (root->kind != CFG_MAP) {
        struct line value = LINE_EMPTY;
        cfg_add_value(&value, root);
        complain(b, NULL, root->at, "must be a mapping of keys, %s", value.text);
        return -EINVAL;
    }
    b->doc->root = root;
    return 0;
}

int cfg_parse(struct cfg_doc *doc, const char *text, size_t length)
{
    struct builder b = {.doc = doc, .text = text, .length = length};
    if (!yaml_parser_initialize(&b.parser))
        return -ENOMEM;
    yaml_parser_set_input_string(&b.parser, (const unsigned char *)text, length);
    int rc = build_doc(&b);
    yaml_event_delete(&b.event);
    yaml_parser_delete(&b.parser);
    free(b.top);
    return rc;
}
