#include "target/bench_stress.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    BUFFER_BYTES = 16 << 20, /* more than most caches */
    FILE_BYTES = 1 << 20,
    CHUNK_BYTES = 1 << 16,
    WRITERS = 2,
    PAIRS_PER_CPU = 4,
    MESSAGE_BYTES = 100, /* as hackbench */
};

/* ---- what the children do; none returns */

/* Copies through memory without end, on one CPU. */
static void be_busy(int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)cpu, &set);
    (void)sched_setaffinity(0, sizeof set, &set);
    unsigned char *memory = malloc(BUFFER_BYTES);
    if (!memory)
        _exit(1);
    memset(memory, 1, BUFFER_BYTES);
    for (unsigned int n = 0;; n++) {
        memcpy(memory + (n & 1 ? BUFFER_BYTES / 2 : 0), memory + (n & 1 ? 0 : BUFFER_BYTES / 2),
               BUFFER_BYTES / 2);
        /* The copies are for their own sake: keep the compiler from leaving them out. */
        __asm__ volatile("" : : "r"(memory) : "memory");
    }
}

/* A file without a name, so that nothing is left whenever the process is killed. */
static int open_unnamed(const char *folder)
{
    char path[512];
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0)
        return fd;
    (void)snprintf(path, sizeof path, "%s/skidpad-bench-XXXXXX", folder);
    fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        (void)unlink(path);
    return fd;
}

/* Makes, writes, syncs and removes files without end. */
static void write_files(const char *folder)
{
    static char chunk[CHUNK_BYTES];
    memset(chunk, 0x5a, sizeof chunk);
    for (;;) {
        int fd = open_unnamed(folder);
        if (fd < 0)
            _exit(1);
        for (int n = 0; n < FILE_BYTES / CHUNK_BYTES; n++)
            if (write(fd, chunk, sizeof chunk) < 0)
                break; /* a full disk is no reason to stop */
        (void)fsync(fd);
        (void)close(fd);
    }
}

/* Throws a message back and forth with the other of a pair. */
static void ping_pong(int from, int to, bool first)
{
    char message[MESSAGE_BYTES] = "ball";
    if (first && write(to, message, sizeof message) < 0)
        _exit(1);
    while (read(from, message, sizeof message) > 0)
        if (write(to, message, sizeof message) < 0)
            break;
    _exit(1);
}

/* ---- the bench's side */

/* Forks. Returns 1 in the child, 0 in the bench, or a negative errno. */
static int add_child(struct bench_stress *s)
{
    if (s->count >= BENCH_STRESS_MAX)
        return -E2BIG;
    pid_t parent = getpid(), pid = fork();
    if (pid < 0)
        return -errno;
    if (pid > 0) {
        s->children[s->count++] = pid;
        return 0;
    }
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    return 1;
}

static int start_busy(struct bench_stress *s)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set))
        return -errno;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET((size_t)cpu, &set))
            continue;
        int child = add_child(s);
        if (child < 0)
            return child;
        if (child > 0)
            be_busy(cpu);
    }
    return 0;
}

static int start_pair(struct bench_stress *s)
{
    int there[2] = {-1, -1}, back[2] = {-1, -1}, status = 0;
    if (pipe2(there, O_CLOEXEC) || pipe2(back, O_CLOEXEC))
        status = -errno;
    for (int side = 0; status == 0 && side < 2; side++) {
        int child = add_child(s);
        if (child > 0)
            ping_pong(side ? there[0] : back[0], side ? back[1] : there[1], side == 0);
        status = child;
    }
    for (int i = 0; i < 2; i++) {
        (void)close(there[i]);
        (void)close(back[i]);
    }
    return status;
}

static int start_io(struct bench_stress *s)
{
    const char *folder = getenv("TMPDIR");
    if (!folder || !*folder)
        folder = access("/var/tmp", W_OK) == 0 ? "/var/tmp" : "/tmp";
    for (int i = 0; i < WRITERS; i++) {
        int child = add_child(s);
        if (child < 0)
            return child;
        if (child > 0)
            write_files(folder);
    }
    long pairs = PAIRS_PER_CPU * sysconf(_SC_NPROCESSORS_ONLN);
    for (long i = 0; i < pairs && i < BENCH_STRESS_MAX / 4; i++) {
        int bad = start_pair(s);
        if (bad)
            return bad;
    }
    return 0;
}

int bench_stress_start(struct bench_stress *s, int kind, struct err *e)
{
    int bad = 0;
    memset(s, 0, sizeof *s);
    if (kind == STRESS_CPU || kind == STRESS_ALL)
        bad = start_busy(s);
    if (!bad && (kind == STRESS_IO || kind == STRESS_ALL))
        bad = start_io(s);
    bench_stress_rest(s, true);
    return bad ? err_set(e, bad, "the load could not be started: %s", strerror(-bad)) : 0;
}

void bench_stress_rest(const struct bench_stress *s, bool rest)
{
    for (int i = 0; s && i < s->count; i++)
        (void)kill(s->children[i], rest ? SIGSTOP : SIGCONT);
}

int bench_stress_stop(struct bench_stress *s)
{
    int gone = 0;
    for (int i = 0; i < s->count; i++) {
        if (waitpid(s->children[i], NULL, WNOHANG) == 0) {
            (void)kill(s->children[i], SIGKILL);
            (void)waitpid(s->children[i], NULL, 0);
        } else {
            gone++;
        }
    }
    s->count = 0;
    return gone;
}
