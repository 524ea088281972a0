/* SPDX-License-Identifier: MIT */
/* Liveness of processes: locks, and pid with start time. */
#include "engine/liveness.h"
#include "engine/abi.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Fields of /proc/PID/stat. */
enum { STAT_STATE = 3, STAT_THREADS = 20, STAT_START = 22 };

/* Returns a field of the text, which begins after field 2. */
static const char *field_of(const char *text, int field)
{
    for (int i = 2; text && i < field; i++)
        text = strchr(text + 1, ' ');
    return text ? text + 1 : "";
}

/* When the process began, in clock ticks since boot. 0: no such process, or one that has ended and
 * that its parent has not waited for; its first thread alone may have ended. */
static uint64_t start_of(uint32_t pid)
{
    char path[32];
    char text[1024];
    const char *p;
    ssize_t size;
    int fd;

    (void)snprintf(path, sizeof(path), "/proc/%u/stat", pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    size = read(fd, text, sizeof(text) - 1);
    close(fd);
    if (size <= 0)
        return 0;
    text[size] = 0;
    /* Field 2, the name in parentheses, may hold anything; the last ')' ends it. */
    p = strrchr(text, ')');
    if (*field_of(p, STAT_STATE) == 'Z' && strtoul(field_of(p, STAT_THREADS), NULL, 10) <= 1)
        return 0;
    return strtoull(field_of(p, STAT_START), NULL, 10);
}

static uint64_t namespace_of_self(void)
{
    struct stat st;

    return stat("/proc/self/ns/pid", &st) ? 0 : st.st_ino;
}

struct cairn_liveness cairn_liveness_of_self(void)
{
    uint32_t pid = (uint32_t)getpid();

    return (struct cairn_liveness){
        .pid = pid,
        .pid_start = start_of(pid),
        .pid_namespace = namespace_of_self(),
    };
}

int cairn_liveness_lock(int fd)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

    return fcntl(fd, F_OFD_SETLK, &lock) ? errno : 0;
}

int cairn_liveness_share(int fd)
{
    struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};

    return fcntl(fd, F_OFD_SETLK, &lock) ? errno : 0;
}

bool cairn_liveness_is_locked(int fd)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

    return fcntl(fd, F_OFD_GETLK, &lock) || lock.l_type != F_UNLCK;
}

bool cairn_liveness_is_here(const struct cairn_liveness *liveness)
{
    return liveness->pid_start && liveness->pid_namespace && liveness->pid_namespace == namespace_of_self() &&
           start_of(liveness->pid) == liveness->pid_start;
}

bool cairn_liveness_is_alive(int fd, const struct cairn_liveness *liveness)
{
    return cairn_liveness_is_locked(fd) || cairn_liveness_is_here(liveness);
}

bool cairn_liveness_of_process_file(int fd)
{
    /* The file is too large for a thread's stack; these words are all that matters here. */
    uint8_t head[offsetof(struct cairn_process_file, comm)];
    struct cairn_liveness liveness;

    if (pread(fd, head, sizeof(head), 0) != (ssize_t)sizeof(head))
        return false;
    memcpy(&liveness.pid, head + offsetof(struct cairn_process_file, pid), sizeof(liveness.pid));
    memcpy(&liveness.pid_start, head + offsetof(struct cairn_process_file, pid_start),
           sizeof(liveness.pid_start));
    memcpy(&liveness.pid_namespace, head + offsetof(struct cairn_process_file, pid_namespace),
           sizeof(liveness.pid_namespace));
    return cairn_liveness_is_alive(fd, &liveness);
}
