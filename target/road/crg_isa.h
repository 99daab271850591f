/* The query for each instruction set; crg.c picks. Private. */
#ifndef SKIDPAD_ROAD_CRG_ISA_H
#define SKIDPAD_ROAD_CRG_ISA_H

#include "target/road/crg.h"

void crg_query_avx(const void *road, double x_m, double y_m, struct ground_point *out);
void crg_query_base(const void *road, double x_m, double y_m, struct ground_point *out);

#endif
