#include "shared/wire/mdf_read_xml.h"

#include <stdint.h>
#include <string.h>

enum token {
    TOKEN_TEXT,
    TOKEN_CDATA,
    TOKEN_OPEN,
    TOKEN_EMPTY,
    TOKEN_CLOSE,
    TOKEN_OTHER,
    TOKEN_END
};

/* A piece of XML: body is a text, or of a tag what follows its name. */
struct piece {
    enum token token;
    struct mdf_read_span name, body;
};

static const char blanks[] = " \t\r\n";

static struct mdf_read_span span(const char *from, const char *to)
{
    return (struct mdf_read_span){from, (size_t)(to - from)};
}

static bool is(struct mdf_read_span s, const char *word)
{
    return s.length == strlen(word) && memcmp(s.text, word, s.length) == 0;
}

/* Moves rest behind the given end mark and sets body to what stands before it. */
static bool take_until(struct mdf_read_span *rest, const char *mark, struct mdf_read_span *body)
{
    const char *end = memmem(rest->text, rest->length, mark, strlen(mark));
    if (!end)
        return false;
    *body = span(rest->text, end);
    *rest = span(end + strlen(mark), rest->text + rest->length);
    return true;
}

static bool take_word(struct mdf_read_span *rest, const char *word)
{
    size_t length = strlen(word);
    if (rest->length < length || memcmp(rest->text, word, length) != 0)
        return false;
    *rest = span(rest->text + length, rest->text + rest->length);
    return true;
}

/* A tag ends at the first > outside of quotes. */
static bool take_tag(struct mdf_read_span *rest, struct mdf_read_span *body)
{
    char quote = '\0';
    for (size_t i = 0; i < rest->length; i++) {
        char c = rest->text[i];
        if (quote) {
            quote = c == quote ? '\0' : quote;
        } else if (c == '"' || c == '\'') {
            quote = c;
        } else if (c == '>') {
            *body = span(rest->text, rest->text + i);
            *rest = span(rest->text + i + 1, rest->text + rest->length);
            return true;
        }
    }
    return false;
}

static struct piece next_tag(struct mdf_read_span *rest)
{
    struct piece p = {.token = TOKEN_OPEN};
    if (take_word(rest, "/"))
        p.token = TOKEN_CLOSE;
    if (!take_tag(rest, &p.body))
        return (struct piece){.token = TOKEN_END};
    if (p.token == TOKEN_OPEN && p.body.length > 0 && p.body.text[p.body.length - 1] == '/') {
        p.token = TOKEN_EMPTY;
        p.body.length--;
    }
    size_t length = 0;
    while (length < p.body.length && !strchr(blanks, p.body.text[length]))
        length++;
    p.name = span(p.body.text, p.body.text + length);
    p.body = span(p.body.text + length, p.body.text + p.body.length);
    return p;
}

static struct piece next_piece(struct mdf_read_span *rest)
{
    struct piece p = {.token = TOKEN_OTHER};
    bool whole = true;
    if (rest->length == 0)
        return (struct piece){.token = TOKEN_END};
    if (rest->text[0] != '<') {
        const char *end = memchr(rest->text, '<', rest->length);
        p.token = TOKEN_TEXT;
        p.body = span(rest->text, end ? end : rest->text + rest->length);
        *rest = span(p.body.text + p.body.length, rest->text + rest->length);
    } else if (take_word(rest, "<!--")) {
        whole = take_until(rest, "-->", &p.body);
    } else if (take_word(rest, "<![CDATA[")) {
        p.token = TOKEN_CDATA;
        whole = take_until(rest, "]]>", &p.body);
    } else if (take_word(rest, "<?")) {
        whole = take_until(rest, "?>", &p.body);
    } else if (take_word(rest, "<!")) {
        whole = take_tag(rest, &p.body);
    } else if (take_word(rest, "<")) {
        return next_tag(rest);
    }
    return whole ? p : (struct piece){.token = TOKEN_END};
}

bool mdf_read_xml_find(struct mdf_read_span *rest, const char *name, struct mdf_read_element *found)
{
    size_t depth = 0;
    const char *begin = NULL;
    for (;;) {
        const char *here = rest->text;
        struct piece p = next_piece(rest);
        if (p.token == TOKEN_END)
            return false;
        if (!is(p.name, name))
            continue;
        if (p.token == TOKEN_CLOSE && depth > 0 && --depth == 0) {
            found->content = span(begin, here);
            return true;
        }
        if (p.token == TOKEN_CLOSE || (p.token == TOKEN_EMPTY && depth > 0))
            continue;
        if (depth == 0)
            *found = (struct mdf_read_element){.attributes = p.body, .content = {"", 0}};
        if (p.token == TOKEN_EMPTY)
            return true;
        if (depth++ == 0)
            begin = rest->text;
    }
}

static void skip_blanks(struct mdf_read_span *rest)
{
    while (rest->length > 0 && strchr(blanks, rest->text[0]))
        *rest = span(rest->text + 1, rest->text + rest->length);
}

bool mdf_read_xml_attribute(struct mdf_read_span attributes, const char *name,
                            struct mdf_read_span *value)
{
    struct mdf_read_span rest = attributes, word;
    for (;;) {
        skip_blanks(&rest);
        if (!take_until(&rest, "=", &word))
            return false;
        while (word.length > 0 && strchr(blanks, word.text[word.length - 1]))
            word.length--;
        skip_blanks(&rest);
        const char *quote = take_word(&rest, "\"") ? "\"" : "'";
        if (quote[0] == '\'' && !take_word(&rest, quote))
            return false;
        if (!take_until(&rest, quote, value))
            return false;
        if (is(word, name))
            return true;
    }
}

static char *put_utf8(uint32_t c, char *to)
{
    static const uint32_t first[] = {0, 0xc0, 0xe0, 0xf0};
    size_t more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    *to++ = (char)(uint8_t)(first[more] | c >> (6 * more));
    while (more-- > 0)
        *to++ = (char)(uint8_t)(0x80 | (c >> (6 * more) & 0x3f));
    return to;
}

/* The character of a reference such as lt, #10 or #xA; 0 if it is none. */
static uint32_t reference(struct mdf_read_span name)
{
    static const struct {
        const char *name;
        uint32_t c;
    } known[] = {{"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"quot", '"'}, {"apos", '\''}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (is(name, known[i].name))
            return known[i].c;
    uint32_t base = 10, c = 0;
    if (!take_word(&name, "#"))
        return 0;
    if (take_word(&name, "x"))
        base = 16;
    for (size_t i = 0; i < name.length; i++) {
        static const char digits[] = "0123456789abcdef";
        char letter = name.text[i];
        if (letter >= 'A' && letter <= 'F')
            letter = (char)(letter - 'A' + 'a');
        const char *digit = letter ? strchr(digits, letter) : NULL;
        if (!digit || (uint32_t)(digit - digits) >= base)
            return 0;
        c = c * base + (uint32_t)(digit - digits);
        if (c > 0x10ffff)
            return 0;
    }
    return c;
}

/* Copies with references resolved. Line ends become \n as XML demands, in attributes each blank
 * becomes a space. */
static char *put_text(struct mdf_read_span s, bool references, bool attribute, char *to)
{
    enum { REFERENCE_MAX = 10 }; /* letters between & and ; */
    for (size_t i = 0; i < s.length; i++) {
        char c = s.text[i];
        size_t room = s.length - i - 1;
        if (c == '&' && references) {
            const char *name = s.text + i + 1;
            const char *end = memchr(name, ';', room < REFERENCE_MAX ? room : REFERENCE_MAX);
            uint32_t resolved = end ? reference(span(name, end)) : 0;
            if (resolved) {
                to = put_utf8(resolved, to);
                i = (size_t)(end - s.text);
                continue;
            }
        }
        if (c == '\r' && room > 0 && s.text[i + 1] == '\n')
            continue;
        if (attribute ? c == '\r' || c == '\n' || c == '\t' : c == '\r')
            c = attribute ? ' ' : '\n';
        *to++ = c;
    }
    return to;
}

void mdf_read_xml_text(struct mdf_read_span content, char *to)
{
    for (;;) {
        struct piece p = next_piece(&content);
        if (p.token == TOKEN_END)
            break;
        if (p.token == TOKEN_TEXT || p.token == TOKEN_CDATA)
            to = put_text(p.body, p.token == TOKEN_TEXT, false, to);
    }
    *to = '\0';
}

void mdf_read_xml_value(struct mdf_read_span value, char *to)
{
    *put_text(value, true, true, to) = '\0';
}
