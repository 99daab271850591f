/* The query for each instruction set; segments.c picks. Private. */
#ifndef SKIDPAD_ROAD_SEGMENTS_ISA_H
#define SKIDPAD_ROAD_SEGMENTS_ISA_H

#include "target/road/segments.h"

void segments_query_avx(const void *road, double x_m, double y_m, struct ground_point *out);
void segments_query_base(const void *road, double x_m, double y_m, struct ground_point *out);

#endif
