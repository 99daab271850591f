#include "target/road/weather_load.h"

double weather_load(const struct cfg_node *map, int32_t *weather)
{
    static const char *const words[] = {"dry", "wet", "snow", "ice", NULL};
    int word = *weather;
    cfg_choice(map, "weather", &word, words);
    *weather = word;
    return ground_weather_friction[word];
}
