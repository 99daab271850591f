/* Reading their data, driving our car, and the rows of both. */
#include "rt-tests/support/commonroad.h"
#include "rt-tests/support/lumped15_of.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *data(const char *file, char path[VALIDATION_PATH])
{
    char name[100];
    (void)snprintf(name, sizeof name, "reference/commonroad_bmw320i/%s", file);
    return validation_data(name, path);
}

/* Lines of the form "key": number; nothing else is in the file. */
void commonroad_read(struct commonroad *p)
{
    char path[VALIDATION_PATH], line[200];
    FILE *f = fopen(data("parameters.json", path), "r");
    if (!f)
        fail_msg("%s cannot be read", path);
    p->count = 0;
    while (f && fgets(line, sizeof line, f) && p->count < COMMONROAD_KEYS) {
        char *quote = strchr(line, '"'), *end = quote ? strchr(quote + 1, '"') : NULL;
        if (!end || end[1] != ':' || end - quote > COMMONROAD_KEY)
            continue;
        *end = '\0';
        (void)snprintf(p->key[p->count], COMMONROAD_KEY, "%s", quote + 1);
        p->value[p->count++] = strtod(end + 2, NULL);
    }
    if (f)
        (void)fclose(f);
}

double commonroad_number(const struct commonroad *p, const char *key)
{
    for (int i = 0; i < p->count; i++)
        if (strcmp(p->key[i], key) == 0)
            return p->value[i];
    fail_msg("parameters.json has no \"%s\"", key);
    return NAN;
}

void commonroad_read_run(const struct commonroad_run *run, struct csv *theirs)
{
    char path[VALIDATION_PATH], file[64];
    (void)snprintf(file, sizeof file, "rk4_v2_%s.csv", run->name);
    validation_read(data(file, path), theirs);
    assert_int_equal(theirs->rows, COMMONROAD_ROWS);
}

void commonroad_open(const struct validation_folder *folder, double step_s, struct offline *o)
{
    char path[VALIDATION_PATH + 16];
    const struct offline_options options = {
        .step_s = step_s, .duration_s = -1.0, .integrator = VEHICLE_AS_FILE};
    (void)snprintf(path, sizeof path, "%s/scenario.yaml", folder->path);
    assert_int_equal(offline_open(path, &options, o), 0);
}

#define N(key) commonroad_number(p, key)

static struct vec3 vector(const double a[3])
{
    return v3(a[0], a[1], a[2]);
}

void commonroad_start(const struct commonroad *p, struct offline *o)
{
    struct commonroad_rest rest = commonroad_rest(p);
    struct lumped15_state *s = lumped15_state_of(o);
    double height_m = lumped15_of(o->vehicle)->sprung_cg_m.z;
    for (int i = 0; i < WHEELS; i++)
        s->travel_m[i] -= rest.squeeze_m[i < RL ? FRONT : REAR];
    /* Our pitch counts nose down. The centre of gravity stays above where it was. */
    double pitch_rad = rest.pitch_rad;
    s->quat[0] = cos(0.5 * pitch_rad);
    s->quat[2] = sin(0.5 * pitch_rad);
    s->pos_m[0] -= height_m * sin(pitch_rad);
    s->pos_m[2] += rest.drop_m + height_m * (1.0 - cos(pitch_rad));
    lumped15_ops.output(lumped15_of(o->vehicle), s, &o->out);
}

void commonroad_ours(const struct offline *o, struct commonroad_row *row)
{
    const struct lumped15_model *m = lumped15_of(o->vehicle);
    const struct lumped15_state *s = lumped15_state_of(o);
    const struct plant_out *out = &o->out;
    const double *q = s->quat;
    struct mat3 R = quat_matrix((struct quat){q[0], q[1], q[2], q[3]});
    struct vec3 rate = vector(s->rate_radps), arm = m3_mul(&R, m->sprung_cg_m);
    struct vec3 at = v3_add(vector(s->pos_m), arm);
    struct vec3 v = v3_add(vector(s->vel_mps), v3_cross(m3_mul(&R, rate), arm));
    double cy = cos(out->yaw_rad), sy = sin(out->yaw_rad);
    double cr = cos(out->roll_rad), sr = sin(out->roll_rad);
    *row = (struct commonroad_row){
        .x_m = at.x,
        .y_m = at.y,
        .vx_mps = cy * v.x + sy * v.y,
        .vy_mps = cy * v.y - sy * v.x,
        .yaw_rad = out->yaw_rad,
        .yaw_radps = (sr * rate.y + cr * rate.z) / cos(out->pitch_rad),
        .roll_rad = out->roll_rad,
        .pitch_rad = out->pitch_rad,
        .height_m = at.z,
    };
    for (int i = 0; i < WHEELS; i++) {
        row->spin_radps[i] = s->spin_radps[i];
        row->load_N[i] = out->load_N[i];
    }
}

/* Their wheels at y = -track/2 and +track/2: our right and left one. */
static void axle_loads(const struct commonroad *p, double track_m, double down_m, double roll_rad,
                       double *left_N, double *right_N)
{
    double middle_m = down_m + N("R_w") * (cos(roll_rad) - 1.0);
    double tilt_m = 0.5 * track_m * sin(roll_rad);
    *left_N = N("K_zt") * (middle_m + tilt_m);
    *right_N = N("K_zt") * (middle_m - tilt_m);
}

void commonroad_theirs(const struct commonroad *p, const struct csv *theirs, size_t index,
                       struct commonroad_row *row)
{
    struct commonroad_rest rest = commonroad_rest(p);
    *row = (struct commonroad_row){
        .x_m = validation_cell(theirs, index, "x_m"),
        .y_m = validation_cell(theirs, index, "y_m"),
        .vx_mps = validation_cell(theirs, index, "vx_mps"),
        .vy_mps = validation_cell(theirs, index, "vy_mps"),
        .yaw_rad = validation_cell(theirs, index, "yaw_rad"),
        .yaw_radps = validation_cell(theirs, index, "yawrate_radps"),
        .roll_rad = -validation_cell(theirs, index, "roll_rad"),
        .pitch_rad = rest.pitch_rad - validation_cell(theirs, index, "pitch_rad"),
        .height_m = N("h_s") - validation_cell(theirs, index, "z_m"),
        .spin_radps = {validation_cell(theirs, index, "w_rf"),
                       validation_cell(theirs, index, "w_lf"),
                       validation_cell(theirs, index, "w_rr"),
                       validation_cell(theirs, index, "w_lr")},
    };
    axle_loads(p, N("T_f"), validation_cell(theirs, index, "z_f"),
               validation_cell(theirs, index, "roll_f"), &row->load_N[FL], &row->load_N[FR]);
    axle_loads(p, N("T_r"), validation_cell(theirs, index, "z_r"),
               validation_cell(theirs, index, "roll_r"), &row->load_N[RL], &row->load_N[RR]);
}

void commonroad_drive(const struct commonroad_run *run, double step_s, struct commonroad_pair *pair)
{
    struct commonroad p;
    struct csv theirs;
    struct validation_folder folder;
    struct offline o;
    int per_row = (int)lround(commonroad_every_s / step_s);
    commonroad_read(&p);
    commonroad_read_run(run, &theirs);
    validation_folder_make(&folder);
    commonroad_write(&p, run, &theirs, &folder);
    commonroad_open(&folder, step_s, &o);
    validation_folder_remove(&folder);
    commonroad_start(&p, &o);
    double path_m = 0.0;
    for (size_t k = 0; k < COMMONROAD_ROWS; k++) {
        for (int n = 0; k > 0 && n < per_row; n++)
            offline_step(&o);
        commonroad_ours(&o, &pair->ours[k]);
        commonroad_theirs(&p, &theirs, k, &pair->theirs[k]);
        const struct commonroad_row *a = &pair->theirs[k > 0 ? k - 1 : 0], *b = &pair->theirs[k];
        path_m += hypot(b->x_m - a->x_m, b->y_m - a->y_m);
        pair->time_s[k] = (double)k * commonroad_every_s;
        pair->path_m[k] = path_m;
    }
    assert_int_equal(lumped15_state_of(&o)->fault, 0);
    offline_close(&o);
    csv_free(&theirs);
}
