/* Any text as a CSV table: a table of finite numbers or a message, nothing else. */
#include "shared/config/csv.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(int promise)
{
    if (!promise)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct csv csv;
    struct err e = {""};
    int rc = csv_parse("f.csv", (const char *)data, size, &csv, &e);
    expect((rc == 0) == (e.text[0] == '\0'));
    expect((rc == 0) == (csv.rows > 0 && csv.columns > 0));
    for (size_t i = 0; i < csv.rows * csv.columns; i++)
        expect(csv.values[i] - csv.values[i] == 0.0);
    for (size_t i = 0; i < csv.columns; i++)
        expect(csv_column(&csv, csv.names[i]) == (int)i);
    expect(rc == 0 || strpbrk(e.text, "\r\n\t\033") == NULL);
    csv_free(&csv);
    return 0;
}
