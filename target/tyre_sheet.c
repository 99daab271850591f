#include "target/tyre_sheet.h"

#include "target/model/tyre/tyre_file.h"
#include "target/model/tyre/tyre_grip.h"

#include <math.h>

#define DEG_PER_RAD 57.29577951308232
#define M_PER_INCH  0.0254

enum { LOADS = 4 };

/* What the table shows for one load. */
struct column {
    double load_N;
    double mux, kappa_peak, locked; /* friction, where, and what a locked wheel keeps of it */
    double muy, alpha_peak_rad;
    double mz_Nm, alpha_mz_rad, trail_m;
    double stiff_x_N, stiff_y_N, relax_x_m, relax_y_m;
    double rolling, deflection_m, stiffness_Npm, rolling_radius_m;
};

void tyre_sheet_set(struct tyre_set *set, const struct tyre_model *model)
{
    const struct tyre_model *const four[WHEELS] = {model, model, model, model};
    tyre_set_init(set, four, TYRE_SIDES_AS_FILE);
}

static struct tyre_out forces_at(const struct tyre_set *set, const struct tyre_point *p)
{
    struct tyre_in in;
    struct tyre_out out;
    for (int i = 0; i < WHEELS; i++) {
        in.load_N[i] = p->load_N;
        in.kappa[i] = p->kappa;
        in.tan_alpha[i] = sin(p->alpha_rad) / fmax(fabs(cos(p->alpha_rad)), 1e-16);
        in.gamma_rad[i] = p->gamma_rad;
        in.vx_mps[i] = p->vx_mps;
        in.pressure_Pa[i] = p->pressure_Pa;
        in.friction[i] = p->friction;
    }
    tyre_forces(set, &in, &out);
    return out;
}

struct tyre_point_forces tyre_sheet_at(const struct tyre_set *set, const struct tyre_point *p)
{
    struct tyre_out o = forces_at(set, p);
    return (struct tyre_point_forces){o.fx_N[FL], o.fy_N[FL], o.mx_Nm[FL], o.my_Nm[FL],
                                      o.mz_Nm[FL]};
}

/* Walks along both slips in small steps and keeps the peaks. */
static void find_peaks(const struct tyre_set *set, struct tyre_point p, struct column *c)
{
    for (int i = 1; i <= 1500; i++) {
        struct tyre_point along = p, across = p;
        along.kappa = -i * 0.0005;
        across.alpha_rad = i * 0.0005;
        double fx_N = -tyre_sheet_at(set, &along).fx_N;
        struct tyre_point_forces y = tyre_sheet_at(set, &across);
        if (fx_N > c->mux * p.load_N) {
            c->mux = fx_N / p.load_N;
            c->kappa_peak = -along.kappa;
        }
        if (-y.fy_N > c->muy * p.load_N) {
            c->muy = -y.fy_N / p.load_N;
            c->alpha_peak_rad = across.alpha_rad;
        }
        if (y.mz_Nm > c->mz_Nm) {
            c->mz_Nm = y.mz_Nm;
            c->alpha_mz_rad = across.alpha_rad;
        }
    }
}

static struct column column_at(const struct tyre_set *set, double load_N, double friction)
{
    struct column c = {.load_N = load_N};
    struct tyre_point p = {.load_N = load_N, .vx_mps = 20.0, .friction = friction}, q = p;
    find_peaks(set, p, &c);
    struct tyre_out o = forces_at(set, &p);
    q.kappa = -1.0;
    c.locked = c.mux > 0.0 ? -tyre_sheet_at(set, &q).fx_N / load_N / c.mux : 0.0;
    q.kappa = 0.0;
    q.alpha_rad = 1e-4; /* near enough to straight on for the trail at zero slip */
    struct tyre_point_forces a = tyre_sheet_at(set, &q);
    q.alpha_rad = -1e-4;
    struct tyre_point_forces b = tyre_sheet_at(set, &q);
    c.trail_m = a.fy_N != b.fy_N ? -(a.mz_Nm - b.mz_Nm) / (a.fy_N - b.fy_N) : 0.0;
    c.stiff_x_N = o.stiff_x_N[FL];
    c.stiff_y_N = o.stiff_y_N[FL];
    c.relax_x_m = o.relax_x_m[FL];
    c.relax_y_m = o.relax_y_m[FL];
    c.rolling = o.rolling_Nm[FL] / (load_N * set->radius_m[FL]);

    c.deflection_m = tyre_static_deflection_m(set, FL, load_N);
    const double x[WHEELS] = {c.deflection_m, 0, 0, 0}, zero[WHEELS] = {0};
    const double load[WHEELS] = {load_N, 0, 0, 0};
    double f[WHEELS], k[WHEELS], d[WHEELS], re[WHEELS];
    tyre_load(set, x, zero, zero, zero, f, k, d);
    tyre_rolling_radius(set, load, zero, zero, re);
    c.stiffness_Npm = k[FL];
    c.rolling_radius_m = re[FL];
    return c;
}

static void print_size(const struct tyre_model *m, FILE *to)
{
    double aspect = m->aspect_ratio > 2.0 ? m->aspect_ratio : 100.0 * m->aspect_ratio;
    fprintf(to, "  version             Magic Formula %s, %s side\n", tyre_version_text(m->version),
            m->right_side ? "right" : "left");
    if (m->width_m > 0.0 && m->rim_radius_m > 0.0 && aspect > 0.0)
        fprintf(to, "  size                %.0f/%.0f R%.3g\n", 1e3 * m->width_m, aspect,
                2.0 * m->rim_radius_m / M_PER_INCH);
    fprintf(to, "  free radius         %.1f mm\n", 1e3 * m->radius_m);
    fprintf(to, "  nominal load        %.0f N\n", m->nominal_load_N * m->lfzo);
    fprintf(to, "  inflation           %.2f bar\n", 1e-5 * m->pressure_Pa);
    fprintf(to, "  vertical stiffness  %.0f N/mm, damping %.0f N s/m\n",
            1e-3 * m->vertical_stiffness_Npm * m->lcz, m->vertical_damping_Nspm);
    if (m->mass_kg > 0.0)
        fprintf(to, "  mass                %.1f kg, inertia about the axle %.2f kg m2\n",
                m->mass_kg, m->iyy_kgm2);
}

static void print_ranges(const struct tyre_model *m, FILE *to)
{
    fprintf(to, "\nrange of the file\n");
    fprintf(to, "  load                %.0f .. %.0f N\n", m->load_min_N, m->load_max_N);
    fprintf(to, "  slip                %.3g .. %.3g\n", m->kappa_min, m->kappa_max);
    fprintf(to, "  slip angle          %.3g .. %.3g deg\n", DEG_PER_RAD * m->alpha_min_rad,
            DEG_PER_RAD * m->alpha_max_rad);
    fprintf(to, "  camber              %.3g .. %.3g deg\n", DEG_PER_RAD * m->gamma_min_rad,
            DEG_PER_RAD * m->gamma_max_rad);
    fprintf(to, "  inflation           %.2f .. %.2f bar\n", 1e-5 * m->pressure_min_Pa,
            1e-5 * m->pressure_max_Pa);
}

static void print_row(FILE *to, const char *what, const char *format, const double values[LOADS])
{
    fprintf(to, "  %-34s", what);
    for (int i = 0; i < LOADS; i++) {
        char text[32];
        (void)snprintf(text, sizeof text, format, values[i]);
        fprintf(to, "%10s", text);
    }
    fputc('\n', to);
}

#define ROW(what, format, scale, field)                                                            \
    do {                                                                                           \
        double values_[LOADS];                                                                     \
        for (int i_ = 0; i_ < LOADS; i_++)                                                         \
            values_[i_] = (scale)*c[i_].field;                                                     \
        print_row(to, what, format, values_);                                                      \
    } while (0)

void tyre_sheet_print(const char *path, const struct tyre_model *model, double friction, FILE *to)
{
    struct tyre_set set;
    struct column c[LOADS];
    tyre_sheet_set(&set, model);
    for (int i = 0; i < LOADS; i++)
        c[i] = column_at(&set, 0.5 * (i + 1) * set.load0s_N[FL], friction);

    fprintf(to, "%s\n", path);
    print_size(model, to);
    print_ranges(model, to);
    fprintf(to, "\nupright at 20 m/s, road friction %.3g\n", friction);
    ROW("load in N", "%.0f", 1.0, load_N);
    ROW("braking: friction", "%.3f", 1.0, mux);
    ROW("  at slip in %", "%.1f", 100.0, kappa_peak);
    ROW("  a locked wheel keeps, in %", "%.0f", 100.0, locked);
    ROW("  slip stiffness in kN", "%.1f", 1e-3, stiff_x_N);
    ROW("  relaxation length in m", "%.3f", 1.0, relax_x_m);
    ROW("cornering: friction", "%.3f", 1.0, muy);
    ROW("  at slip angle in deg", "%.1f", DEG_PER_RAD, alpha_peak_rad);
    ROW("  cornering stiffness in kN/rad", "%.1f", 1e-3, stiff_y_N);
    ROW("  relaxation length in m", "%.3f", 1.0, relax_y_m);
    ROW("aligning moment in Nm", "%.1f", 1.0, mz_Nm);
    ROW("  at slip angle in deg", "%.1f", DEG_PER_RAD, alpha_mz_rad);
    ROW("  trail straight on in mm", "%.1f", 1e3, trail_m);
    ROW("rolling resistance in %", "%.2f", 100.0, rolling);
    ROW("deflection at rest in mm", "%.1f", 1e3, deflection_m);
    ROW("  vertical stiffness in N/mm", "%.0f", 1e-3, stiffness_Npm);
    ROW("  rolling radius in mm", "%.1f", 1e3, rolling_radius_m);
}
