#include "shared/base/latest.h"

#include <assert.h>
#include <errno.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 3, SLOT_MASK = 3, UNREAD = 4 };

/* In front of each value. */
struct slot_head {
    uint64_t sequence;
    int64_t stamp_ns;
};
static_assert(sizeof(struct slot_head) % alignof(max_align_t) == 0, "the value is aligned");

static struct slot_head *slot_at(const struct latest *l, unsigned int slot)
{
    return (struct slot_head *)(void *)(l->slots + slot * l->slot_bytes);
}

static size_t slot_bytes(size_t value_bytes)
{
    size_t bytes = sizeof(struct slot_head) + value_bytes + LATEST_LINE_BYTES - 1;
    return bytes / LATEST_LINE_BYTES * LATEST_LINE_BYTES;
}

size_t latest_memory_bytes(size_t value_bytes)
{
    if (value_bytes == 0 || value_bytes > SIZE_MAX / SLOTS - (size_t)2 * LATEST_LINE_BYTES)
        return 0;
    return SLOTS * slot_bytes(value_bytes);
}

int latest_init(struct latest *l, size_t value_bytes, void *memory, const void *initial)
{
    const size_t bytes = latest_memory_bytes(value_bytes);
    memset(l, 0, sizeof *l);
    if (bytes == 0 || (uintptr_t)memory % alignof(max_align_t) != 0)
        return -EINVAL;
    l->owned = memory == NULL;
    if (l->owned)
        memory = aligned_alloc(LATEST_LINE_BYTES, bytes);
    if (!memory)
        return -ENOMEM;
    memset(memory, 0, bytes);
    l->slots = memory;
    l->value_bytes = value_bytes;
    l->slot_bytes = slot_bytes(value_bytes);
    l->write_slot = 0;
    atomic_init(&l->shared, 1);
    l->read_slot = 2;
    if (initial)
        memcpy(slot_at(l, l->read_slot) + 1, initial, value_bytes);
    return 0;
}

void latest_free(struct latest *l)
{
    if (l->owned)
        free(l->slots);
    l->slots = NULL;
    l->owned = false;
}

void *latest_begin(struct latest *l)
{
    return slot_at(l, l->write_slot) + 1;
}

void latest_publish(struct latest *l, int64_t stamp_ns)
{
    struct slot_head *head = slot_at(l, l->write_slot);
    head->sequence = ++l->sequence;
    head->stamp_ns = stamp_ns;
    /* Release: the value is there before the slot is handed over. Acquire: the reader is done with
     * the slot that comes back. */
    unsigned int back =
        atomic_exchange_explicit(&l->shared, l->write_slot | UNREAD, memory_order_acq_rel);
    l->write_slot = back & SLOT_MASK;
}

void latest_write(struct latest *l, const void *value, int64_t stamp_ns)
{
    memcpy(latest_begin(l), value, l->value_bytes);
    latest_publish(l, stamp_ns);
}

const void *latest_read(struct latest *l, struct latest_info *info)
{
    /* Only this thread clears UNREAD, so a value seen as unread is still so at the exchange,
     * though it may have been replaced by a newer one. */
    const bool fresh = (atomic_load_explicit(&l->shared, memory_order_relaxed) & UNREAD) != 0;
    if (fresh)
        l->read_slot =
            atomic_exchange_explicit(&l->shared, l->read_slot, memory_order_acq_rel) & SLOT_MASK;
    const struct slot_head *head = slot_at(l, l->read_slot);
    if (info) {
        info->sequence = head->sequence;
        info->stamp_ns = head->stamp_ns;
        info->fresh = fresh;
    }
    return head + 1;
}

int64_t latest_age_ns(const struct latest_info *info, int64_t now_ns)
{
    return info->sequence == 0 ? INT64_MAX : now_ns - info->stamp_ns;
}
