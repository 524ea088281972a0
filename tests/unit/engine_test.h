/* SPDX-License-Identifier: MIT */
/* Both sides of the local engine for tests: a recorder's opening of the registry, and its reading.
 */
#ifndef TESTS_ENGINE_TEST_H
#define TESTS_ENGINE_TEST_H

#include "local/clock.h"
#include "local/engine.h"
#include "local/session.h"
#include "local/sweep.h"
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

static struct cairn_local recorder = {.lock_fd = -1};

static inline int set_up(void **state)
{
    (void)state;
    return tracing_dir_make() || cairn_local_open(&recorder);
}

static inline int tear_down(void **state)
{
    (void)state;
    cairn_local_close(&recorder);
    tracing_dir_remove();
    return 0;
}

static inline struct cairn_local_session begin(const char *pattern)
{
    const struct cairn_session_request request = {&pattern, 1, CAIRN_STATUS_RECORDER, 128 << 10, 8};
    struct cairn_local_session session;

    assert_int_equal(cairn_session_begin(&recorder, &request, &session), 0);
    return session;
}

static inline void end(struct cairn_local_session *session)
{
    cairn_session_end(&recorder, session);
}

static inline uint32_t files_in(const char *folder)
{
    char path[128];
    uint32_t count = 0;
    DIR *dir;

    (void)snprintf(path, sizeof(path), "%s/%s", tracing_dir, folder);
    dir = opendir(path);
    assert_non_null(dir);
    for (struct dirent *item; (item = readdir(dir));)
        count += item->d_name[0] != '.';
    closedir(dir);
    return count;
}

/* The record that was read last, and its payload with the zeros behind it. */
static struct cairn_record_head last_record;
static uint8_t last_payload[CAIRN_RECORD_MAX_BYTES];
static uint32_t last_payload_bytes;

static inline void keep_record(const uint8_t *record, uint32_t bytes)
{
    assert_in_range(bytes, sizeof(last_record), CAIRN_RECORD_MAX_BYTES);
    /* With -O3 the compiler looks further than it can see. */
    if (bytes < sizeof(last_record) || bytes > CAIRN_RECORD_MAX_BYTES)
        abort();
    memcpy(&last_record, record, sizeof(last_record));
    last_payload_bytes = bytes - (uint32_t)sizeof(last_record);
    memcpy(last_payload, record + sizeof(last_record), last_payload_bytes);
}

/* The records of a session in all pools, and of the last one its payload's first number. */
struct found {
    uint32_t pools;
    uint32_t records;
    uint32_t last;
    uint32_t pid;
    uint32_t nameless; /* of no event */
    uint64_t lost;
};

static inline void read_pool(const char *path, struct found *found)
{
    static uint8_t block[128 << 10];
    uint32_t consumed[64] = {0};
    uint32_t order[64];
    uint64_t keys[64];
    struct cairn_pool_reader reader = {.consumed = consumed, .order = order, .keys = keys};
    int fd = open(path, O_RDWR);
    off_t size = lseek(fd, 0, SEEK_END);
    void *memory = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    uint32_t chunks;

    close(fd);
    if (memory == MAP_FAILED)
        return; /* being made, as is one that is no pool yet */
    if (cairn_pool_attach(memory, (size_t)size, &reader.pool)) {
        munmap(memory, (size_t)size);
        return;
    }
    chunks = cairn_pool_scan(&reader);
    for (uint32_t i = 0; i < chunks; i++) {
        uint32_t bytes = cairn_pool_take(&reader, order[i], block);
        uint32_t record;
        uint64_t id;

        for (uint32_t at = 0; at < bytes; at += record) {
            record = cairn_record_check(block + at, bytes - at);
            assert_int_not_equal(record, 0);
            memcpy(&found->last, block + at + sizeof(struct cairn_record_head), 4);
            memcpy(&found->pid, block + at + offsetof(struct cairn_record_head, pid), 4);
            memcpy(&id, block + at + offsetof(struct cairn_record_head, id), sizeof(id));
            found->nameless += id >> 16 == 0 || (id & 0xffff) < CAIRN_TYPE_BASE;
            found->records++;
            keep_record(block + at, record);
        }
    }
    found->pools++;
    found->lost += cairn_pool_lost(&reader.pool);
    munmap(memory, (size_t)size);
}

static inline struct found read_session(const struct cairn_local_session *session)
{
    struct found found = {0};
    char path[512];
    DIR *dir;

    (void)snprintf(path, sizeof(path), "%s/pools", tracing_dir);
    dir = opendir(path);
    assert_non_null(dir);
    for (struct dirent *item; (item = readdir(dir));) {
        if (strtoull(item->d_name, NULL, 10) != session->generation)
            continue;
        (void)snprintf(path, sizeof(path), "%s/pools/%s", tracing_dir, item->d_name);
        read_pool(path, &found);
    }
    closedir(dir);
    return found;
}

static inline int write_number(struct cairn_tracepoint *tp, uint32_t number)
{
    struct iovec part = {&number, sizeof(number)};

    return cairn_user_event_write(tp, &part, 1);
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
