#include "shared/wire/telemetry_seal.h"

#include <string.h>

static_assert((int)TELEMETRY_SEAL == (int)SEAL_BYTES && (int)TELEMETRY_NONCE == (int)SEAL_NONCE,
              "one size");

/* What is sealed; returns its length. */
static size_t covered(const struct telemetry_header *h, const void *body, unsigned char *out)
{
    struct telemetry_header plain = *h;
    size_t bytes = telemetry_sealed_bytes(h);
    plain.packet = 0;
    plain.sent_ns = 0;
    memcpy(out, &plain, sizeof plain);
    memcpy(out + sizeof plain, body, bytes - sizeof plain);
    return bytes;
}

enum { COVERED_MAX = sizeof(struct telemetry_header) + sizeof(struct telemetry_command) };

void telemetry_seal(const struct seal_key *key, const struct telemetry_header *h, void *body)
{
    unsigned char whole[COVERED_MAX];
    size_t bytes = covered(h, body, whole);
    seal_make(key, whole, bytes, (uint8_t *)body + (bytes - sizeof *h));
}

bool telemetry_is_sealed(const struct seal_key *key, const struct telemetry_header *h,
                         const void *packet)
{
    unsigned char whole[COVERED_MAX];
    size_t bytes = covered(h, (const char *)packet + sizeof *h, whole);
    return seal_is_right(key, whole, bytes, (const uint8_t *)packet + bytes);
}
