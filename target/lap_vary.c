/* Which variants: keys and values of the command line. */
#include "shared/base/nearest.h"
#include "target/lap.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int add_value(struct lap_axis *a, double value, const char *text, struct err *e)
{
    if (a->count == LAP_VALUES)
        return err_set(e, -EINVAL, "%s: at most %d values are allowed", a->key, LAP_VALUES);
    a->value[a->count] = value;
    (void)snprintf(a->text[a->count++], sizeof a->text[0], "%s", text);
    return 0;
}

static bool number(const char *text, double *value)
{
    char *end;
    errno = 0;
    *value = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*value);
}

static int add_range(struct lap_axis *a, char *text, struct err *e)
{
    char *part[3], *rest = text;
    double v[3], most = LAP_VALUES;
    for (int i = 0; i < 3; i++)
        part[i] = strsep(&rest, ":");
    for (int i = 0; i < 3; i++)
        if (!part[i] || rest || !number(part[i], &v[i]))
            return err_set(e, -EINVAL, "%s: a range is FROM:TO:STEP, three numbers", a->key);
    double steps = (v[1] - v[0]) / v[2];
    if (!(fabs(v[2]) > 0.0) || !(steps >= 0.0))
        return err_set(e, -EINVAL, "%s: STEP %g does not lead from %g to %g", a->key, v[2], v[0],
                       v[1]);
    if (!(steps < most))
        return err_set(e, -EINVAL, "%s: at most %d values are allowed", a->key, LAP_VALUES);
    for (int i = 0; i <= (int)floor(steps + 1e-9); i++) {
        char shown[32];
        (void)snprintf(shown, sizeof shown, "%.10g", v[0] + i * v[2]);
        if (add_value(a, v[0] + i * v[2], shown, e))
            return -EINVAL;
    }
    return 0;
}

static int add_list(struct lap_axis *a, char *text, struct err *e)
{
    char *rest = text;
    for (char *word = strsep(&rest, ","); word; word = strsep(&rest, ",")) {
        double value = NAN;
        bool is_number = number(word, &value);
        bool needs_number = a->target == LAP_SETUP || a->target == LAP_FRICTION;
        if (!word[0] || strlen(word) >= sizeof a->text[0] || (needs_number && !is_number))
            return err_set(e, -EINVAL, "%s: \"%s\" is no %s", a->key, word,
                           needs_number ? "number" : "value");
        if (add_value(a, value, word, e))
            return -EINVAL;
    }
    return 0;
}

/* What a key stands for; friction and factors have limits. */
static int check_values(const struct lap_axis *a, struct err *e)
{
    double low = 0.05, high = 2.0;
    if (a->target == LAP_SETUP) {
        low = setup_table[a->setup].low;
        high = setup_table[a->setup].high;
    } else if (a->target != LAP_FRICTION) {
        return 0; /* the file's loader says */
    }
    for (int i = 0; i < a->count; i++)
        if (!(a->value[i] >= low && a->value[i] <= high))
            return err_set(e, -EINVAL, "%s: %s is not allowed, from %g to %g is", a->key,
                           a->text[i], low, high);
    return 0;
}

int lap_vary(struct laps *l, const char *text, struct err *e)
{
    static const char prefix[] = "scenario.";
    const char *equal = strchr(text, '=');
    struct lap_axis *a = &l->axis[l->axes];
    if (l->axes == LAP_KEYS)
        return err_set(e, -EINVAL, "%s: at most %d keys can be varied", text, LAP_KEYS);
    if (!equal || equal == text || !equal[1] || (size_t)(equal - text) >= sizeof a->key)
        return err_set(e, -EINVAL, "\"%s\": give KEY=FROM:TO:STEP or KEY=VALUE,VALUE,...", text);
    memset(a, 0, sizeof *a);
    memcpy(a->key, text, (size_t)(equal - text)); /* the rest is zero */
    a->setup = setup_find(a->key);
    a->target = a->setup >= 0                     ? LAP_SETUP
                : strcmp(a->key, "friction") == 0 ? LAP_FRICTION
                                                  : LAP_VEHICLE;
    if (strncmp(a->key, prefix, sizeof prefix - 1) == 0) {
        a->target = LAP_SCENARIO;
        memmove(a->key, a->key + sizeof prefix - 1, strlen(a->key) - sizeof prefix + 2);
    }
    if (a->target == LAP_VEHICLE && !strchr(a->key, '.')) {
        const char *names[SETUP_COUNT + 1] = {"friction"};
        for (int i = 0; i < SETUP_COUNT; i++)
            names[i + 1] = setup_table[i].name;
        const char *near = nearest_word(a->key, names, SETUP_COUNT + 1);
        if (near)
            return err_set(e, -EINVAL, "no key \"%s\", did you mean \"%s\"?", a->key, near);
    }
    for (int i = 0; i < l->axes; i++)
        if (strcmp(l->axis[i].key, a->key) == 0 && l->axis[i].target == a->target)
            return err_set(e, -EINVAL, "%s is varied twice", a->key);
    char *copy = strdup(equal + 1);
    if (!copy)
        return err_set(e, -ENOMEM, "out of memory");
    int bad = strchr(copy, ':') ? add_range(a, copy, e) : add_list(a, copy, e);
    free(copy);
    if (!bad)
        bad = check_values(a, e);
    l->axes += !bad;
    return bad;
}

int lap_combine(struct laps *l, struct err *e)
{
    l->count = 1;
    for (int k = 0; k < l->axes; k++) {
        l->count *= l->axis[k].count;
        if (l->count > LAP_VARIANTS)
            return err_set(e, -EINVAL, "more than %d combinations: vary less at a time",
                           LAP_VARIANTS);
    }
    l->variant = calloc((size_t)l->count, sizeof *l->variant);
    if (!l->variant)
        return err_set(e, -ENOMEM, "out of memory");
    for (int i = 0; i < l->count; i++)
        for (int k = l->axes - 1, rest = i; k >= 0; k--) { /* the last key changes fastest */
            l->variant[i].index[k] = rest % l->axis[k].count;
            rest /= l->axis[k].count;
        }
    return 0;
}

void lap_words(const struct laps *l, int variant, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int k = 0; k < l->axes && used < size; k++) {
        const struct lap_axis *a = &l->axis[k];
        int n = snprintf(text + used, size - used, "%s%s %s", k ? ", " : "", a->key,
                         a->text[l->variant[variant].index[k]]);
        used += n > 0 ? (size_t)n : 0;
    }
}

static void trace_free(struct lap_trace *t)
{
    free(t->s_m); /* one block */
    *t = (struct lap_trace){0};
}

void lap_free(struct laps *l)
{
    for (int i = 0; i < l->count && l->variant; i++)
        trace_free(&l->variant[i].trace);
    free(l->variant);
    l->variant = NULL;
}
