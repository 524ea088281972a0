/* SPDX-License-Identifier: MIT */
/*
 * Creating pools in the pool files of processes: by the process itself when it registers an event
 * that a session wants, or by the process that begins a session, for all processes that exist. A
 * process needs no system call to use a pool.
 *
 * All under the registry's lock, except where noted, and engine_pool_range_back.
 */
#ifndef ENGINE_POOL_RANGE_H
#define ENGINE_POOL_RANGE_H

#include "core/private_api.h"
#include "engine/process_pool.h"
#include "engine/registry.h"

/* Memory that a new pool begins with, unless the session's buffer is smaller: for a process that
 * registers, and may write at once; and for one that exists when a session begins, or as much as
 * its threads may come to own. The session's recorder adds more, up to the buffer size. */
#define ENGINE_POOL_FIRST_BYTES   ((size_t)8 << 20)
#define ENGINE_POOL_WAITING_BYTES ((size_t)4 << 20)

/*
 * Creates a pool for the session in a slot, with memory for first_bytes, in the pool file that is
 * open as fd and mapped at `file`. Returns 0, or an error, which range->error contains, too: EINVAL
 * the session requests a pool of an impossible shape; ENOMEM the process has mapped too little;
 * ENOSPC, EFBIG, or what a system call returned.
 */
int engine_pool_range_provide(const struct engine_registry *local, int fd,
                              struct engine_pool_file *file, uint32_t slot, size_t first_bytes);

/* Notes that the process cannot create the pool: its recorder tries it. */
void engine_pool_range_refuse(const struct engine_registry *local, struct engine_pool_file *file,
                              uint32_t slot, int error);

/* Reads what a pool file contains about the pool for a session in a slot: its position, or in
 * ret_range->error why there is none. False: nothing. Without the lock; no system call. */
bool engine_pool_range_copy(const struct engine_pool_file *file, uint32_t slot, uint64_t session,
                            struct engine_pool_range *ret_range)
    CORE_PRIVATE_API(engine_pool_range_copy);

/* Ends the session's use of the pool. Its memory is released, except chunks that threads own. */
void engine_pool_range_retire(int fd, struct engine_pool_file *file, uint32_t slot);

/* Creates a pool for each living process that uses an event of a bitmap of ENGINE_EVENT_MAX bits.
 * False: not all of them have one. */
bool engine_pool_ranges_provide(struct engine_registry *local, uint32_t slot,
                                const uint64_t *wanted);

/* Creates the pools of one process for the sessions of a mask. */
void engine_pool_ranges_provide_to(const struct engine_registry *local,
                                   const struct engine_process_file *process, uint64_t sessions);

/* Ends the session's use of its pools in all processes. Removes the pool files of processes that
 * have ended, unless another session has a pool there. */
void engine_pool_ranges_retire(struct engine_registry *local, uint32_t slot, uint64_t session);

/* The same for sessions that are gone: a process was killed while it ended them. */
void engine_pool_ranges_retire_gone(struct engine_registry *local);

/* Opens a pool file by its name in the directory of pools (an open descriptor), and maps it up to
 * its pools: its table of descriptors has memory as far as its head says. Returns 0; EBADMSG it is
 * no pool file of this version; or what a system call returned. */
int engine_pool_file_open(int directory, const char *name, int *ret_fd,
                          struct engine_pool_file **ret_file)
    CORE_PRIVATE_API(engine_pool_file_open);
void engine_pool_file_close(int fd, struct engine_pool_file *file);

/* A pool file that is open while it is visited. */
struct engine_pool_visit {
    const struct engine_registry *local;
    int directory;
    const char *name;
    int fd;
    struct engine_pool_file *file;
};

/* Calls a function for each pool file of the tracing directory. */
void engine_pool_files_visit(const struct engine_registry *local,
                             void (*visit)(const struct engine_pool_visit *of, void *arg),
                             void *arg);

/* True if the process that a pool file is named after has ended. */
bool engine_pool_file_is_left(const struct engine_registry *local, const char *name);

/* Removes the pool file of a process that has ended, unless a session of the registry still has a
 * pool in it. */
void engine_pool_file_remove(const struct engine_registry *local, int directory, const char *name,
                             const struct engine_pool_file *file)
    CORE_PRIVATE_API(engine_pool_file_remove);

/* Maps the pool of a range, which is a private copy, for a reader. Returns 0; EBADMSG; or what mmap
 * returned. */
int engine_pool_range_map(int fd, const struct engine_pool_range *range, void **ret_memory,
                          struct engine_process_pool *ret_pool)
    CORE_PRIVATE_API(engine_pool_range_map);

/*
 * Allocates memory for up to `chunks` more chunks of a mapped pool. Returns the number: less than
 * requested if all usable chunks have memory, or on an error, which *ret_error then is.
 */
uint32_t engine_pool_range_back(int fd, const struct engine_pool_range *range,
                                struct engine_process_pool *pool, uint32_t chunks, int *ret_error)
    CORE_PRIVATE_API(engine_pool_range_back);

/* The contents of a range may be anything. */
static inline bool engine_pool_range_is_sane(const struct engine_pool_range *range)
{
    return range->offset % ENGINE_PAGE_BYTES == 0 && range->offset >= ENGINE_POOLS_OFFSET &&
           range->size_bytes > range->table_bytes && range->size_bytes < (uint64_t)1 << 40 &&
           range->offset < (uint64_t)1 << 40;
}

#endif
