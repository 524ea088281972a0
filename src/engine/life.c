/* SPDX-License-Identifier: MIT */
/* Liveness of processes: locks, and pid with start time. */
#include "engine/life.h"
#include "engine/abi.h"
#include "os/file.h"
#include "os/process.h"

#include <stddef.h>
#include <string.h>
#include <unistd.h>

struct cairn_life cairn_life_of_self(void)
{
    uint32_t pid = cairn_os_process_self();

    return (struct cairn_life){
        .pid = pid,
        .pid_start = cairn_os_process_start(pid),
        .pid_namespace = cairn_os_process_namespace(),
    };
}

int cairn_life_lock(int fd)
{
    return cairn_os_file_lock(fd, CAIRN_OS_FILE_EXCLUSIVE);
}

int cairn_life_share(int fd)
{
    return cairn_os_file_lock(fd, CAIRN_OS_FILE_SHARED);
}

bool cairn_life_is_locked(int fd)
{
    return cairn_os_file_is_locked(fd);
}

bool cairn_life_is_here(const struct cairn_life *life)
{
    return life->pid_start && life->pid_namespace &&
           life->pid_namespace == cairn_os_process_namespace() &&
           cairn_os_process_start(life->pid) == life->pid_start;
}

bool cairn_life_is_alive(int fd, const struct cairn_life *life)
{
    return cairn_life_is_locked(fd) || cairn_life_is_here(life);
}

bool cairn_life_of_process_file(int fd)
{
    /* The file is too large for a thread's stack; these words are all that matters here. */
    uint8_t head[offsetof(struct cairn_process_file, comm)];
    struct cairn_life life;

    if (pread(fd, head, sizeof(head), 0) != (ssize_t)sizeof(head))
        return false;
    memcpy(&life.pid, head + offsetof(struct cairn_process_file, pid), sizeof(life.pid));
    memcpy(&life.pid_start, head + offsetof(struct cairn_process_file, pid_start),
           sizeof(life.pid_start));
    memcpy(&life.pid_namespace, head + offsetof(struct cairn_process_file, pid_namespace),
           sizeof(life.pid_namespace));
    return cairn_life_is_alive(fd, &life);
}
