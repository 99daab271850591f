/* What libyaml refused, in words for somebody who edits a file.
 *
 * libyaml reports a problem ("did not find expected key"), often a context ("while parsing a block
 * mapping") and their places. The problem is repeated, since people look it up, behind what most
 * often causes it. */
#include "shared/config/node.h"

#include <string.h>
#include <yaml.h>

struct hint {
    const char *problem; /* the beginning of libyaml's text */
    const char *meaning;
};

static const struct hint hints[] = {
    {"found a tab character", "a tab indents this line, only spaces are allowed"},
    {"found character that cannot start any token",
     "no value can start with this character, quotes around it are needed"},
    {"mapping values are not allowed",
     "a key is not expected here, the indentation differs or a text with \": \" needs quotes"},
    {"could not find expected ':'", "a ':' is missing behind a key"},
    {"did not find expected key", "the indentation does not fit the lines above"},
    {"did not find expected '-'", "the indentation does not fit the list above"},
    {"block sequence entries are not allowed", "a list ('-') must start on a line of its own"},
    {"did not find expected ',' or ']'", "a list [...] lacks a ',' or its ']'"},
    {"did not find expected ',' or '}'", "a mapping {...} lacks a ',' or its '}'"},
    {"found unexpected end of stream", "a quotation mark is not closed"},
    {"found unknown escape character",
     "this '\\' sequence does not exist, '\\\\' or single quotes are needed"},
    {"did not find expected <document start>",
     "--- is needed behind directives (%) and behind the end of a document"},
    {"found undefined tag handle", "tags (!) are not supported"},
};

static const char *find_meaning(const char *problem)
{
    for (size_t i = 0; i < sizeof hints / sizeof hints[0]; i++)
        if (strncmp(problem, hints[i].problem, strlen(hints[i].problem)) == 0)
            return hints[i].meaning;
    return NULL;
}

/* The character at a place in a UTF-8 text, or 0. */
static char char_at(const char *text, size_t length, struct cfg_mark at)
{
    size_t i = 0;
    for (size_t line = 1; line < at.line; line++) {
        const char *end = memchr(text + i, '\n', length - i);
        if (!end)
            return '\0';
        i = (size_t)(end - text) + 1;
    }
    for (size_t column = 0; i < length && text[i] != '\n'; i++) {
        if (((unsigned char)text[i] & 0xC0U) != 0x80U)
            column++;
        if (column == at.column)
            return text[i];
    }
    return '\0';
}

/* The place of a byte; libyaml's reader gives no line. */
static struct cfg_mark find_place(const char *text, size_t length, size_t offset)
{
    struct cfg_mark at = {1, 1};
    for (size_t i = 0; i < length && i < offset; i++) {
        if (text[i] == '\n')
            at = (struct cfg_mark){at.line + 1, 1};
        else if (((unsigned char)text[i] & 0xC0U) != 0x80U)
            at.column++;
    }
    return at;
}

static void explain_reader(struct cfg_doc *doc, const yaml_parser_t *parser, const char *text,
                           size_t length)
{
    struct line line = LINE_EMPTY;
    line_add(&line, "not readable as text: %s", parser->problem);
    if (parser->problem_value >= 0)
        line_add(&line, " (0x%02X)", (unsigned)parser->problem_value);
    cfg_add_message(doc, find_place(text, length, parser->problem_offset),
                    "%s, only UTF-8 without control characters is allowed", line.text);
}

void cfg_explain_syntax(struct cfg_doc *doc, const struct yaml_parser_s *parser, const char *text,
                        size_t length)
{
    const char *problem = parser->problem ? parser->problem : "unknown problem";
    if (parser->error == YAML_READER_ERROR) {
        explain_reader(doc, parser, text, length);
        return;
    }
    struct cfg_mark at = {parser->problem_mark.line + 1, parser->problem_mark.column + 1};
    const char *meaning = find_meaning(problem);
    if (char_at(text, length, at) == '\t')
        meaning = find_meaning("found a tab character");
    struct line line = LINE_EMPTY;
    line_add(&line, "not valid YAML: ");
    if (meaning)
        line_add(&line, "%s (%s", meaning, problem);
    else
        line_add(&line, "%s", problem);
    if (parser->context) {
        line_add(&line, " %s", parser->context);
        if (parser->context_mark.line + 1 < at.line)
            line_add(&line, " that starts in line %zu", parser->context_mark.line + 1);
    }
    cfg_add_message(doc, at, "%s%s", line.text, meaning ? ")" : "");
}
