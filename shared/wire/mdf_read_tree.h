/* The descriptions of an MDF file: everything but the records. Private to mdf_read*.c. */
#ifndef SKIDPAD_WIRE_MDF_READ_TREE_H
#define SKIDPAD_WIRE_MDF_READ_TREE_H

#include "shared/wire/mdf_read.h"
#include "shared/wire/mdf_read_block.h"

struct mdf_read_data_group {
    struct mdf_read_link data;
    size_t id_bytes;                     /* before each record */
    size_t first, count;                 /* its groups, in struct mdf_read_file */
    const struct mdf_read_group **by_id; /* the same, sorted by record_id */
};

struct mdf_read_tree {
    struct mdf_read_file file;
    const struct mdf_read_data_group *data_groups;
    size_t data_group_count;
};

/* The blocks of a list, one after the other. */
struct mdf_read_list {
    const struct mdf_read_source *source;
    enum mdf_read_block_kind kind;
    struct mdf_read_link link;
    struct mdf_read_walk walk;
};

/* Returns 1, 0 at the end, or a negative errno. */
int mdf_read_list_next(struct mdf_read_list *list, struct mdf_read_block *b, struct err *e);
/* The same if there must be one more. Returns 0 or a negative errno. */
int mdf_read_list_take(struct mdf_read_list *list, struct mdf_read_block *b, struct err *e);
/* Counts the blocks of a list; no more than there is memory for, size bytes each. */
int mdf_read_list_count(struct mdf_read_list list, size_t size, size_t *count, struct err *e);

/* Also sets source->unfinished. */
int mdf_read_tree_load(struct mdf_read_source *s, struct mdf_read_arena *a,
                       struct mdf_read_tree *tree, struct err *e);

/* A comment: the text itself, or what the element TX of its XML says. */
int mdf_read_comment_load(const struct mdf_read_source *s, struct mdf_read_arena *a,
                          struct mdf_read_link link, const char **text, struct err *e);

/* Channels of the group that cg describes; its sizes are already known. */
int mdf_read_channels_load(const struct mdf_read_source *s, struct mdf_read_arena *a,
                           const struct mdf_read_block *cg, struct mdf_read_group *group,
                           struct err *e);

/* Comment, properties and attachments of the file. */
int mdf_read_extras_load(const struct mdf_read_source *s, struct mdf_read_arena *a,
                         const struct mdf_read_block *hd, struct mdf_read_file *file,
                         struct err *e);

#endif
