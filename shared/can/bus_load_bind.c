/* What each signal is bound to, and its table entry. */
#include "shared/base/nearest.h"
#include "shared/can/bus_load_plan.h"
#include "shared/can/units.h"
#include "shared/config/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Names known to this side, in the direction of the message. */
static const struct bus_slot *slots_of(const struct plan *plan, const struct plan_message *m,
                                       size_t *count)
{
    bool sent = m->by_unit == (plan->setup->role == BUS_UNIT);
    *count = sent ? plan->setup->source_count : plan->setup->sink_count;
    return sent ? plan->setup->sources : plan->setup->sinks;
}

static int find_slot(const struct plan *plan, const struct plan_message *m, const char *name)
{
    size_t count = 0;
    const struct bus_slot *slots = slots_of(plan, m, &count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(slots[i].name, name) == 0)
            return (int)i;
    return -1;
}

static void complain_slot(const struct plan *plan, const struct plan_message *m,
                          const struct cfg_node *map, const char *key, const char *name)
{
    size_t count = 0;
    const struct bus_slot *slots = slots_of(plan, m, &count);
    const char **names = calloc(count + 1, sizeof *names);
    for (size_t i = 0; names && i < count; i++)
        names[i] = slots[i].name;
    const char *nearest = names ? nearest_word(name, names, count) : NULL;
    bool sent = m->by_unit == (plan->setup->role == BUS_UNIT);
    if (nearest)
        cfg_complain(map, key, "unknown value \"%s\", did you mean \"%s\"?", name, nearest);
    else
        cfg_complain(map, key, "unknown value \"%s\"%s", name,
                     sent ? "; allowed: a number, counter, or the name of a value" : "");
    free(names);
}

/* The short form: a number, "counter", the name of a slot, or a text of the signal's value table.
 */
static void bind_text(const struct plan *plan, const struct plan_message *m,
                      const struct dbc_signal *s, const char *text, struct plan_signal *p)
{
    bool sent = m->by_unit == (plan->setup->role == BUS_UNIT);
    int64_t raw = 0;
    struct can_code code;
    if (sent && number_parse_double(text, strlen(text), &p->constant) == 0) {
        p->use = PLAN_CONSTANT;
    } else if (sent && strcmp(text, "counter") == 0) {
        p->use = PLAN_COUNTER;
    } else if ((p->slot = find_slot(plan, m, text)) >= 0) {
        p->use = PLAN_SLOT;
    } else if (sent && dbc_value_raw(s, text, &raw) == 0 && code_compile(m->dbc, s, &code) == 0) {
        p->use = PLAN_CONSTANT;
        p->constant = code_value_of(&code, (uint64_t)raw);
    } else {
        complain_slot(plan, m, p->map, p->key, text);
    }
}

static int slot_key(const struct plan *plan, const struct plan_message *m,
                    const struct cfg_node *map, const char *key)
{
    const struct cfg_node *node = cfg_value(map, key);
    const char *name = cfg_text(node);
    if (!node)
        return -1;
    int slot = name ? find_slot(plan, m, name) : -1;
    if (!name)
        cfg_complain(map, key, "must be the name of a value");
    else if (slot < 0)
        complain_slot(plan, m, map, key, name);
    return slot;
}

/* The long form. */
static void bind_map(const struct plan *plan, const struct plan_message *m,
                     const struct cfg_node *map, struct plan_signal *p)
{
    bool sent = m->by_unit == (plan->setup->role == BUS_UNIT);
    const char *end = sent ? "from" : "to";
    cfg_need(map, end);
    p->slot = slot_key(plan, m, map, end);
    p->use = p->slot >= 0 ? PLAN_SLOT : PLAN_START;
    p->scaled = cfg_has(map, "scale") || cfg_has(map, "offset");
    cfg_double(map, "scale", &p->scale, CFG_BETWEEN(-1e30, 1e30));
    cfg_double(map, "offset", &p->offset, CFG_BETWEEN(-1e30, 1e30));
    if (!(fabs(p->scale) >= 1e-30)) {
        cfg_complain(map, "scale", "must not be 0");
        p->scale = 1.0;
    }
    if (sent) {
        p->times = slot_key(plan, m, map, "times");
        cfg_bool(map, "wrap", &p->wrap);
    }
    cfg_done(map);
}

static void bind_signal(const struct plan *plan, struct plan_message *m, const struct cfg_node *map,
                        const char *key)
{
    struct err e = {""};
    const struct dbc_signal *s = dbc_find_signal(m->dbc, key, &e);
    if (!s) {
        cfg_complain(map, key, "%s", e.text);
        return;
    }
    struct plan_signal *p = &m->signals[s - m->dbc->signals];
    *p = (struct plan_signal){.map = map, .key = key, .slot = -1, .times = -1, .scale = 1.0};
    const struct cfg_node *node = cfg_value(map, key);
    const char *text = cfg_text(node);
    if (!s->fits)
        cfg_complain(map, key, "the signal does not fit into the %u bytes of %s",
                     (unsigned)m->dbc->length, m->dbc->name);
    else if (text)
        bind_text(plan, m, s, text, p);
    else if (cfg_is_map(node))
        bind_map(plan, m, node, p);
    else
        cfg_complain(map, key, "must be a number, a name, or a mapping");
    m->bound = true;
}

void plan_bind(const struct plan *plan, const struct cfg_node *map)
{
    for (size_t i = 0; i < cfg_key_count(map); i++) {
        const char *name = cfg_key(map, i);
        struct plan_message *m = plan_find(plan, map, name);
        const struct cfg_node *signals = m ? cfg_map(map, name) : NULL;
        for (size_t k = 0; m && k < cfg_key_count(signals); k++)
            bind_signal(plan, m, signals, cfg_key(signals, k));
    }
}

/* ---- table entries */

/* SI per unit of the slot and of the DBC signal. Returns false with a message if they do not go
 * together. */
static bool find_units(const struct plan *plan, const struct plan_message *m,
                       const struct dbc_signal *s, const struct plan_signal *p, struct unit *slot,
                       struct unit *dbc)
{
    static const struct unit one = {1, 1, 0, 0, 0, 0, 0};
    size_t count = 0;
    const struct bus_slot *slots = slots_of(plan, m, &count);
    struct unit times = one;
    bool known = unit_find(slots[p->slot].unit, slot);
    if (p->times >= 0)
        known = unit_find(slots[p->times].unit, &times) && known;
    bool dbc_known = unit_find(s->unit, dbc);
    struct unit both = known ? unit_product(slot, &times) : one;
    bool fit = known && dbc_known && unit_same_kind(&both, dbc, p->times >= 0);
    *slot = both;
    if (!dbc_known)
        *dbc = one;
    if (fit || p->scaled)
        return true;
    cfg_complain(p->map, p->key,
                 "\"%s\"%s%s%s cannot be converted to the signal's unit \"%s\"; give scale (what "
                 "stands in SI units is multiplied by it)%s",
                 slots[p->slot].unit, p->times >= 0 ? " times \"" : "",
                 p->times >= 0 ? slots[p->times].unit : "", p->times >= 0 ? "\"" : "", s->unit,
                 p->times >= 0 ? "" : ", or times, the name of a factor");
    return false;
}

static bool finite_entry(const struct plan_signal *p, const struct can_code *code)
{
    if (isfinite(code->factor) && isfinite(code->offset) && code->factor != 0.0)
        return true;
    cfg_complain(p->map, p->key, "scale and offset are too large for the signal's factor");
    return false;
}

/* Sent: (value * slot * scale + offset) / dbc is the physical value of the DBC. */
static bool bind_sent(const struct plan *plan, const struct plan_message *m,
                      const struct dbc_signal *s, const struct plan_signal *p,
                      struct bus_signal *out)
{
    struct unit slot, dbc;
    if (!find_units(plan, m, s, p, &slot, &dbc))
        return false;
    double si_offset = s->offset * dbc.num / dbc.den - p->offset;
    out->code.factor = s->factor * (dbc.num * slot.den) / (dbc.den * slot.num * p->scale);
    out->code.offset = si_offset * slot.den / (slot.num * p->scale);
    out->kind = p->wrap ? BUS_WRAPPED : BUS_VALUE;
    out->slot = p->slot;
    out->times = p->times;
    if (p->wrap && out->code.kind > CODE_UNSIGNED64) {
        cfg_complain(p->map, p->key, "a floating-point signal does not wrap around");
        return false;
    }
    return finite_entry(p, &out->code);
}

/* What an unbound signal carries: its start value, else 0 or the nearest value it may have. */
static uint64_t start_raw(const struct dbc_signal *s, const struct can_code *code)
{
    uint64_t raw = 0;
    if (s->has_start_value && code->kind <= CODE_UNSIGNED64 && fabs(s->start_value) < 0x1p62)
        return (uint64_t)(int64_t)rint(s->start_value);
    double value = s->has_start_value && isfinite(s->start_value) ? s->start_value : 0.0;
    if (s->min < s->max)
        value = fmin(fmax(value, s->min), s->max);
    (void)code_raw_of(code, value, &raw);
    return raw;
}

/* The pages of a switch one after the other, as its node would send them. */
static void cycle_pages(const struct dbc_message *m, size_t signal, struct bus_signal *out)
{
    uint64_t low = UINT64_MAX, high = 0;
    for (size_t i = 0; i < m->signal_count; i++) {
        const struct dbc_signal *s = &m->signals[i];
        for (size_t k = 0; s->switch_index == (int)signal && k < s->range_count; k++) {
            low = s->ranges[k].low < low ? s->ranges[k].low : low;
            high = s->ranges[k].high > high ? s->ranges[k].high : high;
        }
    }
    out->kind = BUS_CYCLE;
    out->first = low <= high ? low : 0;
    out->values = low <= high && high - low < UINT64_MAX ? high - low + 1 : 1;
}

bool plan_compile_sent(const struct plan *plan, const struct plan_message *m, size_t signal,
                       struct bus_signal *out)
{
    const struct dbc_signal *s = &m->dbc->signals[signal];
    const struct plan_signal *p = &m->signals[signal];
    *out = (struct bus_signal){.slot = -1, .times = -1, .mux = -1, .kind = BUS_FIXED};
    if (!s->fits || code_compile(m->dbc, s, &out->code) != 0)
        return false;
    switch ((enum plan_use)p->use) {
    case PLAN_SLOT:
        return bind_sent(plan, m, s, p, out);
    case PLAN_CONSTANT:
        if (code_raw_of(&out->code, p->constant, &out->first) != CODE_OK)
            cfg_complain(p->map, p->key, "%g does not fit: the signal can hold %g to %g",
                         p->constant, code_value_of(&out->code, out->code.sign),
                         code_value_of(&out->code,
                                       out->code.sign ? out->code.sign - 1 : out->code.field.mask));
        return true;
    case PLAN_COUNTER:
        out->kind = BUS_CYCLE;
        out->values = out->code.field.mask == UINT64_MAX ? UINT64_MAX : out->code.field.mask + 1;
        return true;
    case PLAN_START:
        break;
    }
    if (s->is_switch)
        cycle_pages(m->dbc, signal, out);
    else
        out->first = start_raw(s, &out->code);
    return true;
}

/* Received: (physical * dbc * scale + offset) / slot is the value of the slot. */
bool plan_compile_received(const struct plan *plan, const struct plan_message *m, size_t signal,
                           struct bus_signal *out)
{
    const struct dbc_signal *s = &m->dbc->signals[signal];
    const struct plan_signal *p = &m->signals[signal];
    struct unit slot, dbc;
    *out = (struct bus_signal){.slot = p->slot, .times = -1, .mux = -1, .kind = BUS_VALUE};
    if (p->use != PLAN_SLOT || code_compile(m->dbc, s, &out->code) != 0 ||
        !find_units(plan, m, s, p, &slot, &dbc))
        return false;
    double si_offset = s->offset * dbc.num * p->scale / dbc.den + p->offset;
    out->code.factor = s->factor * (dbc.num * slot.den) * p->scale / (dbc.den * slot.num);
    out->code.offset = si_offset * slot.den / slot.num;
    return finite_entry(p, &out->code);
}
