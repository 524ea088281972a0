/* SPDX-License-Identifier: MIT */
/*
 * The descriptors that we serve. Each is a real one, so that dup, fork, exec, poll and fcntl do
 * what they do: an empty memory file (for trace_pipe a pipe), whose name identifies it to a program
 * that inherits it through exec what it is. A table by number says which descriptors are ours, and
 * one number up to where it has any; that is the one thing that every function of ours looks at
 * first.
 *
 * Closing a descriptor in a way that is not seen (as the C library does, in fclose) leaves a number
 * in the table that may soon be another file's: so a hit is always checked by the file's identity.
 */
#ifndef PRELOAD_SERVED_H
#define PRELOAD_SERVED_H

#include "core/atomic.h"
#include "preload/place_path.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PRELOAD_SERVED_FD_MAX    65536u
#define PRELOAD_SERVED_FILE_MAX  4096u
#define PRELOAD_SERVED_DIRECTORY UINT16_MAX /* a directory of ours */

struct preload_served {
    struct tracefs_place place;
    uint32_t descriptors; /* of this process; 0: free */
    int flags;            /* of open: O_ACCMODE, O_APPEND */
    dev_t device;
    ino_t inode;
    int spare_fd; /* -1, or ours: what the C library writes by itself is read from it at last */
    struct tracefs_data *data; /* of TRACEFS_PLACE_DATA; kept when the file is free */
};

/* As it was opened. */
static inline bool preload_served_is_readable(const struct preload_served *file)
{
    return (file->flags & O_ACCMODE) == O_RDONLY || (file->flags & O_ACCMODE) == O_RDWR;
}

static inline bool preload_served_is_writable(const struct preload_served *file)
{
    return (file->flags & O_ACCMODE) == O_WRONLY || (file->flags & O_ACCMODE) == O_RDWR;
}

/* One more than the highest descriptor that was returned: in most programs 0. */
extern uint32_t preload_served_end __attribute__((visibility("hidden")));

/* A quick check: false if a descriptor cannot be that of a served file, as most. */
static inline bool preload_served_may_be(int fd)
{
    return __builtin_expect((unsigned int)fd < core_load_relaxed(&preload_served_end), 0);
}

/* True if the table has a number: closing it may need work. */
bool preload_served_is_listed(int fd);

static inline bool preload_served_has(int fd)
{
    return preload_served_may_be(fd) && preload_served_is_listed(fd);
}

/* The file of a descriptor, or NULL: not one of ours. Any thread, any signal handler. */
struct preload_served *preload_served_of(int fd);

bool preload_served_is_directory(int fd);

/* True if this process has ever opened a served file. */
bool preload_served_any(void);

/* Opens what stands at a place; `flags` as for open. Returns a descriptor, or -1 with errno set. */
int preload_served_open(const struct tracefs_place *place, int flags);

/* Writes the content of a place as it is now into a file, as tracefs_content_renew. Under the
 * engine's lock. */
int preload_served_renew(const struct tracefs_place *place, int fd);

/* Takes note of a descriptor of a directory of ours. */
void preload_served_add_directory(int fd);

/* `to` is another descriptor of what `from` is one of; `to` was closed, if it was anything. */
void preload_served_dup(int from, int to);

/* Does what the C library has written to a descriptor by itself. Returns 0, or what write would say
 * of it. */
int preload_served_flush(int fd);

/* A descriptor was closed. */
void preload_served_forget(int fd);

/* The same for a range; only those that are ours are looked at. */
void preload_served_forget_range(unsigned int first, unsigned int last);

/* Takes on a descriptor that another program may have opened, if it is of one of our files. */
void preload_served_adopt(int fd);

/* Takes on what was inherited through exec. */
void preload_served_inherit(void);

/* Does what the C library has written by itself, and lets everything go: the program ends. */
void preload_served_finish(void);

/* ---- between served.c, which has the table, served_open.c and served_inherit.c ---- */

/* A child that shares our memory has descriptors of its own: the table is not of them. */
bool preload_served_is_table_ours(void);

/* Under the engine's lock. A file that is free, or NULL; it stays free until it is taken on. */
struct preload_served *preload_served_take(void);

/* Under it: `fd` is the first descriptor of a file that was taken, whose place and flags are known.
 * Returns 0; EMFILE the number is too large; ENOMEM; or why it cannot be looked at. */
int preload_served_take_on(struct preload_served *file, int fd);

#endif
