#include "target/export_info.h"

#include "target/log_end.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

/* Texts come from the file: nothing in them may steer the terminal or begin a new line. */
static void print_clean(FILE *f, const char *text)
{
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        (void)fputc(c < ' ' || c == 0x7f ? ' ' : c, f);
    }
}

/* The same, filled up with blanks to a width in letters. */
static void print_column(FILE *f, const char *text, int width)
{
    int letters = 0;
    for (const char *c = text; *c; c++)
        letters += ((unsigned char)*c & 0xc0) != 0x80; /* bytes that go on with a letter of UTF-8 */
    print_clean(f, text);
    (void)fprintf(f, "%*s", letters < width ? width - letters + 1 : 1, "");
}

static void print_type(FILE *f, const struct mdf_read_channel *c)
{
    static const char letters[] = "uif";
    char text[32];
    if (c->type == MDF_READ_TYPE_TEXT || c->type == MDF_READ_TYPE_RAW)
        (void)snprintf(text, sizeof text, "%s[%u]", c->type == MDF_READ_TYPE_TEXT ? "text" : "raw",
                       (c->bit_offset + c->bit_count + 7) / 8);
    else
        (void)snprintf(text, sizeof text, "%c%u", letters[c->type], c->bit_count);
    print_column(f, text, 8);
}

static void print_start(FILE *f, const struct mdf_read_file *file)
{
    int64_t second = INT64_C(1000000000);
    int64_t part_ns = file->start_ns % second, seconds = file->start_ns / second;
    if (part_ns < 0) {
        part_ns += second;
        seconds--;
    }
    time_t when = (time_t)seconds;
    struct tm date;
    char text[64] = "?";
    if (gmtime_r(&when, &date))
        (void)strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &date);
    (void)fprintf(f, "start:    %s.%09" PRId64 " %s\n", text, part_ns,
                  file->local_time ? "local time" : "UTC");
}

static void print_group(FILE *f, size_t number, const struct mdf_read_group *g, uint64_t records)
{
    (void)fprintf(f, "\ngroup %zu: ", number);
    print_clean(f, g->name);
    (void)fprintf(f, "%s%" PRIu64 " records of ", g->name[0] ? ", " : "", records);
    if (g->variable)
        (void)fputs("variable length (not read)", f);
    else
        (void)fprintf(f, "%u bytes", g->data_bytes + g->invalid_bytes);
    (void)fputs(g->comment[0] ? ", " : "", f);
    print_clean(f, g->comment);
    (void)fputc('\n', f);
    for (size_t i = 0; i < g->channel_count; i++) {
        const struct mdf_read_channel *c = &g->channels[i];
        const char *join = "";
        (void)fputs("  ", f);
        print_column(f, c->name, 26);
        print_column(f, c->unit[0] ? c->unit : "-", 6);
        print_type(f, c);
        if (c->master) {
            (void)fputs("time", f);
            join = "; ";
        }
        if (c->conversion == MDF_READ_UNKNOWN) {
            (void)fprintf(f, "%sas stored, its conversion is not supported", join);
            join = "; ";
        }
        (void)fputs(c->comment[0] ? join : "", f);
        print_clean(f, c->comment);
        (void)fputc('\n', f);
    }
}

static void print_head(FILE *f, const char *path, const struct mdf_read_file *file, const char *end)
{
    (void)fprintf(f, "%s: MDF %s by %s, %" PRIu64 " bytes, %s\n", path, file->version,
                  file->program, file->bytes,
                  file->unfinished ? "unfinished: the run crashed or still runs" : "finished");
    if (end[0] != '\0')
        (void)fprintf(f, "%s\n", end);
    print_start(f, file);
    if (file->comment[0]) {
        (void)fputs("comment:  ", f);
        print_clean(f, file->comment);
        (void)fputc('\n', f);
    }
    for (size_t i = 0; i < file->property_count; i++) {
        (void)fputs("property: ", f);
        print_clean(f, file->properties[i].name);
        (void)fputs(" = ", f);
        print_clean(f, file->properties[i].value);
        (void)fputc('\n', f);
    }
    for (size_t i = 0; i < file->attachment_count; i++) {
        const struct mdf_read_attachment *a = &file->attachments[i];
        (void)fputs("attached: ", f);
        print_clean(f, a->name);
        (void)fprintf(f, ", %" PRIu64 " bytes%s%s", a->bytes, a->embedded ? "" : ", not in the log",
                      a->mime[0] ? ", " : "");
        print_clean(f, a->mime);
        (void)fputc('\n', f);
    }
}

int export_info(const char *path, struct mdf_reader *log, FILE *f, struct err *e)
{
    const struct mdf_read_file *file = mdf_read_file(log);
    const struct mdf_read_group *group = NULL;
    const void *record = NULL;
    char end[LOG_END_TEXT];
    int rc;
    log_end_text(log, end);
    mdf_read_rewind(log);
    do {
        rc = mdf_read_next(log, &group, &record, e);
    } while (rc > 0);
    print_head(f, path, file, end);
    for (size_t i = 0; i < file->group_count; i++)
        print_group(f, i + 1, &file->groups[i], mdf_read_count(log, &file->groups[i]));
    if (mdf_read_left_over(log) > 0)
        (void)fprintf(f, "\n%" PRIu64 " bytes at the end are no complete record\n",
                      mdf_read_left_over(log));
    return rc;
}
