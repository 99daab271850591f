#include "shared/wire/telemetry.h"

#include "shared/base/hash.h"

#include <string.h>

const uint64_t telemetry_hash_begin = HASH_BEGIN;

uint64_t telemetry_hash_signal(uint64_t hash, const char *name, const char *unit, uint32_t type,
                               uint32_t offset)
{
    hash = hash_text(hash, name);
    hash = hash_text(hash, unit);
    hash = hash_bytes(hash, &type, sizeof type);
    return hash_bytes(hash, &offset, sizeof offset);
}

uint64_t telemetry_table_hash(void)
{
    uint64_t h = telemetry_hash_begin;
    for (size_t i = 0; i < signal_count; i++)
        h = telemetry_hash_signal(h, signal_table[i].name, signal_table[i].unit,
                                  (uint32_t)signal_table[i].type, (uint32_t)signal_table[i].offset);
    return h;
}

static const int64_t bin_high_us[TELEMETRY_BINS] = {
    1,   2,   3,   5,   7,    10,   15,   20,   30,   40,    50,    70,    100,    150,
    200, 300, 500, 700, 1000, 1500, 2000, 3000, 5000, 10000, 20000, 50000, 100000, 1000000000};

int64_t telemetry_bin_high_ns(size_t bin)
{
    return bin_high_us[bin < TELEMETRY_BINS ? bin : TELEMETRY_BINS - 1] * 1000;
}

size_t telemetry_bin(int64_t time_ns)
{
    size_t bin = 0;
    while (bin < TELEMETRY_BINS - 1 && time_ns > telemetry_bin_high_ns(bin))
        bin++;
    return bin;
}

/* Bytes of what follows the header; 0: lists, whose size the header tells. */
static const size_t body_bytes[256] = {
    [TELEMETRY_STATUS] = sizeof(struct telemetry_status),
    [TELEMETRY_CLOCK] = sizeof(struct telemetry_clock),
    [TELEMETRY_CHALLENGE] = sizeof(struct telemetry_hello),
    [TELEMETRY_REPLY] = sizeof(struct telemetry_command),
    [TELEMETRY_ASK_CLOCK] = sizeof(struct telemetry_clock),
    [TELEMETRY_HELLO] = sizeof(struct telemetry_hello),
    [TELEMETRY_COMMAND] = sizeof(struct telemetry_command),
    [TELEMETRY_DRIVE] = sizeof(struct telemetry_drive),
};

static bool list_is_right(const struct telemetry_header *h, size_t body)
{
    size_t least = h->kind == TELEMETRY_RECORDS ? offsetof(struct loop_record, signals)
                                                : sizeof(struct telemetry_event);
    if (h->kind == TELEMETRY_EVENTS && h->each_bytes != least)
        return false;
    return h->count > 0 && h->count <= TELEMETRY_PACKET_MAX && h->each_bytes >= least &&
           h->each_bytes <= TELEMETRY_PACKET_MAX && (size_t)h->count * h->each_bytes == body &&
           h->first <= UINT64_MAX - h->count;
}

static bool blob_is_right(const void *packet, size_t body)
{
    struct telemetry_blob b;
    if (body <= sizeof b || body > sizeof b + TELEMETRY_CHUNK)
        return false;
    memcpy(&b, (const char *)packet + sizeof(struct telemetry_header), sizeof b);
    size_t chunk = body - sizeof b;
    return b.id < TELEMETRY_BLOBS && b.bytes <= TELEMETRY_BLOB_MAX && b.offset < b.bytes &&
           b.offset % TELEMETRY_CHUNK == 0 &&
           chunk == (b.bytes - b.offset < TELEMETRY_CHUNK ? b.bytes - b.offset : TELEMETRY_CHUNK);
}

static bool body_is_right(const struct telemetry_header *h, const void *packet, size_t body)
{
    switch (h->kind) {
    case TELEMETRY_RECORDS:
    case TELEMETRY_EVENTS:
        return list_is_right(h, body);
    case TELEMETRY_BLOB:
        return blob_is_right(packet, body);
    case TELEMETRY_ASK_RECORDS:
    case TELEMETRY_ASK_EVENTS:
        return body == 0 && h->count > 0 && h->count <= TELEMETRY_ASK_MAX &&
               h->first <= UINT64_MAX - h->count;
    case TELEMETRY_ASK_BLOB:
    case TELEMETRY_GONE:
    case TELEMETRY_DONE:
        return body == 0;
    default:
        return body_bytes[h->kind] != 0 && body == body_bytes[h->kind];
    }
}

enum telemetry_verdict telemetry_open(const void *packet, size_t bytes, struct telemetry_header *h)
{
    if (bytes < 8 || bytes > TELEMETRY_PACKET_MAX)
        return TELEMETRY_STRANGE;
    memset(h, 0, sizeof *h);
    memcpy(h, packet, bytes < sizeof *h ? bytes : sizeof *h);
    if (h->magic != TELEMETRY_MAGIC)
        return TELEMETRY_STRANGE;
    if (h->version != TELEMETRY_VERSION)
        return TELEMETRY_OTHER_VERSION;
    size_t tag = h->flags & TELEMETRY_SEALED ? TELEMETRY_TAG : 0;
    if (bytes < sizeof *h + tag || h->name[TELEMETRY_NAME - 1] != '\0' ||
        !body_is_right(h, packet, bytes - sizeof *h - tag))
        return TELEMETRY_BROKEN;
    return TELEMETRY_GOOD;
}

size_t telemetry_sealed_bytes(const struct telemetry_header *h)
{
    switch (h->kind) {
    case TELEMETRY_CHALLENGE:
    case TELEMETRY_REPLY:
    case TELEMETRY_HELLO:
    case TELEMETRY_COMMAND:
    case TELEMETRY_DRIVE:
        return sizeof *h + body_bytes[h->kind] - TELEMETRY_SEAL;
    default:
        return 0;
    }
}

const char *telemetry_state_name(uint32_t state)
{
    static const char *const names[] = {"waiting", "running", "safe", "ended"};
    return state < TELEMETRY_STATES ? names[state] : "unknown";
}
