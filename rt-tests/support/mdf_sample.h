/* A small log with two groups, for the tests of the MDF writer. */
#ifndef SKIDPAD_SUPPORT_MDF_SAMPLE_H
#define SKIDPAD_SUPPORT_MDF_SAMPLE_H

#include "shared/wire/mdf_write.h"

struct mdf_sample_signal {
    double time_s, speed_mps;
    uint64_t number;
    int32_t gear;
    uint32_t fault;
};

struct mdf_sample_event {
    int64_t time_ns;
    uint32_t number;
    char what[12];
};

enum { MDF_SAMPLE_SIGNALS, MDF_SAMPLE_EVENTS, MDF_SAMPLE_GROUPS };

extern const struct mdf_group mdf_sample_groups[MDF_SAMPLE_GROUPS];

struct mdf_sample_signal mdf_sample_signal(uint64_t number);
struct mdf_sample_event mdf_sample_event(uint32_t number);
/* The description of the sample; a name of our own in the folder for temporary files. */
struct mdf_file mdf_sample_file(const char *path);
/* Writes `signals` numbered signal records, and an event after each third of them. Returns the
 * first result that was not 0. */
int mdf_sample_write(struct mdf_writer *w, uint64_t first, uint64_t signals);
/* A fresh empty file in the folder for temporary files; the name has room for 64 characters. */
void mdf_sample_path(char *path);

#endif
