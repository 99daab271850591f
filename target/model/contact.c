#include "target/model/contact.h"

#include "target/model/math/scalar.h"

#define CLOSEST_APART 0.2 /* between places that are looked at, over the radius */

/* The wheel's plane: ahead on the level, and down. */
struct wheel_plane {
    struct vec3 hub_m, axis, ahead, down;
    double radius_m;
};

static struct wheel_plane plane_of(struct vec3 hub_m, struct vec3 axis, double radius_m)
{
    struct wheel_plane p = {.hub_m = hub_m, .axis = axis, .radius_m = radius_m};
    /* A wheel that lies flat has no way down; its load has faded before (C-4). */
    double level = sqrt(at_least(axis.x * axis.x + axis.y * axis.y, 0.01));
    p.ahead = v3(axis.y / level, -axis.x / level, 0.0);
    p.down = v3_cross(p.ahead, axis);
    p.down = v3_scale(p.down.z > 0.0 ? -1.0 : 1.0, p.down);
    return p;
}

/* The point s ahead and r down of the centre. */
static struct vec3 point_of(const struct wheel_plane *p, double s_m, double r_m)
{
    return v3_madd(v3_madd(p->hub_m, s_m, p->ahead), r_m, p->down);
}

/* (C-10): from the surface over (s, r), along a line down the wheel's plane, to its tangent. */
static double meet(const struct wheel_plane *p, const struct ground *ground, double s_m, double r_m,
                   struct ground_point *g, struct vec3 *normal, struct vec3 *foot)
{
    struct vec3 q = point_of(p, s_m, r_m);
    ground->query(ground->road, q.x, q.y, g);
    *normal = v3(g->normal[0], g->normal[1], g->normal[2]);
    *foot = v3(q.x, q.y, g->z_m);
    double along = at_most(v3_dot(*normal, p->down), -0.1);
    double deeper = v3_dot(*normal, v3_sub(*foot, q)) / along;
    return between(r_m + deeper, 0.2 * p->radius_m, 3.0 * p->radius_m);
}

static void on_line(const struct wheel_plane *p, const struct ground *ground,
                    struct contact_spot *out)
{
    struct ground_point g;
    struct vec3 foot;
    double r_m = p->radius_m;
    for (int n = 0; n < 3; n++)
        r_m = meet(p, ground, 0.0, r_m, &g, &out->normal, &foot);
    out->height_m = v3_dot(out->normal, v3_sub(p->hub_m, foot));
    out->friction = g.friction;
    out->weather = g.weather;
}

/* A point of the surface in the wheel's plane. */
struct candidate {
    double s_m, r_m, square_m2;
    double slope; /* dr / ds along the surface */
    double lean;  /* of the surface to the axis */
    double friction;
    int32_t weather;
};

static struct candidate at_ahead(const struct wheel_plane *p, const struct ground *ground,
                                 double s_m, double r_m)
{
    struct ground_point g;
    struct vec3 normal, foot;
    struct candidate c = {.s_m = s_m, .r_m = meet(p, ground, s_m, r_m, &g, &normal, &foot)};
    c.friction = g.friction;
    c.weather = g.weather;
    c.square_m2 = c.s_m * c.s_m + c.r_m * c.r_m;
    c.slope = -v3_dot(normal, p->ahead) / at_most(v3_dot(normal, p->down), -0.1);
    c.lean = v3_dot(normal, p->axis);
    return c;
}

/* Half of how the square of the distance grows ahead: 0 at the nearest point of a smooth surface.
 */
static double growth_m(const struct candidate *c)
{
    return c->s_m + c->slope * c->r_m;
}

/* Between two places of which the first comes nearer ahead and the second goes away: the nearest,
 * by false position (Illinois). */
static struct candidate between_places(const struct wheel_plane *p, const struct ground *ground,
                                       struct candidate a, struct candidate b)
{
    enum { STEPS = 5 };
    double ga_m = growth_m(&a), gb_m = growth_m(&b);
    struct candidate best = a.square_m2 < b.square_m2 ? a : b;
    for (int n = 0; n < STEPS; n++) {
        double share = ga_m / at_most(ga_m - gb_m, -1e-12), s_m = a.s_m + share * (b.s_m - a.s_m);
        struct candidate c = at_ahead(p, ground, s_m, a.r_m + share * (b.r_m - a.r_m));
        double g_m = growth_m(&c);
        best = c.square_m2 <= best.square_m2 ? c : best;
        if (g_m < 0.0) {
            a = c;
            ga_m = g_m;
            gb_m *= 0.5;
        } else {
            b = c;
            gb_m = g_m;
            ga_m *= 0.5;
        }
    }
    return best;
}

/* Between a low place and a higher one further from the centre: the last high one, by halves. */
static struct candidate to_the_edge(const struct wheel_plane *p, const struct ground *ground,
                                    const struct candidate *low, struct candidate high)
{
    enum { HALVES = 8 };
    double inner_m = low->s_m, level_m = 0.5 * (low->r_m + high.r_m);
    for (int n = 0; n < HALVES; n++) {
        double s_m = 0.5 * (high.s_m + inner_m);
        struct candidate c = at_ahead(p, ground, s_m, high.r_m);
        if (c.r_m < level_m)
            high = c;
        else
            inner_m = s_m;
    }
    return high;
}

/* (C-11): places ahead and behind, and the nearest between those around it. Where another could
 * hide an edge that is nearer still, from there as well. */
static void on_closest(const struct wheel_plane *p, const struct ground *ground,
                       struct contact_spot *out)
{
    enum { SIDES = 4, PLACES = 2 * SIDES + 1 };
    struct candidate place[PLACES], best;
    int edge = SIDES;
    double apart_m = CLOSEST_APART * p->radius_m, least_m2 = 1e300;
    for (int k = 0; k < PLACES; k++)
        place[k] = at_ahead(p, ground, (k - SIDES) * apart_m, p->radius_m);
    best = place[SIDES];
    for (int k = 0; k < PLACES; k++) {
        double s_m = at_least(fabs(place[k].s_m) - apart_m, 0.0), r_m = place[k].r_m;
        best = place[k].square_m2 < best.square_m2 ? place[k] : best;
        if (k != SIDES && s_m * s_m + r_m * r_m < least_m2) {
            least_m2 = s_m * s_m + r_m * r_m;
            edge = k;
        }
    }
    for (int k = 0; k + 1 < PLACES; k++) {
        double from_m = growth_m(&place[k]), to_m = growth_m(&place[k + 1]);
        if (!(from_m < 0.0) || to_m < 0.0)
            continue;
        /* What parabolas from both ends would come down to. */
        double share = from_m / at_most(from_m - to_m, -1e-12);
        double ahead_m2 = place[k].square_m2 + from_m * share * apart_m;
        double back_m2 = place[k + 1].square_m2 - to_m * (1.0 - share) * apart_m;
        if (at_most(ahead_m2, back_m2) > best.square_m2)
            continue;
        struct candidate c = between_places(p, ground, place[k], place[k + 1]);
        best = c.square_m2 < best.square_m2 ? c : best;
    }
    const struct candidate *low = &place[edge + (edge < SIDES ? 1 : -1)];
    if (least_m2 < best.square_m2 * (1.0 - 1e-9) && place[edge].r_m < low->r_m) {
        struct candidate c = to_the_edge(p, ground, low, place[edge]);
        best = c.square_m2 < best.square_m2 ? c : best;
        /* A flank that rises gently has its nearest point behind it. */
        struct candidate a = edge < SIDES ? place[edge] : c, b = edge < SIDES ? c : place[edge];
        if (growth_m(&a) < 0.0 && growth_m(&b) >= 0.0) {
            c = between_places(p, ground, a, b);
            best = c.square_m2 < best.square_m2 ? c : best;
        }
    }
    double far_m = sqrt(at_least(best.square_m2, 1e-6));
    double lean = between(best.lean, -0.9, 0.9), upright = sqrt(1.0 - lean * lean);
    /* From the point to the centre, leaned to the side as the surface is: (C-12). */
    struct vec3 in_plane =
        v3_madd(v3_scale(-best.s_m / far_m, p->ahead), -best.r_m / far_m, p->down);
    out->normal = v3_madd(v3_scale(upright, in_plane), lean, p->axis);
    out->height_m = far_m * upright;
    out->friction = best.friction;
    out->weather = best.weather;
}

/* (C-13): the plane of least squares through the points of the patch, each the middle of an equal
 * part of it. */
static void on_patch(const struct contact_model *c, const struct wheel_plane *p,
                     const struct ground *ground, struct contact_spot *out)
{
    struct vec3 middle = point_of(p, 0.0, p->radius_m), left = v3(-p->ahead.y, p->ahead.x, 0.0);
    double sum_m = 0.0, friction = 0.0, xz = 0.0, xx = 0.0, yz = 0.0, yy = 0.0;
    for (int i = 0; i < c->along; i++) {
        double x_m = c->length_m * ((i + 0.5) / c->along - 0.5);
        for (int k = 0; k < c->across; k++) {
            double y_m = c->width_m * ((k + 0.5) / c->across - 0.5);
            struct vec3 q = v3_madd(v3_madd(middle, x_m, p->ahead), y_m, left);
            struct ground_point g;
            ground->query(ground->road, q.x, q.y, &g);
            sum_m += g.z_m;
            friction += g.friction;
            if (i == c->along / 2 && k == c->across / 2)
                out->weather = g.weather; /* of the middle */
            xz += x_m * g.z_m;
            xx += x_m * x_m;
            yz += y_m * g.z_m;
            yy += y_m * y_m;
        }
    }
    double points = (double)(c->along * c->across), by_x = xz / xx, by_y = yz / yy;
    double up = 1.0 / sqrt(1.0 + by_x * by_x + by_y * by_y);
    struct vec3 slope = v3_madd(v3_scale(by_x, p->ahead), by_y, left);
    out->normal = v3(-slope.x * up, -slope.y * up, up);
    struct vec3 foot = v3(middle.x, middle.y, sum_m / points);
    out->height_m = v3_dot(out->normal, v3_sub(p->hub_m, foot));
    out->friction = friction / points;
}

void contact_find(const struct contact_model *c, const struct ground *ground, struct vec3 hub_m,
                  struct vec3 axis, double radius_m, struct contact_spot *out)
{
    struct wheel_plane p = plane_of(hub_m, axis, radius_m);
    out->reserved = 0;
    if (c->kind == CONTACT_LINE)
        on_line(&p, ground, out);
    else if (c->kind == CONTACT_CLOSEST)
        on_closest(&p, ground, out);
    else
        on_patch(c, &p, ground, out);
}
