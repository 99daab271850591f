/* Two numbers as one value: x and y, or two quantities that are worked out alike. */
#ifndef SKIDPAD_ROAD_PAIR_H
#define SKIDPAD_ROAD_PAIR_H

typedef double v2 __attribute__((vector_size(16))); /* one SSE2 register */

#endif
