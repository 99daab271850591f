#include "target/log_parameters.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void log_parameters_text(const struct parameters *p, char *text, size_t size)
{
    text[0] = '\0';
    for (int i = 0; i < p->count; i++) {
        size_t used = strlen(text);
        const struct expr_dim *d = &p->dim[i];
        (void)snprintf(text + used, size - used, "%s%s %.17g %d %d %d", i ? ";" : "", p->name[i],
                       p->value[i], d->m, d->kg, d->s);
    }
}

/* "name value m kg s", as written above; anything else is left out. */
static void one_parameter(const char *text, struct parameters *p)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
    char name[PARAMETER_NAME] = "", *end;
    size_t length = strspn(text, letters);
    long power[3] = {0, 0, 0};
    if (length == 0 || length >= sizeof name)
        return;
    memcpy(name, text, length);
    text += length;
    double value = strtod(text, &end);
    for (int i = 0; i < 3 && end != text; i++) {
        text = end;
        power[i] = strtol(text, &end, 10);
        if (power[i] < INT8_MIN || power[i] > INT8_MAX)
            return;
    }
    if (end != text)
        (void)parameters_set(p, name, value,
                             (struct expr_dim){.m = (int8_t)power[0],
                                               .kg = (int8_t)power[1],
                                               .s = (int8_t)power[2]});
}

void log_parameters_read(const char *text, struct parameters *p)
{
    memset(p, 0, sizeof *p);
    while (*text) {
        one_parameter(text, p);
        text += strcspn(text, ";");
        text += *text == ';';
    }
}
