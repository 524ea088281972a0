/* SPDX-License-Identifier: MIT */
/*
 * The open emulated files, and their descriptors. A descriptor is of an empty or filled
 * memory file, so that the numbers, lseek and fork are the kernel's; its name says what it is. All
 * under the engine's lock, but for preload_files_may_have.
 */
#ifndef PRELOAD_FILES_H
#define PRELOAD_FILES_H

#include "accelerator/descriptors.h"
#include "tracefs/file.h"
#include "engine/output.h"

#include <sys/types.h>

#define PRELOAD_FD_MAX ACCELERATOR_FD_MAX

/* Its memory is used again, and never freed: another thread may be writing an event by it. */
struct preload_file {
    struct preload_file *next; /* among the unused */
    uint32_t references;       /* descriptors */
    dev_t device;              /* of the memory file */
    ino_t inode;
    int access; /* O_RDONLY, O_WRONLY, O_RDWR */
    struct tracefs_file node_file;
    struct engine_output content; /* what is read */
    size_t taken;                 /* of it, from trace_pipe */
    struct tracefs_data *data;    /* of user_events_data */
};

extern struct preload_file *preload_files[PRELOAD_FD_MAX];

/* False for most descriptors. Any thread. */
static inline bool preload_files_may_have(int fd)
{
    return (unsigned int)fd < PRELOAD_FD_MAX && core_load_relaxed(&preload_files[fd]);
}

/* The file of a descriptor, or NULL. The descriptor may have been closed past this library, and be
 * of another file now. */
struct preload_file *preload_files_find(int fd);

/*
 * Opens a node, which is at a path of the tracing directory. `flags` as for open. Returns 0;
 * ENOTDIR, EEXIST, EACCES by the flags; EMFILE the descriptor's number is too high; or another
 * errno code.
 */
int preload_files_open(tracefs_node node, const char *path, int flags, int *ret_fd);

/* Takes on a descriptor that was opened before this program was executed. */
void preload_files_inherit(int fd);

/* A descriptor was made a copy of another, or is about to be closed. Without effect in a child that
 * shares memory with its parent: its descriptors are not the table's. */
void preload_files_copy(int from, int to);
void preload_files_forget(unsigned int first, unsigned int last);

/* The descriptor's content is that of now, also for those who read the memory file. */
int preload_files_renew(struct preload_file *file, int fd);

#endif
