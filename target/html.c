#include "target/html.h"

#include "shared/base/version.h"

#include <time.h>

static const char style[] =
    "body { font: 15px/1.4 Helvetica, Arial, sans-serif; margin: 2em auto; max-width: 1440px; "
    "padding: 0 1.5em; color: #222; background: #fff }\n"
    "h1 { font-size: 1.6em; margin-bottom: 0 } h2 { font-size: 1.25em; margin: 0 0 0.2em }\n"
    "h3 { font-size: 1em; margin: 1.2em 0 0.3em }\n"
    "section { margin-top: 2em; padding-top: 1em; border-top: 2px solid #ddd; "
    "page-break-before: always }\n"
    "table { border-collapse: collapse; margin: 0.7em 0; font-size: 14px }\n"
    "th { text-align: left; background: #f3f4f6; font-weight: 600 }\n"
    "td, th { border: 1px solid #d8dade; padding: 0.25em 0.6em; vertical-align: top }\n"
    ".n { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums }\n"
    "code { font-size: 12.5px } .about { color: #555; margin: 0.2em 0 0.6em }\n"
    ".badge { border-radius: 3px; padding: 0.1em 0.5em; font-size: 13px; font-weight: 600; "
    "white-space: nowrap }\n"
    ".good { background: #d9f0dc; color: #14532d } .bad { background: #f8d4d4; color: #7f1d1d }\n"
    ".meant { background: #dbe7f7; color: #1e3a6e } .none { background: #eee; color: #555 }\n"
    ".ok { background: #eef8ef } .no { background: #f8d4d4 }\n"
    ".sum { display: inline-block; font-weight: 600; padding: 0.4em 0.9em; border-radius: 4px }\n"
    ".charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(430px, 1fr)); "
    "gap: 0.4em }\n"
    ".charts figure { margin: 0; break-inside: avoid } .wide { grid-column: span 2 }\n"
    "svg { width: 100%; height: auto } details { margin: 0.5em 0 }\n"
    "summary { cursor: pointer; font-weight: 600 } a { color: #1d4ed8 }\n"
    "@media (max-width: 960px) { .wide { grid-column: auto } .charts { display: block } }\n"
    "@media print { body { max-width: none; margin: 0 } }\n";

void html_put(FILE *to, const char *text)
{
    for (; *text; text++) {
        if (*text == '<')
            fputs("&lt;", to);
        else if (*text == '>')
            fputs("&gt;", to);
        else if (*text == '&')
            fputs("&amp;", to);
        else if (*text == '"')
            fputs("&quot;", to);
        else
            fputc((unsigned char)*text >= ' ' || *text == '\n' || *text == '\t' ? *text : '?', to);
    }
}

void html_cell(FILE *to, const char *text)
{
    fputs("<td>", to);
    html_put(to, text);
    fputs("</td>", to);
}

void html_begin(FILE *to, const char *title)
{
    char date[40] = "";
    time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc))
        (void)strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", &utc);
    fprintf(to,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta name=\"viewport\" content=\"width=device-width\">\n<title>%s</title>\n"
            "<style>\n%s</style>\n</head>\n<body>\n<h1>%s</h1>\n<p class=\"about\">%s &middot; ",
            title, style, title, date);
    fprintf(to, "skidpad %s, revision %s</p>\n", version_text(), version_revision());
}

void html_end(FILE *to)
{
    fputs("</body>\n</html>\n", to);
}
