#include "target/io/can_rtcan.h"

#include "shared/base/time.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int64_t can_rtcan_timeout_ns(int pid, int socket)
{
    enum { SOCKETS = 8 };
    return 100 * NS_PER_MS + (int64_t)pid * SOCKETS + socket % SOCKETS;
}

/* Lines are: name, filters, error mask, time-outs of receiving and sending, lost, loopback. A
 * time-out may be a word. */
int64_t can_rtcan_lost(const char *path, const char *interface, int64_t timeout_ns)
{
    char line[256], name[64], send[32], lost[32], wanted[32];
    int64_t found = -1;
    FILE *file = fopen(path, "r");
    if (!file)
        return -1;
    (void)snprintf(wanted, sizeof wanted, "%" PRId64, timeout_ns);
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "%63s %*s %*s %*s %31s %31s", name, send, lost) == 3 &&
            strcmp(name, interface) == 0 && strcmp(send, wanted) == 0)
            found =
                (int64_t)((uint64_t)strtoll(lost, NULL, 10) & UINT32_MAX); /* has a sign there */
    (void)fclose(file);
    return found;
}

/* Lines are: name, bit rate, state, counts. */
int can_rtcan_active(const char *path, char first[IFNAMSIZ], char second[IFNAMSIZ])
{
    char line[256], name[IFNAMSIZ], state[32];
    int count = 0;
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "%15s %*s %31s", name, state) != 2 ||
            (strcmp(state, "active") != 0 && strcmp(state, "warning") != 0 &&
             strcmp(state, "passive") != 0))
            continue;
        if (count < 2)
            memcpy(count == 0 ? first : second, name, IFNAMSIZ);
        count++;
    }
    (void)fclose(file);
    return count;
}
