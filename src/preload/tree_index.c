/* SPDX-License-Identifier: MIT */
/* The index of the real directory: the events that have a directory there. */
#include "preload/tree_index.h"
#include "os/file.h"
#include "preload/tree_files.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

int preload_tree_index_map(struct preload_tree_index **ret_index)
{
    int fd = engine_directory_open(preload_tree_directory(), "tracefs.index", O_RDWR | O_CREAT);
    void *memory = MAP_FAILED;
    int error = fd < 0 ? errno : os_file_extend(fd, sizeof(**ret_index));

    if (!error) {
        memory = mmap(NULL, sizeof(**ret_index), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        error = memory == MAP_FAILED ? errno : 0;
    }
    if (!error)
        error = os_file_back(fd, 0, offsetof(struct preload_tree_index, events));
    if (fd >= 0)
        close(fd);
    if (error && memory != MAP_FAILED)
        munmap(memory, sizeof(**ret_index));
    else if (!error)
        *ret_index = memory;
    return error;
}

uint32_t preload_tree_index_end(const struct preload_tree_index *index)
{
    return index->end < ENGINE_EVENT_MAX ? index->end : ENGINE_EVENT_MAX;
}

int preload_tree_index_back(struct preload_tree_index *index, uint32_t end)
{
    uint32_t first = preload_tree_index_end(index);
    int error;
    int fd;

    if (end <= first)
        return 0;
    fd = engine_directory_open(preload_tree_directory(), "tracefs.index", O_RDWR);
    error = fd < 0 ? errno
                   : os_file_back(fd, offsetof(struct preload_tree_index, events[first]),
                                  (end - first) * sizeof(struct preload_tree_event));
    if (fd >= 0)
        close(fd);
    if (!error)
        index->end = end;
    return error;
}
