/* The four wheels and the two axles, in the order used everywhere. */
#ifndef SKIDPAD_MODEL_WHEELS_H
#define SKIDPAD_MODEL_WHEELS_H

enum wheel { FL, FR, RL, RR, WHEELS };
enum { FRONT, REAR, AXLES };

static inline int axle_of(int wheel)
{
    return wheel < RL ? FRONT : REAR;
}

#endif
