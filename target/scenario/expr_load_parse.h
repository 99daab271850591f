/* The inside of the compiler of expressions: what the parser and its functions share. */
#ifndef SKIDPAD_SCENARIO_EXPR_LOAD_PARSE_H
#define SKIDPAD_SCENARIO_EXPR_LOAD_PARSE_H

#include "target/scenario/expr_load.h"

/* What a piece of the text is: a condition, or a number of some dimension. */
struct expr_kind {
    bool is_condition;
    struct expr_dim dim;
};

struct expr_parser {
    const char *text, *at;
    struct expr *out; /* results grow from op[0], bodies of reductions from the end of op[] */
    const struct expr_scope *scope;
    struct err *err;
    int32_t bodies; /* operations at the end of op[] */
    int depth;      /* values on the stack here */
    int nesting;    /* parentheses and functions around here */
    int inside;     /* reductions around here */
    bool reductions_allowed;
    bool failed; /* everything is skipped from then on */
    /* The last comparison: where its sides begin and where it ends. */
    int32_t left, right, compared;
};

/* Keeps the first mistake: "character 5: ...". */
void expr_fail(struct expr_parser *p, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void expr_emit(struct expr_parser *p, const char *at, struct expr_op op);
void expr_skip_blanks(struct expr_parser *p);
/* Takes the sign if it comes next. */
bool expr_take(struct expr_parser *p, char sign);
/* Length of the word at a place; 0 if there is none. */
size_t expr_word_length(const char *at);
/* Both must be of one dimension, unless one takes any. Returns what they have in common. */
struct expr_kind expr_same(struct expr_parser *p, const char *at, struct expr_kind a,
                           struct expr_kind b);
void expr_need_number(struct expr_parser *p, const char *at, struct expr_kind k);
void expr_need_condition(struct expr_parser *p, const char *at, struct expr_kind k);

struct expr_kind expr_parse(struct expr_parser *p); /* from `or` downwards */

/* expr_load_call.c: NAME(...), at its name. False if there is no such function. */
bool expr_parse_call(struct expr_parser *p, size_t length, struct expr_kind *kind);
/* The function nearest to a word, or NULL. */
const char *expr_function_near(const char *word);

#endif
