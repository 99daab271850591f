/* Who may command a target, and who may be one: a pre-shared key, sessions made from it, and seals
 * on packets.
 *
 * A session begins with a random number from each side, so that what was sealed in one session, or
 * to another run, is worth nothing in the next. Within a session commands are counted: a number
 * that is not above the last one is old. libsodium does the arithmetic (keyed BLAKE2b). */
#ifndef SKIDPAD_WIRE_SEAL_H
#define SKIDPAD_WIRE_SEAL_H

#include "shared/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SEAL_KEY = 32, SEAL_NONCE = 16, SEAL_BYTES = 32, SEAL_TAG = 16 };

struct seal_key {
    uint8_t bytes[SEAL_KEY];
};

/* A new key file, readable by its owner only; an existing file is left alone and is an error. */
int seal_key_make(const char *path, struct err *e);
/* Whether a file that holds a secret, and its folder, belong to this user and are nobody else's to
 * change, the file not even to read. Of an open file, and the path it was opened by. Returns 0 or a
 * negative errno with what to do. */
int seal_file_check(int fd, const char *path, struct err *e);
/* Reads a key file: 64 hexadecimal digits. One that others may read or change is refused. Returns
 * -ENOENT if there is none. */
int seal_key_load(const char *path, struct seal_key *key, struct err *e);
/* The file that is meant when none is named: $SKIDPAD_KEY, else below the user's configuration
 * folder; under sudo that of the user who called it, if there is one. Returns false if there is no
 * such place. */
bool seal_key_default(char *path, size_t size);

void seal_random(void *bytes, size_t count);
/* The session that two random numbers make of a key. */
void seal_session(const struct seal_key *key, uint64_t run, const uint8_t host[SEAL_NONCE],
                  const uint8_t target[SEAL_NONCE], struct seal_key *session);
void seal_make(const struct seal_key *key, const void *bytes, size_t count,
               uint8_t seal[SEAL_BYTES]);
/* The same, shorter, over several parts one after the other. */
struct seal_part {
    const void *at;
    size_t bytes;
};
void seal_tag(const struct seal_key *key, const struct seal_part *parts, int count,
              uint8_t tag[SEAL_TAG]);
/* In a time that does not depend on where they differ. */
bool seal_tag_is_right(const struct seal_key *key, const struct seal_part *all,
                       const uint8_t tag[SEAL_TAG]);
bool seal_is_right(const struct seal_key *key, const void *bytes, size_t count,
                   const uint8_t seal[SEAL_BYTES]);

#endif
