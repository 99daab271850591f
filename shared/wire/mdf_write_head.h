/* The descriptions at the beginning of an MDF file, made in memory. Part of mdf_write. */
#ifndef SKIDPAD_WIRE_MDF_WRITE_HEAD_H
#define SKIDPAD_WIRE_MDF_WRITE_HEAD_H

#include "shared/wire/mdf_write.h"
#include "shared/wire/mdf_write_layout.h"

struct mdf_image {
    unsigned char *bytes; /* the caller frees it */
    size_t used, size;
    bool failed; /* out of memory */
    /* where the file is completed at its end */
    uint64_t data_at;               /* the data block's head, last in the image */
    uint64_t cg_at[MDF_GROUPS_MAX]; /* the channel groups */
};

/* Checks the description. Returns 0, or -EINVAL with a message. */
int mdf_check(const struct mdf_file *file, struct err *e);
/* Everything from the identification to the head of the data block, unfinished. The description
 * must be good. Returns 0 or -ENOMEM; in both cases image->bytes is to be freed. */
int mdf_image_make(struct mdf_image *image, const struct mdf_file *file);
/* The identification block. */
struct mdf_id mdf_identification(bool finished);
/* Bytes in front of each record. */
size_t mdf_record_id_bytes(size_t group_count);

#endif
