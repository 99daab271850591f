#include "target/io/can_record.h"

#include "shared/base/out_file.h"
#include "shared/base/ring.h"
#include "shared/base/time.h"
#include "shared/can/candump.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BUSES = 32, RING_FRAMES = 16384 };

struct can_record {
    struct ring ring;
    struct out_file out;
    FILE *file; /* of it */
    char *path;
    char names[BUSES][CANDUMP_NAME];
    int64_t offset_ns;  /* added to every time */
    uint64_t written;   /* handed to the kernel */
    uint64_t buffered;  /* since then */
    uint64_t unwritten; /* what the disk did not take */
    int error;
    bool told;
};

static int64_t clock_ns(clockid_t clock)
{
    struct timespec t;
    (void)clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * NS_PER_S + t.tv_nsec;
}

static void free_record(struct can_record *r)
{
    out_file_drop(&r->out);
    ring_free(&r->ring);
    free(r->path);
    free(r);
}

int can_record_open(struct can_record **record, const struct can_record_setup *setup, struct err *e)
{
    *record = NULL;
    if (setup->bus_count < 0 || setup->bus_count > BUSES)
        return err_set(e, -EINVAL, "%s: at most %d buses are recorded", setup->path, BUSES);
    struct can_record *r = calloc(1, sizeof *r);
    if (!r)
        return err_set(e, -ENOMEM, "%s: no memory", setup->path);
    for (int i = 0; i < BUSES; i++)
        (void)snprintf(r->names[i], CANDUMP_NAME, "can%d", i);
    for (int i = 0; i < setup->bus_count; i++)
        (void)snprintf(r->names[i], CANDUMP_NAME, "%s", setup->names[i]);
    if (setup->wall_clock)
        r->offset_ns = clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC);
    r->path = strdup(setup->path);
    const int bad = r->path ? ring_init(&r->ring, sizeof(struct can_msg),
                                        setup->ring_frames ? setup->ring_frames : RING_FRAMES, NULL)
                            : -ENOMEM;
    if (bad) {
        free_record(r);
        return err_set(e, bad, "%s: no ring of %zu frames: %s", setup->path, setup->ring_frames,
                       strerror(-bad));
    }
    const int closed = out_file_open(&r->out, setup->path, e);
    r->file = closed ? NULL : out_file_stream(&r->out);
    if (!r->file) {
        free_record(r);
        return closed ? closed : err_set(e, -ENOMEM, "%s: no memory", setup->path);
    }
    if (!setup->hold && can_record_keep(r, e)) {
        free_record(r);
        return -EIO;
    }
    *record = r;
    return 0;
}

int can_record_keep(struct can_record *record, struct err *e)
{
    return out_file_keep(&record->out, e);
}

void can_record_received(struct can_record *record, const struct can_msg *msgs, int n)
{
    for (int i = 0; i < n; i++)
        (void)ring_push(&record->ring, &msgs[i]); /* the ring counts what does not fit */
}

void can_record_sent(struct can_record *record, const struct can_port *port, int64_t now_ns,
                     const struct can_msg *msgs, int n)
{
    if (port->confirms)
        return;
    for (int i = 0; i < n; i++) {
        struct can_msg *m = ring_reserve(&record->ring);
        if (!m)
            continue;
        *m = msgs[i];
        m->time_ns = now_ns;
        m->bus = port->bus;
        m->flags |= CAN_MSG_OWN;
        ring_commit(&record->ring);
    }
}

static void write_frame(struct can_record *r, const struct can_msg *msg)
{
    char line[CANDUMP_LINE];
    struct can_msg m = *msg;
    m.time_ns += r->offset_ns;
    const size_t length = candump_format(&m, r->names[m.bus % BUSES], line);
    r->buffered++;
    if (fwrite(line, 1, length, r->file) != length)
        r->error = errno ? -errno : -EIO;
}

static void flush(struct can_record *r)
{
    if (!r->error)
        r->error = out_file_flush(&r->out);
    *(r->error ? &r->unwritten : &r->written) += r->buffered;
    r->buffered = 0;
}

int can_record_drain(struct can_record *record)
{
    const void *span;
    size_t n;
    while ((n = ring_peek(&record->ring, &span)) > 0) {
        const struct can_msg *msgs = span;
        for (size_t i = 0; i < n; i++) {
            if (record->error)
                record->unwritten++;
            else
                write_frame(record, &msgs[i]);
        }
        ring_release(&record->ring, n);
    }
    if (record->buffered > 0)
        flush(record);
    if (!record->error || record->told)
        return 0;
    record->told = true;
    return record->error;
}

int can_record_sync(const struct can_record *record)
{
    return fdatasync(record->out.fd) && errno != EINVAL ? -errno : 0;
}

size_t can_record_waiting(const struct can_record *record)
{
    return ring_fill(&record->ring);
}

uint64_t can_record_written(const struct can_record *record)
{
    return record->written;
}

uint64_t can_record_lost(const struct can_record *record)
{
    return ring_dropped(&record->ring) + record->unwritten;
}

int can_record_close(struct can_record *record, struct err *e)
{
    if (!record)
        return 0;
    if (record->out.part) { /* never kept */
        free_record(record);
        return 0;
    }
    (void)can_record_drain(record);
    const int closed = out_file_close(&record->out, NULL);
    const int bad = record->error ? record->error : closed;
    if (bad)
        (void)err_set(e, bad, "%s: %s; the log ends before the run", record->path,
                      out_file_why(bad));
    free_record(record);
    return bad;
}
