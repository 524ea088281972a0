/* SPDX-License-Identifier: MIT */
/* Counts of processes that could not join a tracing directory. */
#include "engine/refused.h"
#include "core/atomic.h"
#include "os/memory.h"

#include <fcntl.h>
#include <stdbool.h>
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
    struct cairn_registry *registry;
    void *memory;
    bool is_mapped =
        fd >= 0 && is_registry(fd) && !cairn_os_memory_map(fd, 0, CAIRN_PAGE_BYTES, &memory);

    if (fd >= 0)
        close(fd);
    if (!is_mapped)
        return;
    registry = (struct cairn_registry *)memory;
    cairn_refused_count(registry, error);
    cairn_os_memory_unmap(memory, CAIRN_PAGE_BYTES);
}
