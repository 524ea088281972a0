/* SPDX-License-Identifier: MIT */
/* Both sides of the local engine for tests: opening the registry as a recorder, and reading
 * records. */
#ifndef TESTS_ENGINE_TEST_H
#define TESTS_ENGINE_TEST_H

#include "engine/clock.h"
#include "engine/engine.h"
#include "engine/pool_range.h"
#include "engine/session.h"
#include "engine/sweep.h"
#include "tracing_dir.h"

#include <cairn/user_events.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

#include <cmocka.h>

static struct engine_registry recorder = {.lock_fd = -1};

static inline int set_up(void **state)
{
    (void)state;
    return tracing_dir_make() || engine_registry_open(&recorder);
}

static inline int tear_down(void **state)
{
    (void)state;
    engine_registry_close(&recorder);
    tracing_dir_remove();
    return 0;
}

static inline struct engine_session begin(const char *pattern)
{
    const struct engine_session_request request = {&pattern,  1, ENGINE_STATUS_RECORDER,
                                                   128 << 10, 8, 0};
    struct engine_session session;

    assert_int_equal(engine_session_begin(&recorder, &request, &session), 0);
    return session;
}

static inline void end(struct engine_session *session)
{
    engine_session_end(&recorder, session);
}

static inline uint32_t files_in(const char *directory)
{
    char path[128];
    uint32_t count = 0;
    DIR *dir;

    (void)snprintf(path, sizeof(path), "%s/%s", tracing_dir, directory);
    dir = opendir(path);
    assert_non_null(dir);
    for (struct dirent *item; (item = readdir(dir));)
        count += item->d_name[0] != '.';
    closedir(dir);
    return count;
}

/* The record that was read last, and its payload with the zeros after it. */
static struct cairn_record_head last_record;
static uint8_t last_payload[CAIRN_RECORD_MAX_BYTES];
static uint32_t last_payload_bytes;

static inline void keep_record(const uint8_t *record, uint32_t bytes)
{
    assert_in_range(bytes, sizeof(last_record), CAIRN_RECORD_MAX_BYTES);
    /* With -O3 gcc warns about a size that the assertion above excludes. */
    if (bytes < sizeof(last_record) || bytes > CAIRN_RECORD_MAX_BYTES)
        abort();
    memcpy(&last_record, record, sizeof(last_record));
    last_payload_bytes = bytes - (uint32_t)sizeof(last_record);
    memcpy(last_payload, record + sizeof(last_record), last_payload_bytes);
}

/* Numbers of pools and records of a session, and the first number in the payload of the last
 * record. */
struct found {
    uint32_t pools;
    uint32_t records;
    uint32_t last;
    uint32_t pid;
    uint32_t nameless; /* records whose event has no id */
    uint64_t lost;
};

static inline void count_records(const uint8_t *block, uint32_t bytes, struct found *found)
{
    uint32_t record;
    uint64_t id;

    for (uint32_t at = 0; at < bytes; at += record) {
        record = cairn_record_check(block + at, bytes - at);
        assert_int_not_equal(record, 0);
        memcpy(&found->last, block + at + sizeof(struct cairn_record_head), 4);
        memcpy(&found->pid, block + at + offsetof(struct cairn_record_head, pid), 4);
        memcpy(&id, block + at + offsetof(struct cairn_record_head, id), sizeof(id));
        found->nameless += id >> 16 == 0 || (id & 0xffff) < ENGINE_TYPE_BASE;
        found->records++;
        keep_record(block + at, record);
    }
}

static inline void read_range(int fd, const struct engine_pool_range *range, struct found *found)
{
    static uint8_t block[128 << 10];
    struct engine_process_pool_reader reader = {0};
    struct engine_process_pool pool;
    uint32_t chunks;
    void *memory;

    if (!range->size_bytes || engine_pool_range_map(fd, range, &memory, &pool))
        return;
    assert_int_equal(engine_process_pool_reader_open(&reader, &pool, range->session), 0);
    chunks = engine_process_pool_scan(&reader);
    found->pools += chunks > 0;
    for (uint32_t i = 0; i < chunks; i++)
        count_records(block, engine_process_pool_take(&reader, reader.order[i], block), found);
    found->lost += cairn_pool_lost(&pool.large);
    engine_process_pool_reader_close(&reader);
    munmap(memory, range->size_bytes);
}

/* Each call reads chunks from their beginning: what was not released is read again. */
static inline struct found read_session(const struct engine_session *session)
{
    struct found found = {0};
    char path[512];
    DIR *dir;

    (void)snprintf(path, sizeof(path), "%s/pools", tracing_dir);
    dir = opendir(path);
    assert_non_null(dir);
    for (struct dirent *item; (item = readdir(dir));) {
        struct engine_pool_file *file;
        int fd;

        if (item->d_name[0] == '.' || engine_pool_file_open(dirfd(dir), item->d_name, &fd, &file))
            continue;
        if (file->ranges[session->slot].session == session->generation)
            read_range(fd, &file->ranges[session->slot], &found);
        engine_pool_file_close(fd, file);
    }
    closedir(dir);
    return found;
}

static inline int write_number(struct cairn_tracepoint *tp, uint32_t number)
{
    struct iovec part = {&number, sizeof(number)};

    return cairn_tracepoint_write(tp, &part, 1);
}

static inline pid_t run_child(void (*body)(void))
{
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0) {
        body();
        _exit(0);
    }
    return pid;
}

static inline void wait_for(pid_t pid)
{
    int status;

    assert_int_equal(waitpid(pid, &status, 0), pid);
}

#endif
