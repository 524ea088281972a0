/* SPDX-License-Identifier: MIT */
/* Counters of the kernel's events, and their ids in tracefs. */
#include "cli/counters.h"

#include <cairn/inspect.h>
#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int cli_event_id(const char *name, size_t length, uint32_t *ret_id)
{
    char tracefs[PATH_MAX] = "";
    char path[PATH_MAX + CAIRN_NAME_MAX_BYTES + 32];
    char text[16];
    unsigned long id;
    FILE *file;
    int error = cairn_backend_probe_kernel(tracefs, sizeof(tracefs));

    if (!*tracefs)
        return error;
    (void)snprintf(path, sizeof(path), "%s/events/user_events/%.*s/id", tracefs, (int)length, name);
    file = fopen(path, "re");
    if (!file)
        return errno;
    id = fgets(text, sizeof(text), file) ? strtoul(text, NULL, 10) : 0;
    (void)fclose(file);
    if (!id)
        return EBADMSG;
    *ret_id = (uint32_t)id;
    return 0;
}

static int open_counter(uint32_t id, int processor)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr), .config = id};

    return (int)syscall(SYS_perf_event_open, &attr, -1, processor, -1, PERF_FLAG_FD_CLOEXEC);
}

int cli_counters_add(struct cli_counters *counters, uint32_t id)
{
    int processors = (int)sysconf(_SC_NPROCESSORS_CONF);
    int *fds = realloc(counters->fds, (counters->count + (size_t)processors) * sizeof(*fds));

    if (!fds)
        return ENOMEM;
    counters->fds = fds;
    for (int processor = 0; processor < processors; processor++) {
        int fd = open_counter(id, processor);

        if (fd >= 0)
            fds[counters->count++] = fd;
        else if (errno != ENODEV) /* the processor is offline */
            return errno;
    }
    return 0;
}

void cli_counters_close(struct cli_counters *counters)
{
    while (counters->count)
        (void)close(counters->fds[--counters->count]);
    free(counters->fds);
    counters->fds = NULL;
}
