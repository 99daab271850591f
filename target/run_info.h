/* What a run says about itself: in the head of its log and to its host. */
#ifndef SKIDPAD_TARGET_RUN_INFO_H
#define SKIDPAD_TARGET_RUN_INFO_H

#include "shared/wire/mdf_write.h"
#include "target/loop.h"

enum { RUN_INFO_PROPERTIES = 20, RUN_INFO_FILES = 3 };

/* Where the run comes from: paths of its files; bench may be NULL. */
struct run_info_about {
    const char *bench, *scenario, *vehicle;
    const char *core, *core_about; /* the real-time core: its name; what was found */
    const char *unit;              /* what is on the bus; NULL or empty: nothing */
    const char *parameters;        /* of the scenario, see log_parameters.h; NULL or empty: none */
};

/* Values point into the loop, the paths and this struct. */
struct run_info {
    size_t count;
    struct mdf_property property[RUN_INFO_PROPERTIES];
    char step_ns[32], substeps[16], kernel[512], hash[32], deadline_ns[32];
};

void run_info_fill(struct run_info *info, const struct loop *l, const struct run_info_about *about);

/* The configuration files, each read whole (up to 1 MB); those that cannot be read are left out.
 * Returns how many; run_info_files_free() frees them. */
size_t run_info_files(const struct run_info_about *about,
                      struct mdf_attachment files[RUN_INFO_FILES]);
void run_info_files_free(struct mdf_attachment *files, size_t count);

#endif
