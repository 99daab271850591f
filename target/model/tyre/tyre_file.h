/* From a .tir file to a tyre_model: versions, units, defaults, checks. Not for the real-time
 * thread: it reads files and allocates. */
#ifndef SKIDPAD_MODEL_TYRE_TYRE_FILE_H
#define SKIDPAD_MODEL_TYRE_TYRE_FILE_H

#include "shared/base/err.h"
#include "target/model/tyre/tir.h"
#include "target/model/tyre/tyre_model.h"

/* Reads one file. Returns 0 or a negative errno; the model may be used only after 0. All messages,
 * warnings included, go to the report; err gets the first error. Either may be NULL. */
int tyre_model_read(const char *path, struct tyre_model *model, struct tir_report *report,
                    struct err *err);

/* The same for text in memory; name stands for the path in messages. */
int tyre_model_read_text(const char *name, const char *text, size_t length,
                         struct tyre_model *model, struct tir_report *report, struct err *err);

/* "5.2", "6.1" or "6.2". */
const char *tyre_version_text(enum tyre_version version);

#endif
