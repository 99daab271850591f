#include "target/log_parameters.h"

#include <stdio.h>
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

void log_parameters_read(const char *text, struct parameters *p)
{
    memset(p, 0, sizeof *p);
    while (*text) {
        char name[PARAMETER_NAME];
        double value;
        int m, kg, s;
        if (sscanf(text, "%39[A-Za-z0-9_] %lf %d %d %d", name, &value, &m, &kg, &s) == 5)
            (void)parameters_set(
                p, name, value,
                (struct expr_dim){.m = (int8_t)m, .kg = (int8_t)kg, .s = (int8_t)s});
        text += strcspn(text, ";");
        text += *text == ';';
    }
}
