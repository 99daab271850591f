/* The inside of a configuration document; only for the files of shared/config.
 *
 * The tree never changes once it is built, but for cfg_apply(). What users asked for is bookkeeping
 * of its own: every node points to its struct cfg_use, which stays writable when the node is const.
 */
#ifndef SKIDPAD_CONFIG_NODE_H
#define SKIDPAD_CONFIG_NODE_H

#include "shared/config/arena.h"
#include "shared/config/config.h"
#include "shared/config/line.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    CFG_MAX_BYTES = 16 << 20, /* of a file */
    CFG_MAX_VALUES = 1000000, /* of a document, those repeated by aliases included */
    CFG_MAX_DEPTH = 64,       /* mappings and lists inside each other */
    CFG_MAX_ANCHORS = 200,
    CFG_MAX_MESSAGES = 50, /* then one more says that there were more */
    CFG_SHOWN_BYTES = 48,  /* of a value in a message */
    CFG_SHOWN_KEY_BYTES = 80,
};

enum cfg_kind { CFG_MAP, CFG_LIST, CFG_SCALAR };

/* A key that was asked for, whether the file has it or not. */
struct cfg_asked {
    struct cfg_asked *next;
    const char *key;
    bool present;
};

struct cfg_use {
    bool asked;                     /* this node's own key was asked for in its mapping */
    const char *file;               /* a scalar that was asked for as a file: where that is */
    struct cfg_asked *first, *last; /* keys asked for in this mapping, in the order of asking */
};

struct cfg_node {
    struct cfg_doc *doc;           /* NULL only in the node that stands in when there is nothing */
    const struct cfg_node *parent; /* NULL at the top */
    struct cfg_use *use;
    enum cfg_kind kind;
    bool quoted;            /* a scalar: quoted or a block, so neither a number nor a boolean */
    const char *key;        /* in a mapping; NULL otherwise */
    size_t index;           /* in a list */
    struct cfg_mark key_at; /* line 0 if there is no key */
    struct cfg_mark at;
    const char *text; /* of a scalar, without NUL inside */
    size_t length;
    size_t count;             /* of a mapping or list */
    struct cfg_node **items;  /* in the order of the file */
    struct cfg_node **sorted; /* a mapping's items in the order of their keys */
};

struct cfg_doc {
    char *name;
    struct arena arena; /* nodes, texts, the record of what was asked for */
    const struct cfg_node *root;
    size_t values;
    /* of numbers written as `=text`; NULL: there are none */
    int (*compute)(void *self, const char *text, double *value, char *why, size_t size);
    void *compute_self;
    bool unreadable; /* the text gave no tree: later messages would only be confusing */
    bool complained;
    size_t message_count;
    char *messages[CFG_MAX_MESSAGES + 1];
};

/* parse.c: builds the tree of doc->root. Returns 0 or a negative errno, with messages unless it is
 * -ENOMEM. */
int cfg_parse(struct cfg_doc *doc, const char *text, size_t length);

/* syntax.c: says in words what libyaml refused. */
struct yaml_parser_s;
void cfg_explain_syntax(struct cfg_doc *doc, const struct yaml_parser_s *parser, const char *text,
                        size_t length);

/* tree.c */
struct cfg_node *cfg_node_new(struct cfg_doc *doc, const struct cfg_node *parent,
                              enum cfg_kind kind); /* NULL if memory ran out */
/* Makes items the children of a mapping or list; a mapping's duplicate keys are left out, with a
 * message. Returns 0 or -ENOMEM. */
int cfg_node_adopt(struct cfg_node *node, struct cfg_node *const *items, size_t count);
/* The child with this key or NULL; does not count as asking. */
const struct cfg_node *cfg_find(const struct cfg_node *map, const char *key);
/* False if there is no node; false with a message if it is a scalar with a value, or a list. */
bool cfg_takes_keys(const struct cfg_node *node);
/* The child with this key or NULL; counts as asking. Complains as cfg_takes_keys() does. */
const struct cfg_node *cfg_ask(const struct cfg_node *map, const char *key);
/* A value left out (key:) or written as ~ or null. */
bool cfg_is_null(const struct cfg_node *node);

/* message.c */
void cfg_add_message(struct cfg_doc *doc, struct cfg_mark at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* At the value of a node, or at its key if it has no value. */
void cfg_complain_value(const struct cfg_node *node, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The dotted path of a node, or of one of its keys if key is not NULL. */
void cfg_add_path(struct line *line, const struct cfg_node *node, const char *key);
/* What a value is: is "abc", is a list, has no value. */
void cfg_add_value(struct line *line, const struct cfg_node *node);

#endif
