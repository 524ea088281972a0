/* SPDX-License-Identifier: MIT */
/* Counts of processes that could not join a tracing directory. */
#include "engine/refused.h"
#include "core/atomic.h"

#include <fcntl.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A registry that is complete, and of our version. */
static bool is_registry(int fd)
{
    struct cairn_registry registry;
    struct stat st;

    return !fstat(fd, &st) && st.st_size >= (off_t)CAIRN_REGISTRY_BYTES &&
           pread(fd, &registry, sizeof(registry), 0) == (ssize_t)sizeof(registry) &&
           registry.magic == CAIRN_REGISTRY_MAGIC && registry.version == CAIRN_REGISTRY_VERSION;
}

void cairn_refused_count(struct cairn_registry *registry, int error)
{
    cairn_store_relaxed(&registry->refused_error, (uint32_t)error);
    cairn_fetch_add_release(&registry->refused, 1);
}

void cairn_refused_note(const struct cairn_directory *directory, int error)
{
    int fd = cairn_directory_open(directory, "registry", O_RDWR);
    struct cairn_registry *registry = MAP_FAILED;

    if (fd >= 0 && is_registry(fd))
        registry = mmap(NULL, CAIRN_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd >= 0)
        close(fd);
    if (registry == MAP_FAILED)
        return;
    cairn_refused_count(registry, error);
    munmap(registry, CAIRN_PAGE_BYTES);
}
