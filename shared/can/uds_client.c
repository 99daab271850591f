#include "shared/can/uds_client.h"

#include "shared/base/time.h"

#include <errno.h>
#include <string.h>

static const int64_t patience_ns = 5 * NS_PER_S; /* P2* */

/* Services whose second byte is a sub-function. */
static bool has_sub_function(uint8_t service)
{
    switch (service) {
    case UDS_SESSION:
    case UDS_RESET:
    case UDS_READ_CODES:
    case UDS_SECURITY:
    case UDS_TESTER_PRESENT:
        return true;
    default:
        return false;
    }
}

void uds_exchange_begin(struct uds_exchange *x, const uint8_t *request, int length, int64_t now_ns,
                        int64_t wait_ns)
{
    *x = (struct uds_exchange){.until_ns = now_ns + wait_ns,
                               .wait_ns = wait_ns,
                               .later_ns = patience_ns > wait_ns ? patience_ns : wait_ns,
                               .result = UDS_WAITING,
                               .service = request[0]};
    x->quiet = length > 1 && has_sub_function(request[0]) && (request[1] & UDS_SUPPRESS);
}

void uds_exchange_take(struct uds_exchange *x, const uint8_t *answer, int length, int64_t now_ns)
{
    if (x->result != UDS_WAITING || length < 1)
        return;
    if (answer[0] == (uint8_t)(x->service + UDS_POSITIVE)) {
        x->result = UDS_ANSWERED;
    } else if (length >= 3 && answer[0] == UDS_NEGATIVE && answer[1] == x->service) {
        if (answer[2] == UDS_PENDING) {
            x->until_ns = now_ns + x->later_ns;
            return;
        }
        x->refusal = answer[2];
        x->result = UDS_REFUSED;
    }
}

void uds_exchange_renew(struct uds_exchange *x, int64_t now_ns)
{
    if (now_ns + x->wait_ns > x->until_ns)
        x->until_ns = now_ns + x->wait_ns;
}

void uds_exchange_wait(struct uds_exchange *x, int64_t now_ns)
{
    if (x->result == UDS_WAITING && now_ns > x->until_ns)
        x->result = x->quiet ? UDS_ANSWERED : UDS_SILENT;
}

/* ---- with ISO-TP */

void uds_tester_open(struct uds_tester *t, uint32_t request_id, uint32_t response_id)
{
    memset(t, 0, sizeof *t);
    t->setup = isotp_defaults(request_id, response_id);
}

int uds_tester_ask(struct uds_tester *t, const uint8_t *request, int length, int64_t now_ns,
                   int64_t wait_ns)
{
    if (t->busy)
        return -EBUSY;
    isotp_reset(&t->link); /* what is left of an old answer is nobody's */
    int bad = isotp_send(&t->setup, &t->link, request, length, now_ns);
    if (bad)
        return bad;
    uds_exchange_begin(&t->exchange, request, length, now_ns, wait_ns);
    t->answer_length = 0;
    t->busy = 1;
    return 0;
}

static void settle(struct uds_tester *t)
{
    t->busy = t->exchange.result == UDS_WAITING;
}

bool uds_tester_take(struct uds_tester *t, const struct can_msg *msg, int64_t now_ns)
{
    const uint8_t *data;
    if (!isotp_take(&t->setup, &t->link, msg, now_ns))
        return false;
    int n = isotp_message(&t->link, &data);
    if (n > 0 && t->busy) {
        uds_exchange_take(&t->exchange, data, n, now_ns);
        settle(t);
        if (!t->busy) {
            memcpy(t->answer, data, (size_t)n);
            t->answer_length = n;
        }
    }
    return true;
}

int uds_tester_poll(struct uds_tester *t, int64_t now_ns, struct can_msg *out, int room)
{
    /* While frames are on their way the time does not run; ISO-TP has time-outs of its own. */
    if (t->busy && (isotp_is_sending(&t->link) || t->link.receiving)) {
        uds_exchange_renew(&t->exchange, now_ns);
    } else if (t->busy) {
        if (t->link.send_error != ISOTP_NO_ERROR)
            t->exchange.result = UDS_SILENT;
        uds_exchange_wait(&t->exchange, now_ns);
        settle(t);
    }
    return isotp_poll(&t->setup, &t->link, now_ns, out, room);
}

enum uds_result uds_tester_result(const struct uds_tester *t)
{
    return (enum uds_result)t->exchange.result;
}

/* ---- codes */

int uds_codes_parse(const uint8_t *answer, int length, struct uds_code *list, int room)
{
    int n = 0;
    if (length < 3 || (length - 3) % 4 != 0 || answer[0] != UDS_READ_CODES + UDS_POSITIVE ||
        (answer[1] != UDS_CODES_MATCHING && answer[1] != UDS_CODES_SUPPORTED))
        return -EPROTO;
    for (int at = 3; at + 4 <= length && n < room; at += 4)
        list[n++] = (struct uds_code){.code = uds_code_at(answer + at), .status = answer[at + 3]};
    return n;
}

int uds_codes_request(uint8_t mask, uint8_t request[3])
{
    request[0] = UDS_READ_CODES;
    request[1] = UDS_CODES_MATCHING;
    request[2] = mask;
    return 3;
}

int uds_clear_request(uint32_t group, uint8_t request[4])
{
    request[0] = UDS_CLEAR;
    request[1] = (uint8_t)(group >> 16);
    request[2] = (uint8_t)(group >> 8);
    request[3] = (uint8_t)group;
    return 4;
}
