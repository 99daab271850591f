#include "target/ecu/ecu_unit_load.h"

#include "shared/base/version.h"
#include "shared/can/bus_load.h"
#include "target/ecu/ecu_load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int load_params(struct ecu_unit *u, const char *path, FILE *complaints)
{
    struct cfg_doc *doc = NULL;
    int bad = ecu_load(path, &u->params, NULL, &doc);
    if (doc)
        cfg_print_messages(doc, complaints);
    cfg_close(doc);
    return bad;
}

/* The bus says what the bench takes: this unit sends what is bound there. */
static void choose_interface(struct ecu_unit *u)
{
    u->params.valves.interface = VALVES_OFF;
    for (uint32_t i = 0; i < u->bus->used_count; i++)
        if (u->bus->used[i] == ECU_TX_fl_inlet_on_s)
            u->params.valves.interface = VALVES_PWM;
        else if (u->bus->used[i] == ECU_TX_fl_inlet && u->params.valves.interface == VALVES_OFF)
            u->params.valves.interface = VALVES_PERCENT;
}

static int load_bus(struct ecu_unit *u, const struct cfg_node *node)
{
    struct bus_slot sources[ECU_TX_SLOTS], sinks[ECU_RX_SLOTS];
    for (int i = 0; i < ECU_TX_SLOTS; i++)
        sources[i] = (struct bus_slot){ecu_tx_slots[i].name, ecu_tx_slots[i].unit};
    for (int i = 0; i < ECU_RX_SLOTS; i++)
        sinks[i] = (struct bus_slot){ecu_rx_slots[i].name, ecu_rx_slots[i].unit};
    const struct bus_setup setup = {.role = BUS_UNIT,
                                    .tick_ns = ECU_CYCLE_NS,
                                    .sources = sources,
                                    .source_count = ECU_TX_SLOTS,
                                    .sinks = sinks,
                                    .sink_count = ECU_RX_SLOTS};
    int bad = bus_load(node, &setup, &u->bus);
    if (!bad)
        choose_interface(u);
    for (int i = 0; i < ECU_RX_SLOTS && !bad; i++)
        if (u->bus->sink_message[i] >= 0 && ecu_rx_slots[i].source >= 0)
            u->sources_of[u->bus->sink_message[i]] |= 1u << (unsigned)ecu_rx_slots[i].source;
    return bad;
}

static void put_text(char *to, size_t size, const char *text)
{
    size_t n = strlen(text);
    memset(to, ' ', size);
    memcpy(to, text, n < size ? n : size);
}

static void name_unit(struct uds_identity *i)
{
    put_text(i->vin, sizeof i->vin, "SKIDPAD0000000001");
    put_text(i->serial_number, sizeof i->serial_number, "000000000001");
    put_text(i->software, sizeof i->software, version_text());
}

int ecu_unit_open(const char *params_path, const struct cfg_node *bus, FILE *complaints,
                  struct ecu_unit **out)
{
    *out = NULL;
    struct ecu_unit *u = calloc(1, sizeof *u);
    if (!u) {
        fprintf(complaints, "%s: out of memory\n", params_path);
        return -ENOMEM;
    }
    int bad = load_params(u, params_path, complaints);
    if (!bad)
        bad = load_bus(u, bus);
    if (bad) {
        ecu_unit_close(u);
        return bad;
    }
    const struct diag_ids ids = {.request = u->bus->diagnosis.request,
                                 .response = u->bus->diagnosis.response,
                                 .functional = u->bus->diagnosis.functional};
    diag_open(&u->diag, &ids);
    name_unit(&u->diag.server.identity);
    ecu_unit_reset(u);
    *out = u;
    return 0;
}

int ecu_unit_open_file(const char *params_path, const char *bus_path, FILE *complaints,
                       struct ecu_unit **out)
{
    char text[1200];
    struct cfg_doc *doc = NULL;
    (void)snprintf(text, sizeof text, "can: [{name: unit, bus: \"%s\"}]\n", bus_path);
    *out = NULL;
    int bad = cfg_open_text("skidpad-ecu", text, strlen(text), &doc);
    if (!bad)
        bad = ecu_unit_open(params_path, cfg_item(cfg_list(cfg_root(doc), "can"), 0), complaints,
                            out);
    if (doc)
        cfg_print_messages(doc, complaints);
    cfg_close(doc);
    return bad;
}

void ecu_unit_close(struct ecu_unit *u)
{
    if (!u)
        return;
    bus_free(u->bus);
    free(u);
}
