#include "shared/wire/telemetry_seal.h"

#include <string.h>

static_assert((int)TELEMETRY_SEAL == (int)SEAL_BYTES && (int)TELEMETRY_TAG == (int)SEAL_TAG &&
                  (int)TELEMETRY_NONCE == (int)SEAL_NONCE,
              "one size");

/* What is sealed; returns its length. */
static size_t covered(const struct telemetry_header *h, const void *body, unsigned char *out)
{
    struct telemetry_header plain = *h;
    size_t bytes = telemetry_sealed_bytes(h);
    plain.packet = 0;
    plain.sent_ns = 0;
    plain.flags &= (uint8_t)~TELEMETRY_SEALED;
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

void telemetry_run_key(const struct seal_key *key, uint64_t run, struct seal_key *run_key)
{
    const struct {
        char what[16];
        uint64_t run;
    } text = {.what = "skidpad run", .run = run};
    seal_make(key, &text, sizeof text, run_key->bytes);
}

void telemetry_tag(const struct seal_key *run_key, const struct telemetry_header *h,
                   const void *body, size_t bytes, uint8_t tag[TELEMETRY_TAG])
{
    const struct seal_part parts[] = {{h, sizeof *h}, {body, bytes}};
    seal_tag(run_key, parts, 2, tag);
}

bool telemetry_tag_is_right(const struct seal_key *run_key, const void *packet, size_t bytes)
{
    const struct seal_part all = {packet, bytes - TELEMETRY_TAG};
    return seal_tag_is_right(run_key, &all, (const uint8_t *)packet + all.bytes);
}
