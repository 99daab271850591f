#include "shared/base/shortest.h"
#include "shared/can/frame.h"
#include "target/dbc_show.h"

#include <stdarg.h>
#include <string.h>

void dbc_show_id(const struct dbc_message *m, char text[DBC_SHOW_TEXT])
{
    bool extended = m->id & CAN_ID_EXTENDED;
    (void)snprintf(text, DBC_SHOW_TEXT, extended ? "0x%08X" : "0x%03X",
                   (unsigned)(m->id & CAN_ID_MASK));
}

/* Adds to a text that holds DBC_SHOW_TEXT. */
static __attribute__((format(printf, 2, 3))) void add(char *text, const char *format, ...)
{
    size_t used = strlen(text);
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text + used, DBC_SHOW_TEXT - used, format, args);
    va_end(args);
}

void dbc_show_when(const struct dbc_message *m, const struct dbc_signal *s,
                   char text[DBC_SHOW_TEXT])
{
    text[0] = '\0';
    for (; s->switch_index >= 0; s = &m->signals[s->switch_index]) {
        add(text, "%s%s=", text[0] ? ", " : "", m->signals[s->switch_index].name);
        for (size_t i = 0; i < s->range_count; i++) {
            add(text, "%s%llu", i ? "," : "", (unsigned long long)s->ranges[i].low);
            if (s->ranges[i].high != s->ranges[i].low)
                add(text, "..%llu", (unsigned long long)s->ranges[i].high);
        }
    }
}

/* ---- a table whose columns are as wide as their longest cell */

enum { COLUMNS = 9 };
static const char *const heads[COLUMNS] = {"signal", "start", "bits", "order", "type",
                                           "scale",  "range", "unit", "when"};

struct row {
    char cell[COLUMNS][DBC_SHOW_TEXT];
};

static void put_scale(const struct dbc_signal *s, char *cell)
{
    char factor[SHORTEST_SIZE], offset[SHORTEST_SIZE];
    (void)shortest_double(s->factor, factor);
    (void)shortest_double(s->offset, offset);
    (void)snprintf(cell, DBC_SHOW_TEXT, "%s%s%s", factor, s->offset < 0.0 ? " " : " +", offset);
    if (s->offset == 0.0)
        (void)snprintf(cell, DBC_SHOW_TEXT, "%s", factor);
}

static void fill_row(const struct dbc_message *m, const struct dbc_signal *s, struct row *row)
{
    static const char *const types[] = {"unsigned", "signed", "float", "double"};
    char low[SHORTEST_SIZE], high[SHORTEST_SIZE];
    (void)shortest_double(s->min, low);
    (void)shortest_double(s->max, high);
    (void)snprintf(row->cell[0], DBC_SHOW_TEXT, "%s%s", s->name, s->is_switch ? " (switch)" : "");
    (void)snprintf(row->cell[1], DBC_SHOW_TEXT, "%u", s->start);
    (void)snprintf(row->cell[2], DBC_SHOW_TEXT, "%u", s->length);
    (void)snprintf(row->cell[3], DBC_SHOW_TEXT, "%s", s->big_endian ? "Motorola" : "Intel");
    (void)snprintf(row->cell[4], DBC_SHOW_TEXT, "%s", types[s->type]);
    put_scale(s, row->cell[5]);
    (void)snprintf(row->cell[6], DBC_SHOW_TEXT, "%s .. %s", low, high);
    if (s->min == s->max)
        row->cell[6][0] = '\0';
    (void)snprintf(row->cell[7], DBC_SHOW_TEXT, "%s", s->unit);
    dbc_show_when(m, s, row->cell[8]);
    for (char *c = row->cell[7]; *c; c++)
        *c = *c == '\n' || *c == '\t' ? ' ' : *c;
}

/* Characters, not bytes. */
static int width_of(const char *text)
{
    int width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0u) != 0x80;
    return width;
}

static void widen(int widths[COLUMNS], const struct row *row)
{
    for (int i = 0; i < COLUMNS; i++)
        widths[i] = width_of(row->cell[i]) > widths[i] ? width_of(row->cell[i]) : widths[i];
}

static void print_row(const int widths[COLUMNS], const char *const cells[COLUMNS], FILE *to)
{
    int gap = 2;
    for (int i = 0; i < COLUMNS; i++) {
        if (widths[i] == 0 || !*cells[i]) {
            gap += widths[i] ? widths[i] + 2 : 0;
            continue;
        }
        int pad = widths[i] - width_of(cells[i]);
        bool right = i == 1 || i == 2;
        fprintf(to, "%*s%s", gap + (right ? pad : 0), "", cells[i]);
        gap = 2 + (right ? 0 : pad);
    }
    fputc('\n', to);
}

static void print_signals(const struct dbc_message *m, const int widths[COLUMNS], FILE *to)
{
    for (size_t i = 0; i < m->signal_count; i++) {
        struct row row;
        const char *cells[COLUMNS];
        fill_row(m, &m->signals[i], &row);
        for (int k = 0; k < COLUMNS; k++)
            cells[k] = row.cell[k];
        print_row(widths, cells, to);
    }
}

static void message_widths(const struct dbc_message *m, int widths[COLUMNS])
{
    for (size_t i = 0; i < m->signal_count; i++) {
        struct row row;
        fill_row(m, &m->signals[i], &row);
        widen(widths, &row);
    }
}

static void print_heads(int widths[COLUMNS], FILE *to)
{
    for (int i = 0; i < COLUMNS; i++)
        if (widths[i] > 0 && widths[i] < width_of(heads[i]))
            widths[i] = width_of(heads[i]);
    print_row(widths, heads, to);
}

/* ---- messages */

static void print_head(const struct dbc_message *m, FILE *to)
{
    char id[DBC_SHOW_TEXT], cycle[SHORTEST_SIZE];
    dbc_show_id(m, id);
    (void)shortest_double(m->cycle_ms, cycle);
    fprintf(to, "%s %s, %u byte%s%s", id, m->name, m->length, m->length == 1 ? "" : "s",
            m->fd ? m->brs ? ", FD with faster data" : ", FD" : "");
    if (m->cycle_ms > 0.0)
        fprintf(to, ", every %s ms", cycle);
    if (*m->sender)
        fprintf(to, ", from %s", m->sender);
    for (size_t i = 0; i < m->more_sender_count; i++)
        if (strcmp(m->more_senders[i], m->sender) != 0)
            fprintf(to, " or %s", m->more_senders[i]);
    fputc('\n', to);
}

/* What the messages with a cycle time need of the bus. */
static void print_load(const struct dbc *dbc, FILE *to)
{
    double frames_ps = 0.0, bits_ps = 0.0;
    size_t cyclic = 0;
    for (size_t i = 0; i < dbc->message_count; i++) {
        const struct dbc_message *m = &dbc->messages[i];
        if (!(m->cycle_ms > 0.0) || m->length > CAN_MSG_DATA)
            continue;
        struct can_msg frame = {.id = m->id, .len = (uint8_t)m->length};
        frame.flags = (uint8_t)((m->fd ? CAN_MSG_FD : 0) | (m->fd && m->brs ? CAN_MSG_BRS : 0));
        struct can_frame_bits bits = can_frame_bits(&frame);
        cyclic++;
        frames_ps += 1000.0 / m->cycle_ms;
        bits_ps += 1000.0 / m->cycle_ms * (bits.nominal + bits.data);
    }
    if (cyclic > 0)
        fprintf(to, "%zu of them have a cycle time: %.0f frames/s, at most %.0f kbit/s\n", cyclic,
                frames_ps, bits_ps / 1000.0);
}

void dbc_show_list(const struct dbc *dbc, FILE *to)
{
    int widths[COLUMNS] = {0};
    size_t signals = 0;
    for (size_t i = 0; i < dbc->message_count; i++) {
        message_widths(&dbc->messages[i], widths);
        signals += dbc->messages[i].signal_count;
    }
    fprintf(to, "%s%s%s: %zu messages, %zu signals, %zu nodes\n", dbc->name,
            *dbc->version ? ", version " : "", dbc->version, dbc->message_count, signals,
            dbc->node_count);
    print_load(dbc, to);
    if (*dbc->comment)
        fprintf(to, "%s\n", dbc->comment);
    fputc('\n', to);
    if (signals > 0)
        print_heads(widths, to);
    for (size_t i = 0; i < dbc->message_count; i++) {
        print_head(&dbc->messages[i], to);
        print_signals(&dbc->messages[i], widths, to);
    }
}

static void print_notes(const struct dbc_signal *s, FILE *to)
{
    bool starts = s->has_start_value && s->start_value != 0.0;
    if (!*s->comment && s->value_count == 0 && !starts)
        return;
    fprintf(to, "\n%s\n", s->name);
    if (*s->comment)
        fprintf(to, "  %s\n", s->comment);
    if (starts) {
        char value[SHORTEST_SIZE];
        (void)shortest_double(s->start_value * s->factor + s->offset, value);
        fprintf(to, "  starts with %s%s%s\n", value, *s->unit ? " " : "", s->unit);
    }
    for (size_t i = 0; i < s->value_count; i++)
        fprintf(to, "  %lld = %s\n", (long long)s->values[i].raw, s->values[i].text);
}

void dbc_show_message(const struct dbc *dbc, const struct dbc_message *m, FILE *to)
{
    int widths[COLUMNS] = {0};
    print_head(m, to);
    if (*m->comment)
        fprintf(to, "%s\n", m->comment);
    fputc('\n', to);
    dbc_show_layout(m, to);
    message_widths(m, widths);
    if (m->signal_count > 0)
        print_heads(widths, to);
    print_signals(m, widths, to);
    for (size_t i = 0; i < m->signal_count; i++)
        print_notes(&m->signals[i], to);
    bool first = true;
    for (size_t i = 0; i < dbc->setting_count; i++) {
        const struct dbc_setting *set = &dbc->settings[i];
        char value[SHORTEST_SIZE];
        if (set->object_kind != DBC_OF_MESSAGE || set->id != m->id)
            continue;
        (void)shortest_double(set->number, value);
        fprintf(to, "%s%s = %s\n", first ? "\nattributes\n  " : "  ", set->attribute->name,
                *set->text ? set->text : value);
        first = false;
    }
}
