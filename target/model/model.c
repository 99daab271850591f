#include "target/model/model.h"

const char *model_integrator_name(int integrator)
{
    return integrator == MODEL_FORWARD ? "forward" : "semi-implicit";
}

const char *model_fault_text(uint32_t fault)
{
    if (fault & PLANT_FAULT_NONFINITE)
        return "the state is not finite, or beyond what a car does";
    return fault & PLANT_FAULT_LIFTED ? "both wheels of a side or of an axle leave the ground, "
                                        "which this model of the car "
                                        "cannot follow"
                                      : "none";
}
