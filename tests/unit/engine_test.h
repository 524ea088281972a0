/* SPDX-License-Identifier: MIT */
/* Both sides of the local engine for tests: opening the registry as a recorder, and reading
 * records. */
#ifndef TESTS_ENGINE_TEST_H
#define TESTS_ENGINE_TEST_H

#include "core/pool.h"
#include "engine/clock.h"
#include "engine/engine.h"
#include "engine/descriptors.h"
#include "engine/loss.h"
#include "engine/pool_range.h"
#include "engine/sample.h"
#include "engine/session.h"
#include "engine/sweep.h"
#include "os/memory.h"
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
    const struct engine_session_request request = {
        &pattern, NULL, 1, ENGINE_STATUS_RECORDER, 128 << 10, 8, 0, 0, false};
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
    uint64_t bytes;    /* of the records in the chunks */
    uint64_t lost;
};

static inline void count_record(const struct engine_descriptor_table *table,
                                const struct engine_record *record,
                                const struct engine_sample_origin *origin, struct found *found)
{
    static uint8_t sample[CAIRN_RECORD_MAX_BYTES];
    struct engine_descriptor *descriptor = NULL;
    uint32_t bytes;
    uint64_t id;

    if (record->id)
        assert_int_equal(engine_descriptor_copy(table, record->id, &descriptor), 0);
    bytes = engine_sample_expand(record, descriptor, origin, sample);
    free(descriptor);
    assert_int_equal(cairn_record_check(sample, bytes), bytes);
    memcpy(&found->last, sample + sizeof(struct cairn_record_head), 4);
    memcpy(&found->pid, sample + offsetof(struct cairn_record_head, pid), 4);
    memcpy(&id, sample + offsetof(struct cairn_record_head, id), sizeof(id));
    found->nameless += id >> 16 == 0 || (id & 0xffff) < ENGINE_TYPE_BASE;
    found->bytes += record->size_bytes;
    found->records++;
    keep_record(sample, bytes);
}

static inline void count_records(const struct engine_descriptor_table *table,
                                 const struct cairn_chunk *chunk, const uint8_t *block,
                                 uint32_t bytes, struct found *found)
{
    struct engine_sample_origin origin = {.pid = chunk->pid, .tid = chunk->tid};
    struct engine_baseline baseline = {0};
    struct engine_record record;

    for (uint32_t at = 0; at < bytes; at += record.size_bytes) {
        assert_true(engine_record_read(&baseline, block + at, bytes - at, &record));
        origin.cpu = baseline.cpu;
        if (record.payload)
            count_record(table, &record, &origin, found);
    }
}

static inline void read_range(int fd, const struct engine_pool_range *range, struct found *found)
{
    static uint8_t block[128 << 10];
    struct engine_process_pool_reader reader = {0};
    struct engine_process_pool pool;
    uint32_t chunks;
    void *memory;
    void *table;

    if (!range->size_bytes || engine_pool_range_map(fd, range, &memory, &pool))
        return;
    assert_int_equal(os_memory_map(fd, ENGINE_PAGE_BYTES, ENGINE_TABLE_BYTES, &table), 0);
    assert_int_equal(engine_process_pool_reader_open(&reader, &pool, range->session), 0);
    chunks = engine_process_pool_scan(&reader);
    found->pools += chunks > 0;
    for (uint32_t i = 0; i < chunks; i++) {
        struct cairn_chunk chunk =
            engine_process_pool_copy_chunk(engine_process_pool_chunk(&pool, reader.order[i]));
        uint32_t bytes = engine_process_pool_take(&reader, reader.order[i], block);

        count_records(table, &chunk, block, bytes, found);
    }
    found->lost += engine_loss_value(core_pool_lost(&pool.large), range->session);
    engine_process_pool_reader_close(&reader);
    os_memory_unmap(table, ENGINE_TABLE_BYTES);
    os_memory_unmap(memory, range->size_bytes);
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

/* Events of a session that were lost before they could reach a pool. */
static inline uint64_t lost_early(const struct engine_session *session)
{
    uint64_t counts[CAIRN_LOSS_CAUSES];
    uint64_t lost = 0;

    engine_loss_read(&recorder.slots[session->slot], session->generation, counts);
    for (uint32_t cause = 0; cause < CAIRN_LOSS_CAUSES; cause++)
        lost += counts[cause];
    return lost;
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
