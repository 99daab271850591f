/* Every model there is: a new one is a folder of target/model and a line here. */
#include "target/vehicle/registry.h"
#include "target/model/lumped15/lumped15_load.h"
#include "target/model/two_track/two_track_load.h"

#include <stdio.h>
#include <string.h>

const struct model_kind *const model_registry[] = {&lumped15_kind, &two_track_kind, NULL};

void model_registry_any_ground(char *text, size_t size)
{
    text[0] = '\0';
    for (int i = 0; model_registry[i]; i++) {
        size_t used = strlen(text);
        if (!model_registry[i]->needs_plane)
            (void)snprintf(text + used, size - used, "%s%s", used ? ", " : "",
                           model_registry[i]->ops->name);
    }
}
