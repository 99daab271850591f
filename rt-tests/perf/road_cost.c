/* For callgrind: road_cost ROAD asks a road for the surface at places all over it, each time
 * through one_query(). */
#include "target/road/segments_load.h"

#include <stdio.h>

/* Not static, so that callgrind finds it. */
__attribute__((noinline)) void one_query(const struct ground *g, double x_m, double y_m,
                                         struct ground_point *out);
void one_query(const struct ground *g, double x_m, double y_m, struct ground_point *out)
{
    g->query(g->road, x_m, y_m, out);
}

int main(int argc, char **argv)
{
    struct segments *r;
    struct cfg_doc *doc;
    if (argc != 2) {
        fprintf(stderr, "usage: road_cost ROAD.yaml\n");
        return 2;
    }
    int bad = segments_load(argv[1], &r, &doc);
    cfg_print_messages(doc, stderr);
    cfg_close(doc);
    if (bad)
        return 2;
    struct ground g = segments_ground(r);
    struct ground_point p;
    double sum_m = 0.0;
    int32_t piece = 0;
    for (int i = 0; i < 1500; i++) {
        struct curve_point c;
        struct segments_place at;
        double s_m = r->length_m * (i + 0.5) / 1500.0;
        curve_at(&r->line, s_m, &piece, &c);
        segments_find(r, c.x_m, c.y_m, &at);
        double n_m = at.left_m - (at.left_m + at.right_m) * (i % 17) / 16.0;
        one_query(&g, c.x_m - n_m * c.tangent[1], c.y_m + n_m * c.tangent[0], &p);
        sum_m += p.z_m;
    }
    printf("%g\n", sum_m);
    segments_free(r);
    return 0;
}
