/* SPDX-License-Identifier: MIT */
/* Other processes, as a recorder sees them. Linked with libcairn-collect: traced programs do not
 * need these functions. */
#ifndef OS_INSPECT_H
#define OS_INSPECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A file as /proc/PID/maps describes it. */
struct os_mapped_file {
    dev_t device;
    uint64_t inode;
    const char *name; /* its path contains this; a file system may list another device */
};

/* True if a process has mapped a file. Searches a limited number of mappings. */
bool os_process_has_mapped(uint32_t pid, const struct os_mapped_file *file);

/* True if a process has ended; false if this cannot be found out. */
bool os_process_has_ended(uint32_t pid);

/* True if a process is a child of the calling one, which has ended and has not been waited for. */
bool os_process_is_ended_child(uint32_t pid);

/* Returns the inode of a process's pid namespace; 0: it has ended, or may not be inspected. */
uint64_t os_pid_namespace_of(uint32_t pid);

/* Returns the id of a process's thread in its innermost pid namespace; 0: not known. */
uint32_t os_number_inside(uint32_t pid, uint32_t tid);

/* Gets a name for the container of a process: the one in its control group by docker, podman, LXC
 * or systemd; else its host name; else the inode of its mount namespace. */
void os_container_name(uint32_t pid, char *ret_name, size_t size_bytes);

/* Gets the name of another process's thread, truncated to the size, with a NUL. False: there is
 * none. */
bool os_thread_name_of(uint32_t pid, uint32_t tid, char *ret_name, size_t size_bytes);

#endif
