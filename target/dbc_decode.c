#include "shared/base/file.h"
#include "shared/base/shortest.h"
#include "shared/base/time.h"
#include "shared/can/candump.h"
#include "shared/can/codec.h"
#include "target/dbc_show.h"
#include "target/export_csv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { STANDARD_IDS = 0x800, REFUSED_SHOWN = 10 };

/* A signal ready to be read. */
struct reader {
    const struct dbc_signal *s;
    struct can_code code;
    struct can_mux mux;
    uint32_t bytes; /* of data that it needs */
};

/* The messages by id, and each one's readers. */
struct readers {
    const struct dbc *dbc;
    const struct dbc_message *standard[STANDARD_IDS];
    struct reader **of_message;
    struct reader *all;
};

static uint32_t bytes_needed(const struct can_field *f)
{
    if (f->tail)
        return f->byte + 9u;
    uint32_t bits = f->big_endian ? 64u - f->shift : (uint32_t)f->shift + f->length;
    return f->byte + (bits + 7) / 8;
}

static bool prepare(struct readers *r, const struct dbc *dbc)
{
    size_t signals = 0;
    memset(r, 0, sizeof *r);
    r->dbc = dbc;
    for (size_t i = 0; i < dbc->message_count; i++)
        signals += dbc->messages[i].signal_count;
    r->all = calloc(signals + 1, sizeof *r->all);
    r->of_message = calloc(dbc->message_count + 1, sizeof(struct reader *));
    if (!r->all || !r->of_message)
        return false;
    struct reader *next = r->all;
    for (size_t i = 0; i < dbc->message_count; i++) {
        const struct dbc_message *m = &dbc->messages[i];
        if (m->id < STANDARD_IDS)
            r->standard[m->id] = m;
        r->of_message[i] = next;
        for (size_t k = 0; k < m->signal_count; k++, next++) {
            next->s = &m->signals[k];
            if (code_compile(m, next->s, &next->code) != 0 ||
                mux_compile(m, next->s, &next->mux) != 0)
                next->s = NULL;
            else
                next->bytes = bytes_needed(&next->code.field);
        }
    }
    return true;
}

static const struct dbc_message *find(const struct readers *r, uint32_t id)
{
    return id < STANDARD_IDS ? r->standard[id] : dbc_message_by_id(r->dbc, id);
}

/* Exact for whole numbers of any size, else the fewest digits of the double. */
static void value_text(const struct reader *r, const uint8_t *data, char text[SHORTEST_SIZE])
{
    bool whole = r->s->factor == 1.0 && r->s->offset == 0.0 && r->s->type <= DBC_SIGNED;
    if (whole && r->code.kind == CODE_UNSIGNED64)
        (void)snprintf(text, SHORTEST_SIZE, "%llu",
                       (unsigned long long)code_get_raw(&r->code, data));
    else if (whole)
        (void)snprintf(text, SHORTEST_SIZE, "%lld", (long long)code_get_int(&r->code, data));
    else
        (void)shortest_double(code_get(&r->code, data), text);
}

static void print_time(const struct can_msg *m, FILE *to)
{
    fprintf(to, "%lld.%06lld", (long long)(m->time_ns / NS_PER_S),
            (long long)(m->time_ns % NS_PER_S / NS_PER_US));
}

static void print_csv(const struct candump_line *line, const struct dbc_message *m,
                      const struct reader *r, FILE *to)
{
    char value[SHORTEST_SIZE];
    const char *text = dbc_value_text(r->s, code_get_int(&r->code, line->msg.data));
    value_text(r, line->msg.data, value);
    print_time(&line->msg, to);
    fprintf(to, ",%s,%s,%s,%s,", line->name, m->name, r->s->name, value);
    export_csv_text(to, r->s->unit, strlen(r->s->unit));
    fputc(',', to);
    if (text)
        export_csv_text(to, text, strlen(text));
    fputc('\n', to);
}

static void print_value(const struct candump_line *line, const struct reader *r, FILE *to)
{
    char value[SHORTEST_SIZE];
    const char *text = dbc_value_text(r->s, code_get_int(&r->code, line->msg.data));
    value_text(r, line->msg.data, value);
    fprintf(to, "  %s=%s%s%s", r->s->name, value, *r->s->unit ? " " : "", r->s->unit);
    if (text)
        fprintf(to, " (%s)", text);
}

static void decode_frame(struct dbc_decode *d, const struct readers *r,
                         const struct candump_line *line, FILE *to)
{
    const struct can_msg *msg = &line->msg;
    if (msg->flags & (CAN_MSG_REMOTE | CAN_MSG_ERROR)) {
        d->other++;
        return;
    }
    const struct dbc_message *m = find(r, msg->id);
    if (!m) {
        d->unknown++;
        return;
    }
    if (d->only && m != d->only)
        return;
    d->decoded++;
    d->short_frames += msg->len < m->length;
    if (!d->csv) {
        print_time(msg, to);
        fprintf(to, " %s %s", line->name, m->name);
    }
    const struct reader *first = r->of_message[m - r->dbc->messages];
    for (size_t i = 0; i < m->signal_count; i++) {
        if (!first[i].s || first[i].bytes > msg->len || !mux_present(&first[i].mux, msg->data))
            continue;
        if (d->csv)
            print_csv(line, m, &first[i], to);
        else
            print_value(line, &first[i], to);
    }
    if (!d->csv)
        fputc('\n', to);
}

static void refuse(struct dbc_decode *d, const char *path, size_t number,
                   const struct candump_line *line)
{
    if (d->refused++ < REFUSED_SHOWN)
        fprintf(stderr,
                "%s:%zu:%zu: %s; a line of a candump log is (seconds.microseconds) "
                "interface ID#DATA\n",
                path, number, line->column, line->what);
}

int dbc_decode_log(struct dbc_decode *d, const char *path, FILE *to, struct err *e)
{
    FILE *log = stdin;
    struct readers *r = calloc(1, sizeof *r);
    char *text = NULL;
    size_t size = 0, number = 0;
    ssize_t length;
    int rc = strcmp(path, "-") == 0 ? 0 : file_open_stream(path, &log);
    if (rc) {
        rc = err_set(e, rc, "%.200s: cannot be read: %s", path, file_why(rc));
    } else if (!r || !prepare(r, d->dbc)) {
        rc = err_set(e, -ENOMEM, "out of memory");
    } else {
        if (d->csv)
            fputs("time_s,interface,message,signal,value,unit,text\n", to);
        while ((length = getline(&text, &size, log)) >= 0) {
            struct candump_line line;
            number++;
            int kind = candump_parse(text, (size_t)length, &line);
            if (kind == 0)
                decode_frame(d, r, &line, to);
            else if (kind < 0)
                refuse(d, path, number, &line);
        }
        if (ferror(log))
            rc = err_set(e, -EIO, "%.200s: reading failed after line %zu", path, number);
    }
    if (log && log != stdin)
        (void)fclose(log); /* nothing was written to it */
    if (r) {
        free(r->all);
        free(r->of_message);
    }
    free(r);
    free(text);
    return rc;
}
