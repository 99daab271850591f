/* Lists and tables of numbers. Each is checked as a whole before anything is given to the caller.
 */
#include "shared/config/get.h"

#include <stdlib.h>

static void complain_count(const struct cfg_node *list, const char *what, size_t min, size_t max)
{
    struct line wanted = LINE_EMPTY;
    if (min == max)
        line_add(&wanted, "%zu %s", min, what);
    else if (max == SIZE_MAX)
        line_add(&wanted, "at least %zu %s", min, what);
    else
        line_add(&wanted, "%zu to %zu %s", min, max, what);
    cfg_complain_value(list, "must be a list of %s, has %zu", wanted.text, cfg_count(list));
}

/* Checks all numbers, so that all wrong ones get their message; values may be NULL. */
static bool get_numbers(const struct cfg_node *list, struct cfg_range range, double *values)
{
    bool good = true;
    for (size_t i = 0; i < list->count; i++) {
        double number = 0.0;
        if (!cfg_get_number(list->items[i], range, &number))
            good = false;
        else if (values)
            values[i] = number;
    }
    return good;
}

size_t cfg_doubles_upto(const struct cfg_node *map, const char *key, double *values, size_t min,
                        size_t max, struct cfg_range range)
{
    const struct cfg_node *list = cfg_list(map, key);
    if (!list)
        return 0;
    size_t count = cfg_count(list);
    if (count < min || count > max) {
        complain_count(list, "numbers", min, max);
        return 0;
    }
    if (count == 0 || !get_numbers(list, range, NULL) || !get_numbers(list, range, values))
        return 0;
    return count;
}

void cfg_doubles(const struct cfg_node *map, const char *key, double *values, size_t count,
                 struct cfg_range range)
{
    (void)cfg_doubles_upto(map, key, values, count, count, range);
}

/* One row into its place; false with a message. */
static bool get_row(const struct cfg_node *row, size_t columns, double *values)
{
    if (row->kind != CFG_LIST) {
        struct line value = LINE_EMPTY;
        cfg_add_value(&value, row);
        cfg_complain_value(row, "must be a list of %zu numbers, %s", columns, value.text);
        return false;
    }
    if (row->count != columns) {
        complain_count(row, "numbers", columns, columns);
        return false;
    }
    return get_numbers(row, CFG_ANY, values);
}

static bool get_rows(const struct cfg_node *table, size_t columns, bool rising, double *values)
{
    bool good = true;
    for (size_t i = 0; i < table->count; i++) {
        const struct cfg_node *row = table->items[i];
        double *now = values + i * columns;
        if (!get_row(row, columns, now)) {
            good = false;
            continue;
        }
        /* Shown as written: two numbers that differ in the last digit only must look different. */
        if (rising && good && i > 0 && !(now[0] > values[(i - 1) * columns])) {
            cfg_complain_value(row->items[0], "must be > %s (the row before), is %s",
                               table->items[i - 1]->items[0]->text, row->items[0]->text);
            good = false;
        }
    }
    return good;
}

static double *read_rows(const struct cfg_node *map, const char *key, size_t columns,
                         size_t min_rows, bool rising, size_t *rows)
{
    *rows = 0;
    const struct cfg_node *table = cfg_list(map, key);
    if (!table)
        return NULL;
    size_t count = cfg_count(table);
    if (count < min_rows) {
        complain_count(table, "rows", min_rows, SIZE_MAX);
        return NULL;
    }
    if (count == 0 || columns == 0)
        return NULL;
    double *values = columns <= SIZE_MAX / sizeof(double) / count
                         ? malloc(count * columns * sizeof(double))
                         : NULL;
    if (!values) {
        cfg_complain_value(table, "is too large for the memory");
        return NULL;
    }
    if (!get_rows(table, columns, rising, values)) {
        free(values);
        return NULL;
    }
    *rows = count;
    return values;
}

double *cfg_table(const struct cfg_node *map, const char *key, size_t columns, size_t min_rows,
                  size_t *rows)
{
    return read_rows(map, key, columns, min_rows, true, rows);
}

double *cfg_rows(const struct cfg_node *map, const char *key, size_t columns, size_t *rows)
{
    return read_rows(map, key, columns, 1, false, rows);
}

bool cfg_is_list(const struct cfg_node *map, const char *key)
{
    const struct cfg_node *node = cfg_ask(map, key);
    return node && node->kind == CFG_LIST;
}
