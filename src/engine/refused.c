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
    struct engine_registry_file registry;
    struct stat st;

    return !fstat(fd, &st) && st.st_size >= (off_t)ENGINE_REGISTRY_BYTES &&
           pread(fd, &registry, sizeof(registry), 0) == (ssize_t)sizeof(registry) &&
           registry.magic == ENGINE_REGISTRY_MAGIC && registry.version == ENGINE_REGISTRY_VERSION;
}

void engine_refused_count(struct engine_registry_file *registry, int error)
{
    core_store_relaxed(&registry->refused_error, (uint32_t)error);
    core_fetch_add_release(&registry->refused, 1);
}

void engine_refused_note(const struct engine_directory *directory, int error)
{
    int fd = engine_directory_open(directory, "registry", O_RDWR);
    struct engine_registry_file *registry;
    void *memory;
    bool is_mapped =
        fd >= 0 && is_registry(fd) && !os_memory_map(fd, 0, ENGINE_PAGE_BYTES, &memory);

    if (fd >= 0)
        close(fd);
    if (!is_mapped)
        return;
    registry = (struct engine_registry_file *)memory;
    engine_refused_count(registry, error);
    os_memory_unmap(memory, ENGINE_PAGE_BYTES);
}
