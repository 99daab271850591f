#include "target/diagnosis_load.h"

#include "shared/base/time.h"
#include "shared/can/bus_load.h"

#include <string.h>

static void expected_load(const struct cfg_node *n, struct diagnosis_setup *s)
{
    const struct cfg_node *list = cfg_list(n, "expect");
    if (cfg_count(list) > DIAGNOSIS_EXPECTED) {
        cfg_complain(n, "expect", "at most %d codes", DIAGNOSIS_EXPECTED);
        return;
    }
    for (size_t i = 0; i < cfg_count(list); i++) {
        const char *text = cfg_text(cfg_item(list, i));
        if (!text || !uds_code_parse(text, &s->expect[s->expected]))
            cfg_complain(n, "expect", "\"%s\" is no trouble code; write C0035-87 or 0x403587",
                         text ? text : "");
        else
            s->expected++;
    }
}

/* The first bus whose unit can be asked. */
static int bus_with_ids(const struct can_link *link, struct bus_diagnosis *ids)
{
    for (int i = 0; i < link->buses; i++) {
        *ids = link->bus[i].bus->diagnosis;
        if (ids->request != 0)
            return i;
    }
    return -1;
}

static int bus_named(const struct cfg_node *n, const struct can_link *link, int fallback)
{
    char name[BUS_TEXT] = "";
    cfg_string(n, "bus", name, sizeof name);
    for (int i = 0; i < link->buses && name[0] != '\0'; i++)
        if (strcmp(link->bus[i].bus->name, name) == 0)
            return i;
    if (name[0] != '\0')
        cfg_complain(n, "bus", "the bench has no bus \"%s\"", name);
    return fallback;
}

void diagnosis_load(const struct cfg_node *root, struct can_link *link, bool with_faults)
{
    const struct cfg_node *value = cfg_value(root, "diagnosis");
    const struct cfg_node *n = cfg_is_map(value) ? value : NULL;
    const char *word = value && !n ? cfg_text(value) : NULL;
    struct bus_diagnosis ids = {0};
    double wait_s = 3.0;
    if (!link) {
        if (value)
            cfg_complain(root, "diagnosis", "a tester needs a bus: give `can:`");
        return;
    }
    struct diagnosis_setup *s = &link->diagnosis.setup;
    if (word && strcmp(word, "off") != 0)
        cfg_complain(root, "diagnosis", "must be `off` or a mapping");
    int bus = bus_with_ids(link, &ids);
    if (n) {
        bus = bus_named(n, link, bus < 0 ? 0 : bus);
        bus_diagnosis_load(n, &ids);
        cfg_double(n, "wait_s", &wait_s, CFG_BETWEEN(0.1, 600.0));
        expected_load(n, s);
        cfg_done(n);
    }
    s->judged = !with_faults || (n && cfg_has(n, "expect"));
    s->on = !word && bus >= 0 && ids.request != 0;
    s->bus = bus;
    s->request_id = ids.request;
    s->response_id = ids.response;
    s->wait_ns = (int64_t)(wait_s * (double)NS_PER_S);
}
