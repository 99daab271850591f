#include "target/scenario/script_load.h"

#include "target/scenario/script_load_shape.h"

#include <stdlib.h>
#include <string.h>

static const double deg = 3.14159265358979323846 / 180.0;
static const char *const wheel_keys[WHEELS] = {"fl", "fr", "rl", "rr"};

/* key: [[time_s, value], ...], a shape, or one number that holds throughout. */
static void series_load(const struct cfg_node *map, const char *key, double factor,
                        struct cfg_range range, struct series *s)
{
    size_t rows = 0;
    if (!cfg_has(map, key))
        return;
    double *v = NULL;
    if (cfg_is_list(map, key)) {
        v = cfg_table(map, key, 2, 1, &rows);
    } else if (cfg_is_map(cfg_value(map, key))) {
        v = script_shape(cfg_map(map, key), &rows);
    } else {
        double one = 0.0;
        cfg_double(map, key, &one, range);
        v = calloc(2, sizeof *v);
        rows = 1;
        if (v)
            v[1] = one;
        else
            cfg_complain(map, key, "out of memory");
    }
    if (!v)
        return; /* that was said */
    double *time_s = malloc(rows * sizeof *time_s), *value = malloc(rows * sizeof *value);
    if (!time_s || !value) {
        free(time_s);
        free(value);
        free(v);
        cfg_complain(map, key, "out of memory");
        return;
    }
    for (size_t i = 0; i < rows; i++) {
        time_s[i] = v[2 * i];
        value[i] = v[2 * i + 1] * factor;
        if (!(v[2 * i + 1] >= range.low && v[2 * i + 1] <= range.high))
            cfg_complain(map, key, "row %zu: the value must be between %g and %g, is %g", i + 1,
                         range.low, range.high, v[2 * i + 1]);
    }
    free(v);
    s->count = (int)rows;
    s->time_s = time_s;
    s->value = value;
}

static void wheels_load(const struct cfg_node *map, const char *key, double factor,
                        struct cfg_range range, struct series s[WHEELS])
{
    const struct cfg_node *n = cfg_map(map, key);
    if (!n)
        return;
    for (int i = 0; i < WHEELS; i++)
        series_load(n, wheel_keys[i], factor, range, &s[i]);
    cfg_done(n);
}

/* "auto", "neutral", "reverse" or a number, as one word. */
int32_t script_gear(const struct cfg_node *map, const char *key, int32_t gear)
{
    char word[16] = "";
    cfg_string(map, key, word, sizeof word);
    if (word[0] == '\0')
        return gear;
    if (strcmp(word, "auto") == 0)
        return PLANT_GEAR_AUTO;
    if (strcmp(word, "neutral") == 0)
        return PLANT_GEAR_NEUTRAL;
    if (strcmp(word, "reverse") == 0)
        return PLANT_GEAR_REVERSE;
    char *end;
    long g = strtol(word, &end, 10);
    if (*end != '\0' || g < PLANT_GEAR_REVERSE || g > 20)
        cfg_complain(map, key, "is \"%s\"; allowed are auto, neutral, reverse and a gear number",
                     word);
    return (int32_t)g;
}

void script_load(const struct cfg_node *n, struct script *s)
{
    static const char *const axes[3] = {"x", "y", "z"};
    s->default_gear = PLANT_GEAR_AUTO;
    if (!n)
        return;
    series_load(n, "hand_wheel_deg", deg, CFG_BETWEEN(-2000.0, 2000.0), &s->hand_wheel_rad);
    series_load(n, "hand_wheel_Nm", 1.0, CFG_BETWEEN(-500.0, 500.0), &s->hand_wheel_Nm);
    if (s->hand_wheel_Nm.count > 0) {
        s->steer = PLANT_STEER_TORQUE;
        if (s->hand_wheel_rad.count > 0)
            cfg_complain(n, "hand_wheel_Nm", "give either hand_wheel_deg or hand_wheel_Nm");
    }
    series_load(n, "throttle", 1.0, CFG_BETWEEN(0.0, 1.0), &s->throttle);
    series_load(n, "brake_pedal", 1.0, CFG_BETWEEN(0.0, 1.0), &s->brake_pedal);
    series_load(n, "clutch_pedal", 1.0, CFG_BETWEEN(0.0, 1.0), &s->clutch_pedal);
    s->gear.last_value = 1;
    if (cfg_is_list(n, "gear"))
        series_load(n, "gear", 1.0, CFG_BETWEEN(-1.0, 20.0), &s->gear);
    else
        s->default_gear = script_gear(n, "gear", PLANT_GEAR_AUTO);
    wheels_load(n, "wheel_torque_Nm", 1.0, CFG_BETWEEN(-20000.0, 20000.0), s->torque_Nm);
    wheels_load(n, "wheel_pressure_bar", 1e5, CFG_BETWEEN(0.0, 500.0), s->pressure_Pa);
    s->use_pressures = cfg_has(n, "wheel_pressure_bar");
    const struct cfg_node *push = cfg_map(n, "push_N");
    if (push) {
        for (int k = 0; k < 3; k++)
            series_load(push, axes[k], 1.0, CFG_BETWEEN(-1e6, 1e6), &s->push_N[k]);
        cfg_done(push);
    }
    cfg_done(n);
}

static void series_free(struct series *s)
{
    free((void *)s->time_s);
    free((void *)s->value);
}

void script_free(struct script *s)
{
    series_free(&s->hand_wheel_rad);
    series_free(&s->hand_wheel_Nm);
    series_free(&s->throttle);
    series_free(&s->brake_pedal);
    series_free(&s->clutch_pedal);
    series_free(&s->gear);
    for (int i = 0; i < WHEELS; i++) {
        series_free(&s->torque_Nm[i]);
        series_free(&s->pressure_Pa[i]);
    }
    for (int k = 0; k < 3; k++)
        series_free(&s->push_N[k]);
}
