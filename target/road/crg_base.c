/* build: -O3 */
/* For every CPU of the architecture. */
#include "target/road/crg_isa.h"
#include "target/road/crg_kernel.h"

void crg_query_base(const void *road, double x_m, double y_m, struct ground_point *out)
{
    query(road, x_m, y_m, out);
}
