#include "target/io/can_core.h"

#include <string.h>

bool can_core_interface(const char *interface)
{
    const char *number = interface + strlen("rtcan");
    return strncmp(interface, "rtcan", strlen("rtcan")) == 0 && *number != '\0' &&
           number[strspn(number, "0123456789")] == '\0';
}
