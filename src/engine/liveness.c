/* SPDX-License-Identifier: MIT */
/* Liveness of processes: locks, and pid with start time. */
#include "engine/liveness.h"
#include "engine/abi.h"
#include "os/file.h"
#include "os/process.h"

#include <stddef.h>
#include <string.h>
#include <unistd.h>

struct engine_liveness engine_liveness_of_self(void)
{
    uint32_t pid = os_process_self();

    return (struct engine_liveness){
        .pid = pid,
        .pid_start = os_process_start(pid),
        .pid_namespace = os_process_namespace(),
    };
}

int engine_liveness_lock(int fd)
{
    return os_file_lock(fd, OS_FILE_EXCLUSIVE);
}

int engine_liveness_share(int fd)
{
    return os_file_lock(fd, OS_FILE_SHARED);
}

bool engine_liveness_is_locked(int fd)
{
    return os_file_is_locked(fd);
}

bool engine_liveness_is_here(const struct engine_liveness *liveness)
{
    return liveness->pid_start && liveness->pid_namespace &&
           liveness->pid_namespace == os_process_namespace() &&
           os_process_start(liveness->pid) == liveness->pid_start;
}

bool engine_liveness_is_alive(int fd, const struct engine_liveness *liveness)
{
    return engine_liveness_is_locked(fd) || engine_liveness_is_here(liveness);
}

bool engine_liveness_of_process_file(int fd)
{
    /* Only these words are read: the file is too large for a thread's stack. */
    uint8_t head[offsetof(struct engine_process_file, comm)];
    struct engine_liveness liveness;

    if (pread(fd, head, sizeof(head), 0) != (ssize_t)sizeof(head))
        return false;
    memcpy(&liveness.pid, head + offsetof(struct engine_process_file, pid), sizeof(liveness.pid));
    memcpy(&liveness.pid_start, head + offsetof(struct engine_process_file, pid_start),
           sizeof(liveness.pid_start));
    memcpy(&liveness.pid_namespace, head + offsetof(struct engine_process_file, pid_namespace),
           sizeof(liveness.pid_namespace));
    return engine_liveness_is_alive(fd, &liveness);
}
