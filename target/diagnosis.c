#include "target/diagnosis.h"

#include "shared/base/time.h"

#include <errno.h>
#include <string.h>

/* An answer takes a few cycles of the unit; without one the request is sent again. */
static const int64_t answer_ns = 250 * NS_PER_MS;
static const int64_t job_ns = NS_PER_S;

void diagnosis_start(struct diagnosis *d, int64_t now_ns)
{
    uds_tester_open(&d->tester, d->setup.request_id, d->setup.response_id);
    d->state = DIAGNOSIS_CLEAR;
    d->since_ns = now_ns;
    d->asking = d->cleared = d->read = d->ended = false;
    d->count = d->snapshots = 0;
    atomic_store(&d->begun, true);
}

bool diagnosis_take(struct diagnosis *d, const struct can_msg *msg, int64_t now_ns)
{
    return d->setup.on && uds_tester_take(&d->tester, msg, now_ns);
}

static void enter(struct diagnosis *d, enum diagnosis_state state, int64_t now_ns)
{
    d->state = state;
    d->since_ns = now_ns;
}

/* ---- questions of the verdict */

static void ask(struct diagnosis *d, const uint8_t *request, int length, int64_t now_ns)
{
    d->asking = uds_tester_ask(&d->tester, request, length, now_ns, answer_ns) == 0;
}

static void ask_for_state(struct diagnosis *d, int64_t now_ns)
{
    uint8_t request[6] = {UDS_READ_CODES, UDS_CODES_SNAPSHOT};
    if (d->state == DIAGNOSIS_CLEAR) {
        ask(d, request, uds_clear_request(UDS_ALL_CODES, request), now_ns);
    } else if (d->state == DIAGNOSIS_READ) {
        ask(d, request, uds_codes_request(UDS_STORED, request), now_ns);
    } else if (d->state == DIAGNOSIS_SNAPSHOTS && d->snapshots < d->count) {
        uint32_t code = d->code[d->snapshots].code.code;
        request[2] = (uint8_t)(code >> 16);
        request[3] = (uint8_t)(code >> 8);
        request[4] = (uint8_t)code;
        request[5] = 0xff;
        ask(d, request, 6, now_ns);
    }
}

static void keep_codes(struct diagnosis *d, int64_t now_ns)
{
    struct uds_code list[UDS_CODES];
    int n = uds_codes_parse(d->tester.answer, d->tester.answer_length, list, UDS_CODES);
    if (n < 0)
        return; /* not an answer to this: asked again */
    for (int i = 0; i < n; i++)
        d->code[i] = (struct diagnosis_code){.code = list[i]};
    d->count = n;
    d->read = true;
    enter(d, n > 0 ? DIAGNOSIS_SNAPSHOTS : DIAGNOSIS_DONE, now_ns);
}

static void keep_snapshot(struct diagnosis *d, int64_t now_ns)
{
    struct diagnosis_code *c = &d->code[d->snapshots++];
    int n = d->tester.answer_length;
    if (uds_tester_result(&d->tester) == UDS_ANSWERED && n > 6 && n <= DIAGNOSIS_SNAPSHOT) {
        memcpy(c->snapshot, d->tester.answer, (size_t)n);
        c->snapshot_length = n;
    }
    if (d->snapshots == d->count)
        enter(d, DIAGNOSIS_DONE, now_ns);
}

/* The answer to what the state asked for, or none. */
static void take_answer(struct diagnosis *d, int64_t now_ns)
{
    bool positive = uds_tester_result(&d->tester) == UDS_ANSWERED;
    d->asking = false;
    if (d->state == DIAGNOSIS_SNAPSHOTS) {
        keep_snapshot(d, now_ns); /* a unit need not have any */
    } else if (d->state == DIAGNOSIS_READ && positive) {
        keep_codes(d, now_ns);
    } else if (d->state == DIAGNOSIS_CLEAR && positive) {
        d->cleared = true;
        enter(d, DIAGNOSIS_DRIVE, now_ns);
    }
}

/* ---- jobs */

static void begin_job(struct diagnosis *d, int64_t now_ns)
{
    if (atomic_load_explicit(&d->job, memory_order_acquire) != DIAGNOSIS_WANTED)
        return;
    int bad = uds_tester_ask(&d->tester, d->job_data, d->job_length, now_ns, job_ns);
    d->job_result = UDS_SILENT;
    d->job_length = 0;
    atomic_store_explicit(&d->job, bad ? DIAGNOSIS_ANSWERED : DIAGNOSIS_ASKED,
                          memory_order_release);
}

/* Who sleeps does not answer. */
static void refuse_job(struct diagnosis *d)
{
    if (atomic_load_explicit(&d->job, memory_order_acquire) != DIAGNOSIS_WANTED)
        return;
    d->job_result = UDS_SILENT;
    d->job_length = 0;
    atomic_store_explicit(&d->job, DIAGNOSIS_ANSWERED, memory_order_release);
}

static void end_job(struct diagnosis *d)
{
    d->job_result = uds_tester_result(&d->tester);
    d->job_length = d->tester.answer_length;
    memcpy(d->job_data, d->tester.answer, (size_t)d->job_length);
    atomic_store_explicit(&d->job, DIAGNOSIS_ANSWERED, memory_order_release);
}

/* ---- the tick */

static bool wants(const struct diagnosis *d)
{
    return d->state != DIAGNOSIS_DRIVE && d->state != DIAGNOSIS_DONE;
}

int diagnosis_step(struct diagnosis *d, bool asleep, int64_t now_ns, struct can_msg *out)
{
    bool job = atomic_load_explicit(&d->job, memory_order_relaxed) == DIAGNOSIS_ASKED;
    if (!d->setup.on)
        return 0;
    if (d->asking && !d->tester.busy)
        take_answer(d, now_ns);
    else if (job && !d->tester.busy)
        end_job(d);
    if (asleep && !d->tester.busy) {
        d->since_ns = now_ns; /* its time begins with the ignition */
        refuse_job(d);
        return 0;
    }
    if (wants(d) && now_ns - d->since_ns > d->setup.wait_ns) /* given up */
        enter(d, d->state == DIAGNOSIS_CLEAR && !d->ended ? DIAGNOSIS_DRIVE : DIAGNOSIS_DONE,
              now_ns);
    if (!d->tester.busy && wants(d))
        ask_for_state(d, now_ns);
    if (!d->tester.busy)
        begin_job(d, now_ns);
    return uds_tester_poll(&d->tester, now_ns, out, DIAGNOSIS_FRAMES);
}

bool diagnosis_end(struct diagnosis *d, int64_t now_ns)
{
    if (!d->setup.on)
        return true;
    if (!d->ended) {
        d->ended = true;
        d->asking = false; /* what was asked for the state before does not count any more */
        enter(d, d->cleared ? DIAGNOSIS_READ : DIAGNOSIS_DONE, now_ns);
    }
    return d->state == DIAGNOSIS_DONE;
}

bool diagnosis_reads(const struct diagnosis *d)
{
    return d->setup.on && d->ended && d->state != DIAGNOSIS_DONE;
}

/* ---- another thread */

int diagnosis_ask(struct diagnosis *d, const uint8_t *request, int length)
{
    if (length < 1 || length > ISOTP_DATA)
        return -EMSGSIZE;
    uint32_t free = DIAGNOSIS_FREE;
    if (!atomic_compare_exchange_strong_explicit(&d->job, &free, DIAGNOSIS_CLAIMED,
                                                 memory_order_acquire, memory_order_relaxed))
        return -EBUSY;
    memcpy(d->job_data, request, (size_t)length);
    d->job_length = length;
    atomic_store_explicit(&d->job, DIAGNOSIS_WANTED, memory_order_release);
    return 0;
}

int diagnosis_answer(struct diagnosis *d, uint8_t *answer, int *length, uint32_t *result)
{
    if (atomic_load_explicit(&d->job, memory_order_acquire) != DIAGNOSIS_ANSWERED)
        return -EAGAIN;
    memcpy(answer, d->job_data, (size_t)d->job_length);
    *length = d->job_length;
    *result = d->job_result;
    atomic_store_explicit(&d->job, DIAGNOSIS_FREE, memory_order_release);
    return 0;
}
