/* A library that is loaded before libc (LD_PRELOAD) and makes calls of our programs fail as
 * planned.
 *
 * INJECT_TABLE=FILE   a file of INJECT_BYTES zeros: every call site of a program skidpad-* is
 * listed there, whatever process it is in and however that ends INJECT_PLAN="PROGRAM CALL OFFSET
 * NTH ACTION" what shall fail: the NTH (from 1; with + behind it: and all after it) call of CALL
 * that returns to OFFSET (hexadecimal, from where the program is loaded)
 *
 * ACTION is eN (the call fails with errno N and does nothing), short (half of the bytes), delay:MS
 * (the call is made later), step:NS (the wall clock reads that much more from then on).
 *
 * Sites are those of the program itself: a libc function that calls another is one call. */
#ifndef RT_TESTS_INJECT_H
#define RT_TESTS_INJECT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { INJECT_SITES = 4096, INJECT_NAME = 24 };

/* One call site, as it stands in the file. */
struct inject_site {
    _Atomic uint32_t state;                        /* 0 free, 1 being filled in, 2 valid */
    _Atomic uint32_t count;                        /* calls of all processes */
    _Atomic uint32_t realtime, terminal, injected; /* how many of them */
    _Atomic uint32_t network;                      /* likewise: by the host's network thread */
    uint64_t offset;                               /* of the return address */
    char program[INJECT_NAME], call[INJECT_NAME];
};

struct inject_table {
    struct inject_site site[INJECT_SITES];
};

enum inject_kind { INJECT_NOTHING, INJECT_ERROR, INJECT_SHORT, INJECT_DELAY, INJECT_STEP };

/* Notes a call that returns to `to`, on a stream or NULL; what to do about it. A delay has passed
 * already; INJECT_ERROR has set errno. */
enum inject_kind inject_meet(const char *call, const void *to, const FILE *stream);

/* What the wall clock reads more than the real one, ns. */
int64_t inject_step_ns(void);

/* From now on this thread is a real-time one; the host's for the network. */
void inject_mark_realtime(void);
void inject_mark_network(void);

/* The next definition of a function: that of libc, or of a sanitizer. */
void *inject_next(const char *name);

#endif
