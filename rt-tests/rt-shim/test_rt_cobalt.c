#include "rt-tests/support/core_check.h"

int main(void)
{
    return core_check("cobalt", &rt_cobalt);
}
