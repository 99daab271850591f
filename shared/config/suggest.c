/* "Did you mean": the nearest key that was asked for, and the complaint about unknown keys. */
#include "shared/base/nearest.h"
#include "shared/config/node.h"

#include <stdlib.h>
#include <string.h>

enum {
    LISTED_KEYS = 12, /* at most so many allowed keys are listed */
    UNIT_BYTES = 8,   /* longer words are no units */
};

/* Building blocks of unit suffixes; written one after another (Nm), with 'p' for "per" (mps2) and
 * with an exponent (m2). Longer ones first: the first that fits is tried first. */
static const char *const units[] = {
    "percent", "pct", "deg", "rad", "rpm", "mph", "kmh", "bar", "kHz", "MHz", "MPa", "kPa", "Hz",
    "Pa",      "kg",  "km",  "cm",  "mm",  "ms",  "us",  "ns",  "kN",  "kW",  "mV",  "g",   "t",
    "m",       "s",   "h",   "N",   "J",   "W",   "V",   "A",   "K",   "C",   "l",   "Ohm", "1",
};

/* Whether the token is put together from units. The token has at most UNIT_BYTES, which bounds the
 * recursion. */
static bool is_unit(const char *token, size_t length)
{
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        size_t taken = strlen(units[i]);
        if (taken > length || strncmp(token, units[i], taken) != 0)
            continue;
        if (taken < length && (token[taken] == '2' || token[taken] == '3'))
            taken++;
        if (taken == length || is_unit(token + taken, length - taken))
            return true;
        if (token[taken] == 'p' && is_unit(token + taken + 1, length - taken - 1))
            return true;
    }
    return false;
}

/* The length of a key without its unit: mass_kg and mass_g both give 4, rate_Nm_per_rad too. */
static size_t stem_length(const char *key)
{
    size_t length = strlen(key);
    for (;;) {
        size_t token = length;
        while (token > 0 && key[token - 1] != '_')
            token--;
        if (token < 2 || length - token > UNIT_BYTES)
            return length;
        bool per = length - token == 3 && strncmp(key + token, "per", 3) == 0;
        if (!per && !is_unit(key + token, length - token))
            return length;
        length = token - 1;
    }
}

static bool differ_in_unit_only(const char *a, const char *b)
{
    size_t stem = stem_length(a); /* unknown and known key are never the same */
    return stem == stem_length(b) && strncmp(a, b, stem) == 0;
}

/* The keys that were asked for, those first that the file lacks: of equally near ones these are
 * more likely meant. */
struct words {
    const char **list;
    size_t count;
};

static struct words collect_asked(const struct cfg_asked *first)
{
    struct words words = {NULL, 0};
    size_t count = 0;
    for (const struct cfg_asked *asked = first; asked; asked = asked->next)
        count++;
    words.list = calloc(count + 1, sizeof *words.list);
    if (!words.list)
        return words;
    for (int present = 0; present <= 1; present++)
        for (const struct cfg_asked *asked = first; asked; asked = asked->next)
            if (asked->present == (present == 1))
                words.list[words.count++] = asked->key;
    return words;
}

/* Another unit comes before another spelling: mass_g is nearer to mass_kg than to mass. */
static const char *find_meant(const char *unknown, const struct words *words)
{
    for (size_t i = 0; i < words->count; i++)
        if (differ_in_unit_only(unknown, words->list[i]))
            return words->list[i];
    return nearest_word(unknown, words->list, words->count);
}

/* All allowed keys in the order in which the program asks for them. */
static void add_asked(struct line *line, const struct cfg_asked *asked)
{
    for (; asked; asked = asked->next)
        line_add(line, "%s%s", asked->key, asked->next ? ", " : "");
}

static void complain_unknown(const struct cfg_node *map, const struct cfg_node *child,
                             const struct words *words)
{
    const char *meant = find_meant(child->key, words);
    struct line allowed = LINE_EMPTY;
    if (meant) {
        cfg_complain(child, NULL, "unknown key, did you mean \"%s\"?", meant);
    } else if (words->count == 0) {
        cfg_complain(child, NULL, "unknown key, no key is allowed here");
    } else if (words->count > LISTED_KEYS) {
        cfg_complain(child, NULL, "unknown key, docs/config.md lists the allowed ones");
    } else {
        add_asked(&allowed, map->use->first);
        cfg_complain(child, NULL, "unknown key, allowed: %s", allowed.text);
    }
}

void cfg_done(const struct cfg_node *map)
{
    if (!cfg_takes_keys(map))
        return;
    struct words words = {NULL, 0};
    /* Past the last message that is kept, looking for suggestions would only take time. */
    for (size_t i = 0; i < map->count && map->doc->message_count <= CFG_MAX_MESSAGES; i++) {
        if (map->items[i]->use->asked)
            continue;
        if (!words.list)
            words = collect_asked(map->use->first);
        complain_unknown(map, map->items[i], &words);
    }
    free(words.list);
}
