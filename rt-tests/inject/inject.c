#include "rt-tests/inject/inject.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static struct {
    char program[INJECT_NAME];
    uintptr_t base, begin, end; /* of the program's own code */
    struct inject_table *table;
    bool active;
} me;

static struct {
    bool set, on; /* there is one; it is of this program */
    char call[INJECT_NAME];
    uint64_t offset;
    uint32_t nth;
    bool all_after;
    enum inject_kind kind;
    int error;
    long long value; /* ms or ns */
} plan;

static _Atomic uint32_t met; /* calls of the planned site in this process */
static _Atomic int64_t step_ns;
static _Thread_local bool realtime, network;

/* ---- set-up; only system calls of its own, as everything else may be on its way here */

static int take_program(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    me.base = info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD && (info->dlpi_phdr[i].p_flags & PF_X)) {
            me.begin = me.base + info->dlpi_phdr[i].p_vaddr;
            me.end = me.begin + info->dlpi_phdr[i].p_memsz;
        }
    return 1; /* the first one is the program */
}

static void take_name(void)
{
    char path[1024];
    long n = syscall(SYS_readlink, "/proc/self/exe", path, sizeof path - 1);
    path[n > 0 ? n : 0] = '\0';
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    strncpy(me.program, name, sizeof me.program - 1);
    me.active = strncmp(name, "skidpad-", 8) == 0;
}

static void take_table(const char *path)
{
    if (!path)
        return;
    int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0);
    if (fd < 0)
        return;
    void *at = (void *)syscall(SYS_mmap, NULL, sizeof *me.table, PROT_READ | PROT_WRITE, MAP_SHARED,
                               fd, 0);
    me.table = at == MAP_FAILED ? NULL : at;
    (void)syscall(SYS_close, fd);
}

/* "PROGRAM CALL OFFSET NTH ACTION" */
static void take_plan(const char *text)
{
    char program[INJECT_NAME], nth[16], action[32];
    unsigned long long offset = 0;
    if (!text ||
        sscanf(text, "%23s %23s %llx %15s %31s", program, plan.call, &offset, nth, action) != 5)
        return;
    plan.offset = offset;
    plan.nth = (uint32_t)strtoul(nth, NULL, 10);
    plan.all_after = strchr(nth, '+') != NULL;
    plan.kind = INJECT_NOTHING;
    if (action[0] == 'e') {
        plan.kind = INJECT_ERROR;
        plan.error = (int)strtol(action + 1, NULL, 10);
    } else if (strcmp(action, "short") == 0) {
        plan.kind = INJECT_SHORT;
    } else if (strncmp(action, "delay:", 6) == 0) {
        plan.kind = INJECT_DELAY;
        plan.value = strtoll(action + 6, NULL, 10);
    } else if (strncmp(action, "step:", 5) == 0) {
        plan.kind = INJECT_STEP;
        plan.value = strtoll(action + 5, NULL, 10);
    }
    plan.on = strcmp(program, me.program) == 0;
}

__attribute__((constructor)) static void begin(void)
{
    take_name();
    if (!me.active)
        return;
    (void)dl_iterate_phdr(take_program, NULL);
    take_table(getenv("INJECT_TABLE"));
    take_plan(getenv("INJECT_PLAN"));
}

void *inject_next(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

void inject_mark_realtime(void)
{
    realtime = true;
}

void inject_mark_network(void)
{
    network = strcmp(me.program, "skidpad-host") == 0;
}

int64_t inject_step_ns(void)
{
    return atomic_load(&step_ns);
}

/* ---- sites */

static bool is_site(const struct inject_site *s, const char *call, uint64_t offset)
{
    return s->offset == offset && strcmp(s->call, call) == 0 && strcmp(s->program, me.program) == 0;
}

/* Other processes and threads add sites at the same time; none is ever removed. */
static struct inject_site *site_of(const char *call, uint64_t offset)
{
    uint64_t hash = offset * 0x9e3779b97f4a7c15u;
    for (const char *c = me.program; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
    for (uint64_t i = 0; i < INJECT_SITES; i++) {
        struct inject_site *s = &me.table->site[(hash + i) % INJECT_SITES];
        uint32_t empty = 0;
        if (atomic_compare_exchange_strong(&s->state, &empty, 1)) {
            s->offset = offset;
            strncpy(s->program, me.program, INJECT_NAME - 1);
            strncpy(s->call, call, INJECT_NAME - 1);
            atomic_store(&s->state, 2);
            return s;
        }
        /* A process killed while it filled one in leaves it at 1: not waited for. */
        for (int n = 0; n < 100000 && atomic_load(&s->state) == 1; n++)
            ;
        if (atomic_load(&s->state) == 2 && is_site(s, call, offset))
            return s;
    }
    return NULL;
}

static bool is_planned(const char *call, uint64_t offset)
{
    if (!plan.on || plan.offset != offset || strcmp(plan.call, call) != 0)
        return false;
    uint32_t n = atomic_fetch_add(&met, 1) + 1;
    return n == plan.nth || (plan.all_after && n > plan.nth);
}

static void wait_ms(long long ms)
{
    const struct timespec pause = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    (void)syscall(SYS_nanosleep, &pause, NULL);
}

enum inject_kind inject_meet(const char *call, const void *to, const FILE *stream)
{
    uintptr_t at = (uintptr_t)to;
    if (!me.active || at < me.begin || at >= me.end)
        return INJECT_NOTHING;
    uint64_t offset = at - me.base;
    struct inject_site *s = me.table ? site_of(call, offset) : NULL;
    if (s) {
        atomic_fetch_add(&s->count, 1);
        atomic_fetch_add(&s->realtime, realtime);
        atomic_fetch_add(&s->network, network);
        atomic_fetch_add(&s->terminal, stream && (stream == stdout || stream == stderr));
    }
    if (!is_planned(call, offset))
        return INJECT_NOTHING;
    if (s)
        atomic_fetch_add(&s->injected, 1);
    if (plan.kind == INJECT_DELAY)
        wait_ms(plan.value);
    if (plan.kind == INJECT_STEP)
        atomic_store(&step_ns, plan.value);
    if (plan.kind == INJECT_ERROR)
        errno = plan.error;
    return plan.kind;
}
