/* A document: read, parse, close. */
#include "shared/base/file.h"
#include "shared/config/node.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct cfg_mark nowhere = {0, 0};

/* A document with an empty mapping at its top, so that cfg_root() always has something to give. */
static struct cfg_doc *new_doc(const char *name)
{
    struct cfg_doc *doc = calloc(1, sizeof *doc);
    if (!doc)
        return NULL;
    doc->name = strdup(name);
    struct cfg_node *root = doc->name ? cfg_node_new(doc, NULL, CFG_MAP) : NULL;
    if (!root) {
        cfg_close(doc);
        return NULL;
    }
    root->at = (struct cfg_mark){1, 1};
    doc->root = root;
    return doc;
}

static int finish(struct cfg_doc *doc, int rc, struct cfg_doc **out)
{
    if (rc == -ENOMEM) {
        cfg_close(doc);
        return rc;
    }
    doc->unreadable = rc != 0;
    *out = doc;
    return rc;
}

static int refuse_large(struct cfg_doc *doc)
{
    cfg_add_message(doc, nowhere, "is too large, at most %d MiB are allowed", CFG_MAX_BYTES >> 20);
    return -EFBIG;
}

int cfg_open_text(const char *name, const char *text, size_t length, struct cfg_doc **out)
{
    *out = NULL;
    struct cfg_doc *doc = new_doc(name);
    if (!doc)
        return -ENOMEM;
    int rc = length > CFG_MAX_BYTES ? refuse_large(doc) : cfg_parse(doc, text, length);
    return finish(doc, rc, out);
}

int cfg_open(const char *path, struct cfg_doc **out)
{
    *out = NULL;
    struct cfg_doc *doc = new_doc(path);
    if (!doc)
        return -ENOMEM;
    char *text = NULL;
    size_t length = 0;
    int rc = file_read_whole(path, CFG_MAX_BYTES, &text, &length);
    if (rc == 0)
        rc = cfg_parse(doc, text, length);
    else if (rc == -EFBIG)
        rc = refuse_large(doc);
    else
        cfg_add_message(doc, nowhere, "cannot be read: %s", file_why(rc));
    free(text);
    return finish(doc, rc, out);
}

void cfg_close(struct cfg_doc *doc)
{
    if (!doc)
        return;
    for (size_t i = 0; i < doc->message_count; i++)
        free(doc->messages[i]);
    arena_free(&doc->arena);
    free(doc->name);
    free(doc);
}

const struct cfg_node *cfg_root(const struct cfg_doc *doc)
{
    return doc->root;
}
