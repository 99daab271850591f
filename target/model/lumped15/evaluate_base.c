/* build: -O3 */
/* For every CPU of the architecture. */
#include "target/model/lumped15/evaluate_kernel.h"

const struct lumped15_isa lumped15_base = LUMPED15_ISA;
