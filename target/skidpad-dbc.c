/* skidpad dbc: what a CAN database says, and what is in a log of the bus it describes. */
#include "shared/base/options.h"
#include "target/dbc_show.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { STATUS_BAD_INPUT = 2 };

static void print_warnings(const struct dbc *dbc)
{
    size_t kept = dbc->warning_count < DBC_WARNINGS ? dbc->warning_count : DBC_WARNINGS;
    for (size_t i = 0; i < kept; i++)
        fprintf(stderr, "%s (warning)\n", dbc->warnings[i]);
    if (dbc->warning_count > kept)
        fprintf(stderr, "... and %zu more warnings\n", dbc->warning_count - kept);
}

/* By name, or by id: 0x123 and 291 have 11 bits, eight hexadecimal digits 29. */
static const struct dbc_message *find(const struct dbc *dbc, const char *text, struct err *e)
{
    if (isdigit((unsigned char)text[0])) {
        char *end = NULL;
        unsigned long id = strtoul(text, &end, 0);
        bool extended = id > 0x7ff || (strncmp(text, "0x", 2) == 0 && strlen(text) == 10);
        const struct dbc_message *m = NULL;
        if (*end == '\0' && id <= CAN_ID_MASK)
            m = dbc_message_by_id(dbc, (uint32_t)id | (extended ? CAN_ID_EXTENDED : 0));
        if (m)
            return m;
    }
    return dbc_find_message(dbc, text, e);
}

static int decode(struct options *o, const struct dbc *dbc, const struct dbc_message *only)
{
    struct dbc_decode d = {.dbc = dbc, .only = only, .csv = options_given(o, "csv")};
    struct err e = {""};
    if (dbc_decode_log(&d, options_text(o, "decode"), stdout, &e)) {
        fprintf(stderr, "%s\n", e.text);
        return STATUS_BAD_INPUT;
    }
    fprintf(stderr, "%zu frames decoded", d.decoded);
    if (d.short_frames)
        fprintf(stderr, ", %zu of them shorter than their message", d.short_frames);
    if (d.unknown)
        fprintf(stderr, "; %zu with ids that are not in the database", d.unknown);
    if (d.other)
        fprintf(stderr, "; %zu remote or error frames", d.other);
    if (d.refused)
        fprintf(stderr, "; %zu lines refused", d.refused);
    fputc('\n', stderr);
    return d.refused ? STATUS_BAD_INPUT : 0;
}

int main(int argc, char **argv)
{
    static const struct option_spec specs[] = {
        {"message", "NAME", "(all)", "only this message, in detail; a name or an id such as 0x106"},
        {"decode", "LOG", NULL, "decode a candump log; - is standard input"},
        {"csv", NULL, NULL, "with --decode: a table, one row for each value"},
        {0},
    };
    static const struct options_program program = {
        .name = "dbc",
        .summary = "show a CAN database (DBC file), or decode a log of its bus",
        .arguments = "FILE.dbc",
        .args_min = 1,
        .args_max = 1,
        .specs = specs,
        .notes = "A log is what `candump -L` writes: (seconds.microseconds) interface ID#DATA.",
        .example = "skidpad dbc config/can/skidpad_chassis.dbc --message WheelPressures",
    };
    struct options o;
    int status = options_parse(&o, &program, argc, argv);
    if (status != OPTIONS_GO)
        return status;
    bool decodes = options_given(&o, "decode");
    if (options_given(&o, "csv") && !decodes)
        return options_complain(&o, "--csv goes with --decode");
    struct dbc dbc;
    struct err e = {""};
    if (dbc_load(o.args[0], &dbc, &e)) {
        fprintf(stderr, "%s\n", e.text);
        return STATUS_BAD_INPUT;
    }
    const struct dbc_message *m = NULL;
    if (options_given(&o, "message") && !(m = find(&dbc, options_text(&o, "message"), &e))) {
        fprintf(stderr, "%s\n", e.text);
        status = STATUS_BAD_INPUT;
    } else if (decodes) {
        status = decode(&o, &dbc, m);
    } else {
        print_warnings(&dbc);
        if (m)
            dbc_show_message(&dbc, m, stdout);
        else
            dbc_show_list(&dbc, stdout);
        status = 0;
    }
    dbc_free(&dbc);
    return status;
}
