/* The description of a run for its host: one JSON text with the signals and their layout, the run,
 * the car's measures, the scene and the faults; and one with the configuration files. docs/host.md
 * lists the members. Made before the loop starts. */
#ifndef SKIDPAD_TARGET_DESCRIBE_H
#define SKIDPAD_TARGET_DESCRIBE_H

#include "target/run_info.h"

struct describe_source {
    const struct loop *loop; /* set up, not yet running */
    struct run_info_about about;
    const char *bench_name;
    const struct serve *serve; /* whose scenarios can be chosen; NULL: there is one only */
    /* The unit's trouble codes, if they are known: the code at 0, 1, ...; 0 ends them. Or NULL. */
    uint32_t (*code_at)(int index);
    const char *(*code_name)(uint32_t code);
    uint64_t run;
    int64_t start_ns; /* UTC */
};

/* malloc'ed texts; NULL if memory ran out. */
char *describe_run(const struct describe_source *d, size_t *bytes);
char *describe_files(const struct describe_source *d, size_t *bytes);

#endif
