/* Vectors of three, rotations and quaternions; all inline, by value. */
#ifndef SKIDPAD_MODEL_MATH_VEC3_H
#define SKIDPAD_MODEL_MATH_VEC3_H

#include <math.h> /* sqrt and fabs only: exact on every CPU */

struct vec3 {
    double x, y, z;
};

/* Rows of a rotation from body to world. */
struct mat3 {
    struct vec3 r0, r1, r2;
};

struct quat {
    double w, x, y, z;
};

static inline struct vec3 v3(double x, double y, double z)
{
    return (struct vec3){x, y, z};
}

static inline struct vec3 v3_add(struct vec3 a, struct vec3 b)
{
    return v3(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline struct vec3 v3_sub(struct vec3 a, struct vec3 b)
{
    return v3(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline struct vec3 v3_scale(double s, struct vec3 a)
{
    return v3(s * a.x, s * a.y, s * a.z);
}

/* a + s b */
static inline struct vec3 v3_madd(struct vec3 a, double s, struct vec3 b)
{
    return v3(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

static inline double v3_dot(struct vec3 a, struct vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline struct vec3 v3_cross(struct vec3 a, struct vec3 b)
{
    return v3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline double v3_norm(struct vec3 a)
{
    return sqrt(v3_dot(a, a));
}

/* R a */
static inline struct vec3 m3_mul(const struct mat3 *R, struct vec3 a)
{
    return v3(v3_dot(R->r0, a), v3_dot(R->r1, a), v3_dot(R->r2, a));
}

/* R^T a */
static inline struct vec3 m3_tmul(const struct mat3 *R, struct vec3 a)
{
    return v3(R->r0.x * a.x + R->r1.x * a.y + R->r2.x * a.z,
              R->r0.y * a.x + R->r1.y * a.y + R->r2.y * a.z,
              R->r0.z * a.x + R->r1.z * a.y + R->r2.z * a.z);
}

/* The rotation of a unit quaternion, body to world. */
static inline struct mat3 quat_matrix(struct quat q)
{
    double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
    double xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
    double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
    return (struct mat3){v3(1.0 - 2.0 * (yy + zz), 2.0 * (xy - wz), 2.0 * (xz + wy)),
                         v3(2.0 * (xy + wz), 1.0 - 2.0 * (xx + zz), 2.0 * (yz - wx)),
                         v3(2.0 * (xz - wy), 2.0 * (yz + wx), 1.0 - 2.0 * (xx + yy))};
}

/* dq/dt for an angular velocity in body axes: q * (0, w) / 2. */
static inline struct quat quat_rate(struct quat q, struct vec3 w)
{
    return (struct quat){
        0.5 * (-q.x * w.x - q.y * w.y - q.z * w.z), 0.5 * (q.w * w.x + q.y * w.z - q.z * w.y),
        0.5 * (q.w * w.y + q.z * w.x - q.x * w.z), 0.5 * (q.w * w.z + q.x * w.y - q.y * w.x)};
}

static inline struct quat quat_normalise(struct quat q)
{
    double k = 1.0 / sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return (struct quat){k * q.w, k * q.x, k * q.y, k * q.z};
}

/* From and to arrays of a state or an output. */
static inline struct vec3 vec3_of(const double a[3])
{
    return v3(a[0], a[1], a[2]);
}

static inline void vec3_to(struct vec3 v, double a[3])
{
    a[0] = v.x;
    a[1] = v.y;
    a[2] = v.z;
}

static inline struct quat quat_of(const double a[4])
{
    return (struct quat){a[0], a[1], a[2], a[3]};
}

#endif
