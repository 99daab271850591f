/* Codes every signal of a database, for callgrind.
 *
 *   codec_cost FILE.dbc      puts and gets each signal once through put_all() and get_all(), and
 *                            prints how many there are */
#include "shared/can/codec.h"

#include <stdio.h>
#include <stdlib.h>

struct bus {
    struct can_code *codes;
    uint8_t (*data)[CAN_MSG_DATA]; /* of the message of each signal */
    double *values;
    size_t count;
};

/* What is counted. Not static, so that callgrind finds them. */
__attribute__((noinline)) void put_all(const struct bus *b);
void put_all(const struct bus *b)
{
    for (size_t i = 0; i < b->count; i++)
        (void)code_put(&b->codes[i], b->data[i], b->values[i]);
}

__attribute__((noinline)) void get_all(const struct bus *b);
void get_all(const struct bus *b)
{
    for (size_t i = 0; i < b->count; i++)
        b->values[i] = code_get(&b->codes[i], b->data[i]);
}

static void add_message(struct bus *b, const struct dbc_message *m)
{
    for (size_t i = 0; i < m->signal_count; i++) {
        struct can_code *code = &b->codes[b->count];
        if (code_compile(m, &m->signals[i], code) == 0) {
            b->values[b->count] = code_value_of(code, 0x5a5a5a5a5a5a5a5au);
            b->count++;
        }
    }
}

int main(int argc, char **argv)
{
    struct dbc dbc;
    struct err e = {""};
    struct bus b = {0};
    size_t signals = 0;
    if (argc != 2 || dbc_load(argv[1], &dbc, &e)) {
        fprintf(stderr, "%s\n", argc == 2 ? e.text : "usage: codec_cost FILE.dbc");
        return 2;
    }
    for (size_t i = 0; i < dbc.message_count; i++)
        signals += dbc.messages[i].signal_count;
    b.codes = calloc(signals + 1, sizeof *b.codes);
    b.data = calloc(signals + 1, sizeof *b.data);
    b.values = calloc(signals + 1, sizeof *b.values);
    if (b.codes && b.data && b.values) {
        for (size_t i = 0; i < dbc.message_count; i++)
            add_message(&b, &dbc.messages[i]);
        put_all(&b);
        get_all(&b);
        printf("%zu\n", b.count);
    }
    free(b.codes);
    free(b.data);
    free(b.values);
    dbc_free(&dbc);
    return b.count ? 0 : 1;
}
