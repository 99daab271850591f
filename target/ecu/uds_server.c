#include "target/ecu/uds_server.h"

#include "shared/base/time.h"
#include "target/ecu/uds_codes.h"

#include <string.h>

static const int64_t session_ns = 5 * NS_PER_S;
static const int64_t delay_ns = 10 * NS_PER_S;
static const double standstill_mps = 3.0 / 3.6;

/* A request on its way through the services. */
struct task {
    struct uds_server *s;
    struct dtc_store *store;
    struct uds_unit *unit;
    const uint8_t *request;
    int length;
    int64_t now_ns;
    uint8_t *answer;
    int room;
};

void uds_server_reset(struct uds_server *s)
{
    memset(s, 0, sizeof *s);
    memset(&s->identity, ' ', sizeof s->identity);
    s->session = UDS_SESSION_DEFAULT;
    s->random = 0x2545f491u;
}

static void enter_session(struct uds_server *s, uint8_t session)
{
    s->session = session;
    s->unlocked = 0;
    s->seed = 0;
}

void uds_server_step(struct uds_server *s, int64_t now_ns)
{
    if (s->session != UDS_SESSION_DEFAULT && now_ns > s->session_until_ns)
        enter_session(s, UDS_SESSION_DEFAULT);
}

static bool stands(const struct task *t)
{
    return t->unit->state->reference.speed_mps < standstill_mps;
}

static int sub_function(const struct task *t)
{
    return t->request[1] & ~UDS_SUPPRESS;
}

/* ---- services: each returns the length of its answer or a refusal as a negative number */

static int change_session(struct task *t)
{
    /* P2 50 ms, P2* 5000 ms in units of 10 ms. */
    static const uint8_t times[4] = {0, 50, 5000 / 10 >> 8, 5000 / 10 & 0xff};
    int session = sub_function(t);
    if (session != UDS_SESSION_DEFAULT && session != UDS_SESSION_EXTENDED)
        return -UDS_NO_SUB_FUNCTION;
    if (t->length != 2)
        return -UDS_WRONG_LENGTH;
    enter_session(t->s, (uint8_t)session);
    memcpy(t->answer + 2, times, sizeof times);
    return 6;
}

static int reset(struct task *t)
{
    int how = sub_function(t);
    if (how != 1 && how != 3)
        return -UDS_NO_SUB_FUNCTION;
    if (t->length != 2)
        return -UDS_WRONG_LENGTH;
    if (!stands(t))
        return -UDS_CONDITIONS;
    t->s->reset = (uint8_t)how;
    return 2;
}

static int tester_present(struct task *t)
{
    if (sub_function(t) != 0)
        return -UDS_NO_SUB_FUNCTION;
    return t->length == 2 ? 2 : -UDS_WRONG_LENGTH;
}

static int clear(struct task *t)
{
    return uds_clear_codes(t->store, &t->unit->state->faults, t->request, t->length, t->answer);
}

static int read_codes(struct task *t)
{
    return uds_read_codes(t->store, t->request, t->length, t->answer, t->room);
}

static int read_data(struct task *t)
{
    int n = 1, found = 0;
    if (t->length < 3 || t->length % 2 != 1 || t->length > 1 + 2 * UDS_AT_ONCE)
        return -UDS_WRONG_LENGTH;
    t->unit->session = t->s->session;
    for (int at = 1; at < t->length; at += 2) {
        int item = uds_item_find((uint16_t)(t->request[at] << 8 | t->request[at + 1]));
        if (item < 0)
            continue; /* what it does not have is left out, unless it has none of them */
        if (n + 2 + uds_item_table[item].bytes > t->room)
            return -UDS_TOO_LONG;
        t->answer[n] = t->request[at];
        t->answer[n + 1] = t->request[at + 1];
        n += 2 + uds_item_read(t->unit, item, t->answer + n + 2);
        found++;
    }
    return found ? n : -UDS_OUT_OF_RANGE;
}

static int write_data(struct task *t)
{
    if (t->length < 4)
        return -UDS_WRONG_LENGTH;
    int item = uds_item_find((uint16_t)(t->request[1] << 8 | t->request[2]));
    if (item < 0 || uds_item_table[item].access != UDS_ACCESS_WRITE)
        return -UDS_OUT_OF_RANGE;
    if (!t->s->unlocked)
        return -UDS_LOCKED;
    if (t->length != 3 + uds_item_table[item].bytes)
        return -UDS_WRONG_LENGTH;
    if (!stands(t))
        return -UDS_CONDITIONS;
    if (!uds_item_write(t->unit, item, t->request + 3))
        return -UDS_OUT_OF_RANGE;
    t->s->changes++;
    memcpy(t->answer + 1, t->request + 1, 2);
    return 3;
}

/* Never 0; another one each time. Marsaglia's xorshift. */
static uint32_t next_seed(struct uds_server *s, int64_t now_ns)
{
    s->random ^= (uint32_t)now_ns | 1u;
    if (s->random == 0)
        s->random = 1u;
    s->random ^= s->random << 13;
    s->random ^= s->random >> 17;
    s->random ^= s->random << 5;
    return s->random;
}

static int give_seed(struct task *t)
{
    struct uds_server *s = t->s;
    if (t->length != 2)
        return -UDS_WRONG_LENGTH;
    if (t->now_ns < s->delay_until_ns)
        return -UDS_DELAY;
    s->seed = s->unlocked ? 0 : next_seed(s, t->now_ns); /* zeros: there is nothing to unlock */
    for (int k = 0; k < 4; k++)
        t->answer[2 + k] = (uint8_t)(s->seed >> (24 - 8 * k));
    return 6;
}

static int take_key(struct task *t)
{
    struct uds_server *s = t->s;
    if (t->length != 6)
        return -UDS_WRONG_LENGTH;
    if (s->seed == 0)
        return -UDS_SEQUENCE;
    bool right = (uint32_t)uds_number(t->request + 2, 4, 0) == uds_key(s->seed);
    s->seed = 0;
    if (right) {
        s->unlocked = 1;
        s->attempts = 0;
        return 2;
    }
    if (++s->attempts < UDS_ATTEMPTS)
        return -UDS_INVALID_KEY;
    s->attempts = 0;
    s->delay_until_ns = t->now_ns + delay_ns;
    return -UDS_TOO_MANY_ATTEMPTS;
}

static int security(struct task *t)
{
    int sub = sub_function(t);
    return sub == 1 ? give_seed(t) : sub == 2 ? take_key(t) : -UDS_NO_SUB_FUNCTION;
}

/* ---- all of them */

static const struct service {
    uint8_t id;
    bool extended_only, has_sub_function;
    int (*serve)(struct task *t);
} services[] = {
    {UDS_SESSION, false, true, change_session}, {UDS_RESET, true, true, reset},
    {UDS_CLEAR, false, false, clear},           {UDS_READ_CODES, false, true, read_codes},
    {UDS_READ_DATA, false, false, read_data},   {UDS_SECURITY, true, true, security},
    {UDS_WRITE_DATA, true, false, write_data},  {UDS_TESTER_PRESENT, false, true, tester_present},
};

static const struct service *find(uint8_t id)
{
    for (size_t k = 0; k < sizeof services / sizeof services[0]; k++)
        if (services[k].id == id)
            return &services[k];
    return NULL;
}

static int serve(struct task *t, const struct service *v)
{
    if (!v)
        return -UDS_NO_SERVICE;
    if (v->extended_only && t->s->session != UDS_SESSION_EXTENDED)
        return -UDS_NO_SERVICE_NOW;
    if (v->has_sub_function && t->length < 2)
        return -UDS_WRONG_LENGTH;
    t->answer[0] = (uint8_t)(v->id + UDS_POSITIVE);
    if (v->has_sub_function)
        t->answer[1] = (uint8_t)sub_function(t);
    return v->serve(t);
}

/* What a unit does not have it does not tell when everybody was asked. */
static bool is_untold(int refusal)
{
    return refusal == UDS_NO_SERVICE || refusal == UDS_NO_SUB_FUNCTION ||
           refusal == UDS_OUT_OF_RANGE || refusal == UDS_NO_SUB_FUNCTION_NOW ||
           refusal == UDS_NO_SERVICE_NOW;
}

int uds_server_answer(struct uds_server *s, struct dtc_store *store, struct uds_unit *unit,
                      const uint8_t *request, int length, bool functional, int64_t now_ns,
                      uint8_t *answer, int room)
{
    struct task t = {s, store, unit, request, length, now_ns, answer, room};
    if (length < 1 || room < 64)
        return 0;
    const struct service *v = find(request[0]);
    unit->identity = &s->identity;
    int n = serve(&t, v);
    s->session_until_ns = now_ns + session_ns; /* any request keeps the session */
    if (n < 0) {
        if (functional && is_untold(-n))
            return 0;
        answer[0] = UDS_NEGATIVE;
        answer[1] = request[0];
        answer[2] = (uint8_t)-n;
        return 3;
    }
    return v->has_sub_function && (request[1] & UDS_SUPPRESS) ? 0 : n;
}
