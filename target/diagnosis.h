/* A tester inside the loop: forgets the unit's trouble codes before the drive, reads them after it,
 * and passes requests of other threads to the unit while it lasts.
 *
 * It runs in the tick, like everything that has frames, so it works over every transport and on the
 * simulated clock. A drive without diagnosis frames costs it a few comparisons. */
#ifndef SKIDPAD_TARGET_DIAGNOSIS_H
#define SKIDPAD_TARGET_DIAGNOSIS_H

#include "shared/can/uds_client.h"

#include <stdatomic.h>
#include <stdio.h>

enum { DIAGNOSIS_EXPECTED = 32, DIAGNOSIS_SNAPSHOT = 64, DIAGNOSIS_FRAMES = 3 };

/* Const once loaded. */
struct diagnosis_setup {
    bool on;
    int bus; /* index of the bus */
    uint32_t request_id, response_id;
    int64_t wait_ns; /* for the unit to clear, and to tell its codes */
    bool judged;     /* the codes; else they are only told: faults are put in, nobody said which
                      * codes they set */
    int expected;    /* codes that must be there after the drive; all others must not */
    uint32_t expect[DIAGNOSIS_EXPECTED];
};

enum diagnosis_state {
    DIAGNOSIS_CLEAR, /* before the drive */
    DIAGNOSIS_DRIVE,
    DIAGNOSIS_READ, /* after it: the codes, then a snapshot of each */
    DIAGNOSIS_SNAPSHOTS,
    DIAGNOSIS_DONE
};

struct diagnosis_code {
    struct uds_code code;
    int32_t snapshot_length; /* 0: none */
    uint8_t snapshot[DIAGNOSIS_SNAPSHOT];
};

/* A request of another thread: that one claims it, fills it and sets WANTED, the real-time thread
 * answers and sets ANSWERED, the one that asked takes the answer and sets FREE. */
enum diagnosis_job {
    DIAGNOSIS_FREE,
    DIAGNOSIS_CLAIMED,
    DIAGNOSIS_WANTED,
    DIAGNOSIS_ASKED,
    DIAGNOSIS_ANSWERED
};

struct diagnosis {
    struct diagnosis_setup setup;
    struct uds_tester tester;
    int64_t since_ns; /* the state is waited for */
    uint32_t state;   /* enum diagnosis_state */
    bool asking;      /* for the state, not for a job */
    bool cleared, read, ended;
    int count, snapshots;
    struct diagnosis_code code[UDS_CODES];
    /* the job */
    atomic_bool begun;    /* before the first tick nobody would answer */
    _Atomic uint32_t job; /* enum diagnosis_job */
    uint32_t job_result;  /* enum uds_result */
    int job_length;       /* of the request, then of the answer */
    uint8_t job_data[ISOTP_DATA + 1];
};

void diagnosis_start(struct diagnosis *d, int64_t now_ns);

/* In the tick. take: whether the frame was of diagnosis. step: frames to be sent, at most
 * DIAGNOSIS_FRAMES; asleep: the unit has no ignition and cannot answer. */
bool diagnosis_take(struct diagnosis *d, const struct can_msg *msg, int64_t now_ns);
int diagnosis_step(struct diagnosis *d, bool asleep, int64_t now_ns, struct can_msg *out);

/* The drive is over: begins to read. Returns whether all is done. */
bool diagnosis_end(struct diagnosis *d, int64_t now_ns);
/* Whether the codes are being read: the ignition must be on for that. */
bool diagnosis_reads(const struct diagnosis *d);

/* ---- after the end */

enum diagnosis_verdict {
    DIAGNOSIS_PASS,
    DIAGNOSIS_SILENT,     /* the unit answered nothing, or not in time */
    DIAGNOSIS_UNEXPECTED, /* a code that was not to be there, or one that should is not */
};
enum diagnosis_verdict diagnosis_verdict(const struct diagnosis *d);
bool diagnosis_expects(const struct diagnosis *d, uint32_t code);

/* One line for each code and one for the verdict. name: of a code, NULL if it is not known; may be
 * NULL itself. */
void diagnosis_print(const struct diagnosis *d, const char *(*name)(uint32_t code), FILE *to);

/* ---- other threads */

/* A request to the unit. Returns 0, -EBUSY while one is under way, whoever asked, or -EMSGSIZE. */
int diagnosis_ask(struct diagnosis *d, const uint8_t *request, int length);
/* Its answer, for the thread that asked: 0 with its length and result, or -EAGAIN while there is
 * none. answer has room for ISOTP_DATA bytes. */
int diagnosis_answer(struct diagnosis *d, uint8_t *answer, int *length, uint32_t *result);

#endif
