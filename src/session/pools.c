/* SPDX-License-Identifier: MIT */
/* Finding the pools of a session, and letting them go. */
#include "local/life.h"
#include "session/internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static void free_pool(struct session_pool *pool)
{
    if (!pool)
        return;
    if (pool->memory)
        munmap(pool->memory, pool->size_bytes);
    free(pool->reader.consumed);
    free(pool->reader.order);
    free(pool->reader.keys);
    cairn_session_free_names(pool);
    free(pool);
}

static int map_pool(struct session_pool *pool, int fd)
{
    struct stat st;
    void *memory;

    if (fstat(fd, &st))
        return errno;
    if (!S_ISREG(st.st_mode) || st.st_size < CAIRN_POOL_HEADER_BYTES)
        return EBADMSG;
    memory = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED)
        return errno;
    pool->memory = memory;
    pool->size_bytes = (size_t)st.st_size;
    pool->device = st.st_dev;
    pool->inode = st.st_ino;
    return cairn_pool_attach(memory, pool->size_bytes, &pool->reader.pool);
}

static int prepare_reader(struct cairn_session *session, struct session_pool *pool)
{
    uint32_t count = pool->reader.pool.chunk_count;

    if (!count || pool->reader.pool.chunk_bytes != session->chunk_bytes)
        return EBADMSG;
    pool->reader.consumed = calloc(count, sizeof(*pool->reader.consumed));
    pool->reader.order = calloc(count, sizeof(*pool->reader.order));
    pool->reader.keys = calloc(count, sizeof(*pool->reader.keys));
    return pool->reader.consumed && pool->reader.order && pool->reader.keys ? 0 : ENOMEM;
}

static int open_pool(struct cairn_session *session, int folder, const char *name,
                     struct session_pool **ret_pool)
{
    struct session_pool *pool = calloc(1, sizeof(*pool));
    int fd = openat(folder, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    int error = fd < 0 ? errno : pool ? map_pool(pool, fd) : ENOMEM;

    if (fd >= 0)
        close(fd);
    if (!error)
        error = prepare_reader(session, pool);
    if (error) {
        free_pool(pool);
        return error;
    }
    (void)snprintf(pool->name, sizeof(pool->name), "%s", name);
    *ret_pool = pool;
    return 0;
}

static bool is_open(const struct cairn_session *session, const char *name)
{
    for (const struct session_pool *pool = session->pools; pool; pool = pool->next) {
        if (!strcmp(pool->name, name))
            return true;
    }
    return false;
}

static void open_new(struct cairn_session *session, DIR *folder)
{
    for (struct dirent *item; (item = readdir(folder));) {
        struct session_pool *pool;
        int error;

        if (strtoull(item->d_name, NULL, 10) != session->handle.generation ||
            strlen(item->d_name) >= sizeof(pool->name) || is_open(session, item->d_name))
            continue;
        error = open_pool(session, dirfd(folder), item->d_name, &pool);
        /* One that is not finished yet is announced again when it is. */
        if (error && error != EBADMSG)
            session->seen_pools--; /* no descriptors or memory now: look again */
        if (error)
            continue;
        pool->next = session->pools;
        session->pools = pool;
        session->counts.processes++;
        session->counts.alive++;
    }
}

void cairn_session_update_pools(struct cairn_session *session)
{
    /* Pairs with the release in new_pool: the file comes before the number. */
    uint32_t pools = __atomic_load_n(&session->local.registry->pools, __ATOMIC_ACQUIRE);
    DIR *folder;
    int fd;

    if (pools == session->seen_pools)
        return;
    session->seen_pools = pools;
    fd = cairn_directory_open(&session->local.directory, "pools", O_RDONLY | O_DIRECTORY);
    folder = fd < 0 ? NULL : fdopendir(fd);
    if (!folder) {
        cairn_session_fail(session, errno);
        if (fd >= 0)
            close(fd);
        return;
    }
    open_new(session, folder);
    closedir(folder);
}

/* A pool is named after its process's file: SESSION.PROCESS. */
static bool process_lives(const struct cairn_session *session, const struct session_pool *pool)
{
    const char *process = strchr(pool->name, '.');
    char name[128];
    bool alive;
    int fd;

    (void)snprintf(name, sizeof(name), "processes/%s", process ? process + 1 : "");
    fd = cairn_directory_open(&session->local.directory, name, O_RDWR);
    if (fd < 0)
        return errno != ENOENT; /* no descriptors left is no reason to give its pool up */
    alive = cairn_life_of_process_file(fd);
    close(fd);
    return alive;
}

static void remove_pool(struct cairn_session *session, struct session_pool **link)
{
    struct session_pool *pool = *link;
    char path[CAIRN_PATH_MAX + sizeof(pool->name) + 8];

    (void)snprintf(path, sizeof(path), "%s/pools/%s", session->local.directory.path, pool->name);
    (void)unlink(path);
    *link = pool->next;
    free_pool(pool);
    session->counts.alive--;
}

void cairn_session_check_processes(struct cairn_session *session)
{
    struct session_pool **link = &session->pools;

    while (*link) {
        if (process_lives(session, *link)) {
            link = &(*link)->next;
            continue;
        }
        /* Whoever was dead before this last look has written all it ever will. */
        (void)cairn_session_drain_pool(session, *link);
        remove_pool(session, link);
    }
}

void cairn_session_free_pools(struct cairn_session *session)
{
    while (session->pools) {
        struct session_pool *pool = session->pools;

        session->pools = pool->next;
        free_pool(pool);
    }
}
