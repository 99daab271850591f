/* skidpad uds: a tester for the unit's diagnosis (ISO 14229). */
#include "shared/base/hex.h"
#include "shared/base/json_write.h"
#include "shared/base/options.h"
#include "target/ecu/dtc.h"
#include "target/ecu/uds_data.h"
#include "target/uds_link.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATUS_DONE = 0, STATUS_REFUSED = 1, STATUS_BAD_INPUT = 2, STATUS_SILENT = 3 };
enum { TEXT = 256 };

struct program {
    struct options o;
    struct uds_link *link;
    struct uds_reply reply;
    struct json_writer json; /* with --json */
    bool as_json;
    bool stand_in; /* the unit is ours: its names are known */
};

/* ---- requests */

/* Asks; says what went wrong. Returns STATUS_DONE after a positive answer. */
static int ask(struct program *p, const uint8_t *request, int length)
{
    struct err e = {""};
    if (uds_link_ask(p->link, request, length, &p->reply, &e)) {
        fprintf(stderr, "skidpad uds: %s\n", e.text);
        return STATUS_SILENT;
    }
    if (p->reply.result == UDS_SILENT) {
        fprintf(stderr,
                "skidpad uds: no answer over %s; is the unit on, and are --request and "
                "--response its identifiers?\n",
                uds_link_about(p->link));
        return STATUS_SILENT;
    }
    if (p->reply.result == UDS_REFUSED) {
        fprintf(stderr, "skidpad uds: service 0x%02X is refused: 0x%02X %s\n", request[0],
                p->reply.refusal, uds_refusal_name(p->reply.refusal));
        return STATUS_REFUSED;
    }
    return STATUS_DONE;
}

/* Whether the unit says that it is the stand-in. Nothing is said if it does not know. */
static void identify(struct program *p)
{
    static const uint8_t request[] = {UDS_READ_DATA, 0xf1, 0x97};
    struct err e = {""};
    p->stand_in = uds_link_ask(p->link, request, 3, &p->reply, &e) == 0 &&
                  p->reply.result == UDS_ANSWERED && p->reply.length == 19 &&
                  memcmp(p->reply.data + 3, "skidpad stand-in", 16) == 0;
}

/* ---- values */

static void print_number(struct program *p, const struct uds_item *i, const uint8_t *bytes)
{
    /* Scales are tenths and the like: dividing gives the nearest double. */
    double raw = (double)uds_number(bytes, i->bytes, i->sign);
    double value = i->scale < 1.0 ? raw / rint(1.0 / i->scale) : raw * i->scale;
    if (p->as_json) {
        json_open(&p->json, i->name, '{');
        json_double(&p->json, "value", value);
        json_text(&p->json, "unit", i->unit);
        json_close(&p->json);
    } else {
        printf("%s %.10g%s%s", i->name, value, i->unit[0] ? " " : "", i->unit);
    }
}

static void print_item(struct program *p, const struct uds_item *i, const uint8_t *bytes)
{
    char text[TEXT];
    if (i->unit) {
        print_number(p, i, bytes);
        return;
    }
    (void)snprintf(text, sizeof text, "%.*s", (int)i->bytes, (const char *)bytes);
    if (p->as_json)
        json_text(&p->json, i->name, text);
    else
        printf("%s \"%s\"", i->name, text);
}

/* Identifiers with their values, as the table knows them; what it does not know ends as it is. */
static void print_items(struct program *p, const uint8_t *bytes, int length)
{
    char hex[2 * ISOTP_DATA + 1];
    for (int at = 0, n = 0; at + 2 <= length; n++) {
        int item = p->stand_in ? uds_item_find((uint16_t)(bytes[at] << 8 | bytes[at + 1])) : -1;
        if (n > 0 && !p->as_json)
            printf(", ");
        if (item < 0 || at + 2 + uds_item_table[item].bytes > length) {
            (void)hex_print(bytes + at, length - at, hex, sizeof hex);
            if (p->as_json)
                json_text(&p->json, "bytes", hex);
            else
                printf("%s", hex);
            return;
        }
        print_item(p, &uds_item_table[item], bytes + at + 2);
        at += 2 + uds_item_table[item].bytes;
    }
}

/* ---- codes */

static void print_status(struct program *p, uint8_t status)
{
    const char *between = ": ";
    if (p->as_json) {
        json_int(&p->json, "status", status);
        json_open_flat(&p->json, "bits");
    } else {
        printf("          status 0x%02X", status);
    }
    for (unsigned bit = 1; bit < 0x100; bit <<= 1) {
        if (!(status & bit))
            continue;
        if (p->as_json)
            json_text(&p->json, NULL, uds_status_name(bit));
        else
            printf("%s%s", between, uds_status_name(bit));
        between = ", ";
    }
    if (p->as_json)
        json_close(&p->json);
    else
        printf("\n");
}

/* A record of a code: a unit need not have it, so refusals are passed over. */
static int ask_record(struct program *p, uint8_t kind, uint32_t code)
{
    const uint8_t request[] = {UDS_READ_CODES,       kind,          (uint8_t)(code >> 16),
                               (uint8_t)(code >> 8), (uint8_t)code, 0xff};
    struct err e = {""};
    if (uds_link_ask(p->link, request, 6, &p->reply, &e) || p->reply.result != UDS_ANSWERED)
        return 0;
    return p->reply.length;
}

static void print_records(struct program *p, uint32_t code)
{
    if (p->stand_in && ask_record(p, UDS_CODES_EXTENDED, code) >= 9) {
        if (p->as_json)
            json_int(&p->json, "times", p->reply.data[7]);
        else
            printf("          set %u time%s, %u cycles ago\n", p->reply.data[7],
                   p->reply.data[7] == 1 ? "" : "s", p->reply.data[8]);
    }
    int n = ask_record(p, UDS_CODES_SNAPSHOT, code);
    if (n <= 8)
        return;
    if (p->as_json)
        json_open(&p->json, "snapshot", '{');
    else
        printf("          at ");
    print_items(p, p->reply.data + 8, n - 8);
    if (p->as_json)
        json_close(&p->json);
    else
        printf("\n");
}

static void print_code(struct program *p, const struct uds_code *c)
{
    char text[UDS_CODE_TEXT];
    const char *name = p->stand_in ? dtc_name(c->code) : NULL;
    (void)uds_code_text(c->code, text);
    if (p->as_json) {
        json_open(&p->json, NULL, '{');
        json_text(&p->json, "code", text);
        json_int(&p->json, "number", c->code);
        if (name)
            json_text(&p->json, "name", name);
    } else {
        printf("%s  %s\n", text, name ? name : "");
    }
    print_status(p, c->status);
    print_records(p, c->code);
    if (p->as_json)
        json_close(&p->json);
}

static int codes(struct program *p, const char *const *args, int count)
{
    struct uds_code list[UDS_CODES];
    uint8_t request[3];
    (void)args;
    (void)count;
    identify(p);
    int status = ask(p, request, uds_codes_request(UDS_STORED, request));
    if (status)
        return status;
    int n = uds_codes_parse(p->reply.data, p->reply.length, list, UDS_CODES);
    if (n < 0) {
        fprintf(stderr, "skidpad uds: the answer is no list of codes\n");
        return STATUS_REFUSED;
    }
    if (p->as_json)
        json_open(&p->json, "codes", '[');
    else if (n == 0)
        printf("no trouble code\n");
    for (int i = 0; i < n; i++)
        print_code(p, &list[i]);
    if (p->as_json)
        json_close(&p->json);
    return n > 0 ? STATUS_REFUSED : STATUS_DONE;
}

static int clear(struct program *p, const char *const *args, int count)
{
    uint32_t group = UDS_ALL_CODES;
    uint8_t request[4];
    if (count > 0 && !uds_code_parse(args[0], &group))
        return options_complain(&p->o, "\"%s\" is no trouble code; write C0035-87 or 0x403587",
                                args[0]);
    int status = ask(p, request, uds_clear_request(group, request));
    if (status == STATUS_DONE && !p->as_json)
        printf("cleared\n");
    return status;
}

/* ---- data */

/* An identifier: hexadecimal digits, or a name of the stand-in's table. */
static int parse_did(struct program *p, const char *text, uint8_t did[2])
{
    const char *digits = strncmp(text, "0x", 2) == 0 ? text + 2 : text;
    for (int i = 0; i < UDS_ITEMS; i++)
        if (strcmp(uds_item_table[i].name, text) == 0) {
            did[0] = (uint8_t)(uds_item_table[i].did >> 8);
            did[1] = (uint8_t)uds_item_table[i].did;
            return 0;
        }
    if (hex_parse(digits, did, 2) == 2)
        return 0;
    return options_complain(&p->o,
                            "\"%s\" is no data identifier; write four hexadecimal digits (F190) or "
                            "a name (vin, speed, supply, ...; docs/diagnosis.md)",
                            text);
}

static int read_data(struct program *p, const char *const *args, int count)
{
    uint8_t request[1 + 2 * 16] = {UDS_READ_DATA};
    if (count < 1 || count > 16)
        return options_complain(&p->o, "read needs 1 to 16 data identifiers");
    for (int i = 0; i < count; i++)
        if (parse_did(p, args[i], request + 1 + 2 * i))
            return STATUS_BAD_INPUT;
    identify(p);
    int status = ask(p, request, 1 + 2 * count);
    if (status == STATUS_DONE) {
        print_items(p, p->reply.data + 1, p->reply.length - 1);
        if (!p->as_json)
            printf("\n");
    }
    return status;
}

static int session(struct program *p, const char *const *args, int count)
{
    uint8_t request[2] = {UDS_SESSION, UDS_SESSION_EXTENDED};
    if (count > 0 && strcmp(args[0], "default") == 0)
        request[1] = UDS_SESSION_DEFAULT;
    else if (count > 0 && strcmp(args[0], "extended") != 0)
        return options_complain(&p->o, "\"%s\": sessions are default and extended", args[0]);
    int status = ask(p, request, 2);
    if (status == STATUS_DONE && !p->as_json)
        printf("session %u\n", p->reply.data[1]);
    return status;
}

/* Extended session, seed, key. */
static int security(struct program *p, const char *const *args, int count)
{
    static const uint8_t extended[] = {UDS_SESSION, UDS_SESSION_EXTENDED},
                         seed[] = {UDS_SECURITY, 1};
    uint8_t key[6] = {UDS_SECURITY, 2};
    (void)args;
    (void)count;
    int status = ask(p, extended, 2);
    if (status == STATUS_DONE)
        status = ask(p, seed, 2);
    if (status)
        return status;
    if (p->reply.length != 6) {
        fprintf(stderr, "skidpad uds: a seed of %d bytes is not the stand-in's; use raw\n",
                p->reply.length - 2);
        return STATUS_REFUSED;
    }
    uint32_t given = (uint32_t)uds_number(p->reply.data + 2, 4, 0), right = uds_key(given);
    for (int k = 0; k < 4; k++)
        key[2 + k] = (uint8_t)(right >> (24 - 8 * k));
    status = given == 0 ? STATUS_DONE : ask(p, key, 6);
    if (status == STATUS_DONE && !p->as_json)
        printf("security access granted\n");
    return status;
}

static int write_data(struct program *p, const char *const *args, int count)
{
    uint8_t request[ISOTP_DATA] = {UDS_WRITE_DATA};
    if (count != 2)
        return options_complain(&p->o, "write needs a data identifier and bytes: write 2020 03E8");
    if (parse_did(p, args[0], request + 1))
        return STATUS_BAD_INPUT;
    int n = hex_parse(args[1], request + 3, ISOTP_DATA - 3);
    if (n < 1)
        return options_complain(&p->o, "\"%s\" are no bytes in hexadecimal digits", args[1]);
    int status = security(p, NULL, 0);
    if (status == STATUS_DONE)
        status = ask(p, request, 3 + n);
    if (status == STATUS_DONE && !p->as_json)
        printf("written\n");
    return status;
}

static int reset(struct program *p, const char *const *args, int count)
{
    static const uint8_t extended[] = {UDS_SESSION, UDS_SESSION_EXTENDED}, hard[] = {UDS_RESET, 1};
    (void)args;
    (void)count;
    int status = ask(p, extended, 2);
    if (status == STATUS_DONE)
        status = ask(p, hard, 2);
    if (status == STATUS_DONE && !p->as_json)
        printf("the unit starts again\n");
    return status;
}

static int raw(struct program *p, const char *const *args, int count)
{
    uint8_t request[ISOTP_DATA];
    char hex[2 * ISOTP_DATA + 1];
    int n = count == 1 ? hex_parse(args[0], request, ISOTP_DATA) : 0;
    if (n < 1)
        return options_complain(&p->o, "raw needs one request in hexadecimal digits: raw 22F190");
    int status = ask(p, request, n);
    (void)hex_print(p->reply.data, p->reply.length, hex, sizeof hex);
    if (status == STATUS_SILENT)
        return status;
    if (p->as_json)
        json_text(&p->json, "answer", hex);
    else
        printf("%s\n", hex);
    return status;
}

/* ---- all */

static const struct {
    const char *name;
    int (*work)(struct program *p, const char *const *args, int count);
} commands[] = {
    {"codes", codes},     {"clear", clear},       {"read", read_data}, {"write", write_data},
    {"session", session}, {"security", security}, {"reset", reset},    {"raw", raw},
};

static int id_of(struct program *p, const char *option, uint32_t *id)
{
    const char *text = options_text(&p->o, option);
    char *end = NULL;
    errno = 0;
    unsigned long value = strtoul(text, &end, 0);
    if (end == text || *end != '\0' || errno || value > CAN_ID_MASK)
        return options_complain(&p->o, "--%s %s: identifiers are from 0 to 0x1FFFFFFF", option,
                                text);
    *id = (uint32_t)value | (value > 0x7ff ? CAN_ID_EXTENDED : 0u);
    return 0;
}

static int run(struct program *p, size_t command)
{
    static const char *const isotps[] = {"auto", "own", "kernel", NULL};
    struct uds_link_setup setup = {.can = options_text(&p->o, "can")};
    struct err e = {""};
    double wait_s = 1.0;
    int64_t block_size = 0, st_min = 0;
    options_int(&p->o, "block-size", &block_size, 0, 255);
    options_int(&p->o, "st-min", &st_min, 0, 127);
    setup.block_size = (uint8_t)block_size;
    setup.st_min = (uint8_t)st_min;
    options_double(&p->o, "wait", &wait_s, 0.01, 60.0);
    setup.wait_ns = (int64_t)(wait_s * 1e9);
    options_choice(&p->o, "isotp", &setup.isotp, isotps);
    if (id_of(p, "request", &setup.request_id) || id_of(p, "response", &setup.response_id) ||
        !options_ok(&p->o))
        return STATUS_BAD_INPUT;
    int status = STATUS_BAD_INPUT;
    if (uds_link_open(&p->link, &setup, &e)) {
        fprintf(stderr, "skidpad uds: %s\n", e.text);
    } else {
        p->as_json = options_given(&p->o, "json");
        p->json.to = stdout;
        if (p->as_json)
            json_open(&p->json, NULL, '{');
        status =
            commands[command].work(p, (const char *const *)(p->o.args + 1), p->o.arg_count - 1);
        if (p->as_json) {
            json_int(&p->json, "exit_status", status);
            json_close(&p->json);
            (void)json_finish(&p->json);
        }
    }
    uds_link_close(p->link);
    return status;
}

int main(int argc, char **argv)
{
    static const struct option_spec specs[] = {
        {"can", "BUS", "auto", "socketcan:can0, udp:20100:20101, or control:SOCKET of a run"},
        {"request", "ID", "0x760", "identifier of requests; above 0x7ff it has 29 bits"},
        {"response", "ID", "0x768", "identifier of answers"},
        {"isotp", "WHOSE", "auto",
         "own, kernel (socketcan only), or auto: the kernel's if it is there"},
        {"block-size", "N", "0", "own ISO-TP: frames of an answer between flow controls; 0: all"},
        {"st-min", "MS", "0", "own ISO-TP: pause between them, 0 to 127"},
        {"wait", "SECONDS", "1", "for an answer, after the last frame of the request"},
        {"json", NULL, NULL, "print JSON"},
        {0},
    };
    static const struct options_program program = {
        .name = "uds",
        .summary = "ask a unit's diagnosis: trouble codes, data, security access",
        .arguments = "codes | clear [CODE] | read DID... | write DID HEX | session "
                     "[default|extended] | security | reset | raw HEX",
        .args_min = 1,
        .args_max = 17,
        .specs = specs,
        .example = "skidpad uds --can control:out/abs_split.sock codes",
        .notes = "DID is four hexadecimal digits or a name of the stand-in (docs/diagnosis.md). "
                 "Status: 0 done,\n1 refused or there are codes, 2 bad input, 3 no answer.",
    };
    static struct program p; /* large: not for the stack */
    int status = options_parse(&p.o, &program, argc, argv);
    if (status != OPTIONS_GO)
        return status;
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (strcmp(commands[i].name, p.o.args[0]) == 0)
            return run(&p, i);
    return options_complain(&p.o,
                            "\"%s\": known are codes, clear, read, write, session, security, "
                            "reset, raw",
                            p.o.args[0]);
}
