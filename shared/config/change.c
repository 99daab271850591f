/* Values put in place of those of a file, before anybody has read them. */
#include "shared/config/node.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The child with a key, or a new one without value; NULL if memory ran out. */
static struct cfg_node *child_of(struct cfg_node *map, const char *key)
{
    for (size_t i = 0; i < map->count; i++)
        if (strcmp(map->items[i]->key, key) == 0)
            return map->items[i];
    struct cfg_node *child = cfg_node_new(map->doc, map, CFG_SCALAR);
    struct cfg_node **items = malloc((map->count + 1) * sizeof(struct cfg_node *));
    if (!child || !items) {
        free(items);
        return NULL;
    }
    child->key = arena_copy_text(&map->doc->arena, key, strlen(key));
    child->text = "";
    child->key_at = child->at = map->at;
    if (map->count)
        memcpy(items, map->items, map->count * sizeof(struct cfg_node *));
    items[map->count] = child;
    int bad = child->key ? cfg_node_adopt(map, items, map->count + 1) : -ENOMEM;
    free(items);
    return bad ? NULL : child;
}

static int change_one(struct cfg_doc *doc, const char *path, const char *value)
{
    struct cfg_node *node = (struct cfg_node *)doc->root;
    char *copy = strdup(path), *rest = copy;
    if (!copy)
        return -ENOMEM;
    for (char *key = strsep(&rest, "."); key && node; key = strsep(&rest, ".")) {
        /* A section without a value becomes a mapping; a new key may have keys below it too. */
        if (node->kind == CFG_SCALAR && cfg_is_null(node))
            node->kind = CFG_MAP;
        if (node->kind != CFG_MAP) {
            struct line shown = LINE_EMPTY;
            cfg_add_path(&shown, node, NULL);
            cfg_add_message(doc, node->at, "%s cannot be set: %s has no keys", path, shown.text);
            free(copy);
            return 0;
        }
        node = child_of(node, key);
    }
    free(copy);
    char *text = node ? arena_copy_text(&doc->arena, value, strlen(value)) : NULL;
    if (!text)
        return -ENOMEM;
    if (node->kind != CFG_SCALAR) {
        cfg_add_message(doc, node->key_at, "%s cannot be set: it is %s", path,
                        node->kind == CFG_MAP ? "a mapping of keys" : "a list");
        return 0;
    }
    node->text = text;
    node->length = strlen(value);
    node->quoted = false;
    return 0;
}

int cfg_apply(struct cfg_doc *doc, const struct cfg_change *change, size_t count)
{
    for (size_t i = 0; i < count && !doc->unreadable; i++) {
        int bad = change_one(doc, change[i].key, change[i].value);
        if (bad)
            return bad;
    }
    return 0;
}
