/* Scalars of a mapping. */
#include "shared/config/get.h"

#include "shared/config/number.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* Bounds from here on stand for none (CFG_ANY). */
static const double unbounded = 1e300;

bool cfg_check_scalar(const struct cfg_node *node, const char *wanted)
{
    if (node->kind == CFG_SCALAR && !cfg_is_null(node))
        return true;
    struct line value = LINE_EMPTY;
    cfg_add_value(&value, node);
    cfg_complain_value(node, "must be %s, %s", wanted, value.text);
    return false;
}

/* " > 0", " >= 0 and <= 1", or nothing if every number is allowed. */
static void add_range(struct line *line, struct cfg_range range)
{
    bool low = range.low > -unbounded, high = range.high < unbounded;
    if (low)
        line_add(line, " %s %.9g", range.low_open ? ">" : ">=", range.low);
    if (low && high)
        line_add(line, " and");
    if (high)
        line_add(line, " %s %.9g", range.high_open ? "<" : "<=", range.high);
}

/* Written so that a NaN is outside. */
static bool in_range(double value, struct cfg_range range)
{
    bool above = range.low_open ? value > range.low : value >= range.low;
    bool below = range.high_open ? value < range.high : value <= range.high;
    return isfinite(value) && above && below;
}

/* "must be a number > 0, is "0x1F"; hexadecimal is not accepted" */
static void complain_no_number(const struct cfg_node *node, const char *wanted)
{
    struct line value = LINE_EMPTY;
    cfg_add_value(&value, node);
    const char *hint =
        node->quoted ? "; a number has no quotes" : number_hint(node->text, node->length);
    cfg_complain_value(node, "must be %s, %s%s", wanted, value.text, hint);
}

static void complain_too_large(const struct cfg_node *node)
{
    cfg_complain_value(node, "is too large, numbers up to 1e300 are allowed");
}

/* Why cfg_get_number() failed: rc is what parsing returned. */
static void complain_number(const struct cfg_node *node, struct cfg_range range, int rc,
                            double number)
{
    struct line allowed = LINE_EMPTY, wanted = LINE_EMPTY;
    add_range(&allowed, range);
    line_add(&wanted, "a number%s", allowed.text);
    if (!cfg_check_scalar(node, wanted.text))
        return;
    if (rc == -EINVAL)
        complain_no_number(node, wanted.text);
    else if (rc == -ERANGE || fabs(number) > unbounded)
        complain_too_large(node);
    else
        cfg_complain_value(node, "must be%s, is %s", allowed.text, node->text);
}

/* A number written as `=text`; false with a message. */
static bool computed(const struct cfg_node *node, struct cfg_range range, double *value)
{
    char why[400] = "";
    struct line allowed = LINE_EMPTY;
    double number = 0.0;
    if (node->doc->compute(node->doc->compute_self, node->text + 1, &number, why, sizeof why)) {
        cfg_complain_value(node, "%s", why);
        return false;
    }
    if (!in_range(number, range)) {
        add_range(&allowed, range);
        cfg_complain_value(node, "must be%s, is %.9g", allowed.text, number);
        return false;
    }
    *value = number;
    return true;
}

void cfg_compute(struct cfg_doc *doc,
                 int (*compute)(void *self, const char *text, double *value, char *why,
                                size_t size),
                 void *self)
{
    doc->compute = compute;
    doc->compute_self = self;
}

bool cfg_get_number(const struct cfg_node *node, struct cfg_range range, double *value)
{
    double number = 0.0;
    if (node->kind == CFG_SCALAR && node->doc && node->doc->compute && node->text[0] == '=')
        return computed(node, range, value);
    int rc = node->kind != CFG_SCALAR || node->quoted
                 ? -EINVAL
                 : number_parse_double(node->text, node->length, &number);
    if (rc || !in_range(number, range)) {
        complain_number(node, range, rc, number);
        return false;
    }
    *value = number;
    return true;
}

void cfg_double(const struct cfg_node *map, const char *key, double *value, struct cfg_range range)
{
    cfg_scaled(map, key, value, 1.0, range);
}

void cfg_scaled(const struct cfg_node *map, const char *key, double *value, double factor,
                struct cfg_range range)
{
    const struct cfg_node *node = cfg_ask(map, key);
    double number = 0.0;
    if (!node || !cfg_get_number(node, range, &number))
        return;
    if (isfinite(number * factor))
        *value = number * factor;
    else
        complain_too_large(node);
}

/* No digit before its exponent is other than 0: 1e-400 is no zero, though no double holds it. */
static bool is_written_zero(const struct cfg_node *node)
{
    return strcspn(node->text, "123456789") >= strcspn(node->text, "eE");
}

void cfg_zero_or(const struct cfg_node *map, const char *key, double *value, struct cfg_range range)
{
    const struct cfg_node *node = cfg_ask(map, key);
    double number = 0.0;
    if (!node || !cfg_get_number(node, CFG_ANY, &number))
        return;
    bool is_zero = number == 0.0 && (node->text[0] == '=' || is_written_zero(node));
    if (is_zero || in_range(number, range)) {
        *value = number;
        return;
    }
    struct line allowed = LINE_EMPTY;
    add_range(&allowed, range);
    cfg_complain_value(node, "must be 0, or%s, is %s", allowed.text, node->text);
}

static void add_int_range(struct line *line, int64_t low, int64_t high)
{
    if (low > INT64_MIN)
        line_add(line, " >= %lld", (long long)low);
    if (low > INT64_MIN && high < INT64_MAX)
        line_add(line, " and");
    if (high < INT64_MAX)
        line_add(line, " <= %lld", (long long)high);
}

void cfg_int(const struct cfg_node *map, const char *key, int64_t *value, int64_t low, int64_t high)
{
    const struct cfg_node *node = cfg_ask(map, key);
    if (!node)
        return;
    struct line allowed = LINE_EMPTY, wanted = LINE_EMPTY;
    add_int_range(&allowed, low, high);
    line_add(&wanted, "a whole number%s", allowed.text);
    if (!cfg_check_scalar(node, wanted.text))
        return;
    int64_t number = 0;
    int rc = node->quoted ? -EINVAL : number_parse_int(node->text, node->length, &number);
    if (rc == 0 && number >= low && number <= high)
        *value = number;
    else if (rc == -EINVAL)
        complain_no_number(node, wanted.text);
    else if (rc == -EDOM)
        cfg_complain_value(node, "must be %s, is %s", wanted.text, node->text);
    else if (allowed.used == 0)
        cfg_complain_value(node, "is too large, whole numbers of 63 bits are allowed");
    else
        cfg_complain_value(node, "must be%s, is %s", allowed.text, node->text);
}

/* Compares in every locale alike; the word is in lower case. */
static bool same_word(const char *text, const char *word)
{
    size_t i = 0;
    for (; text[i] && word[i]; i++) {
        char c = text[i];
        if (c >= 'A' && c <= 'Z')
            c = (char)(c - 'A' + 'a');
        if (c != word[i])
            return false;
    }
    return text[i] == word[i];
}

void cfg_bool(const struct cfg_node *map, const char *key, bool *value)
{
    static const char *const words[] = {"false", "true", "no", "yes", "off", "on"};
    static const char wanted[] = "true or false (or yes, no, on, off)";
    const struct cfg_node *node = cfg_ask(map, key);
    if (!node || !cfg_check_scalar(node, wanted))
        return;
    for (size_t i = 0; i < sizeof words / sizeof words[0] && !node->quoted; i++) {
        if (same_word(node->text, words[i])) {
            *value = i % 2 == 1;
            return;
        }
    }
    struct line text = LINE_EMPTY;
    cfg_add_value(&text, node);
    cfg_complain_value(node, "must be %s, %s%s", wanted, text.text,
                       node->quoted ? "; quotes make it a text" : "");
}

void cfg_string(const struct cfg_node *map, const char *key, char *value, size_t size)
{
    const struct cfg_node *node = cfg_ask(map, key);
    if (!node || !cfg_check_scalar(node, "text"))
        return;
    if (node->length >= size)
        cfg_complain_value(node, "is too long with %zu bytes, at most %zu are allowed",
                           node->length, size ? size - 1 : 0);
    else
        memcpy(value, node->text, node->length + 1);
}

/* "slip, catch-up or stop" */
static void add_words(struct line *line, const char *const *words)
{
    for (size_t i = 0; words[i]; i++)
        line_add(line, "%s%s", i == 0 ? "" : words[i + 1] ? ", " : " or ", words[i]);
}

void cfg_choice(const struct cfg_node *map, const char *key, int *value, const char *const *words)
{
    const struct cfg_node *node = cfg_ask(map, key);
    if (!node)
        return;
    for (int i = 0; words[i] && node->kind == CFG_SCALAR; i++) {
        if (strcmp(node->text, words[i]) == 0) {
            *value = i;
            return;
        }
    }
    struct line wanted = LINE_EMPTY, text = LINE_EMPTY;
    add_words(&wanted, words);
    cfg_add_value(&text, node);
    cfg_complain_value(node, "must be %s, %s", wanted.text, text.text);
}

bool cfg_kind(const struct cfg_node *root, const char *kind)
{
    const char *const words[] = {kind, NULL};
    int found = -1;
    cfg_need(root, "kind");
    cfg_choice(root, "kind", &found, words);
    return found == 0;
}

/* The length of the folder of a file name, with its '/'; 0 if there is none. */
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

void cfg_path(const struct cfg_node *map, const char *key, char *value, size_t size)
{
    const struct cfg_node *node = cfg_ask(map, key);
    if (!node || !cfg_check_scalar(node, "a file name"))
        return;
    if (node->length == 0) {
        cfg_complain_value(node, "must be a file name, is \"\"");
        return;
    }
    size_t folder = node->text[0] == '/' ? 0 : folder_length(node->doc->name);
    if (folder >= size || node->length >= size - folder) {
        cfg_complain_value(node, "is too long with its folder (%zu bytes), at most %zu are allowed",
                           folder + node->length, size ? size - 1 : 0);
        return;
    }
    memcpy(value, node->doc->name, folder);
    memcpy(value + folder, node->text, node->length + 1);
    node->use->file = arena_copy_text(&node->doc->arena, value, folder + node->length);
}
