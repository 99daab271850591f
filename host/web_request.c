#include "host/web_request.h"

#include <string.h>
#include <strings.h>

size_t web_head_bytes(const char *text, size_t bytes)
{
    const char *end = memmem(text, bytes, "\r\n\r\n", 4);
    return end ? (size_t)(end - text) + 4 : 0;
}

/* The line at *at, ended by a zero in place of its end; *at goes behind it. */
static char *take_line(char **at)
{
    char *line = *at, *end = strstr(line, "\r\n");
    if (!end)
        return NULL;
    *end = '\0';
    *at = end + 2;
    return line;
}

/* A character of a name: RFC 9110, 5.6.2. */
static bool is_token(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c != '\0' && strchr("!#$%&'*+-.^_`|~", c) != NULL);
}

static bool take_field(char *line, struct web_field *f)
{
    char *colon = line;
    while (is_token(*colon))
        colon++;
    if (colon == line || *colon != ':')
        return false;
    *colon = '\0';
    char *value = colon + 1 + strspn(colon + 1, " \t");
    size_t length = strlen(value);
    while (length > 0 && strchr(" \t", value[length - 1]))
        value[--length] = '\0';
    *f = (struct web_field){line, value};
    return true;
}

/* METHOD /path?query HTTP/1.1 */
static bool take_first(char *line, struct web_request *r)
{
    char *path = strchr(line, ' '), *version = path ? strchr(path + 1, ' ') : NULL;
    if (!version || path == line || path[1] != '/' || strcmp(version + 1, "HTTP/1.1") != 0)
        return false;
    *path++ = '\0';
    *version = '\0';
    for (const char *c = line; *c; c++)
        if (!is_token(*c))
            return false;
    char *query = strchr(path, '?');
    if (query)
        *query++ = '\0';
    r->method = line;
    r->path = path;
    r->query = query ? query : "";
    return true;
}

bool web_request_parse(char *head, size_t bytes, struct web_request *r)
{
    memset(r, 0, sizeof *r);
    if (bytes < 4 || memcmp(head + bytes - 4, "\r\n\r\n", 4) != 0)
        return false;
    for (size_t i = 0; i < bytes; i++) { /* printable, but for the ends of lines and tabs */
        bool end = (head[i] == '\r' && i + 1 < bytes && head[i + 1] == '\n') ||
                   (head[i] == '\n' && i > 0 && head[i - 1] == '\r');
        if (!end && head[i] != '\t' && ((unsigned char)head[i] < ' ' || head[i] == 0x7f))
            return false;
    }
    head[bytes - 2] = '\0'; /* of the empty line */
    char *at = head, *line = take_line(&at);
    if (!line || !take_first(line, r))
        return false;
    while ((line = take_line(&at)) != NULL) {
        if (r->fields == WEB_FIELDS || !take_field(line, &r->field[r->fields]))
            return false;
        r->fields++;
    }
    return *at == '\0';
}

const char *web_field(const struct web_request *r, const char *name)
{
    const char *value = NULL;
    for (int i = 0; i < r->fields; i++)
        if (strcasecmp(r->field[i].name, name) == 0) {
            if (value)
                return NULL;
            value = r->field[i].value;
        }
    return value;
}

bool web_list_has(const char *list, const char *word, bool fold)
{
    const size_t length = strlen(word);
    while (list) {
        list += strspn(list, " \t,");
        size_t n = strcspn(list, " \t,");
        if (n == length && (fold ? strncasecmp(list, word, n) == 0 : strncmp(list, word, n) == 0))
            return true;
        list = strchr(list, ',');
    }
    return false;
}
