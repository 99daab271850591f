/* build: -O3 */
/* Compiled with -mavx and called only where the CPU has it; elsewhere the same bits, slower. */
#include "target/model/two_track/evaluate_kernel.h"

const struct two_track_isa two_track_avx = TWO_TRACK_ISA;
