/* build: -O3 */
/* Compiled with -mavx and called only where the CPU has it; elsewhere the same bits, slower. */
#include "target/road/crg_isa.h"
#include "target/road/crg_kernel.h"

void crg_query_avx(const void *road, double x_m, double y_m, struct ground_point *out)
{
    query(road, x_m, y_m, out);
}
