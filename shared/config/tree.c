/* The tree: nodes, children in order and sorted, the record of what was asked for. */
#include "shared/config/node.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A node and its record live together, so that one allocation makes both. */
struct node_and_use {
    struct cfg_node node;
    struct cfg_use use;
};

/* Stands in where there is no document to take an empty mapping from. */
static const struct cfg_node nothing = {.kind = CFG_MAP};

struct cfg_node *cfg_node_new(struct cfg_doc *doc, const struct cfg_node *parent,
                              enum cfg_kind kind)
{
    struct node_and_use *both = arena_alloc(&doc->arena, sizeof *both);
    if (!both)
        return NULL;
    both->node.doc = doc;
    both->node.parent = parent;
    both->node.use = &both->use;
    both->node.kind = kind;
    return &both->node;
}

static int by_key_then_place(const void *left, const void *right)
{
    const struct cfg_node *a = *(struct cfg_node *const *)left;
    const struct cfg_node *b = *(struct cfg_node *const *)right;
    int order = strcmp(a->key, b->key);
    if (order)
        return order;
    return (a->index > b->index) - (a->index < b->index);
}

/* Takes duplicate keys out of the sorted children, then out of the ones in file order. */
static void drop_duplicate_keys(struct cfg_node *map)
{
    size_t kept = 0;
    for (size_t i = 0; i < map->count; i++) {
        struct cfg_node *child = map->sorted[i];
        const struct cfg_node *before = kept ? map->sorted[kept - 1] : NULL;
        if (before && strcmp(before->key, child->key) == 0) {
            struct line path = LINE_EMPTY;
            cfg_add_path(&path, child, NULL);
            cfg_add_message(map->doc, child->key_at,
                            "%s: duplicate key, first used in line %zu, a key is allowed once",
                            path.text, before->key_at.line);
            child->key = NULL;
            continue;
        }
        map->sorted[kept++] = child;
    }
    size_t all = map->count;
    map->count = 0;
    for (size_t i = 0; i < all; i++)
        if (map->items[i]->key)
            map->items[map->count++] = map->items[i];
}

int cfg_node_adopt(struct cfg_node *node, struct cfg_node *const *items, size_t count)
{
    if (count == 0)
        return 0;
    node->items = arena_alloc(&node->doc->arena, count * sizeof(struct cfg_node *));
    if (!node->items)
        return -ENOMEM;
    memcpy(node->items, items, count * sizeof(struct cfg_node *));
    node->count = count;
    for (size_t i = 0; i < count; i++)
        node->items[i]->index = i;
    if (node->kind != CFG_MAP)
        return 0;
    node->sorted = arena_alloc(&node->doc->arena, count * sizeof(struct cfg_node *));
    if (!node->sorted)
        return -ENOMEM;
    memcpy(node->sorted, items, count * sizeof(struct cfg_node *));
    qsort(node->sorted, count, sizeof(struct cfg_node *), by_key_then_place);
    drop_duplicate_keys(node);
    return 0;
}

const struct cfg_node *cfg_find(const struct cfg_node *map, const char *key)
{
    if (!map || map->kind != CFG_MAP)
        return NULL;
    size_t low = 0, high = map->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(map->sorted[middle]->key, key);
        if (order == 0)
            return map->sorted[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* Without memory the record is incomplete, which only makes suggestions worse. */
static void record(const struct cfg_node *map, const char *key, const struct cfg_node *child)
{
    struct cfg_use *use = map->use;
    if (child && child->use->asked)
        return;
    for (struct cfg_asked *old = use->first; old && !child; old = old->next)
        if (!old->present && strcmp(old->key, key) == 0)
            return;
    struct cfg_asked *asked = arena_alloc(&map->doc->arena, sizeof *asked);
    if (asked)
        asked->key = child ? child->key : arena_copy_text(&map->doc->arena, key, strlen(key));
    if (child)
        child->use->asked = true;
    if (!asked || !asked->key)
        return;
    asked->present = child != NULL;
    if (use->last)
        use->last->next = asked;
    else
        use->first = asked;
    use->last = asked;
}

/* A section whose lines are all commented out (chassis:) has no value and is an empty mapping. */
static bool has_keys(const struct cfg_node *node)
{
    return node && node->doc && (node->kind == CFG_MAP || cfg_is_null(node));
}

bool cfg_takes_keys(const struct cfg_node *node)
{
    if (!node || !node->doc)
        return false;
    if (has_keys(node))
        return true;
    struct line value = LINE_EMPTY;
    cfg_add_value(&value, node);
    cfg_complain_value(node, "must be a mapping of keys, %s", value.text);
    return false;
}

const struct cfg_node *cfg_ask(const struct cfg_node *map, const char *key)
{
    if (!cfg_takes_keys(map))
        return NULL;
    const struct cfg_node *child = cfg_find(map, key);
    record(map, key, child);
    return child;
}

bool cfg_is_null(const struct cfg_node *node)
{
    if (node->kind != CFG_SCALAR || node->quoted)
        return false;
    return node->length == 0 || strcmp(node->text, "~") == 0 || strcmp(node->text, "null") == 0;
}

bool cfg_is_map(const struct cfg_node *node)
{
    return node && node->kind == CFG_MAP;
}

bool cfg_has(const struct cfg_node *map, const char *key)
{
    return cfg_ask(map, key) != NULL;
}

void cfg_need(const struct cfg_node *map, const char *key)
{
    if (!cfg_has(map, key) && has_keys(map))
        cfg_complain(map, key, "missing, this key is required");
}

size_t cfg_key_count(const struct cfg_node *map)
{
    return cfg_is_map(map) ? map->count : 0;
}

const char *cfg_key(const struct cfg_node *map, size_t index)
{
    if (index >= cfg_key_count(map))
        return NULL;
    record(map, map->items[index]->key, map->items[index]);
    return map->items[index]->key;
}

/* A mapping or list, or NULL and perhaps a message. What has no value is an empty one. */
static const struct cfg_node *branch(const struct cfg_node *map, const char *key,
                                     enum cfg_kind kind)
{
    const struct cfg_node *child = cfg_ask(map, key);
    if (!child || child->kind == kind || cfg_is_null(child))
        return child;
    struct line value = LINE_EMPTY;
    cfg_add_value(&value, child);
    cfg_complain_value(child, "must be %s, %s", kind == CFG_MAP ? "a mapping of keys" : "a list",
                       value.text);
    return NULL;
}

const struct cfg_node *cfg_map(const struct cfg_node *map, const char *key)
{
    return branch(map, key, CFG_MAP);
}

const struct cfg_node *cfg_list(const struct cfg_node *map, const char *key)
{
    return branch(map, key, CFG_LIST);
}

const struct cfg_node *cfg_need_map(const struct cfg_node *map, const char *key)
{
    const struct cfg_node *child = branch(map, key, CFG_MAP);
    if (child)
        return child;
    if (!map || !map->doc)
        return &nothing;
    const struct cfg_node *wrong = cfg_find(map, key);
    if (!wrong && has_keys(map))
        cfg_complain(map, key, "missing, this mapping of keys is required");
    /* The empty mapping complains under its own name, at the place of the mapping it is missing in.
     */
    struct cfg_node *empty = cfg_node_new(map->doc, map, CFG_MAP);
    if (!empty)
        return &nothing;
    empty->key = arena_copy_text(&map->doc->arena, key, strlen(key));
    if (!empty->key)
        return &nothing;
    empty->key_at = wrong ? wrong->key_at : map->key_at.line ? map->key_at : map->at;
    empty->at = map->at;
    return empty;
}

size_t cfg_count(const struct cfg_node *list)
{
    return list && list->kind == CFG_LIST ? list->count : 0;
}

const struct cfg_node *cfg_item(const struct cfg_node *list, size_t index)
{
    return index < cfg_count(list) ? list->items[index] : NULL;
}

const struct cfg_doc *cfg_doc_of(const struct cfg_node *node)
{
    return node ? node->doc : NULL;
}

const struct cfg_node *cfg_value(const struct cfg_node *map, const char *key)
{
    return cfg_ask(map, key);
}

const char *cfg_text(const struct cfg_node *node)
{
    return node && node->kind == CFG_SCALAR ? node->text : NULL;
}
