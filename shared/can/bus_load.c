/* The description of a bus: the bus file if there is one, then the item of the bench file, each
 * overriding what was there before, key by key. */
#include "shared/can/bus_load.h"

#include "shared/base/nearest.h"
#include "shared/base/time.h"
#include "shared/can/bus_load_plan.h"
#include "shared/can/frame.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FILES = 4, LAYERS = FILES + 1, PATH_BYTES = 1024 };

/* The descriptions, and which of them says something. */
struct layers {
    const struct cfg_node *map[LAYERS]; /* the later one wins */
    int count;
    struct cfg_doc *file[FILES]; /* of the bus file and what it is based on */
    int files;
};

static bool sent_here(const struct plan *plan, const struct plan_message *m)
{
    return m->by_unit == (plan->setup->role == BUS_UNIT);
}

struct plan_message *plan_find(const struct plan *plan, const struct cfg_node *map,
                               const char *name)
{
    struct err e = {""};
    const struct dbc_message *m = dbc_find_message(&plan->dbc, name, &e);
    if (!m)
        cfg_complain(map, name, "%s", e.text);
    return m ? &plan->messages[m - plan->dbc.messages] : NULL;
}

/* The message that an item of a list names. */
static struct plan_message *find_item(const struct plan *plan, const struct cfg_node *item)
{
    struct err e = {""};
    const char *name = cfg_text(item);
    const struct dbc_message *m = name ? dbc_find_message(&plan->dbc, name, &e) : NULL;
    if (!name)
        cfg_complain(item, NULL, "must be the name of a message");
    else if (!m)
        cfg_complain(item, NULL, "%s", e.text);
    return m ? &plan->messages[m - plan->dbc.messages] : NULL;
}

/* ---- database and unit */

static int open_dbc(struct plan *plan, const struct layers *layers)
{
    char path[PATH_BYTES] = "";
    struct err e = {""};
    const struct cfg_node *at = NULL;
    for (int i = 0; i < layers->count; i++) {
        if (cfg_has(layers->map[i], "dbc")) {
            at = layers->map[i];
            cfg_path(at, "dbc", path, sizeof path);
        }
    }
    if (!at && cfg_has(plan->top, "bus") && !layers->map[1])
        return -EINVAL; /* the bus file could not be read, which was said */
    if (!at) {
        cfg_complain(plan->top, "dbc", "missing, the name of the database is required");
        return -EINVAL;
    }
    if (path[0] == '\0' || dbc_load(path, &plan->dbc, &e)) {
        if (path[0] != '\0')
            cfg_complain(at, "dbc", "%s", e.text);
        return -EINVAL;
    }
    size_t signals = 1;
    for (size_t i = 0; i < plan->dbc.message_count; i++)
        signals += plan->dbc.messages[i].signal_count;
    plan->messages = calloc(plan->dbc.message_count + 1, sizeof *plan->messages);
    plan->signals = calloc(signals, sizeof *plan->signals);
    if (!plan->messages || !plan->signals)
        return -ENOMEM;
    struct plan_signal *next = plan->signals;
    for (size_t i = 0; i < plan->dbc.message_count; i++) {
        plan->messages[i] = (struct plan_message){.dbc = &plan->dbc.messages[i],
                                                  .cycle_ms = -1.0,
                                                  .use = true,
                                                  .offset_ms = -1.0,
                                                  .timeout_ms = -1.0,
                                                  .tolerance = 0.5,
                                                  .signals = next};
        next += plan->dbc.messages[i].signal_count;
    }
    return 0;
}

static bool sends(const struct dbc_message *m, const char *node)
{
    if (strcmp(m->sender, node) == 0)
        return true;
    for (size_t i = 0; i < m->more_sender_count; i++)
        if (strcmp(m->more_senders[i], node) == 0)
            return true;
    return false;
}

static bool check_node(const struct plan *plan, const struct cfg_node *map, const char *key,
                       const char *name)
{
    const char **names = calloc(plan->dbc.node_count + 1, sizeof *names);
    bool known = false;
    for (size_t i = 0; names && i < plan->dbc.node_count; i++) {
        names[i] = plan->dbc.nodes[i].name;
        known = known || strcmp(names[i], name) == 0;
    }
    const char *nearest = names && !known ? nearest_word(name, names, plan->dbc.node_count) : NULL;
    if (!known && nearest)
        cfg_complain(map, key, "the database has no node \"%s\", did you mean \"%s\"?", name,
                     nearest);
    else if (!known)
        cfg_complain(map, key, "the database has no node \"%s\"", name);
    free(names);
    return known;
}

static void diagnosis_id(const struct cfg_node *map, const char *key, uint32_t *id)
{
    uint64_t value = *id & CAN_ID_MASK;
    plan_code(map, key, CAN_ID_MASK, &value);
    *id = (uint32_t)value | (value > 0x7ff ? CAN_ID_EXTENDED : 0u);
}

void bus_diagnosis_load(const struct cfg_node *map, struct bus_diagnosis *d)
{
    diagnosis_id(map, "request_id", &d->request);
    diagnosis_id(map, "response_id", &d->response);
    diagnosis_id(map, "functional_id", &d->functional);
    if (map && (d->request == 0 || d->response == 0 || d->request == d->response))
        cfg_complain(map, NULL, "needs `request_id` and `response_id`, two different identifiers");
}

/* unit: NAME, or unit: {name: NAME, sends: [...], bind: {...}, diagnosis: {...}}. */
static void unit_load(struct plan *plan, const struct cfg_node *layer)
{
    const struct cfg_node *node = cfg_value(layer, "unit");
    const struct cfg_node *map = cfg_is_map(node) ? node : layer;
    const char *key = map == node ? "name" : "unit";
    const char *name = cfg_text(cfg_value(map, key));
    if (!node)
        return;
    for (size_t i = 0; i < plan->dbc.message_count; i++)
        plan->messages[i].by_unit = false;
    const struct cfg_node *list = map == node ? cfg_list(map, "sends") : NULL;
    for (size_t i = 0; i < cfg_count(list); i++) {
        struct plan_message *m = find_item(plan, cfg_item(list, i));
        if (m)
            m->by_unit = true;
    }
    if (!name) {
        cfg_complain(map, key, "must be the name of the node that is tested");
    } else if (!list && check_node(plan, map, key, name)) {
        size_t count = 0;
        for (size_t i = 0; i < plan->dbc.message_count; i++) {
            plan->messages[i].by_unit = sends(&plan->dbc.messages[i], name);
            count += plan->messages[i].by_unit;
        }
        if (count == 0)
            cfg_complain(map, key,
                         "the database has no message that %s sends; list them in "
                         "unit.sends",
                         name);
    }
}

/* ---- messages */

static void message_load(const struct plan *plan, const struct cfg_node *list, const char *name)
{
    struct plan_message *m = plan_find(plan, list, name);
    const struct cfg_node *map = m ? cfg_map(list, name) : NULL;
    if (!map)
        return;
    m->map = map;
    cfg_double(map, "cycle_ms", &m->cycle_ms, CFG_BETWEEN(0.01, 1e6));
    cfg_zero_or(map, "offset_ms", &m->offset_ms, CFG_BETWEEN(0.01, 1e6));
    cfg_zero_or(map, "timeout_ms", &m->timeout_ms, CFG_BETWEEN(0.01, 1e7));
    cfg_double(map, "tolerance", &m->tolerance, CFG_BETWEEN(0.0, 100.0));
    cfg_bool(map, "use", &m->use);
    const struct cfg_node *protection = cfg_map(map, "protection");
    if (protection && m->dbc->length > CAN_MSG_DATA)
        cfg_complain(map, "protection", "the message has %u bytes, a frame at most %d",
                     (unsigned)m->dbc->length, CAN_MSG_DATA);
    else if (protection)
        plan_protection(protection, m);
    cfg_done(map);
}

static void layer_load(struct plan *plan, const struct cfg_node *map)
{
    const struct cfg_node *messages = cfg_map(map, "messages");
    for (size_t i = 0; i < cfg_key_count(messages); i++)
        message_load(plan, messages, cfg_key(messages, i));
    cfg_double(map, "cycle_ms", &plan->cycle_ms, CFG_BETWEEN(0.01, 1e6));
    cfg_double(map, "startup_ms", &plan->startup_ms, CFG_BETWEEN(0.0, 1e7));
    cfg_int(map, "bit_rate", &plan->bit_rate, 1000, 100000000);
    const struct cfg_node *unit = cfg_value(map, "unit");
    bool by_unit = plan->setup->role == BUS_UNIT;
    const struct cfg_node *side = by_unit ? (cfg_is_map(unit) ? unit : NULL) : map;
    plan_bind(plan, cfg_map(side, "bind"));
    if (by_unit)
        (void)cfg_has(map, "bind"); /* the bench's side, not ours */
    else if (cfg_is_map(unit))
        (void)cfg_has(unit, "bind");
    if (cfg_is_map(unit)) {
        const struct cfg_node *diagnosis = cfg_map(unit, "diagnosis");
        bus_diagnosis_load(diagnosis, &plan->diagnosis);
        cfg_done(diagnosis);
        cfg_done(unit);
    }
}

/* ---- which of them */

static bool can_be_used(const struct plan_message *m)
{
    struct can_msg msg = {.id = m->dbc->id, .len = 0};
    return m->dbc->length <= CAN_MSG_DATA && can_frame_valid(&msg, true);
}

static void select_listed(struct plan *plan, const struct cfg_node *list, bool to_send)
{
    for (size_t i = 0; i < cfg_count(list); i++) {
        const struct cfg_node *item = cfg_item(list, i);
        struct plan_message *m = find_item(plan, item);
        if (!m)
            continue;
        if (sent_here(plan, m) != to_send)
            cfg_complain(item, NULL, "%s is sent by the %s, it cannot be %s here", m->dbc->name,
                         m->by_unit ? "unit under test" : "bench", to_send ? "sent" : "received");
        else if (!can_be_used(m))
            cfg_complain(item, NULL, "%s cannot be one frame: id 0x%X, %u bytes", m->dbc->name,
                         (unsigned)m->dbc->id, (unsigned)m->dbc->length);
        else if (to_send)
            m->sent = true;
        else
            m->received = true;
    }
}

/* send or receive: all, bound (those with a binding), or a list of messages. */
static void select_messages(struct plan *plan, const struct layers *layers, const char *key,
                            bool to_send)
{
    static const char *const words[] = {"all", "bound", NULL};
    /* The bench plays all other nodes and watches all of the unit; a unit hears what it needs. */
    int word = !to_send && plan->setup->role == BUS_UNIT ? 1 : 0;
    const struct cfg_node *list = NULL;
    for (int i = 0; i < layers->count; i++) {
        const struct cfg_node *node = cfg_value(layers->map[i], key);
        if (cfg_text(node))
            cfg_choice(layers->map[i], key, &word, words);
        if (node)
            list = cfg_text(node) ? NULL : cfg_list(layers->map[i], key);
    }
    if (list) {
        select_listed(plan, list, to_send);
        return;
    }
    for (size_t i = 0; i < plan->dbc.message_count; i++) {
        struct plan_message *m = &plan->messages[i];
        if (sent_here(plan, m) != to_send || !can_be_used(m) || !m->use || (word == 1 && !m->bound))
            continue;
        m->sent = m->sent || to_send;
        m->received = m->received || !to_send;
    }
}

/* ---- safe frames: what is sent when nobody is there to give values */

static void select_safe_message(struct plan *plan, struct plan_message *m)
{
    const struct cfg_node *safe = plan->setup->safe;
    const char *name = m->dbc->name;
    if (!sent_here(plan, m) || !can_be_used(m) || !m->use) {
        cfg_complain(safe, name, "%s",
                     m->by_unit ? "the unit under test sends it: it cannot be sent here"
                                : "it cannot be sent on this bus");
        return;
    }
    for (size_t i = 0; i < m->dbc->signal_count; i++) {
        const struct dbc_signal *s = &m->dbc->signals[i];
        if (s->is_switch || s->switch_index >= 0) {
            cfg_complain(safe, name, "a multiplexed message cannot be a safe frame");
            return;
        }
        if (m->signals[i].use == PLAN_SLOT)
            cfg_complain(m->signals[i].map, m->signals[i].key,
                         "must be a number or a text: nobody is there to give values then");
    }
    m->sent = true;
}

static void select_safe(struct plan *plan, const struct layers *layers)
{
    const struct cfg_node *safe = plan->setup->safe;
    struct err e = {""};
    for (int i = 0; i < layers->count; i++) {
        (void)cfg_has(layers->map[i], "send");
        (void)cfg_has(layers->map[i], "receive");
    }
    for (size_t i = 0; i < plan->dbc.message_count; i++)
        for (size_t k = 0; k < plan->dbc.messages[i].signal_count; k++)
            if (plan->messages[i].signals[k].use == PLAN_SLOT)
                plan->messages[i].signals[k].use = PLAN_START;
    plan_bind(plan, safe); /* complains of names that are not there */
    for (size_t i = 0; i < cfg_key_count(safe); i++) {
        const struct dbc_message *m = dbc_find_message(&plan->dbc, cfg_key(safe, i), &e);
        if (m)
            select_safe_message(plan, &plan->messages[m - plan->dbc.messages]);
    }
}

/* ---- all together */

/* What a file is based on comes below it. */
static void open_file(struct plan *plan, struct layers *layers, const struct cfg_node *map,
                      const char *key)
{
    static const char *const kinds[] = {"bus", NULL};
    char path[PATH_BYTES] = "";
    int kind = 0;
    cfg_path(map, key, path, sizeof path);
    if (path[0] == '\0')
        return;
    if (layers->files == FILES) {
        cfg_complain(map, key, "at most %d files may be based on one another", FILES);
        return;
    }
    struct cfg_doc **doc = &layers->file[layers->files++];
    if (cfg_open(path, doc))
        return; /* its own messages say why */
    const struct cfg_node *root = cfg_root(*doc);
    cfg_need(root, "kind");
    cfg_choice(root, "kind", &kind, kinds);
    if (cfg_has(root, "base"))
        open_file(plan, layers, root, "base");
    layers->map[layers->count++] = root;
}

static void open_layers(struct plan *plan, struct layers *layers)
{
    if (cfg_has(plan->top, "bus"))
        open_file(plan, layers, plan->top, "bus");
    layers->map[layers->count++] = plan->top;
}

static bool files_ok(const struct layers *layers)
{
    for (int k = 0; k < layers->files; k++)
        if (!layers->file[k] || !cfg_ok(layers->file[k]))
            return false;
    return true;
}

/* The messages of the bus file, each with its own place, at the key that names it. */
static void close_layers(struct plan *plan, struct layers *layers)
{
    for (int k = 0; k < layers->files; k++) {
        struct cfg_doc *doc = layers->file[k];
        for (size_t i = 0; doc && i < cfg_message_count(doc); i++)
            cfg_complain(plan->top, "bus", "%s", cfg_message(doc, i));
        cfg_close(doc);
    }
}

static int read_plan(struct plan *plan, struct layers *layers, struct bus *bus)
{
    cfg_need(plan->top, "name");
    cfg_string(plan->top, "name", bus->name, sizeof bus->name);
    cfg_string(plan->top, "transport", bus->transport, sizeof bus->transport);
    static const char *const late[] = {"all", "newest", NULL};
    static const char *const gateway[] = {"auto", "always", NULL};
    int newest = 0, always = 0;
    cfg_choice(plan->top, "late", &newest, late);
    bus->newest = newest == 1;
    cfg_choice(plan->top, "gateway", &always, gateway);
    bus->gateway = always == 1;
    open_layers(plan, layers);
    int bad = open_dbc(plan, layers);
    if (bad)
        return bad;
    double baud = 0.0;
    if (dbc_attribute(&plan->dbc, NULL, NULL, "Baudrate", &baud, NULL) && baud >= 1000.0 &&
        baud <= 1e8)
        plan->bit_rate = (int64_t)baud;
    bool named = false;
    for (int i = 0; i < layers->count; i++) {
        named = cfg_has(layers->map[i], "unit") || named;
        unit_load(plan, layers->map[i]);
    }
    if (!named)
        cfg_complain(plan->top, "unit", "missing, the node of the unit under test is required");
    for (int i = 0; i < layers->count; i++)
        layer_load(plan, layers->map[i]);
    if (plan->setup->safe) {
        select_safe(plan, layers);
    } else {
        select_messages(plan, layers, "send", true);
        select_messages(plan, layers, "receive", false);
    }
    for (int i = 0; i < layers->count; i++)
        cfg_done(layers->map[i]);
    return 0;
}

int bus_load(const struct cfg_node *map, const struct bus_setup *setup, struct bus **out)
{
    struct plan plan = {.setup = setup, .top = map, .cycle_ms = -1.0, .startup_ms = 1000.0};
    struct layers layers = {.count = 0};
    struct bus *bus = calloc(1, sizeof *bus);
    struct dbc *kept = malloc(sizeof *kept);
    *out = NULL;
    int bad = bus && kept && map ? read_plan(&plan, &layers, bus) : -ENOMEM;
    bool readable = !bad && files_ok(&layers) && cfg_ok(cfg_doc_of(map));
    if (readable)
        bad = plan_compile(&plan, bus);
    if (bus)
        bus->diagnosis = plan.diagnosis;
    close_layers(&plan, &layers);
    if (!bad && !cfg_ok(cfg_doc_of(map)))
        bad = -EINVAL;
    if (bad && cfg_ok(cfg_doc_of(map))) /* or the bench would go on without this bus */
        cfg_complain(map, NULL, "the bus cannot be loaded: %s", strerror(-bad));
    if (bus && kept) {
        *kept = plan.dbc;
        bus->dbc = kept;
        kept = NULL;
    }
    free(plan.messages);
    free(plan.signals);
    if (bad) {
        bus_free(bus);
        free(kept);
        return bad;
    }
    *out = bus;
    return 0;
}

void bus_free(struct bus *bus)
{
    if (!bus)
        return;
    if (bus->dbc) {
        dbc_free(bus->dbc);
        free(bus->dbc);
    }
    free(bus->sent);
    free(bus->received);
    free(bus->signals);
    free(bus->mux);
    free(bus->used);
    free(bus->sink_message);
    free(bus);
}

int bus_find_sent(const struct bus *bus, const char *name)
{
    for (uint32_t i = 0; i < bus->sent_count; i++)
        if (strcmp(bus->sent[i].name, name) == 0)
            return (int)i;
    return -1;
}

int bus_find_received(const struct bus *bus, const char *name)
{
    for (uint32_t i = 0; i < bus->received_count; i++)
        if (strcmp(bus->received[i].name, name) == 0)
            return (int)i;
    return -1;
}
