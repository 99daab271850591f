/* For callgrind: crg_cost asks a measured surface for places all over it, each time through
 * one_query(). It is a made one: 30 m of a bend that tightens, banked and sloped, on a grid of
 * 1 cm x 1 cm with friction on another; the second argument "beside" asks 1 m around it as well. */
#include "rt-tests/support/crg_write.h"
#include "target/road/crg_load.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 3001, COLUMNS = 401, OF_LINE = 3 };

/* Not static, so that callgrind finds it. */
__attribute__((noinline)) void one_query(const struct ground *g, double x_m, double y_m,
                                         struct ground_point *out);
void one_query(const struct ground *g, double x_m, double y_m, struct ground_point *out)
{
    g->query(g->road, x_m, y_m, out);
}

static double number(int row, int column)
{
    double u = 0.01 * row;
    if (column == 0)
        return 0.02 * u + 0.001 * u * u; /* radius 50 m to 12 m */
    if (column == 1)
        return 0.03 * sin(0.2 * u);
    if (column == 2)
        return 0.02 * cos(0.3 * u);
    return 0.01 * sin(3.0 * u) * cos(0.05 * column) + 0.001 * ((row * 7 + column * 13) % 5);
}

static double grip(int row, int column)
{
    return column < OF_LINE ? number(row, column) : 0.4 + 0.3 * ((row / 100 + column / 50) % 2);
}

static struct crg *made(double (*numbers)(int row, int column), bool is_friction)
{
    static char channels[COLUMNS * 32];
    size_t used = (size_t)sprintf(channels, "D:reference line phi,rad\nD:reference line "
                                            "banking,m/m\nD:reference line slope,m/m\n");
    for (int i = 0; i < COLUMNS; i++)
        used += (size_t)snprintf(channels + used, sizeof channels - used, "D:long section %d,m\n",
                                 i + 1);
    struct crg_sheet s = {.road = "REFERENCE_LINE_INCREMENT = 0.01\n"
                                  "LONG_SECTION_V_INCREMENT = 0.01\n",
                          .channels = channels,
                          .form = WRITE_KRBI,
                          .rows = ROWS,
                          .columns = COLUMNS + OF_LINE,
                          .number = numbers};
    const struct crg_wish wish = {.mode_u = -1, .mode_v = -1, .is_friction = is_friction};
    size_t length;
    char *bytes = crg_write(&s, &length);
    struct crg_file f;
    struct crg *c = NULL;
    struct err e = {""};
    if (!bytes || crg_file_parse("made.crg", bytes, length, &f, &e) ||
        crg_build("made.crg", &f, &wish, &c, &e)) {
        fprintf(stderr, "%s\n", e.text);
        exit(2);
    }
    crg_file_free(&f);
    free(bytes);
    return c;
}

int main(int argc, char **argv)
{
    (void)argv;
    struct crg *c = made(number, false);
    struct ground g = crg_ground(c);
    struct ground_point p;
    double sum_m = 0.0, reach_m = argc > 1 ? 3.0 : 1.99;
    c->friction_grid = made(grip, true);
    for (int i = 0; i < 1500; i++) {
        const struct crg_part *at = &c->part[(c->parts - 1) * (i % 1500) / 1500];
        double v_m = reach_m * (2.0 * fmod(0.6180339887 * i, 1.0) - 1.0);
        one_query(&g, at->p[0] + 0.003 * at->t[0] - v_m * at->t[1],
                  at->p[1] + 0.003 * at->t[1] + v_m * at->t[0], &p);
        sum_m += p.z_m;
    }
    printf("%g\n", sum_m);
    crg_free(c);
    return 0;
}
