#include "target/road/path_load_record.h"

#include "shared/config/csv.h"
#include "shared/wire/mdf_read.h"
#include "target/model/math/scalar.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RECORD_PATH = 1024, RECORD_POINTS = 1 << 22 };
#define RECORD_FARTHEST_M 1e6 /* as the points of a road */

/* A passage of the same place: so near, in about the same direction, at least a short lap ago. */
static const double same_point_m = 0.1, same_place_m = 20.0, same_way = 0.5, lap_least_m = 100.0;

static int more_room(struct record *r)
{
    size_t room = r->room ? 2 * r->room : 4096;
    double *xy = realloc(r->xy_m, 2 * room * sizeof *xy);
    if (xy)
        r->xy_m = xy;
    double *speed = realloc(r->speed_mps, room * sizeof *speed);
    if (speed)
        r->speed_mps = speed;
    double *time = realloc(r->time_s, room * sizeof *time);
    if (time)
        r->time_s = time;
    if (!xy || !speed || !time)
        return -ENOMEM;
    r->room = room;
    return 0;
}

static double distance_m(const struct record *r, size_t i, size_t k)
{
    return hypot(r->xy_m[2 * i] - r->xy_m[2 * k], r->xy_m[2 * i + 1] - r->xy_m[2 * k + 1]);
}

int record_add(struct record *r, double time_s, double x_m, double y_m, double speed_mps)
{
    if (!isfinite(x_m) || !isfinite(y_m))
        return 0;
    if (!(fabs(x_m) <= RECORD_FARTHEST_M && fabs(y_m) <= RECORD_FARTHEST_M))
        return -ERANGE;
    if (r->count == r->room && r->room >= RECORD_POINTS)
        return -E2BIG;
    if (r->count == r->room && more_room(r))
        return -ENOMEM;
    r->xy_m[2 * r->count] = x_m;
    r->xy_m[2 * r->count + 1] = y_m;
    r->speed_mps[r->count] = speed_mps;
    r->time_s[r->count] = time_s;
    if (r->count == 0 || distance_m(r, r->count, r->count - 1) >= same_point_m)
        r->count++;
    return 0;
}

void record_free(struct record *r)
{
    free(r->xy_m);
    free(r->speed_mps);
    free(r->time_s);
    *r = (struct record){0};
}

static void copy_point(struct record *r, size_t to, size_t from)
{
    r->xy_m[2 * to] = r->xy_m[2 * from];
    r->xy_m[2 * to + 1] = r->xy_m[2 * from + 1];
    r->speed_mps[to] = r->speed_mps[from];
    r->time_s[to] = r->time_s[from];
}

void record_thin(struct record *r, double apart_m, double apart_s, size_t *keep)
{
    size_t left = 0, kept = 0;
    for (size_t i = 0; i < r->count; i++) {
        bool must = i == *keep || i + 1 == r->count || i == 0;
        bool apart = left == 0 || (hypot(r->xy_m[2 * i] - r->xy_m[2 * left - 2],
                                         r->xy_m[2 * i + 1] - r->xy_m[2 * left - 1]) >= apart_m &&
                                   !(r->time_s[i] - r->time_s[left - 1] < apart_s));
        if (!must && !apart)
            continue;
        /* One that is too near to a point that stays goes. */
        if (must && !apart && left > kept + 1)
            left--;
        copy_point(r, left, i);
        if (i == *keep)
            kept = left;
        left++;
    }
    r->count = left;
    *keep = kept;
}

static double cell(const struct csv *csv, size_t row, int column)
{
    return column < 0 ? NAN : csv->values[row * csv->columns + (size_t)column];
}

static int read_csv(const char *file, struct record *r, struct err *e)
{
    struct csv csv;
    int bad = csv_read(file, &csv, e);
    if (bad)
        return bad;
    int t = csv_column(&csv, "time_s"), x = csv_column(&csv, "x_m"), y = csv_column(&csv, "y_m");
    int v = csv_column(&csv, "vx_mps");
    if (x < 0 || y < 0)
        bad = err_set(e, -EINVAL, "%s: has no columns x_m and y_m", file);
    for (size_t i = 0; i < csv.rows && !bad; i++)
        bad = record_add(r, cell(&csv, i, t), cell(&csv, i, x), cell(&csv, i, y), cell(&csv, i, v));
    csv_free(&csv);
    return bad;
}

static int read_mdf(const char *file, struct record *r, struct err *e)
{
    struct mdf_reader *reader = NULL;
    const struct mdf_read_group *group;
    const struct mdf_read_channel *x = NULL, *y = NULL, *t = NULL, *v = NULL;
    const void *row;
    int bad = mdf_read_open(file, &reader, e), got = 0;
    if (bad)
        return bad;
    const struct mdf_read_file *f = mdf_read_file(reader);
    const struct mdf_read_group *found = NULL;
    for (size_t i = 0; i < f->group_count && !found; i++) {
        x = mdf_read_channel_find(&f->groups[i], "x_m");
        y = mdf_read_channel_find(&f->groups[i], "y_m");
        found = x && y ? &f->groups[i] : NULL;
    }
    for (size_t i = 0; found && i < found->channel_count && !t; i++)
        t = found->channels[i].master ? &found->channels[i] : NULL;
    v = found ? mdf_read_channel_find(found, "vx_mps") : NULL;
    if (!found)
        bad = err_set(e, -EINVAL, "%s: has no channels x_m and y_m", file);
    while (!bad && (got = mdf_read_next(reader, &group, &row, e)) > 0)
        if (group == found)
            bad = record_add(r, t ? mdf_read_number(t, row) : NAN, mdf_read_number(x, row),
                             mdf_read_number(y, row), v ? mdf_read_number(v, row) : NAN);
    mdf_read_close(reader);
    return bad ? bad : got;
}

int record_read(const char *file, struct record *r, struct err *e)
{
    size_t length = strlen(file);
    bool is_mdf = length > 4 && strcmp(file + length - 4, ".mf4") == 0;
    int bad = is_mdf ? read_mdf(file, r, e) : read_csv(file, r, e);
    if (bad == -ERANGE)
        return err_set(e, bad, "%s: a place after point %zu is farther than %g m from the origin",
                       file, r->count, RECORD_FARTHEST_M);
    if (bad == -E2BIG)
        return err_set(e, bad, "%s: more than %d points %g m apart; thin them out", file,
                       RECORD_POINTS, same_point_m);
    return bad;
}

/* Of the line from the point before to this one. */
static void direction(const struct record *r, size_t i, double to[2])
{
    size_t a = i ? i - 1 : 0;
    double x = r->xy_m[2 * a + 2] - r->xy_m[2 * a], y = r->xy_m[2 * a + 3] - r->xy_m[2 * a + 1];
    double length = at_least(hypot(x, y), 1e-9);
    to[0] = x / length;
    to[1] = y / length;
}

/* The last lap's first point: walking back from the end, where the way first comes nearest. */
static long lap_begin(const struct record *r)
{
    size_t end = r->count - 1;
    double back_m = 0.0, nearest_m = same_place_m, here[2], there[2];
    long found = -1;
    direction(r, end, here);
    for (size_t i = end; i-- > 0;) {
        back_m += distance_m(r, i, i + 1);
        double apart_m = distance_m(r, i, end);
        direction(r, i, there);
        bool same = apart_m < nearest_m && here[0] * there[0] + here[1] * there[1] > same_way;
        if (back_m > lap_least_m && same) {
            nearest_m = apart_m;
            found = (long)i;
        } else if (found >= 0 && apart_m > same_place_m) {
            break;
        }
    }
    return found;
}

long record_close_lap(struct record *r, double blend_m)
{
    long begin = r->count > 8 ? lap_begin(r) : -1;
    if (begin < 0)
        return -1;
    size_t first = (size_t)begin, end = r->count - 1;
    double gap[2] = {r->xy_m[2 * first] - r->xy_m[2 * end],
                     r->xy_m[2 * first + 1] - r->xy_m[2 * end + 1]};
    double faster_mps = r->speed_mps[first] - r->speed_mps[end], left_m = 0.0;
    for (size_t i = end + 1; i-- > first + 1 && left_m < blend_m;) {
        double u = 1.0 - left_m / blend_m, share = u * u * u * (10.0 - u * (15.0 - 6.0 * u));
        left_m += distance_m(r, i, i - 1);
        r->xy_m[2 * i] += share * gap[0];
        r->xy_m[2 * i + 1] += share * gap[1];
        r->speed_mps[i] += share * faster_mps;
    }
    return begin;
}

/* The way in, up to the lap, then the lap. The way in goes on a little, so that it bends where it
 * meets the lap as the lap does. */
static int nodes_of(const struct record *r, bool is_closed, size_t loop, struct path_nodes *n)
{
    enum { BEYOND = 8 };
    size_t begin = 0;
    if (loop) {
        size_t upto = loop + BEYOND < r->count ? loop + BEYOND : r->count;
        int bad = path_through(r->xy_m, upto, false, n);
        if (bad)
            return bad;
        n->count = begin = loop;
    }
    return path_through(&r->xy_m[2 * begin], r->count - begin, is_closed, n);
}

/* The last node of a circuit is the first one of its lap again. */
static double *speeds_of(const struct record *r, size_t loop, size_t nodes)
{
    for (size_t i = 0; i < r->count; i++)
        if (!isfinite(r->speed_mps[i]))
            return NULL;
    double *speed = malloc(nodes * sizeof *speed);
    for (size_t i = 0; speed && i < nodes; i++)
        speed[i] = r->speed_mps[i < r->count ? i : loop];
    return speed;
}

int record_load(const struct cfg_node *n, bool *is_closed, struct path_nodes *nodes, size_t *loop,
                double **speed_mps)
{
    char file[RECORD_PATH] = "";
    struct record r = {0};
    double apart_m = 2.0, apart_s = 0.0;
    struct err e = {""};
    bool flying = false;
    double blend_m = 60.0;
    cfg_need(n, "file");
    cfg_path(n, "file", file, sizeof file);
    cfg_double(n, "apart_m", &apart_m, CFG_BETWEEN(0.2, 100.0));
    cfg_double(n, "apart_s", &apart_s, CFG_BETWEEN(0.0, 60.0));
    cfg_bool(n, "closed", is_closed);
    cfg_bool(n, "flying", &flying);
    cfg_double(n, "blend_m", &blend_m, CFG_BETWEEN(1.0, 1000.0));
    cfg_done(n);
    if (!file[0])
        return 0;
    if (flying && *is_closed)
        cfg_complain(n, "closed",
                     "give either closed (the drive is one lap) or flying (its last "
                     "lap is)");
    int bad = record_read(file, &r, &e);
    long begin = 0;
    if (bad == -ENOMEM) {
        record_free(&r);
        return bad;
    }
    if (bad)
        cfg_complain(n, "file", "%s", e.text);
    else if (apart_s > 0.0 && r.count && !isfinite(r.time_s[0]))
        cfg_complain(n, "apart_s", "%s has no time_s", file);
    else if (flying && (begin = record_close_lap(&r, blend_m)) < 0)
        cfg_complain(n, "flying",
                     "%s: the drive does not end where it has been before (within %g m, in the "
                     "same direction, more than %g m ago): record until a lap is complete",
                     file, same_place_m, lap_least_m);
    else {
        *is_closed = *is_closed || flying;
        *loop = (size_t)begin;
        record_thin(&r, apart_m, apart_s, loop);
        /* The lap's last point is its first one again, which a closed curve adds itself. */
        if (flying)
            r.count--;
        if (r.count - *loop < 4)
            cfg_complain(n, "file", "%s: fewer than 4 points %g m and %g s apart", file, apart_m,
                         apart_s);
        else if (!(bad = nodes_of(&r, *is_closed, *loop, nodes)) && r.speed_mps)
            *speed_mps = speeds_of(&r, *loop, nodes->count);
    }
    record_free(&r);
    return bad;
}
