/* The records of a data group as one stream of bytes, whether they stand in one ##DT or in a list
 * of them; a record may begin in one block and end in the next. Private to mdf_read*.c. */
#ifndef SKIDPAD_WIRE_MDF_READ_STREAM_H
#define SKIDPAD_WIRE_MDF_READ_STREAM_H

#include "shared/wire/mdf_read_block.h"

/* Where in the chain ##DL -> ##DL -> ... -> ##DT the walk is. */
struct mdf_read_chain {
    struct mdf_read_link next_list, only; /* only: a ##DT without a list */
    uint64_t link_at, links_left;         /* of the current list */
    struct mdf_read_walk walk;
};

/* The window holds [begin, end) of the stream; what follows is at block_at in the file. */
struct mdf_read_stream {
    const struct mdf_read_source *source;
    uint64_t last_dt; /* where the ##DT is that goes on to the end of the file, or 0 */
    struct mdf_read_chain chain;
    uint64_t block_dt, block_begin, block_at, block_left; /* of the block; where its ##DT is */
    uint64_t total; /* bytes in all blocks so far, to notice that they overlap */
    uint8_t *window;
    size_t size, begin, end;
};

/* Begins with the data that the link of a ##DG leads to (0: no data). */
int mdf_read_chain_begin(const struct mdf_read_source *s, struct mdf_read_chain *c,
                         struct mdf_read_link data, struct err *e);
/* The next ##DT. Returns 1, 0 at the end, or a negative errno. */
int mdf_read_chain_next(const struct mdf_read_source *s, struct mdf_read_chain *c,
                        struct mdf_read_block *dt, struct err *e);

int mdf_read_stream_begin(struct mdf_read_stream *s, struct mdf_read_link data, struct err *e);
/* Brings count bytes (at most the size of the window) to s->window + s->begin, or less at the end
 * of the data: *have says how many there are. */
int mdf_read_stream_need(struct mdf_read_stream *s, size_t count, size_t *have, struct err *e);
/* Passes over count bytes that need not be in the window; *missing says how many were not there. */
int mdf_read_stream_skip(struct mdf_read_stream *s, uint64_t count, uint64_t *missing,
                         struct err *e);
/* Where the first byte of the window is in the file, for messages. */
uint64_t mdf_read_stream_at(const struct mdf_read_stream *s);

#endif
