/* SPDX-License-Identifier: MIT */
/* Finding the pools of a session, and closing them. */
#include "core/atomic.h"
#include "engine/liveness.h"
#include "os/memory.h"
#include "session/expand.h"
#include "session/known.h"
#include "session/resume.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Time between two looks for new pools of another user, who may say at any time that there are. */
#define OTHERS_LOOK_NS UINT64_C(5000000)

static void free_pool(struct session_pool *pool)
{
    if (pool->memory)
        os_memory_unmap(pool->memory, pool->range.size_bytes);
    session_resume_free_pool(pool);
    engine_process_pool_reader_close(&pool->reader);
    session_free_descriptors(pool);
    if (pool->file)
        os_memory_unmap(pool->file, ENGINE_POOLS_OFFSET);
    free(pool->baselines);
    free(pool->losses);
    for (uint32_t i = 0; i < pool->process_count; i++)
        session_free_known(&pool->processes[i]);
    free(pool->processes);
    session_free_names(pool);
    perf_data_map_free(&pool->number_of);
    free(pool);
}

/* ---- opening ---- */

/* A pool file: all of it is checked, and it may be truncated concurrently. */
struct pool_opening {
    struct cairn_session *session;
    struct session_directory *directory;
    struct session_pool *pool;
    const char *name;
    int fd;       /* -1: it was not opened */
    bool is_ours; /* the session has, or should have, a pool in it */
    int error;
};

static int map_pool(struct pool_opening *o)
{
    const struct engine_session *handle = &o->directory->handle;
    struct session_pool *pool = o->pool;
    struct engine_process_pool mapped;
    int error;

    if (!engine_pool_range_copy(pool->file, handle->slot, handle->generation, &pool->range))
        return 0;
    o->is_ours = true;
    pool->pid_namespace = pool->file->pid_namespace;
    pool->namespace_is_ours = pool->pid_namespace == o->session->pid_namespace;
    if (pool->range.error)
        return (int)pool->range.error;
    error = engine_pool_range_map(o->fd, &pool->range, &pool->memory, &mapped);
    if (error)
        return error;
    if (mapped.large.chunk_bytes != o->session->chunk_bytes)
        return EBADMSG;
    error = engine_process_pool_reader_open(&pool->reader, &mapped, handle->generation);
    if (error)
        return error;
    pool->baselines = calloc(pool->reader.count + 1, sizeof(*pool->baselines));
    if (!pool->baselines)
        return ENOMEM;
    return o->session->resume ? session_resume_pool(o->session, pool, o->name) : 0;
}

static void open_guarded(void *arg)
{
    struct pool_opening *o = arg;
    struct session_pool *pool = o->pool;
    struct stat st = {0};

    o->error = engine_pool_file_open(dirfd(o->directory->pools_list), o->name, &o->fd, &pool->file);
    if (o->error)
        return;
    pool->table = engine_pool_file_table(pool->file);
    o->error = fstat(o->fd, &st) ? errno : map_pool(o);
    pool->device = st.st_dev;
    pool->inode = st.st_ino;
}

static int open_pool(struct cairn_session *session, struct session_directory *directory,
                     const char *name, struct session_pool **ret_pool)
{
    struct pool_opening o = {.session = session, .directory = directory, .name = name, .fd = -1};

    o.pool = calloc(1, sizeof(*o.pool));
    if (!o.pool)
        return ENOMEM;
    o.pool->directory = directory;
    o.pool->slot = directory->handle.slot;
    if (!session_guard_pool(directory, open_guarded, &o))
        o.error = EBADMSG;
    if (o.fd >= 0)
        close(o.fd);
    if (o.error || !o.is_ours) {
        free_pool(o.pool);
        return o.error ? o.error : ENOENT;
    }
    (void)snprintf(o.pool->name, sizeof(o.pool->name), "%s", name);
    *ret_pool = o.pool;
    return 0;
}

static bool is_open(const struct session_directory *directory, const char *name)
{
    for (const struct session_pool *pool = directory->pools; pool; pool = pool->next) {
        if (!pool->is_former && !strcmp(pool->name, name))
            return true;
    }
    return false;
}

static void open_new(struct cairn_session *session, struct session_directory *directory)
{
    const char *name;
    uint32_t count = 0;

    rewinddir(directory->pools_list);
    session_forget_unrecorded(directory);
    while ((
        name = engine_directory_next(&directory->local.directory, directory->pools_list, &count))) {
        struct session_pool *pool;
        int error;

        if (strlen(name) >= sizeof(pool->name) || is_open(directory, name))
            continue;
        error = open_pool(session, directory, name, &pool);
        /* Not a pool of ours; or one that is not finished yet, and is counted again when it is. */
        if (error && error != EBADMSG && error != ENOENT)
            session_count_unrecorded(directory, error);
        if (error)
            continue;
        pool->next = directory->pools;
        directory->pools = pool;
    }
    if (directory->user && count == ENGINE_DIRECTORY_FILES_MAX) /* there may be more */
        session_count_unrecorded(directory, EMFILE);
}

void session_update_pools(struct cairn_session *session, struct session_directory *directory)
{
    /* Pairs with the release in engine_pool_range_provide: the pool comes before the number. */
    uint32_t pools = core_load_acquire(&directory->local.registry->pools);
    uint64_t now = os_clock_ns();

    if (pools == directory->seen_pools ||
        (directory->user && now - directory->pools_looked_ns < OTHERS_LOOK_NS))
        return;
    directory->pools_looked_ns = now;
    directory->seen_pools = pools;
    open_new(session, directory);
}

void session_retry_pools(struct cairn_session *session, struct session_directory *directory)
{
    if (directory->unrecorded)
        open_new(session, directory);
}

int session_open_pools(struct session_directory *directory)
{
    directory->pools_list = engine_directory_list(&directory->local.directory, "pools");
    return directory->pools_list ? 0 : errno;
}

/* ---- closing ---- */

/* A pool file is named after its process's file. */
static bool process_lives(struct session_pool *pool)
{
    char name[96];
    bool alive;
    int fd;

    (void)snprintf(name, sizeof(name), "processes/%s", pool->name);
    fd = engine_directory_open(&pool->directory->local.directory, name, O_RDWR);
    if (fd < 0) {
        /* A pool is not closed because no descriptors are left, nor because its file is gone:
         * the whole directory may have been removed, and its process still writes. */
        if (errno != ENOENT || !pool->unlisted) {
            pool->unlisted = errno == ENOENT;
            return true;
        }
        return false;
    }
    alive = engine_liveness_of_process_file(fd);
    close(fd);
    return alive;
}

/* A recorder that takes our place must not find a pool of its session without positions: it would
 * read it from the beginning. */
static void release_file(void *arg)
{
    struct pool_opening *o = arg;
    struct session_pool *pool = o->pool;

    core_store_release(&pool->file->ranges[pool->slot].session, 0);
    session_resume_remove_pool(pool);
    engine_pool_file_remove(&o->directory->local, dirfd(o->directory->pools_list), o->name,
                            pool->file);
}

/* The last session that has read the pools of a dead process removes their file. */
static void remove_pool(struct cairn_session *session, struct session_pool **link)
{
    struct session_pool *pool = *link;
    struct pool_opening o = {
        .session = session, .directory = pool->directory, .pool = pool, .name = pool->name};

    (void)session_guard_pool(pool->directory, release_file, &o);
    *link = pool->next;
    session_count_ends(session, pool);
    session_count_alive(session, pool, -(int32_t)pool->process_count);
    session->added_ahead_bytes -= pool->added_ahead_bytes;
    free_pool(pool);
}

/* Their records are written first, so that a recorder that takes our place finds them in the file,
 * or in the pool. */
static void remove_pools(struct cairn_session *session, struct session_directory *directory)
{
    struct session_pool **link = &directory->pools;

    session_resume_flush(session);
    while (*link) {
        if ((*link)->is_over)
            remove_pool(session, link);
        else
            link = &(*link)->next;
    }
}

void session_check_processes(struct cairn_session *session, struct session_directory *directory)
{
    bool any_is_over = false;

    if (!directory->user && engine_registry_check_path(&directory->local) == ENOENT)
        session->counts.directory_gone = true;
    if (!directory->user && session->counts.directory_gone)
        return; /* liveness is unknown: all pools are read until the end */
    for (struct session_pool *pool = directory->pools; pool; pool = pool->next) {
        if (process_lives(pool)) {
            pool->check_owners = true;
            continue;
        }
        /* A process that was dead before this last check has written all its events. */
        (void)session_drain_pool(session, pool);
        pool->is_over = true;
        any_is_over = true;
    }
    if (any_is_over)
        remove_pools(session, directory);
}

void session_note_former(struct cairn_session *session, struct session_directory *directory)
{
    for (struct session_pool *pool = directory->pools; pool; pool = pool->next) {
        session_count_alive(session, pool, -(int32_t)pool->process_count);
        pool->is_former = true;
    }
}

static struct session_pool *find_next(const struct session_directory *directory,
                                      const struct session_pool *former)
{
    struct session_pool *pool = directory->pools;

    while (pool && (pool->is_former || strcmp(pool->name, former->name) != 0))
        pool = pool->next;
    return pool;
}

void session_move_processes(struct cairn_session *session, struct session_directory *directory)
{
    for (const struct session_pool *pool = directory->pools; pool; pool = pool->next) {
        struct session_pool *next = pool->is_former ? find_next(directory, pool) : NULL;

        for (uint32_t i = 0; i < pool->process_count && next; i++)
            (void)session_note_process(session, next, pool->processes[i].pid);
    }
}

void session_close_former(struct cairn_session *session, struct session_directory *directory)
{
    struct session_pool **link = &directory->pools;

    while (*link) {
        struct session_pool *pool = *link;

        if (!pool->is_former) {
            link = &pool->next;
            continue;
        }
        *link = pool->next;
        session->added_ahead_bytes -= pool->added_ahead_bytes;
        free_pool(pool);
    }
}

void session_free_pools(struct session_directory *directory)
{
    if (directory->pools_list)
        closedir(directory->pools_list);
    directory->pools_list = NULL;
    while (directory->pools) {
        struct session_pool *pool = directory->pools;

        directory->pools = pool->next;
        free_pool(pool);
    }
}
