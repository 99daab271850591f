/* Any bus description with any database: messages, or a bus whose both sides run. The input has
 * parts, divided by lines of "====": the item of the bench file (which may name f.dbc and f.yaml),
 * the DBC file, the bus file. */
#include "shared/can/bus_load.h"

#include "shared/base/time.h"
#include "shared/can/frame.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SLOTS = 4, TICKS = 40, FRAMES = 64, EVENTS = 8 };

static char folder[] = "/tmp/skidpad-fuzz-bus-XXXXXX";

static void expect(int promise)
{
    if (!promise)
        abort();
}

static void in_folder(char *path, size_t size, const char *name)
{
    (void)snprintf(path, size, "%s/%s", folder, name);
}

static void clean_up(void)
{
    char path[64];
    in_folder(path, sizeof path, "f.dbc");
    (void)unlink(path);
    in_folder(path, sizeof path, "f.yaml");
    (void)unlink(path);
    (void)rmdir(folder);
}

static void write_part(const char *name, const char *text, size_t size)
{
    char path[64];
    in_folder(path, sizeof path, name);
    FILE *file = fopen(path, "w");
    expect(file != NULL);
    expect(fwrite(text, 1, size, file) == size);
    expect(fclose(file) == 0);
}

/* The part up to the next divider; *rest moves behind it. */
static size_t part(const char **rest, size_t *left)
{
    static const char divider[] = "\n====\n";
    const char *start = *rest;
    const char *found = memmem(start, *left, divider, sizeof divider - 1);
    size_t length = found ? (size_t)(found - start) + 1 : *left;
    size_t taken = found ? length + sizeof divider - 2 : *left;
    *rest = start + taken;
    *left -= taken;
    return length;
}

/* Every frame that one side sends is a frame, protected as its own rule says. */
static void run(const struct bus *bus, const struct bus *peer)
{
    static struct bus_state state, other;
    struct can_msg out[FRAMES];
    struct can_rx_event list[EVENTS];
    struct can_rx_events events = {.list = list, .room = EVENTS};
    double sources[SLOTS], sinks[SLOTS] = {0};
    int64_t stamps_ns[SLOTS] = {0};
    bus_reset(bus, &state, 0, 0);
    if (peer)
        bus_reset(peer, &other, 0, 0);
    for (int64_t tick = 0; tick < TICKS; tick++) {
        for (int i = 0; i < SLOTS; i++)
            sources[i] = (double)(tick * 1237 - 9999) * 1e3 / (double)(i + 1);
        int n = bus_encode(bus, &state, tick, sources, out, FRAMES);
        expect(n >= 0 && n <= FRAMES);
        for (int i = 0; i < n; i++) {
            expect(can_frame_valid(&out[i], true));
            for (uint32_t k = 0; k < bus->sent_count; k++) {
                struct protect_status status = {0};
                if (bus->sent[k].frame.id == out[i].id && bus->sent[k].protect_on)
                    expect(
                        (protect_verify(&bus->sent[k].protect, &status, out[i].data, out[i].len) &
                         (PROTECT_WRONG_SUM | PROTECT_WRONG_LENGTH)) == 0);
            }
            out[i].time_ns = tick * NS_PER_MS;
            if (peer)
                (void)bus_decode(peer, &other, &out[i], sinks, stamps_ns, &events);
        }
        if (peer)
            (void)bus_supervise(peer, &other, tick * NS_PER_MS, &events);
    }
    for (int i = 0; i < SLOTS; i++)
        expect(sinks[i] - sinks[i] == 0.0);
}

static struct bus *load(const char *text, size_t size, enum bus_role role)
{
    static const struct bus_slot slots[SLOTS] = {
        {"a", "rad/s"}, {"b", "ns"}, {"c", "1"}, {"d", "Pa"}};
    const struct bus_setup setup = {.role = role,
                                    .tick_ns = NS_PER_MS,
                                    .sources = slots,
                                    .source_count = SLOTS,
                                    .sinks = slots,
                                    .sink_count = SLOTS};
    char name[64];
    struct cfg_doc *doc = NULL;
    struct bus *bus = NULL;
    in_folder(name, sizeof name, "bench.yaml");
    int rc = cfg_open_text(name, text, size, &doc);
    if (rc == 0)
        rc = bus_load(cfg_root(doc), &setup, &bus);
    expect((rc == 0) == (bus != NULL));
    if (doc)
        expect(bus ? cfg_ok(doc) : !cfg_ok(doc));
    cfg_close(doc);
    return bus;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int ready;
    if (!ready) {
        expect(mkdtemp(folder) != NULL);
        expect(atexit(clean_up) == 0);
        ready = 1;
    }
    const char *rest = (const char *)data, *text = rest, *start;
    size_t left = size, length = part(&rest, &left);
    start = rest;
    write_part("f.dbc", start, part(&rest, &left));
    start = rest;
    write_part("f.yaml", start, part(&rest, &left));
    struct bus *bench = load(text, length, BUS_BENCH), *unit = load(text, length, BUS_UNIT);
    if (bench)
        run(bench, unit);
    if (unit)
        run(unit, bench);
    bus_free(bench);
    bus_free(unit);
    return 0;
}
