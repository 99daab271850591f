/* Reader of tyre property (.tir) files: sections of KEY = value, comments, tables.
 *
 * This layer knows the form of the file, not what the keys mean (tyre_file.h does). Mistakes become
 * messages "file:line:column: KEY: what is wrong, what is allowed"; reading goes on, so that a user
 * sees them all. Not for the real-time thread: it allocates. */
#ifndef SKIDPAD_MODEL_TYRE_TIR_H
#define SKIDPAD_MODEL_TYRE_TIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { TIR_MESSAGES = 32, TIR_NAME = 40, TIR_TEXT = 80 };

struct tir_message {
    bool warning; /* the file can be used nevertheless */
    char text[320];
};

/* Messages about one file. Start with all zeros. Counts go on when the list is full. */
struct tir_report {
    size_t errors, warnings;
    size_t count;
    struct tir_message message[TIR_MESSAGES];
};

struct tir_entry {
    char section[TIR_NAME], key[TIR_NAME];
    bool is_number;
    bool used;           /* set by whoever understands the key */
    double number;       /* always finite */
    char text[TIR_TEXT]; /* a string's content, cut to fit */
    int line, column;    /* of the value, from 1 */
};

struct tir {
    const char *name; /* stands for the file in messages */
    struct tir_entry *entry;
    size_t count, capacity;
};

/* Parses text of the given length (no terminator needed). Returns 0, -EINVAL if the report holds
 * errors, or -ENOMEM. Free *tir with tir_free() in every case. */
int tir_parse(const char *name, const char *text, size_t length, struct tir *tir,
              struct tir_report *report);
void tir_free(struct tir *tir);

/* The entry with this key, or NULL. The section decides if given, else [UNITS] is left out, since
 * its keys (MASS, LENGTH) occur elsewhere with another meaning. */
struct tir_entry *tir_find(const struct tir *tir, const char *section, const char *key);

/* Adds "name:line:column: key: ..." (line 0: the file as a whole, key NULL: no key). */
void tir_complain(struct tir_report *report, const char *name, int line, int column,
                  const char *key, const char *format, ...) __attribute__((format(printf, 6, 7)));
void tir_warn(struct tir_report *report, const char *name, int line, int column, const char *key,
              const char *format, ...) __attribute__((format(printf, 6, 7)));

/* Prints errors, and warnings if asked for. */
void tir_report_print(const struct tir_report *report, bool warnings, FILE *to);

#endif
