#include "target/model/model.h"

const char *model_integrator_name(int integrator)
{
    return integrator == MODEL_FORWARD ? "forward" : "semi-implicit";
}

const char *model_fault_text(uint32_t fault)
{
    return fault & PLANT_FAULT_NONFINITE ? "the state is not finite, or beyond what a car does"
                                         : "none";
}
