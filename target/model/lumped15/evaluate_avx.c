/* build: -O3 */
/* Compiled with -mavx and called only where the CPU has it; elsewhere the same bits, slower. */
#include "target/model/lumped15/evaluate_kernel.h"

const struct lumped15_isa lumped15_avx = LUMPED15_ISA;
