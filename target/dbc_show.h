/* What `skidpad dbc` shows: the list of a database, one message in detail, a log decoded. */
#ifndef SKIDPAD_TARGET_DBC_SHOW_H
#define SKIDPAD_TARGET_DBC_SHOW_H

#include "shared/can/dbc.h"

#include <stdbool.h>
#include <stdio.h>

/* A table of every message and signal. */
void dbc_show_list(const struct dbc *dbc, FILE *to);
/* One message: its bits as a picture, its signals, values and comments. */
void dbc_show_message(const struct dbc *dbc, const struct dbc_message *m, FILE *to);
/* The bits of a message as a picture, one for each state of its multiplexer. */
void dbc_show_layout(const struct dbc_message *m, FILE *to);

/* Short texts about a message or signal. Each fits, cut if need be. */
enum { DBC_SHOW_TEXT = 96 };
void dbc_show_id(const struct dbc_message *m, char text[DBC_SHOW_TEXT]);    /* 0x0A0 */
void dbc_show_when(const struct dbc_message *m, const struct dbc_signal *s, /* Page=1..3,7 */
                   char text[DBC_SHOW_TEXT]);

struct dbc_decode {
    const struct dbc *dbc;
    const struct dbc_message *only; /* NULL: all */
    bool csv;
    /* What there was, once it is done: */
    size_t decoded, unknown, other, refused; /* other: remote and error frames */
    size_t short_frames;                     /* with fewer bytes than their message */
};

/* Decodes a candump log, "-" for standard input. Lines that are no frames are reported on stderr
 * (the first ten) and counted. Returns 0 or a negative errno with a message. */
int dbc_decode_log(struct dbc_decode *d, const char *path, FILE *to, struct err *e);

#endif
