/* Requests to the unit's diagnosis over the control socket: `uds HEX` and `dtc`. */
#ifndef SKIDPAD_TARGET_CONTROL_UDS_H
#define SKIDPAD_TARGET_CONTROL_UDS_H

#include "target/diagnosis.h"

#include <stddef.h>

/* What is under way; zeros: nothing. */
struct control_uds {
    bool pending, codes; /* codes: the answer is told as a list of codes */
};

/* Whether the line is such a request. */
bool control_uds_is(const char *line);
/* Passes it on. False: it could not be, and the answer says why. d may be NULL. */
bool control_uds_begin(struct control_uds *u, struct diagnosis *d, const char *line, char *answer,
                       size_t size);
/* True once the answer is there: "ok HEX", "ok C0035-87 status 0xAF ...", or "error ...". */
bool control_uds_answer(struct control_uds *u, struct diagnosis *d, char *answer, size_t size);

#endif
