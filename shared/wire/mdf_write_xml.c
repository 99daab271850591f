#include "shared/wire/mdf_write_xml.h"

#include "shared/base/utf8.h"
#include "shared/base/version.h"

#include <string.h>

#define XML_NAMESPACE "http://www.asam.net/mdf/v4"

/* What stands for a character, or NULL if it stands for itself. Line ends and tabs are written as
 * references: readers make blanks or other line ends of the plain ones. XML has no other control
 * characters, and neither U+FFFE nor U+FFFF. */
static const char *xml_escape(const char *text, size_t length)
{
    static const struct {
        char character;
        const char *text;
    } known[] = {{'<', "&lt;"},  {'>', "&gt;"},   {'&', "&amp;"}, {'"', "&quot;"},
                 {'\t', "&#9;"}, {'\n', "&#10;"}, {'\r', "&#13;"}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (text[0] == known[i].character)
            return known[i].text;
    const bool control = length == 1 && (unsigned char)text[0] < ' ';
    const bool no_character = length == 3 && (memcmp(text, "\xef\xbf\xbe", 3) == 0 ||
                                              memcmp(text, "\xef\xbf\xbf", 3) == 0);
    return length == 0 || control || no_character ? "?" : NULL;
}

static void xml_text(FILE *to, const char *text)
{
    for (size_t left = strlen(text), length; left > 0; left -= length, text += length) {
        const size_t valid = utf8_character(text, left);
        const char *escape = xml_escape(text, valid);
        length = valid ? valid : 1;
        if (escape)
            (void)fputs(escape, to);
        else
            (void)fwrite(text, 1, length, to);
    }
}

void mdf_xml_header(FILE *to, const struct mdf_file *file)
{
    (void)fputs("<HDcomment xmlns=\"" XML_NAMESPACE "\"><TX>", to);
    xml_text(to, file->comment ? file->comment : "");
    (void)fputs("</TX>", to);
    if (file->property_count) {
        (void)fputs("<common_properties>", to);
        for (size_t i = 0; i < file->property_count; i++) {
            (void)fputs("<e name=\"", to);
            xml_text(to, file->properties[i].name);
            (void)fputs("\">", to);
            xml_text(to, file->properties[i].value ? file->properties[i].value : "");
            (void)fputs("</e>", to);
        }
        (void)fputs("</common_properties>", to);
    }
    (void)fputs("</HDcomment>", to);
}

void mdf_xml_history(FILE *to, const struct mdf_file *file)
{
    (void)file;
    (void)fputs("<FHcomment xmlns=\"" XML_NAMESPACE "\"><TX>log of a run</TX>"
                "<tool_id>skidpad</tool_id><tool_vendor>skidpad</tool_vendor><tool_version>",
                to);
    xml_text(to, version_text());
    (void)fputs(" ", to);
    xml_text(to, version_revision());
    (void)fputs("</tool_version></FHcomment>", to);
}
