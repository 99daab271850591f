#include "target/model/tyre/tyre_file.h"

#include "shared/base/file.h"
#include "target/model/tyre/tyre_units.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { FILE_MAX_BYTES = 1 << 20 };

/* Larger numbers only come from damaged files and would overflow in the formulas. */
#define COEFFICIENT_MAX 1e6
#define DIMENSIONAL_MAX 1e9

struct field {
    const char *key;
    size_t offset;
    double absent;
};

#define FIELD(key, field, absent) {#key, offsetof(struct tyre_model, field), absent},
static const struct field FIELDS[] = {TYRE_COEFFICIENTS(FIELD)};
#undef FIELD
enum { FIELD_COUNT = sizeof FIELDS / sizeof FIELDS[0] };

/* Other spellings of the same quantity. */
static const char *const ALIASES[][2] = {
    {"NOMPRES", "IP_NOM"}, {"INFLPRES", "IP"},  {"QSX12", "Q_SX12"},
    {"QSX13", "Q_SX13"},   {"QSX14", "Q_SX14"}, {"PPMX1", "QPX1"},
};

/* Without these a file describes no tyre. */
static const char *const ESSENTIAL[] = {
    "UNLOADED_RADIUS",
    "FNOMIN",
    "VERTICAL_STIFFNESS",
    "PCX1",
    "PDX1",
    "PKX1",
    "PCY1",
    "PDY1",
    "PKY1",
    "PKY2",
};

/* lo <= value <= hi; open ends exclude the bound. */
struct limit {
    const char *key;
    double lo, hi;
    bool lo_open;
};
static const struct limit LIMITS[] = {
    {"UNLOADED_RADIUS", 0.05, 3.0, false},
    {"WIDTH", 0.0, 2.0, false},
    {"ASPECT_RATIO", 0.0, 2.0, false},
    {"RIM_RADIUS", 0.0, 3.0, false},
    {"RIM_WIDTH", 0.0, 2.0, false},
    {"FNOMIN", 1.0, 1e6, false},
    {"LONGVL", 0.1, 200.0, false},
    {"NOMPRES", 1e3, 1e7, false},
    {"INFLPRES", 1e3, 1e7, false},
    {"VERTICAL_STIFFNESS", 1e3, 1e8, false},
    {"VERTICAL_DAMPING", 0.0, 1e6, false},
    {"LONGITUDINAL_STIFFNESS", 0.0, 1e9, false},
    {"LATERAL_STIFFNESS", 0.0, 1e9, false},
    {"BOTTOM_STIFF", 0.0, 1e9, false},
    {"KPUMIN", -1e3, 0.0, false},
    {"KPUMAX", 0.0, 1e3, true},
    {"ALPMIN", -3.2, 0.0, false},
    {"ALPMAX", 0.0, 3.2, true},
    {"CAMMIN", -1.6, 0.0, false},
    {"CAMMAX", 0.0, 1.6, false},
    {"FZMIN", 0.0, 1e6, false},
    {"PRESMIN", 0.0, 1e7, false},
    {"PRESMAX", 0.0, 1e8, false},
    {"PCX1", 0.1, 3.0, false},
    {"PDX1", 0.0, 10.0, true},
    {"PKX1", 0.0, 1e3, true},
    {"PKX3", -10.0, 10.0, false},
    {"PCY1", 0.1, 3.0, false},
    {"RCX1", -6.0, 6.0, false},
    {"RCY1", -6.0, 6.0, false},
    {"QCZ1", -6.0, 6.0, false},
    {"PTX3", -10.0, 10.0, false},
    {"QSY7", -10.0, 10.0, false},
    {"QSY8", -10.0, 10.0, false},
    {"Q_RE0", 0.5, 2.0, false},
    {"LFZO", 0.01, 100.0, false},
    {"LMUX", 0.0, 100.0, true},
    {"LMUY", 0.0, 100.0, true},
    {"LCX", 0.0, 3.0, true},
    {"LCY", 0.0, 3.0, true},
    {"LKX", 0.0, 100.0, true},
    {"LKY", 0.0, 100.0, true},
    {"LCZ", 0.0, 100.0, true},
};

/* What one reading carries around. */
struct job {
    struct tir tir;
    struct tyre_model *m;
    struct tir_report *report;
};

static struct tir_entry *find(const struct job *j, const char *key)
{
    struct tir_entry *e = tir_find(&j->tir, NULL, key);
    for (size_t i = 0; !e && i < sizeof ALIASES / sizeof ALIASES[0]; i++)
        if (strcmp(ALIASES[i][0], key) == 0)
            e = tir_find(&j->tir, NULL, ALIASES[i][1]);
    return e;
}

static double *value(struct tyre_model *m, const struct field *f)
{
    return (double *)(void *)((char *)m + f->offset);
}

/* Complains at the key if the file has it, else about the file. */
#define COMPLAIN(j, key, ...)                                                                      \
    do {                                                                                           \
        const struct tir_entry *at_ = find(j, key);                                                \
        tir_complain((j)->report, (j)->tir.name, at_ ? at_->line : 0, at_ ? at_->column : 0, key,  \
                     __VA_ARGS__);                                                                 \
    } while (0)
#define WARN(j, key, ...)                                                                          \
    do {                                                                                           \
        const struct tir_entry *at_ = find(j, key);                                                \
        tir_warn((j)->report, (j)->tir.name, at_ ? at_->line : 0, at_ ? at_->column : 0, key,      \
                 __VA_ARGS__);                                                                     \
    } while (0)

static void read_version(struct job *j)
{
    struct tir_entry *type = find(j, "FITTYP"), *format = find(j, "PROPERTY_FILE_FORMAT");
    struct tir_entry *side = find(j, "TYRESIDE");
    bool pac2002 = format && !format->is_number && strcasecmp(format->text, "PAC2002") == 0;
    j->m->version = TYRE_MF52;
    if (format)
        format->used = true;
    if (type) {
        int fit = type->is_number && fabs(type->number) < 1000.0 ? (int)type->number : -1;
        type->used = true;
        if (fit == 60 || fit == 61)
            j->m->version = TYRE_MF61;
        else if (fit == 62)
            j->m->version = TYRE_MF62;
        else if (fit != 5 && fit != 6 && fit != 52)
            COMPLAIN(j, "FITTYP",
                     "unknown Magic Formula version; allowed are 5, 6 or 52 (5.2), 60 "
                     "or 61 (6.1), 62 (6.2)");
    } else if (!pac2002) {
        COMPLAIN(j, "FITTYP",
                 "missing, so the Magic Formula version is unknown; allowed are 6 "
                 "(5.2), 61 and 62, or PROPERTY_FILE_FORMAT = 'PAC2002'");
    }
    j->m->right_side = false;
    if (side) {
        side->used = true;
        j->m->right_side = !side->is_number && strcasecmp(side->text, "RIGHT") == 0;
        bool left = !side->is_number && (strcasecmp(side->text, "LEFT") == 0 ||
                                         strcasecmp(side->text, "SYMMETRIC") == 0);
        if (!left && !j->m->right_side)
            COMPLAIN(j, "TYRESIDE", "unknown side; allowed are 'LEFT' and 'RIGHT'");
    }
}

static void read_fields(struct job *j, const struct tyre_units *units)
{
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        const struct field *f = &FIELDS[i];
        struct tir_entry *e = find(j, f->key);
        double scale = tyre_units_scale(units, f->key);
        double limit = tyre_units_dimensional(f->key) ? DIMENSIONAL_MAX : COEFFICIENT_MAX;
        *value(j->m, f) = f->absent;
        if (!e)
            continue;
        e->used = true;
        if (!e->is_number)
            COMPLAIN(j, f->key, "'%s' is not a number", e->text);
        else if (!(fabs(e->number * scale) <= limit))
            COMPLAIN(j, f->key, "%g is too large; allowed is up to %g in SI units", e->number,
                     limit);
        else
            *value(j->m, f) = e->number * scale;
    }
    for (size_t i = 0; i < sizeof ESSENTIAL / sizeof ESSENTIAL[0]; i++)
        if (!find(j, ESSENTIAL[i]))
            tir_complain(j->report, j->tir.name, 0, 0, ESSENTIAL[i],
                         "missing, but the tyre cannot be computed without it");
}

/* Values that follow from others when the file is silent. */
static void fill_gaps(struct job *j)
{
    struct tyre_model *m = j->m;
    if (!(m->nominal_pressure_Pa > 0.0))
        m->nominal_pressure_Pa = m->pressure_Pa > 0.0 ? m->pressure_Pa : 220e3;
    if (!(m->pressure_Pa > 0.0))
        m->pressure_Pa = m->nominal_pressure_Pa;
    if (!(m->pressure_max_Pa > 0.0)) {
        m->pressure_min_Pa = 0.5 * m->nominal_pressure_Pa;
        m->pressure_max_Pa = 1.5 * m->nominal_pressure_Pa;
    }
    if (!(m->load_max_N > 0.0))
        m->load_max_N = 2.5 * m->nominal_load_N * m->lfzo;
    if (m->kappa_min == 0.0)
        m->kappa_min = -m->kappa_max;
    if (m->alpha_min_rad == 0.0)
        m->alpha_min_rad = -m->alpha_max_rad;
    bool six = m->version != TYRE_MF52;
    if (six && !(m->long_stiffness_Npm > 0.0)) {
        m->long_stiffness_Npm = 1.25 * m->vertical_stiffness_Npm;
        WARN(j, "LONGITUDINAL_STIFFNESS", "missing: 1.25 VERTICAL_STIFFNESS is used");
    }
    if (six && !(m->lat_stiffness_Npm > 0.0)) {
        m->lat_stiffness_Npm = 0.6 * m->vertical_stiffness_Npm;
        WARN(j, "LATERAL_STIFFNESS", "missing: 0.6 VERTICAL_STIFFNESS is used");
    }
    if (!six && !(m->ptx1 > 0.0)) {
        m->ptx1 = 0.6;
        WARN(j, "PTX1", "missing: 0.6 is used for the longitudinal relaxation length");
    }
    if (!six && (!(m->pty1 > 0.0) || !(m->pty2 > 0.0))) {
        m->pty1 = 1.6;
        m->pty2 = 2.0;
        WARN(j, "PTY1", "PTY1 and PTY2 missing: 1.6 and 2 are used for the lateral relaxation");
    }
    if (m->rbx1 == 0.0 || m->rby1 == 0.0 || m->rcx1 == 0.0 || m->rcy1 == 0.0)
        WARN(j, "RBX1", "combined slip is not fully described: the friction ellipse is used");
}

static void check_limits(struct job *j)
{
    for (size_t i = 0; i < sizeof LIMITS / sizeof LIMITS[0]; i++) {
        const struct limit *l = &LIMITS[i];
        const struct field *f = FIELDS;
        while (strcmp(f->key, l->key) != 0)
            f++;
        double v = *value(j->m, f);
        if (!find(j, f->key))
            continue;
        if (!((l->lo_open ? v > l->lo : v >= l->lo) && v <= l->hi))
            COMPLAIN(j, l->key, "%g is not allowed; allowed is %s %g to %g%s", v,
                     l->lo_open ? "above" : "from", l->lo, l->hi,
                     tyre_units_dimensional(l->key) ? " in SI units" : "");
    }
}

/* Conditions that join several keys; only for a model whose single values are right. */
static void check_together(struct job *j)
{
    const struct tyre_model *m = j->m;
    double load0s_N = m->nominal_load_N * m->lfzo;
    double shape = m->version == TYRE_MF52 ? 2.0 : m->pky4;
    if (!(m->pdy1 > 0.0 && m->pdy1 <= 10.0))
        COMPLAIN(j, "PDY1", "%g is not allowed; allowed is above 0 to 10", m->pdy1);
    if (!(m->pky2 != 0.0) || !(m->pky1 * sin(shape * atan(1.0 / m->pky2)) < 0.0))
        COMPLAIN(j, "PKY1",
                 "the cornering stiffness at FNOMIN must be negative in ISO-W axes: "
                 "check the signs of PKY1, PKY2 and PKY4");
    if (!(m->load_max_N > m->load_min_N))
        COMPLAIN(j, "FZMAX", "%g N is not above FZMIN (%g N)", m->load_max_N, m->load_min_N);
    if (!(m->load_max_N > 0.02 * m->nominal_load_N && m->load_max_N <= 20.0 * load0s_N))
        COMPLAIN(j, "FZMAX", "%g N is not allowed; allowed is 0.02 to 20 times the nominal load",
                 m->load_max_N);
    if (!(m->pressure_max_Pa > m->pressure_min_Pa))
        COMPLAIN(j, "PRESMAX", "%g Pa is not above PRESMIN (%g Pa)", m->pressure_max_Pa,
                 m->pressure_min_Pa);
    if (!(m->pressure_max_Pa <= 20.0 * m->nominal_pressure_Pa))
        COMPLAIN(j, "PRESMAX", "%g Pa is not allowed; allowed is up to 20 times NOMPRES",
                 m->pressure_max_Pa);
    if (!(m->rim_radius_m < m->radius_m))
        COMPLAIN(j, "RIM_RADIUS", "%g m is not below UNLOADED_RADIUS (%g m)", m->rim_radius_m,
                 m->radius_m);
    double ratio = m->vertical_stiffness_Npm * m->lcz * m->radius_m / m->nominal_load_N;
    if (!(m->q_fz2 >= 0.0) || !(ratio * ratio > 4.0 * m->q_fz2))
        COMPLAIN(j, "Q_FZ2",
                 "%g is not allowed; allowed is from 0 to %g with this "
                 "VERTICAL_STIFFNESS",
                 m->q_fz2, 0.25 * ratio * ratio);
    if (!(m->q_v1 >= 0.0 && m->q_v1 < 1.0))
        COMPLAIN(j, "Q_V1", "%g is not allowed; allowed is from 0 to 1", m->q_v1);
    if (!(1.0 + m->pfz1 * (m->pressure_min_Pa / m->nominal_pressure_Pa - 1.0) > 0.0) ||
        !(1.0 + m->pfz1 * (m->pressure_max_Pa / m->nominal_pressure_Pa - 1.0) > 0.0))
        COMPLAIN(j, "PFZ1", "%g makes the vertical stiffness negative between PRESMIN and PRESMAX",
                 m->pfz1);
}

/* One warning that names the keys nobody uses: real files carry many. */
static void list_unused(struct job *j)
{
    char names[200] = "";
    size_t unused = 0, used = 0;
    for (size_t i = 0; i < j->tir.count; i++) {
        const struct tir_entry *e = &j->tir.entry[i];
        bool data = strstr(e->section, "COEFFICIENTS") || strcasecmp(e->section, "VERTICAL") == 0;
        if (e->used || !e->is_number || !data)
            continue;
        unused++;
        int n = snprintf(names + used, sizeof names - used, " %s", e->key);
        if (n > 0 && used + (size_t)n < sizeof names - 1)
            used += (size_t)n;
    }
    names[used] = '\0';
    if (unused)
        tir_warn(j->report, j->tir.name, 0, 0, NULL, "%zu coefficients have no effect here:%s%s",
                 unused, names, used + 12 > sizeof names ? " ..." : "");
}

int tyre_model_read_text(const char *name, const char *text, size_t length,
                         struct tyre_model *model, struct tir_report *report, struct err *err)
{
    struct tir_report own = {0};
    struct tyre_units units;
    struct job j = {.m = model, .report = report ? report : &own};
    memset(model, 0, sizeof *model);
    int status = tir_parse(name, text, length, &j.tir, j.report);
    if (status != -ENOMEM && j.tir.count > 0) {
        tyre_units_read(&j.tir, &units, j.report);
        read_version(&j);
        read_fields(&j, &units);
        check_limits(&j);
        if (!j.report->errors) {
            fill_gaps(&j);
            check_together(&j);
            list_unused(&j);
        }
    } else if (status == 0) {
        tir_complain(j.report, name, 0, 0, NULL, "the file is empty; a .tir file was expected");
    }
    tir_free(&j.tir);
    if (status == -ENOMEM)
        return err_set(err, -ENOMEM, "%s: out of memory", name);
    for (size_t i = 0; i < j.report->count && j.report->errors; i++)
        if (!j.report->message[i].warning)
            return err_set(err, -EINVAL, "%s", j.report->message[i].text);
    return j.report->errors ? err_set(err, -EINVAL, "%s: cannot be used", name) : 0;
}

int tyre_model_read(const char *path, struct tyre_model *model, struct tir_report *report,
                    struct err *err)
{
    struct tir_report own = {0};
    struct tir_report *to = report ? report : &own;
    char *text = NULL;
    size_t length = 0;
    int status = file_read_whole(path, FILE_MAX_BYTES, &text, &length);
    if (status == 0) {
        status = tyre_model_read_text(path, text, length, model, to, err);
        free(text);
        return status;
    }
    const char *why =
        status == -EFBIG ? "larger than 1 MB; this is not a .tir file" : file_why(status);
    tir_complain(to, path, 0, 0, NULL, "%s", why);
    return err_set(err, status, "%s: %s", path, why);
}

const char *tyre_version_text(enum tyre_version version)
{
    switch (version) {
    case TYRE_MF61:
        return "6.1";
    case TYRE_MF62:
        return "6.2";
    case TYRE_MF52:
    default:
        return "5.2";
    }
}
