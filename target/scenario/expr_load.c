/* The parser: one function for each level of precedence. */
#include "target/scenario/expr_load.h"

#include "shared/base/nearest.h"
#include "shared/config/number.h"
#include "target/scenario/expr_load_parse.h"
#include "target/scenario/expr_load_unit.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 1000, WORD_MAX = 63, NESTING_MAX = 32, NAMES_MAX = 400 };

static const struct expr_kind condition = {true, {0, 0, 0, 0}};

void expr_fail(struct expr_parser *p, const char *at, const char *format, ...)
{
    char what[384];
    if (p->failed)
        return;
    p->failed = true;
    va_list args;
    va_start(args, format);
    (void)vsnprintf(what, sizeof what, format, args);
    va_end(args);
    for (char *c = what; *c; c++)
        *c = isprint((unsigned char)*c) ? *c : '?';
    (void)err_set(p->err, -EINVAL, "character %zu: %s", (size_t)(at - p->text) + 1, what);
}

void expr_emit(struct expr_parser *p, const char *at, struct expr_op op)
{
    if (p->failed)
        return;
    if (p->out->ops + p->bodies >= EXPR_OPS) {
        expr_fail(p, at, "too long, at most %d operations are allowed", EXPR_OPS);
        return;
    }
    p->depth += op.code <= EXPR_REDUCED ? 1 : op.code >= EXPR_ADD ? -1 : 0;
    if (p->depth > EXPR_DEPTH) {
        expr_fail(p, at, "too many values wait for their operation, at most %d may", EXPR_DEPTH);
        return;
    }
    p->out->op[p->out->ops++] = op;
}

static void emit_code(struct expr_parser *p, const char *at, enum expr_code code)
{
    expr_emit(p, at, (struct expr_op){.code = (uint16_t)code});
}

void expr_skip_blanks(struct expr_parser *p)
{
    while (*p->at == ' ' || *p->at == '\t' || *p->at == '\n')
        p->at++;
}

bool expr_take(struct expr_parser *p, char sign)
{
    expr_skip_blanks(p);
    if (p->failed || *p->at != sign)
        return false;
    p->at++;
    return true;
}

size_t expr_word_length(const char *at)
{
    size_t n = 0;
    if (!isalpha((unsigned char)*at) && *at != '_')
        return 0;
    while (isalnum((unsigned char)at[n]) || at[n] == '_')
        n++;
    return n;
}

/* Takes a word if it comes next. */
static bool take_word(struct expr_parser *p, const char *word)
{
    expr_skip_blanks(p);
    size_t length = expr_word_length(p->at);
    if (p->failed || length != strlen(word) || strncmp(p->at, word, length) != 0)
        return false;
    p->at += length;
    return true;
}

void expr_need_number(struct expr_parser *p, const char *at, struct expr_kind k)
{
    if (k.is_condition)
        expr_fail(p, at, "is true or false, a number is needed here");
}

void expr_need_condition(struct expr_parser *p, const char *at, struct expr_kind k)
{
    if (!k.is_condition)
        expr_fail(p, at, "is a number, a condition such as `a > b` is needed here");
}

struct expr_kind expr_same(struct expr_parser *p, const char *at, struct expr_kind a,
                           struct expr_kind b)
{
    if (a.dim.any || b.dim.any)
        return a.dim.any ? b : a;
    if (a.dim.m != b.dim.m || a.dim.kg != b.dim.kg || a.dim.s != b.dim.s) {
        char left[48], right[48];
        expr_dim_name(a.dim, left, sizeof left);
        expr_dim_name(b.dim, right, sizeof right);
        expr_fail(p, at, "%s and %s do not go together", left, right);
    }
    return a;
}

/* ---- numbers and names */

static size_t number_length(const char *at)
{
    size_t n = 0;
    while (isdigit((unsigned char)at[n]) || at[n] == '.')
        n++;
    if (n > 0 && (at[n] == 'e' || at[n] == 'E')) {
        size_t sign = at[n + 1] == '+' || at[n + 1] == '-' ? 1 : 0;
        if (isdigit((unsigned char)at[n + 1 + sign]))
            for (n += 1 + sign; isdigit((unsigned char)at[n]);)
                n++;
    }
    return n;
}

static struct expr_kind parse_number(struct expr_parser *p)
{
    const char *begin = p->at;
    size_t length = number_length(begin);
    double number = 0.0, factor = 1.0;
    struct expr_kind k = {false, {0, 0, 0, 1}};
    if (number_parse_double(begin, length, &number))
        expr_fail(p, begin, "\"%.*s\" is no number", (int)length, begin);
    p->at += length;
    expr_skip_blanks(p);
    const char *unit = p->at;
    p->at += expr_unit_take(unit, &factor, &k.dim);
    size_t word = p->at == unit ? expr_word_length(unit) : 0;
    if (word && word <= WORD_MAX && !take_word(p, "and") && !take_word(p, "or")) {
        char text[WORD_MAX + 1];
        (void)snprintf(text, sizeof text, "%.*s", (int)word, unit);
        const char *near = expr_unit_near(text);
        expr_fail(p, unit, "no unit \"%s\"%s%s%s", text, near ? ", did you mean \"" : "",
                  near ? near : "", near ? "\"?" : "");
    }
    if (word)
        p->at = unit;
    expr_emit(p, begin, (struct expr_op){.code = EXPR_CONST, .value = number * factor});
    return k;
}

static void no_such_name(struct expr_parser *p, const char *word)
{
    const char *names[NAMES_MAX];
    size_t count = 0;
    for (size_t i = 0; i < p->scope->names && count < NAMES_MAX; i++)
        names[count++] = p->scope->named[i];
    for (size_t i = 0; i < signal_count && count < NAMES_MAX; i++)
        names[count++] = signal_table[i].name;
    const char *near = nearest_word(word, names, count);
    if (near)
        expr_fail(p, p->at, "no signal \"%s\", did you mean \"%s\"?", word, near);
    else
        expr_fail(p, p->at, "no signal \"%s\"; `skidpad signals` lists them", word);
}

/* Whether the value of a tick may stand here. */
static void need_tick(struct expr_parser *p, const char *word)
{
    if (p->reductions_allowed && p->inside == 0)
        expr_fail(p, p->at,
                  "%s changes during the drive; say which value is meant: max(%s), min(...), "
                  "mean(...), at(..., time), begin(...), end(...)",
                  word, word);
}

static struct expr_kind signal_named(struct expr_parser *p, const struct signal_info *s)
{
    struct expr_kind k = {false, {0, 0, 0, 0}};
    double factor = 1.0;
    (void)expr_unit(s->unit, &factor, &k.dim);
    need_tick(p, s->name);
    expr_emit(p, p->at,
              (struct expr_op){
                  .code = EXPR_SIGNAL, .index = (uint32_t)s->offset, .type = (uint16_t)s->type});
    if (factor != 1.0) { /* a signal that is not in SI */
        expr_emit(p, p->at, (struct expr_op){.code = EXPR_CONST, .value = factor});
        emit_code(p, p->at, EXPR_MUL);
    }
    return k;
}

static struct expr_kind parse_name(struct expr_parser *p, size_t length)
{
    char word[WORD_MAX + 1];
    struct expr_kind k = {false, {0, 0, 0, 0}};
    (void)snprintf(word, sizeof word, "%.*s", length > WORD_MAX ? WORD_MAX : (int)length, p->at);
    for (size_t i = 0; i < p->scope->names; i++) {
        if (strcmp(word, p->scope->named[i]) != 0)
            continue;
        k.dim = p->scope->named_dim[i];
        expr_emit(p, p->at, (struct expr_op){.code = EXPR_NAMED, .index = (uint32_t)i});
        return k;
    }
    int found = signal_find(word);
    if (found >= 0)
        return signal_named(p, &signal_table[found]);
    no_such_name(p, word);
    return k;
}

/* ---- levels of precedence, the tightest first */

static struct expr_kind parse_word(struct expr_parser *p)
{
    size_t length = expr_word_length(p->at);
    const char *begin = p->at, *behind = begin + length;
    struct expr_kind k = {false, {0, 0, 0, 1}};
    while (*behind == ' ')
        behind++;
    if (*behind != '(') {
        k = parse_name(p, length);
    } else if (!expr_parse_call(p, length, &k)) {
        char word[WORD_MAX + 1];
        (void)snprintf(word, sizeof word, "%.*s", length > WORD_MAX ? WORD_MAX : (int)length,
                       begin);
        const char *near = expr_function_near(word);
        expr_fail(p, begin, "no function \"%s\"%s%s%s", word, near ? ", did you mean \"" : "",
                  near ? near : "", near ? "\"?" : "");
    } else {
        return k;
    }
    p->at = begin + length;
    return k;
}

static struct expr_kind parse_primary(struct expr_parser *p)
{
    struct expr_kind k = {false, {0, 0, 0, 1}};
    expr_skip_blanks(p);
    const char *begin = p->at;
    if (p->failed)
        return k;
    if (++p->nesting > NESTING_MAX) {
        expr_fail(p, begin, "nested too deeply, at most %d levels are allowed", NESTING_MAX);
    } else if (expr_take(p, '-')) {
        k = parse_primary(p);
        expr_need_number(p, begin, k);
        emit_code(p, begin, EXPR_NEG);
    } else if (expr_take(p, '(')) {
        k = expr_parse(p);
        if (!expr_take(p, ')'))
            expr_fail(p, p->at, "\")\" is missing, for the \"(\" of character %zu",
                      (size_t)(begin - p->text) + 1);
    } else if (isdigit((unsigned char)*begin) || *begin == '.') {
        k = parse_number(p);
    } else if (expr_word_length(begin) > 0) {
        k = parse_word(p);
    } else if (*begin == '\0') {
        expr_fail(p, begin, "a value is missing at the end");
    } else {
        expr_fail(p, begin, "a value is expected here, not \"%c\"",
                  isprint((unsigned char)*begin) ? *begin : '?');
    }
    p->nesting--;
    return k;
}

static struct expr_kind parse_product(struct expr_parser *p)
{
    struct expr_kind a = parse_primary(p);
    for (;;) {
        expr_skip_blanks(p);
        const char *sign = p->at;
        bool times = expr_take(p, '*');
        if (!times && !expr_take(p, '/'))
            return a;
        struct expr_kind b = parse_primary(p);
        expr_need_number(p, sign, a);
        expr_need_number(p, sign, b);
        int way = times ? 1 : -1;
        a.dim.m = (int8_t)(a.dim.m + way * b.dim.m);
        a.dim.kg = (int8_t)(a.dim.kg + way * b.dim.kg);
        a.dim.s = (int8_t)(a.dim.s + way * b.dim.s);
        a.dim.any = a.dim.any && b.dim.any;
        if (abs(a.dim.m) + abs(a.dim.kg) + abs(a.dim.s) > 60)
            expr_fail(p, sign, "no quantity has such a dimension");
        emit_code(p, sign, times ? EXPR_MUL : EXPR_DIV);
    }
}

static struct expr_kind parse_sum(struct expr_parser *p)
{
    struct expr_kind a = parse_product(p);
    for (;;) {
        expr_skip_blanks(p);
        const char *sign = p->at;
        bool plus = expr_take(p, '+');
        if (!plus && !expr_take(p, '-'))
            return a;
        struct expr_kind b = parse_product(p);
        expr_need_number(p, sign, a);
        expr_need_number(p, sign, b);
        a = expr_same(p, sign, a, b);
        emit_code(p, sign, plus ? EXPR_ADD : EXPR_SUB);
    }
}

/* The comparison that comes next; 0 if none does. */
static int take_comparison(struct expr_parser *p)
{
    static const struct {
        const char *sign;
        enum expr_code code;
    } table[] = {{"<=", EXPR_LESS_EQUAL}, {">=", EXPR_MORE_EQUAL}, {"==", EXPR_EQUAL},
                 {"!=", EXPR_NOT_EQUAL},  {"<", EXPR_LESS},        {">", EXPR_MORE}};
    expr_skip_blanks(p);
    for (size_t i = 0; !p->failed && i < sizeof table / sizeof table[0]; i++) {
        size_t length = strlen(table[i].sign);
        if (strncmp(p->at, table[i].sign, length) != 0)
            continue;
        p->at += length;
        return (int)table[i].code;
    }
    if (*p->at == '=')
        expr_fail(p, p->at, "write \"==\" to compare");
    return 0;
}

static struct expr_kind parse_comparison(struct expr_parser *p)
{
    int32_t left = p->out->ops;
    struct expr_kind a = parse_sum(p);
    expr_skip_blanks(p);
    const char *sign = p->at;
    int code = take_comparison(p);
    if (!code)
        return a;
    int32_t right = p->out->ops;
    struct expr_kind b = parse_sum(p);
    expr_need_number(p, sign, a);
    expr_need_number(p, sign, b);
    (void)expr_same(p, sign, a, b);
    emit_code(p, sign, (enum expr_code)code);
    p->left = left;
    p->right = right;
    p->compared = p->out->ops;
    const char *next = p->at;
    if (take_comparison(p))
        expr_fail(p, next, "compare two values at a time and join with \"and\"");
    return condition;
}

static struct expr_kind parse_not(struct expr_parser *p)
{
    expr_skip_blanks(p);
    const char *begin = p->at;
    if (!take_word(p, "not"))
        return parse_comparison(p);
    struct expr_kind k = condition;
    if (++p->nesting > NESTING_MAX)
        expr_fail(p, begin, "nested too deeply, at most %d levels are allowed", NESTING_MAX);
    else
        k = parse_not(p);
    p->nesting--;
    expr_need_condition(p, begin + 3, k);
    emit_code(p, begin, EXPR_NOT);
    return k;
}

static struct expr_kind parse_and(struct expr_parser *p)
{
    const char *begin = p->at;
    struct expr_kind a = parse_not(p);
    while (take_word(p, "and")) {
        const char *second = p->at;
        struct expr_kind b = parse_not(p);
        expr_need_condition(p, begin, a);
        expr_need_condition(p, second, b);
        emit_code(p, second, EXPR_AND);
    }
    return a;
}

struct expr_kind expr_parse(struct expr_parser *p)
{
    const char *begin = p->at;
    struct expr_kind a = parse_and(p);
    while (take_word(p, "or")) {
        const char *second = p->at;
        struct expr_kind b = parse_and(p);
        expr_need_condition(p, begin, a);
        expr_need_condition(p, second, b);
        emit_code(p, second, EXPR_OR);
    }
    return a;
}

/* ---- from outside */

static void finish(struct expr_parser *p, struct expr_kind k, enum expr_use use)
{
    struct expr *e = p->out;
    expr_skip_blanks(p);
    if (*p->at != '\0')
        expr_fail(p, p->at, "this does not belong to the expression: \"%.20s\"", p->at);
    if (use == EXPR_CONDITION || use == EXPR_CRITERION)
        expr_need_condition(p, p->text, k);
    else
        expr_need_number(p, p->text, k);
    e->result = (struct expr_part){0, e->ops};
    if (p->compared == e->ops && p->left == 0 && k.is_condition) {
        e->left = (struct expr_part){0, p->right};
        e->right = (struct expr_part){p->right, e->ops - 1 - p->right};
    }
    e->is_condition = k.is_condition;
    e->dim = k.dim;
}

int expr_compile(const char *text, enum expr_use use, const struct expr_scope *scope,
                 struct expr *out, struct err *e)
{
    static const struct expr_scope nothing;
    struct err unused = {""};
    memset(out, 0, sizeof *out);
    struct expr_parser p = {.text = text,
                            .at = text,
                            .out = out,
                            .scope = scope ? scope : &nothing,
                            .err = e ? e : &unused,
                            .reductions_allowed = use == EXPR_CRITERION || use == EXPR_MEASURE};
    if (strnlen(text, TEXT_MAX + 1) > TEXT_MAX)
        expr_fail(&p, text, "too long, at most %d characters are allowed", TEXT_MAX);
    struct expr_kind k = expr_parse(&p);
    if (!p.failed)
        finish(&p, k, use);
    return p.failed ? -EINVAL : 0;
}

bool expr_load(const struct cfg_node *map, const char *key, enum expr_use use,
               const struct expr_scope *scope, struct expr *out)
{
    enum { NONE = 1 }; /* no text begins so */
    char text[TEXT_MAX + 1] = {NONE};
    struct err e = {""};
    if (!cfg_has(map, key))
        return false;
    cfg_string(map, key, text, sizeof text);
    if (text[0] == NONE)
        return false; /* is no text, which is said already */
    if (text[0] == '\0') {
        cfg_complain(map, key, "is empty, an expression is needed");
        return false;
    }
    if (expr_compile(text, use, scope, out, &e) == 0)
        return true;
    cfg_complain(map, key, "%s, in \"%.80s%s\"", e.text, text, strlen(text) > 80 ? "..." : "");
    return false;
}
