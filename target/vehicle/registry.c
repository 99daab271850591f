/* Every model there is: a new one is a folder of target/model and a line here. */
#include "target/vehicle/registry.h"
#include "target/model/lumped15/lumped15_load.h"

const struct model_kind *const model_registry[] = {&lumped15_kind, NULL};
