/* build: -O3 */
/* For every CPU of the architecture: SSE2 on x86-64. */
#include "target/model/two_track/evaluate_kernel.h"

const struct two_track_isa two_track_base = TWO_TRACK_ISA;
