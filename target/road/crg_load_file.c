#include "target/road/crg_load_file.h"

#include "shared/base/file.h"
#include "shared/base/nearest.h"
#include "shared/config/number.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum section { NO_SECTION, COMMENT, ROAD, OPTIONS, MODIFIERS, DEFINITION, REFERENCE, OTHER };
enum { NESTED = 4, REFERENCES = 8, LINE_BYTES = 1024 };

static const struct {
    const char *name;
    enum section section;
    int key; /* -1: known, but without meaning here */
} names[] = {
    {"REFERENCE_LINE_START_U", ROAD, CRG_START_U},
    {"REFERENCE_LINE_END_U", ROAD, CRG_END_U},
    {"REFERENCE_LINE_INCREMENT", ROAD, CRG_INCREMENT},
    {"LONG_SECTION_V_RIGHT", ROAD, CRG_V_RIGHT},
    {"LONG_SECTION_V_LEFT", ROAD, CRG_V_LEFT},
    {"LONG_SECTION_V_INCREMENT", ROAD, CRG_V_INCREMENT},
    {"REFERENCE_LINE_START_X", ROAD, CRG_START_X},
    {"REFERENCE_LINE_START_Y", ROAD, CRG_START_Y},
    {"REFERENCE_LINE_START_Z", ROAD, CRG_START_Z},
    {"REFERENCE_LINE_START_PHI", ROAD, CRG_START_PHI},
    {"REFERENCE_LINE_START_S", ROAD, CRG_START_SLOPE},
    {"REFERENCE_LINE_START_B", ROAD, CRG_START_BANK},
    {"REFERENCE_LINE_END_X", ROAD, CRG_END_X},
    {"REFERENCE_LINE_END_Y", ROAD, CRG_END_Y},
    {"REFERENCE_LINE_END_Z", ROAD, CRG_END_Z},
    {"REFERENCE_LINE_END_PHI", ROAD, -1},
    {"REFERENCE_LINE_END_S", ROAD, -1},
    {"REFERENCE_LINE_END_B", ROAD, -1},
    {"REFERENCE_LINE_OFFSET_X", ROAD, -1},
    {"REFERENCE_LINE_OFFSET_Y", ROAD, -1},
    {"REFERENCE_LINE_OFFSET_Z", ROAD, -1},
    {"REFERENCE_LINE_OFFSET_PHI", ROAD, -1},
    {"REFERENCE_LINE_START_LON", ROAD, -1},
    {"REFERENCE_LINE_START_LAT", ROAD, -1},
    {"REFERENCE_LINE_START_ALT", ROAD, -1},
    {"REFERENCE_LINE_END_LON", ROAD, -1},
    {"REFERENCE_LINE_END_LAT", ROAD, -1},
    {"REFERENCE_LINE_END_ALT", ROAD, -1},
    {"BORDER_MODE_U", OPTIONS, CRG_MODE_U},
    {"BORDER_MODE_V", OPTIONS, CRG_MODE_V},
    {"BORDER_OFFSET_U", OPTIONS, CRG_OFFSET_U},
    {"BORDER_OFFSET_V", OPTIONS, CRG_OFFSET_V},
    {"BORDER_SMOOTH_UBEG", OPTIONS, CRG_SMOOTH_BEGIN},
    {"BORDER_SMOOTH_UEND", OPTIONS, CRG_SMOOTH_END},
    {"REFLINE_CONTINUATION", OPTIONS, CRG_CONTINUE},
    {"REFLINE_SEARCH_FAR", OPTIONS, -1},
    {"REFLINE_SEARCH_CLOSE", OPTIONS, -1},
    {"REFLINE_SEARCH_INIT_U", OPTIONS, -1},
    {"REFLINE_SEARCH_INIT_U_FRACTION", OPTIONS, -1},
    {"WARN_MSGS", OPTIONS, -1},
    {"WARN_CURV_LOCAL", OPTIONS, -1},
    {"WARN_CURV_GLOBAL", OPTIONS, -1},
    {"LOG_MSGS", OPTIONS, -1},
    {"LOG_EVAL", OPTIONS, -1},
    {"LOG_EVAL_FREQ", OPTIONS, -1},
    {"LOG_HIST", OPTIONS, -1},
    {"LOG_HIST_FREQ", OPTIONS, -1},
    {"LOG_STAT", OPTIONS, -1},
    {"LOG_STAT_FREQ", OPTIONS, -1},
    {"CHECK_EPS", OPTIONS, -1},
    {"CHECK_INC", OPTIONS, -1},
    {"CHECK_TOL", OPTIONS, -1},
    {"CHECK_PRO", OPTIONS, -1},
    {"CHECK_WGS", OPTIONS, -1},
    {"SCALE_Z_GRID", MODIFIERS, CRG_SCALE_Z},
    {"SCALE_SLOPE", MODIFIERS, CRG_SCALE_SLOPE},
    {"SCALE_BANKING", MODIFIERS, CRG_SCALE_BANK},
    {"SCALE_LENGTH", MODIFIERS, CRG_SCALE_LENGTH},
    {"SCALE_WIDTH", MODIFIERS, CRG_SCALE_WIDTH},
    {"SCALE_CURVATURE", MODIFIERS, CRG_SCALE_CURVATURE},
    {"GRID_NAN_MODE", MODIFIERS, CRG_NAN_MODE},
    {"GRID_NAN_OFFSET", MODIFIERS, CRG_NAN_OFFSET},
    {"REFLINE_ROTCENTER_X", MODIFIERS, CRG_TURN_X},
    {"REFLINE_ROTCENTER_Y", MODIFIERS, CRG_TURN_Y},
    {"REFLINE_OFFSET_PHI", MODIFIERS, CRG_MOVE_PHI},
    {"REFLINE_OFFSET_X", MODIFIERS, CRG_MOVE_X},
    {"REFLINE_OFFSET_Y", MODIFIERS, CRG_MOVE_Y},
    {"REFLINE_OFFSET_Z", MODIFIERS, CRG_MOVE_Z},
    {"REFPOINT_U", MODIFIERS, CRG_POINT_U},
    {"REFPOINT_V", MODIFIERS, CRG_POINT_V},
    {"REFPOINT_U_FRACTION", MODIFIERS, CRG_POINT_U_SHARE},
    {"REFPOINT_V_FRACTION", MODIFIERS, CRG_POINT_V_SHARE},
    {"REFPOINT_U_OFFSET", MODIFIERS, CRG_POINT_U_OFFSET},
    {"REFPOINT_V_OFFSET", MODIFIERS, CRG_POINT_V_OFFSET},
    {"REFPOINT_X", MODIFIERS, CRG_POINT_X},
    {"REFPOINT_Y", MODIFIERS, CRG_POINT_Y},
    {"REFPOINT_Z", MODIFIERS, CRG_POINT_Z},
    {"REFPOINT_PHI", MODIFIERS, CRG_POINT_PHI},
};
enum { NAMES = sizeof names / sizeof names[0] };

struct parser {
    const char *name, *text;
    size_t length, at;
    int line;
    enum section section;
    bool has_options, has_modifiers; /* a file that was read before has them */
    bool own_options, own_modifiers;
    enum crg_form form;
    char reference[REFERENCES][CRG_PATH];
    int references;
    bool is_data; /* the header ended with the line of dollars */
    struct crg_file *f;
    struct err *e;
};

/* A line without its comment and the blanks around it. */
static bool next_line(struct parser *p, char line[LINE_BYTES])
{
    if (p->at >= p->length)
        return false;
    const char *begin = p->text + p->at, *end = memchr(begin, '\n', p->length - p->at);
    size_t n = end ? (size_t)(end - begin) : p->length - p->at;
    p->at += n + (end ? 1 : 0);
    p->line++;
    if (n > LINE_BYTES - 1)
        n = LINE_BYTES - 1;
    const char *comment = begin[0] == '*' ? begin : memchr(begin, '!', n);
    if (n > 0 && comment && p->section != COMMENT)
        n = (size_t)(comment - begin);
    while (n > 0 && strchr(" \t\r", begin[n - 1]))
        n--;
    while (n > 0 && strchr(" \t", *begin)) {
        begin++;
        n--;
    }
    memcpy(line, begin, n);
    line[n] = '\0';
    return true;
}

static int begin_section(struct parser *p, const char *line)
{
    static const struct {
        const char *name;
        enum section section;
    } sections[] = {{"$CT", COMMENT},
                    {"$ROAD_CRG_OPTS", OPTIONS},
                    {"$ROAD_CRG_MODS", MODIFIERS},
                    {"$ROAD_CRG_FILE", REFERENCE},
                    {"$ROAD_CRG", ROAD},
                    {"$KD_DEFINITION", DEFINITION}};
    size_t length = strcspn(line, " \t");
    p->section = length > 1 ? OTHER : NO_SECTION;
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++)
        if (strlen(sections[i].name) == length && strncasecmp(line, sections[i].name, length) == 0)
            p->section = sections[i].section;
    p->own_options |= p->section == OPTIONS;
    p->own_modifiers |= p->section == MODIFIERS;
    if (p->section == REFERENCE) {
        if (p->references == REFERENCES)
            return err_set(p->e, -EINVAL, "%s:%d: more than %d references to files", p->name,
                           p->line, REFERENCES);
        p->reference[p->references++][0] = '\0';
    }
    return 0;
}

static int unknown_key(const struct parser *p, const char *key)
{
    const char *words[NAMES];
    size_t count = 0;
    for (int i = 0; i < NAMES; i++)
        if (names[i].section == p->section)
            words[count++] = names[i].name;
    const char *near = nearest_word(key, words, count);
    if (near)
        return err_set(p->e, -EINVAL, "%s:%d: %s: unknown key, did you mean \"%s\"?", p->name,
                       p->line, key, near);
    return err_set(p->e, -EINVAL, "%s:%d: %s: unknown key", p->name, p->line, key);
}

static int key_value(struct parser *p, const char *line)
{
    char key[64];
    const char *equals = strchr(line, '=');
    size_t length = strcspn(line, " \t=");
    if (!equals || length == 0 || length >= sizeof key)
        return err_set(p->e, -EINVAL, "%s:%d: \"%.40s\" is not of the form KEY = number", p->name,
                       p->line, line);
    for (size_t i = 0; i < length; i++)
        key[i] = (char)(line[i] >= 'a' && line[i] <= 'z' ? line[i] - 32 : line[i]);
    key[length] = '\0';
    int at = 0;
    while (at < NAMES && (names[at].section != p->section || strcmp(names[at].name, key) != 0))
        at++;
    if (at == NAMES)
        return unknown_key(p, key);
    if (names[at].key < 0 || (p->section == OPTIONS && p->has_options) ||
        (p->section == MODIFIERS && p->has_modifiers))
        return 0;
    const char *text = equals + 1 + strspn(equals + 1, " \t");
    double x;
    if (number_parse_double(text, strlen(text), &x) || !(fabs(x) <= 1e9))
        return err_set(p->e, -EINVAL, "%s:%d: %s: must be a number, is \"%.40s\"", p->name, p->line,
                       key, text);
    p->f->value[names[at].key] = x;
    p->f->has[names[at].key] = true;
    return 0;
}

/* D:long section at v = -1.500,m   D:long section 3,m   D:reference line phi,rad */
static int column_of(struct parser *p, const char *text, struct crg_column *c)
{
    static const char *const lines[] = {"phi", "slope", "banking", "x", "y", "z"};
    static const char *const units[] = {"rad", "m/m", "m/m", "m", "m", "m"};
    const char *comma = strchr(text, ','), *unit = comma ? comma + 1 : "";
    size_t length = comma ? (size_t)(comma - text) : strlen(text);
    unit += strspn(unit, " \t");
    *c = (struct crg_column){.channel = CRG_UNKNOWN, .v_m = NAN};
    while (length > 0 && strchr(" \t", text[length - 1]))
        length--;
    static const char section[] = "long section", line[] = "reference line ";
    if (length >= sizeof section - 1 && strncasecmp(text, section, sizeof section - 1) == 0) {
        const char *equals = memchr(text, '=', length), *rest = text + sizeof section - 1;
        const char *number = equals ? equals + 1 : rest;
        while (number < text + length && *number == ' ')
            number++;
        double x;
        if (number_parse_double(number, (size_t)(text + length - number), &x) ||
            !(fabs(x) <= 1e4) || (!equals && !(x >= 1.0 && x == rint(x))))
            return err_set(p->e, -EINVAL,
                           "%s:%d: \"%.40s\" is neither \"long section at v = X\" nor \"long "
                           "section N\"",
                           p->name, p->line, text);
        c->channel = CRG_SECTION;
        c->v_m = equals ? x : NAN;
        c->number = equals ? 0 : (int)x;
        if (strncasecmp(unit, "mm", 2) == 0 || strncasecmp(unit, "in", 2) == 0)
            return err_set(p->e, -EINVAL, "%s:%d: the unit \"%.10s\" is not known, heights are m",
                           p->name, p->line, unit);
        return 0;
    }
    if (length < sizeof line - 1 || strncasecmp(text, line, sizeof line - 1) != 0)
        return 0;
    for (int i = 0; i < 6; i++)
        if (strlen(lines[i]) == length - (sizeof line - 1) &&
            strncasecmp(text + sizeof line - 1, lines[i], strlen(lines[i])) == 0) {
            c->channel = (enum crg_channel)i;
            if (*unit && strcasecmp(unit, units[i]) != 0)
                return err_set(p->e, -EINVAL,
                               "%s:%d: the unit of \"%.*s\" must be %s, is \"%.20s\"", p->name,
                               p->line, (int)length, text, units[i], unit);
        }
    return 0;
}

static int definition(struct parser *p, const char *line)
{
    static const char *const forms[] = {"KRBI", "KDBI", "LRFI", "LDFI"};
    struct crg_file *f = p->f;
    if (line[0] == '#' && line[1] == ':') {
        const char *form = line + 2 + strspn(line + 2, " \t");
        for (int i = 0; i < 4; i++)
            if (strcasecmp(form, forms[i]) == 0) {
                p->form = (enum crg_form)i;
                return 0;
            }
        return err_set(p->e, -EINVAL, "%s:%d: format \"%.20s\" is none of KRBI, KDBI, LRFI, LDFI",
                       p->name, p->line, form);
    }
    if ((line[0] | 0x20) != 'd' || line[1] != ':')
        return 0; /* U: virtual channels, and what else there may be */
    if (f->columns >= CRG_MAX_COLUMNS)
        return err_set(p->e, -EINVAL, "%s:%d: more than %d channels", p->name, p->line,
                       CRG_MAX_COLUMNS);
    if ((f->columns & (f->columns + 1)) == 0) { /* room doubles: 1, 3, 7, ... */
        struct crg_column *more = realloc(f->column, 2 * (f->columns + 1) * sizeof *f->column);
        if (!more)
            return -ENOMEM;
        f->column = more;
    }
    return column_of(p, line + 2 + strspn(line + 2, " \t"), &f->column[f->columns++]);
}

/* A name may go on over several lines. */
static int reference(struct parser *p, const char *line)
{
    char *to = p->reference[p->references - 1];
    if (strlen(to) + strlen(line) >= CRG_PATH)
        return err_set(p->e, -EINVAL, "%s:%d: the name of the file is too long", p->name, p->line);
    if (line[0] == '$')
        return err_set(p->e, -EINVAL, "%s:%d: names with variables of the environment are not read",
                       p->name, p->line);
    strcat(to, line);
    return 0;
}

static int header(struct parser *p)
{
    char line[LINE_BYTES];
    int bad = 0;
    while (!bad && next_line(p, line)) {
        if (line[0] == '$' && line[1] == '$') {
            p->is_data = true;
            return 0;
        }
        if (line[0] == '$')
            bad = begin_section(p, line);
        else if (!line[0] || p->section == COMMENT || p->section == OTHER)
            continue;
        else if (p->section == DEFINITION)
            bad = definition(p, line);
        else if (p->section == REFERENCE)
            bad = reference(p, line);
        else if (p->section != NO_SECTION)
            bad = key_value(p, line);
        else
            bad = err_set(p->e, -EINVAL,
                          "%s:%d: \"%.40s\" is in no section; an OpenCRG file begins with $CT",
                          p->name, p->line, line);
    }
    return bad;
}

static int parse(struct parser *p)
{
    struct crg_file *f = p->f;
    int bad = header(p);
    if (bad || !p->is_data)
        return bad;
    if (f->row)
        return err_set(p->e, -EINVAL, "%s:%d: road data a second time", p->name, p->line);
    if (!f->has[CRG_INCREMENT] || !(f->value[CRG_INCREMENT] >= 1e-3))
        return err_set(p->e, -EINVAL,
                       "%s:%d: REFERENCE_LINE_INCREMENT is needed before the data, at least 0.001",
                       p->name, p->line);
    if (f->columns == 0)
        return err_set(p->e, -EINVAL,
                       "%s:%d: $KD_DEFINITION with D: channels is needed before the "
                       "data",
                       p->name, p->line);
    return crg_data_parse(p->name, p->text, p->length, p->at, p->line, p->form, f, p->e);
}

static int check_data(const char *name, const struct crg_file *f, struct err *e)
{
    if (f->row)
        return 0;
    return err_set(e, -EINVAL, "%s: no road data; they follow a line of dollars ($$$$...)", name);
}

int crg_file_parse(const char *name, const char *text, size_t length, struct crg_file *out,
                   struct err *e)
{
    struct parser p = {.name = name, .text = text, .length = length, .f = out, .e = e};
    memset(out, 0, sizeof *out);
    int bad = parse(&p);
    return bad ? bad : check_data(name, out, e);
}

static int read_one(const char *path, int depth, bool has_options, bool has_modifiers,
                    struct crg_file *f, struct err *e)
{
    struct parser *p = calloc(1, sizeof *p);
    char *text = NULL;
    if (!p)
        return -ENOMEM;
    *p = (struct parser){.name = path, .f = f, .e = e};
    p->has_options = has_options;
    p->has_modifiers = has_modifiers;
    int bad = file_read_whole(path, CRG_MAX_BYTES, &text, &p->length);
    if (bad)
        bad = err_set(e, bad, "%s: cannot be read: %s", path, file_why(bad));
    p->text = text;
    if (!bad)
        bad = parse(p);
    free(text);
    has_options |= p->own_options;
    has_modifiers |= p->own_modifiers;
    for (int i = 0; !bad && i < p->references; i++) {
        char other[2 * CRG_PATH];
        const char *slash = strrchr(path, '/');
        int folder = slash && p->reference[i][0] != '/' ? (int)(slash - path + 1) : 0;
        (void)snprintf(other, sizeof other, "%.*s%s", folder, path, p->reference[i]);
        if (depth >= NESTED)
            bad = err_set(e, -ELOOP, "%s: refers to files that refer to files %d times", path,
                          NESTED);
        else
            bad = read_one(other, depth + 1, has_options, has_modifiers, f, e);
    }
    free(p);
    return bad;
}

int crg_file_read(const char *path, struct crg_file *out, struct err *e)
{
    memset(out, 0, sizeof *out);
    int bad = read_one(path, 0, false, false, out, e);
    return bad ? bad : check_data(path, out, e);
}

void crg_file_free(struct crg_file *f)
{
    free(f->column);
    free(f->row);
    memset(f, 0, sizeof *f);
}
