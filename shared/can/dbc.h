/* A CAN database (DBC file) as a table: messages, their signals, and what is said about them.
 *
 *     struct dbc dbc;
 *     struct err e;
 *     if (dbc_load("config/can/skidpad_chassis.dbc", &dbc, &e))
 *         ...                                      e.text: "file:line:column: what, and what to do"
 *     const struct dbc_message *m = dbc_find_message(&dbc, "WheelSpeeds", &e);
 *     const struct dbc_signal *s = m ? dbc_find_signal(m, "SpeedFL", &e) : NULL;
 *     dbc_free(&dbc);
 *
 * Everything lives as long as the database. Texts are UTF-8, whether the file was or is in
 * Windows-1252. Set-up code only; for the tick signals are compiled, see shared/can/codec.h. */
#ifndef SKIDPAD_CAN_DBC_H
#define SKIDPAD_CAN_DBC_H

#include "shared/base/err.h"
#include "shared/can/msg.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    DBC_BYTES_MAX = 32 << 20,
    DBC_WARNINGS = 64,   /* kept; all are counted */
    DBC_SIGNAL_BITS = 64 /* longest signal that can be coded */
};

/* How the raw bits are read before factor and offset (SIG_VALTYPE_). */
enum dbc_type { DBC_UNSIGNED, DBC_SIGNED, DBC_FLOAT32, DBC_FLOAT64 };

/* A text for a raw value (VAL_, VAL_TABLE_). An unsigned value above INT64_MAX is its bits. */
struct dbc_value {
    int64_t raw;
    const char *text;
};

struct dbc_table {
    const char *name;
    const struct dbc_value *values;
    size_t value_count;
};

/* Raw values of a multiplexer switch, both ends included. */
struct dbc_range {
    uint64_t low, high;
};

struct dbc_signal {
    const char *name;
    const char *unit;    /* "" if there is none */
    const char *comment; /* "" if there is none */
    uint32_t start;  /* as the file counts: first bit (little-endian) or its highest bit (big) */
    uint32_t length; /* bits */
    bool big_endian; /* Motorola order */
    bool fits;       /* in its message, and not longer than DBC_SIGNAL_BITS: it can be coded */
    enum dbc_type type;
    double factor, offset; /* physical = raw * factor + offset; factor is never 0 */
    double min, max;       /* physical, as the file says; equal: no limits given */
    bool has_start_value;
    double start_value; /* GenSigStartValue: raw, sent until there is a value */
    const char *const *receivers;
    size_t receiver_count;
    /* Multiplexing. A switch selects which of the signals that depend on it are in the frame. */
    bool is_switch;                 /* M, or m0M */
    bool is_multiplexed;            /* m0, or m0M */
    int switch_index;               /* signal of the same message that selects this one; -1: none */
    const struct dbc_range *ranges; /* values of the switch at which this signal is there */
    size_t range_count;
    const struct dbc_value *values;
    size_t value_count;
    int line; /* of the file */
};

struct dbc_message {
    const char *name;
    const char *sender;              /* "" if the file names none */
    const char *comment;             /* "" if there is none */
    uint32_t id;                     /* with CAN_ID_EXTENDED */
    uint32_t length;                 /* bytes; above CAN_MSG_DATA only in transport protocols */
    double cycle_ms;                 /* GenMsgCycleTime or its default; 0: the file does not say */
    bool fd, brs;                    /* VFrameFormat 14 or 15, CANFD_BRS */
    const char *const *more_senders; /* BO_TX_BU_ */
    size_t more_sender_count;
    const struct dbc_signal *signals; /* in the order of the file */
    size_t signal_count;
    int line;
};

struct dbc_node {
    const char *name, *comment;
};

enum dbc_object { DBC_OF_FILE, DBC_OF_NODE, DBC_OF_MESSAGE, DBC_OF_SIGNAL, DBC_OF_VARIABLE };
enum dbc_kind { DBC_INT, DBC_HEX, DBC_REAL, DBC_TEXT, DBC_ENUM };

/* BA_DEF_ with its default (BA_DEF_DEF_). */
struct dbc_attribute {
    const char *name;
    enum dbc_object object;
    enum dbc_kind kind;
    double min, max; /* of the numbers; equal: no limits */
    const char *const *choices;
    size_t choice_count; /* DBC_ENUM */
    bool has_default;
    double number;    /* the default; DBC_ENUM: index of the choice */
    const char *text; /* the default of DBC_TEXT, the choice of DBC_ENUM; "" else */
};

/* BA_: the value of an attribute for one object. */
struct dbc_setting {
    const struct dbc_attribute *attribute;
    enum dbc_object object_kind;
    const char *object; /* name of the node, message, signal or variable; "" for the file */
    uint32_t id;        /* of the message, for messages and signals */
    double number;      /* as in struct dbc_attribute */
    const char *text;
};

struct dbc {
    const char *name;    /* of the file, for messages */
    const char *version; /* of the database; "" if there is none */
    const char *comment;
    struct dbc_message *messages; /* in the order of the file */
    size_t message_count;
    struct dbc_node *nodes;
    size_t node_count;
    struct dbc_table *tables;
    size_t table_count;
    struct dbc_attribute *attributes;
    size_t attribute_count;
    struct dbc_setting *settings;
    size_t setting_count;
    size_t ignored; /* statements that are known but say nothing a bench needs */
    size_t unknown; /* statements that are not known; each gave a warning */
    /* "file:line:column: ..." for what was doubtful but could be read. */
    const char *warnings[DBC_WARNINGS];
    size_t warning_count; /* may be more than were kept */
    void *memory;
};

/* Both return 0 or a negative errno with a message (the first mistake); *dbc is empty then and need
 * not be freed. name stands for the text in messages; the text needs no zero at its end. */
int dbc_load(const char *path, struct dbc *dbc, struct err *e);
int dbc_parse(const char *name, const char *text, size_t length, struct dbc *dbc, struct err *e);
void dbc_free(struct dbc *dbc);

/* NULL if there is none; then e says so, with the name that was perhaps meant. e may be NULL. */
const struct dbc_message *dbc_find_message(const struct dbc *dbc, const char *name, struct err *e);
const struct dbc_signal *dbc_find_signal(const struct dbc_message *m, const char *name,
                                         struct err *e);
/* id with CAN_ID_EXTENDED; NULL if there is none. */
const struct dbc_message *dbc_message_by_id(const struct dbc *dbc, uint32_t id);

/* The text of a raw value (sign-extended if the signal is signed), or NULL. */
const char *dbc_value_text(const struct dbc_signal *s, int64_t raw);
/* The raw value of a text of the signal, e.g. of a bench file. Returns 0 or -ENOENT. */
int dbc_value_raw(const struct dbc_signal *s, const char *text, int64_t *raw);

/* The value of an attribute: that of the object, else the default; false if the file has neither.
 * s NULL: of the message; m NULL too: of the file. number and text may be NULL; a text's number is
 * 0, a number's text "". */
bool dbc_attribute(const struct dbc *dbc, const struct dbc_message *m, const struct dbc_signal *s,
                   const char *name, double *number, const char **text);

#endif
