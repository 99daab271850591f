/* What a document says, as one number: the same for every way to write it. */
#include "shared/base/file.h"
#include "shared/base/hash.h"
#include "shared/config/node.h"
#include "shared/config/number.h"

#include <stdlib.h>

enum { CONTENT_FILE_BYTES = 256 << 20 };

/* A file that is gone counts as one without content: whoever needs it has complained. */
static uint64_t hash_file(uint64_t hash, const char *path)
{
    char *text = NULL;
    size_t length = 0;
    if (file_read_whole(path, CONTENT_FILE_BYTES, &text, &length) == 0)
        hash = hash_bytes(hash, text, length);
    free(text);
    return hash;
}

static uint64_t hash_scalar(uint64_t hash, const struct cfg_node *n)
{
    double number;
    if (n->use->file)
        return hash_file(hash_text(hash, "file"), n->use->file);
    if (cfg_is_null(n))
        return hash_text(hash, "null");
    if (!n->quoted && number_parse_double(n->text, n->length, &number) == 0)
        return hash_f64(hash_text(hash, "number"), number);
    return hash_text(hash_text(hash, "text"), n->text);
}

/* As deep as a document may be: CFG_MAX_DEPTH. */
static uint64_t hash_node(uint64_t hash, const struct cfg_node *n)
{
    if (n->kind == CFG_SCALAR)
        return hash_scalar(hash, n);
    hash = hash_u64(hash_text(hash, n->kind == CFG_MAP ? "map" : "list"), n->count);
    for (size_t i = 0; i < n->count; i++) {
        const struct cfg_node *child = n->kind == CFG_MAP ? n->sorted[i] : n->items[i];
        if (n->kind == CFG_MAP)
            hash = hash_text(hash, child->key);
        hash = hash_node(hash, child);
    }
    return hash;
}

uint64_t cfg_content_hash(const struct cfg_doc *doc)
{
    return hash_node(HASH_BEGIN, doc->root);
}
