/* The protection of a message, from YAML. */
#include "shared/can/bus_load_plan.h"

#include <stdlib.h>
#include <string.h>

bool plan_parse_code(const char *text, uint64_t max, uint64_t *value)
{
    bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char *digits = hex ? text + 2 : text;
    const char *allowed = hex ? "0123456789abcdefABCDEF" : "0123456789";
    size_t length = strlen(digits);
    if (length == 0 || length > 16 || strspn(digits, allowed) != length)
        return false;
    uint64_t number = strtoull(digits, NULL, hex ? 16 : 10);
    if (number > max)
        return false;
    *value = number;
    return true;
}

void plan_code(const struct cfg_node *map, const char *key, uint64_t max, uint64_t *value)
{
    const struct cfg_node *node = cfg_value(map, key);
    const char *text = cfg_text(node);
    if (node && (!text || !plan_parse_code(text, max, value)))
        cfg_complain(map, key, "must be a whole number from 0 to %llu, decimal or like 0x%llX",
                     (unsigned long long)max, (unsigned long long)max);
}

static const struct dbc_signal *find_signal(const struct cfg_node *map, const char *key,
                                            const struct plan_message *m)
{
    const char *name = cfg_text(cfg_value(map, key));
    struct err e = {""};
    const struct dbc_signal *s = name ? dbc_find_signal(m->dbc, name, &e) : NULL;
    if (!name)
        cfg_complain(map, key, "must be the name of a signal of %s", m->dbc->name);
    else if (!s)
        cfg_complain(map, key, "%s", e.text);
    return s;
}

/* The signal's lowest bit as 8 * byte + bit, found by writing it. */
static bool lowest_bit(const struct plan_message *m, const struct dbc_signal *s, uint16_t *at)
{
    struct can_code code;
    uint8_t data[CAN_MSG_DATA] = {0};
    if (code_compile(m->dbc, s, &code) != 0)
        return false;
    code_put_raw(&code, data, 1);
    for (unsigned i = 0; i < CAN_MSG_DATA; i++) {
        if (data[i] != 0) {
            unsigned bit = 0;
            while (!(data[i] >> bit & 1))
                bit++;
            *at = (uint16_t)(8 * i + bit);
            return true;
        }
    }
    return false;
}

static void counter_load(const struct cfg_node *map, const struct plan_message *m,
                         struct protect_rule *r)
{
    const char *text = cfg_text(cfg_value(map, "counter"));
    uint64_t last = r->counter_last;
    if (text && strcmp(text, "none") == 0) {
        r->counter_bits = 0;
    } else if (cfg_has(map, "counter")) {
        const struct dbc_signal *s = find_signal(map, "counter", m);
        if (s && (s->length > PROTECT_COUNTER_BITS || !lowest_bit(m, s, &r->counter_at))) {
            cfg_complain(map, "counter", "must be a signal of 1 to 32 bits, %s is not", s->name);
        } else if (s) {
            uint64_t most = ((uint64_t)1 << s->length) - 1;
            r->counter_bits = (uint8_t)s->length;
            r->counter_big = s->big_endian;
            /* 14 of profile 1 stays; 15 of the others means "all bits" */
            if (last > most || (last & (last + 1)) == 0)
                last = most;
        }
    }
    plan_code(map, "counter_last", UINT32_MAX, &last);
    r->counter_last = (uint32_t)last;
}

static void checksum_load(const struct cfg_node *map, const struct plan_message *m,
                          struct protect_rule *r)
{
    const struct dbc_signal *s = cfg_has(map, "checksum") ? find_signal(map, "checksum", m) : NULL;
    if (!s)
        return;
    unsigned bits = r->sum == PROTECT_CRC16_1021 ? 16 : 8;
    uint16_t at = 0;
    bool whole = s->length == bits && lowest_bit(m, s, &at) && at % 8 == 0;
    if (r->sum == PROTECT_NO_SUM)
        cfg_complain(map, "checksum", "this profile has none");
    else if (!whole || (bits == 16 && s->big_endian))
        cfg_complain(map, "checksum", "must be a signal of one whole byte%s, %s is not",
                     bits == 16 ? ", of this profile two, the low one first" : "", s->name);
    else
        r->sum_at = (uint8_t)(at / 8);
}

/* One number for all counters, or a list of 16. */
static void ids_load(const struct cfg_node *map, struct protect_rule *r, int place)
{
    bool by_list = r->id_mode == PROTECT_ID_LIST_LAST;
    bool plain = r->id_mode == PROTECT_ID_NONE;
    uint64_t id = 0;
    if (cfg_has(map, "data_ids")) {
        const struct cfg_node *list = cfg_list(map, "data_ids");
        if (!by_list && !plain)
            cfg_complain(map, "data_ids", "this profile takes one data_id");
        else if (cfg_count(list) != PROTECT_IDS)
            cfg_complain(map, "data_ids", "must be a list of 16 numbers, one for each counter");
        for (size_t i = 0; i < cfg_count(list) && i < PROTECT_IDS; i++) {
            const char *text = cfg_text(cfg_item(list, i));
            if (!text || !plan_parse_code(text, 0xff, &id))
                cfg_complain(cfg_item(list, i), NULL, "must be a number from 0 to 0xFF");
            r->data_ids[i] = (uint8_t)id;
        }
        if (plain)
            r->id_mode = place == 0 ? PROTECT_ID_LIST_FIRST : PROTECT_ID_LIST_LAST;
        return;
    }
    plan_code(map, "data_id", by_list ? 0xff : 0xffff, &id);
    r->data_id = (uint16_t)id;
    memset(r->data_ids, (int)(id & 0xff), sizeof r->data_ids);
    if (plain && cfg_has(map, "data_id")) {
        if (place == 0)
            r->id_mode = id > 0xff ? PROTECT_ID_BOTH_FIRST : PROTECT_ID_LOW_FIRST;
        else
            r->id_mode = id > 0xff ? PROTECT_ID_BOTH_LAST : PROTECT_ID_LOW_LAST;
    }
    if (!plain && !cfg_has(map, "data_id"))
        cfg_complain(map, "data_id", "missing, the profile needs it%s",
                     by_list ? "; or data_ids, a list of 16" : "");
}

static void details_load(const struct cfg_node *map, struct plan_message *m)
{
    static const char *const places[] = {"first", "last", NULL};
    struct protect_rule *r = &m->protect;
    uint64_t start = r->start, xor_out = r->xor_out, first = r->first, end = r->end;
    int64_t lost = r->lost_max;
    int place = 1;
    cfg_choice(map, "data_id_place", &place, places);
    if (r->sum != PROTECT_NO_SUM) {
        if (cfg_has(map, "data_id_place") && r->id_mode != PROTECT_ID_NONE)
            cfg_complain(map, "data_id_place", "the profile says where the data id stands");
        ids_load(map, r, place);
        plan_code(map, "start", r->sum == PROTECT_CRC16_1021 ? 0xffff : 0xff, &start);
        plan_code(map, "xor", r->sum == PROTECT_CRC16_1021 ? 0xffff : 0xff, &xor_out);
        plan_code(map, "first_byte", CAN_MSG_DATA, &first);
        plan_code(map, "end_byte", CAN_MSG_DATA, &end);
    }
    checksum_load(map, m, r);
    counter_load(map, m, r);
    cfg_int(map, "lost_max", &lost, 0, INT32_MAX);
    r->start = (uint16_t)start;
    r->xor_out = (uint16_t)xor_out;
    r->first = (uint8_t)first;
    r->end = (uint8_t)end;
    r->lost_max = (uint32_t)lost;
}

void plan_protection(const struct cfg_node *map, struct plan_message *m)
{
    static const char *const words[PROTECT_PROFILES + 1] = {
        [PROTECT_NONE] = "none",     [PROTECT_E2E_1A] = "1A",        [PROTECT_E2E_1B] = "1B",
        [PROTECT_E2E_1C] = "1C",     [PROTECT_E2E_1_LOW] = "1L",     [PROTECT_E2E_2] = "2",
        [PROTECT_E2E_5] = "5",       [PROTECT_PLAIN_1D] = "crc8-1d", [PROTECT_PLAIN_2F] = "crc8-2f",
        [PROTECT_PLAIN_ADD] = "add", [PROTECT_PLAIN_XOR] = "xor",    [PROTECT_COUNTER] = "counter"};
    int profile = PROTECT_NONE;
    cfg_need(map, "profile");
    cfg_choice(map, "profile", &profile, words);
    protect_profile(&m->protect, (enum protect_profile)profile, (uint8_t)m->dbc->length);
    m->protect_on = profile != PROTECT_NONE;
    if (m->protect_on) {
        details_load(map, m);
        const char *wrong = protect_check(&m->protect);
        if (wrong)
            cfg_complain(map, "profile",
                         "%s, which has %u bytes; checksum and counter name signals", wrong,
                         (unsigned)m->dbc->length);
    }
    cfg_done(map);
}
