/* What the parts of the DBC reader share: the text being read, what was built so far, and the small
 * pieces that statements are made of. Loader only. */
#ifndef SKIDPAD_CAN_DBC_LOAD_READER_H
#define SKIDPAD_CAN_DBC_LOAD_READER_H

#include "shared/can/dbc.h"
#include "shared/config/arena.h"

/* Arrays that grow while reading; the database gets copies of the final size. */
struct built_message {
    struct dbc_message m;
    size_t first_signal;
    const char *at;
    bool left_out; /* a second one with the same id, or the container of signals without message */
};

struct built_signal {
    struct dbc_signal s;
    const char *at;
    const char *switch_name; /* from SG_MUL_VAL_; NULL: the message's only switch */
};

struct built_setting {
    struct dbc_setting s;
    size_t attribute;       /* index */
    size_t message, signal; /* indices; BUILT_NONE: another object, or one that is not there */
};

#define BUILT_NONE SIZE_MAX

struct dbc_reader {
    struct dbc *dbc;
    struct arena arena;
    const char *text, *at, *end;
    const char *counted; /* lines up to here are in `line` */
    int line;
    int code; /* of the first mistake; 0: none */
    struct err mistake;
    struct built_message *messages;
    struct built_signal *signals;
    struct built_setting *settings;
    struct dbc_node *nodes;
    struct dbc_table *tables;
    struct dbc_attribute *attributes;
    size_t message_count, message_size, signal_count, signal_size, setting_count, setting_size,
        node_count, node_size, table_count, table_size, attribute_count, attribute_size;
    size_t last_found; /* message; statements about one come together */
};

/* A piece of the text. */
struct span {
    const char *at;
    size_t length;
};

/* ---- messages. Both put "file:line:column: " in front. */

/* The first mistake ends the reading. Returns false. */
bool dbc_fail(struct dbc_reader *r, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void dbc_warn(struct dbc_reader *r, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A warning that brings its own place. */
void dbc_add_warning(struct dbc_reader *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
bool dbc_out_of_memory(struct dbc_reader *r);
/* Line of a place that is not before the last one asked for. */
int dbc_line(struct dbc_reader *r, const char *at);
/* What stands here, for messages: up to the next blank, cut to fit. */
enum { SPAN_SHOWN = 40 };
int span_shown(struct span s);

/* ---- pieces. Each skips blanks, then returns false after a message if it is not there; `what`
 * says what was expected. */

/* Blanks, line ends and comments that begin with two slashes. */
void scan_blank(struct dbc_reader *r);
bool scan_char(struct dbc_reader *r, char c, const char *what);
bool scan_name(struct dbc_reader *r, struct span *name, const char *what);
bool scan_uint(struct dbc_reader *r, uint64_t *value, const char *what);
/* A whole number with sign: int64_t, or the bits of an uint64_t. */
bool scan_int(struct dbc_reader *r, int64_t *value, const char *what);
bool scan_number(struct dbc_reader *r, double *value, const char *what);
/* A text in quotes, as UTF-8 in the arena. */
bool scan_string(struct dbc_reader *r, const char **text, const char *what);
/* The id of a message, as dbc_message.id; one that CAN does not have is for the caller to see. */
bool scan_id(struct dbc_reader *r, uint32_t *id);
bool dbc_id_exists(uint32_t id);
/* The ';' that ends a statement; only a warning if it is missing at the end of a line. */
bool scan_end(struct dbc_reader *r);

/* Whether it comes next; nothing is taken but blanks. */
bool next_is(struct dbc_reader *r, char c);
bool next_is_number(struct dbc_reader *r);
/* Whether a name is next on this line. */
bool next_on_line(struct dbc_reader *r);
bool take_char(struct dbc_reader *r, char c);
/* Takes a word if it is what comes next. */
bool take_word(struct dbc_reader *r, const char *word);
bool span_is(struct span s, const char *word);

/* ---- building */

/* Makes room for one more item. */
bool dbc_grow(struct dbc_reader *r, void *items, size_t *size, size_t count, size_t item_bytes);
const char *dbc_keep(struct dbc_reader *r, struct span s);
/* Index of a message or of a signal of it; BUILT_NONE if there is none. */
size_t built_message(struct dbc_reader *r, uint32_t id);
size_t built_signal(const struct dbc_reader *r, size_t message, struct span name);

/* ---- statements, behind their keyword */

bool read_message(struct dbc_reader *r);
bool read_signal(struct dbc_reader *r);
bool read_mux_ranges(struct dbc_reader *r);
bool read_value_type(struct dbc_reader *r);
bool read_senders(struct dbc_reader *r);
bool read_comment(struct dbc_reader *r);
bool read_values(struct dbc_reader *r);
bool read_table(struct dbc_reader *r);
bool read_attribute(struct dbc_reader *r);
bool read_default(struct dbc_reader *r);
bool read_setting(struct dbc_reader *r);

/* ---- the end: what follows from several statements, doubts, and the final arrays */

void dbc_apply_attributes(struct dbc_reader *r);
void dbc_apply_long_names(struct dbc_reader *r);
void dbc_resolve_switches(struct dbc_reader *r);
void dbc_check_layout(struct dbc_reader *r);

#endif
