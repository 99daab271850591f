#include "target/ecu/diag_keep_load.h"

#include "shared/base/hex.h"
#include "shared/config/config.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { PATH = 1024 };

static void code_load(const struct cfg_node *n, struct dtc_store *s)
{
    char code[UDS_CODE_TEXT] = "", snapshot[2 * DTC_SNAPSHOT + 1] = "";
    uint8_t bytes[DTC_SNAPSHOT];
    int64_t status = 0, times = 1, aged = 0;
    uint32_t number = 0;
    cfg_need(n, "code");
    cfg_string(n, "code", code, sizeof code);
    cfg_int(n, "status", &status, 0, 255);
    cfg_int(n, "times", &times, 0, 255);
    cfg_int(n, "aged", &aged, 0, 255);
    cfg_string(n, "snapshot", snapshot, sizeof snapshot);
    int id = uds_code_parse(code, &number) ? dtc_find(number) : -1;
    int count = hex_parse(snapshot, bytes, DTC_SNAPSHOT);
    if (id < 0)
        cfg_complain(n, "code", "the unit has no code \"%s\"", code);
    else if (count < 0)
        cfg_complain(n, "snapshot", "must be bytes in hexadecimal digits");
    else {
        s->entry[id] = (struct dtc_entry){
            .status = (uint8_t)status, .times = (uint8_t)times, .aged = (uint8_t)aged};
        dtc_snapshot(s, id, bytes, count);
    }
    cfg_done(n);
}

static void root_load(const struct cfg_node *root, struct diag_kept *k)
{
    static const char *const kinds[] = {"ecu-store", NULL};
    char vin[UDS_VIN + 1] = "";
    int kind = 0;
    cfg_need(root, "kind");
    cfg_choice(root, "kind", &kind, kinds);
    cfg_string(root, "vin", vin, sizeof vin);
    if (vin[0] != '\0') {
        memset(k->vin, ' ', UDS_VIN);
        memcpy(k->vin, vin, strlen(vin));
    }
    cfg_double(root, "yaw_zero_radps", &k->yaw_zero_radps, CFG_BETWEEN(-1.0, 1.0));
    cfg_double(root, "acc_y_zero_mps2", &k->acc_y_zero_mps2, CFG_BETWEEN(-5.0, 5.0));
    const struct cfg_node *codes = cfg_list(root, "codes");
    for (size_t i = 0; i < cfg_count(codes); i++)
        code_load(cfg_item(codes, i), &k->store);
    cfg_done(root);
}

int diag_keep_load(const char *path, struct diag_kept *k, FILE *complaints)
{
    struct cfg_doc *doc = NULL;
    if (access(path, F_OK) != 0 && errno == ENOENT)
        return 0;
    int bad = cfg_open(path, &doc);
    if (!bad)
        root_load(cfg_root(doc), k);
    if (!bad && !cfg_ok(doc))
        bad = -EINVAL;
    if (doc)
        cfg_print_messages(doc, complaints);
    cfg_close(doc);
    return bad;
}

static void code_save(FILE *f, const struct dtc_store *s, int id)
{
    char code[UDS_CODE_TEXT], snapshot[2 * DTC_SNAPSHOT + 1];
    const struct dtc_entry *e = &s->entry[id];
    if (!(e->status & UDS_STORED))
        return;
    fprintf(f, "  - {code: %s, status: %u, times: %u, aged: %u, snapshot: \"%s\"}\n",
            uds_code_text(ecu_fault_table[id].code, code), e->status, e->times, e->aged,
            hex_print(e->snapshot, e->snapshot_bytes, snapshot, sizeof snapshot));
}

int diag_keep_save(const char *path, const struct diag_kept *k)
{
    char part[PATH];
    if ((size_t)snprintf(part, sizeof part, "%s.part", path) >= sizeof part)
        return -ENAMETOOLONG;
    FILE *f = fopen(part, "we");
    if (!f)
        return -errno;
    fprintf(f, "# What the stand-in unit keeps over its runs; skidpad ecu --store writes it.\n"
               "kind: ecu-store\n");
    fprintf(f, "vin: \"");
    for (int i = 0; i < UDS_VIN; i++) {
        if (strchr("\"\\", k->vin[i]))
            fputc('\\', f);
        fputc(k->vin[i], f);
    }
    fprintf(f, "\"\nyaw_zero_radps: %.17g\nacc_y_zero_mps2: %.17g\ncodes:\n", k->yaw_zero_radps,
            k->acc_y_zero_mps2);
    for (int id = 0; id < ECU_FAULTS; id++)
        code_save(f, &k->store, id);
    int bad = ferror(f) ? -EIO : 0;
    if (fclose(f) == EOF && !bad)
        bad = -errno;
    if (!bad && rename(part, path))
        bad = -errno;
    if (bad)
        (void)unlink(part);
    return bad;
}
