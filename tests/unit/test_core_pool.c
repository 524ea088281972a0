/* SPDX-License-Identifier: MIT */
/* Test of the pool: the reader gets what writers commit, whole, in order and once; losses are
 * counted. */
#include "core/pool.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define CHUNK_BYTES CAIRN_POOL_CHUNK_ANY_BYTES

struct fixture {
    void *memory;
    size_t size_bytes;
    struct cairn_pool pool;
    struct core_pool_reader reader;
    uint32_t consumed[16];
    uint32_t order[16];
    uint64_t keys[16];
    uint8_t block[CHUNK_BYTES];
};

static const struct cairn_writer_name name = {.pid = 7, .tid = 8, .comm = "writer"};

static void make(struct fixture *f, uint32_t chunk_count)
{
    memset(f, 0, sizeof(*f));
    f->size_bytes = core_pool_size(CHUNK_BYTES, chunk_count);
    f->memory = calloc(1, f->size_bytes);
    assert_non_null(f->memory);
    assert_int_equal(core_pool_format(f->memory, CHUNK_BYTES, chunk_count, 5, 7, &f->pool), 0);
    assert_int_equal(core_pool_attach(f->memory, f->size_bytes, &f->reader.pool), 0);
    f->reader.consumed = f->consumed;
    f->reader.order = f->order;
    f->reader.keys = f->keys;
}

static void unmake(struct fixture *f)
{
    free(f->memory);
}

/* Writes a record whose payload is one number. */
static bool put(struct cairn_pool *pool, struct cairn_writer *writer, uint64_t number)
{
    uint32_t size = cairn_record_size(sizeof(number));
    struct cairn_record_head *head = core_pool_reserve(pool, writer, &name, size);

    if (!head)
        return false;
    memset(head, 0, size);
    head->type = CAIRN_RECORD_SAMPLE;
    head->size_bytes = (uint16_t)size;
    head->raw_size_bytes = size - 44;
    memcpy(head + 1, &number, sizeof(number));
    core_pool_commit(writer, size);
    return true;
}

/* Reads everything; calls `got` for each number. */
static void drain(struct fixture *f, void (*got)(void *arg, uint32_t chunk, uint64_t number),
                  void *arg)
{
    uint32_t chunks = core_pool_scan(&f->reader);

    for (uint32_t i = 0; i < chunks; i++) {
        uint32_t size = core_pool_take(&f->reader, f->order[i], f->block);
        uint32_t record = 0;

        for (uint32_t at = 0; at < size; at += record) {
            uint64_t number;

            record = cairn_record_check(f->block + at, size - at);
            assert_int_not_equal(record, 0);
            memcpy(&number, f->block + at + sizeof(struct cairn_record_head), sizeof(number));
            got(arg, f->order[i], number);
        }
    }
}

/* Expects 0, 1, 2... */
static void expect_next(void *arg, uint32_t chunk, uint64_t number)
{
    uint64_t *next = arg;

    (void)chunk;
    assert_int_equal(number, *next);
    (*next)++;
}

static void committed_records_are_read_once_and_in_order(void **state)
{
    struct fixture f;
    struct cairn_writer writer = {0};
    uint64_t next = 0;

    (void)state;
    make(&f, 4);
    for (uint64_t i = 0; i < 3000; i++) {
        assert_true(put(&f.pool, &writer, i));
        if (i % 1000 == 999)
            drain(&f, expect_next, &next);
    }
    assert_int_equal(next, 3000);
    drain(&f, expect_next, &next);
    assert_int_equal(next, 3000);
    assert_int_equal(core_pool_lost(&f.pool), 0);
    unmake(&f);
}

static void chunks_are_reused_after_they_were_read(void **state)
{
    struct fixture f;
    struct cairn_writer writer = {0};
    uint64_t next = 0;

    (void)state;
    make(&f, 2);
    for (uint64_t i = 0; i < 20000; i++) {
        assert_true(put(&f.pool, &writer, i));
        if (i % 500 == 0)
            drain(&f, expect_next, &next);
    }
    drain(&f, expect_next, &next);
    assert_int_equal(next, 20000);
    unmake(&f);
}

static void an_uncommitted_reservation_is_not_visible(void **state)
{
    struct fixture f;
    struct cairn_writer writer = {0};
    uint64_t next = 0;

    (void)state;
    make(&f, 2);
    assert_non_null(core_pool_reserve(&f.pool, &writer, &name, 64));
    drain(&f, expect_next, &next);
    assert_int_equal(next, 0);
    assert_true(put(&f.pool, &writer, 0));
    drain(&f, expect_next, &next);
    assert_int_equal(next, 1);
    unmake(&f);
}

static void a_full_pool_drops_and_counts_new_events(void **state)
{
    struct fixture f;
    struct cairn_writer writer = {0};
    uint64_t written = 0;
    uint64_t next = 0;

    (void)state;
    make(&f, 2);
    while (put(&f.pool, &writer, written))
        written++;
    assert_int_equal(core_pool_lost(&f.pool), 1);
    for (int i = 0; i < 9; i++)
        assert_false(put(&f.pool, &writer, 0));
    assert_int_equal(core_pool_lost(&f.pool), 10);
    drain(&f, expect_next, &next);
    assert_int_equal(next, written);
    assert_true(put(&f.pool, &writer, written));
    drain(&f, expect_next, &next);
    assert_int_equal(next, written + 1);
    unmake(&f);
}

static void the_largest_record_fits_and_a_larger_one_is_lost(void **state)
{
    struct fixture f;
    struct cairn_writer writer = {0};

    (void)state;
    make(&f, 2);
    assert_non_null(core_pool_reserve(&f.pool, &writer, &name, CAIRN_RECORD_MAX_BYTES));
    assert_null(core_pool_reserve(&f.pool, &writer, &name, CHUNK_BYTES));
    assert_int_equal(core_pool_lost(&f.pool), 1);
    unmake(&f);
}

static void a_pool_with_invalid_sizes_is_not_attached(void **state)
{
    struct fixture f;
    struct cairn_pool pool;

    (void)state;
    make(&f, 2);
    f.pool.header->chunk_count = 3;
    assert_int_equal(core_pool_attach(f.memory, f.size_bytes, &pool), EBADMSG);
    f.pool.header->chunk_count = UINT32_MAX;
    assert_int_equal(core_pool_attach(f.memory, f.size_bytes, &pool), EBADMSG);
    f.pool.header->chunk_count = 2;
    f.pool.header->chunk_bytes = 12345;
    assert_int_equal(core_pool_attach(f.memory, f.size_bytes, &pool), EBADMSG);
    f.pool.header->chunk_bytes = CHUNK_BYTES;
    f.pool.header->version++;
    assert_int_equal(core_pool_attach(f.memory, f.size_bytes, &pool), EBADMSG);
    f.pool.header->version--;
    assert_int_equal(core_pool_attach(f.memory, f.size_bytes, &pool), 0);
    f.pool.header->magic = 0;
    assert_int_equal(core_pool_attach(f.memory, f.size_bytes, &pool), EBADMSG);
    assert_int_equal(core_pool_attach(f.memory, 100, &pool), EBADMSG);
    unmake(&f);
}

static void a_wrong_length_is_limited_to_the_chunk(void **state)
{
    struct fixture f;
    struct cairn_writer writer = {0};

    (void)state;
    make(&f, 2);
    assert_true(put(&f.pool, &writer, 0));
    writer.chunk->committed = UINT32_MAX;
    assert_int_equal(core_pool_scan(&f.reader), 1);
    assert_int_equal(core_pool_take(&f.reader, f.order[0], f.block),
                     CHUNK_BYTES - CAIRN_POOL_SLACK_BYTES);
    writer.chunk->committed = 8; /* it shrinks */
    assert_int_equal(core_pool_scan(&f.reader), 1);
    assert_int_equal(core_pool_take(&f.reader, f.order[0], f.block), 0);
    unmake(&f);
}

static void malformed_records_are_refused(void **state)
{
    struct cairn_record_head head = {
        .type = CAIRN_RECORD_SAMPLE, .size_bytes = 56, .raw_size_bytes = 12};
    uint8_t bytes[56] = {0};

    (void)state;
    memcpy(bytes, &head, sizeof(head));
    assert_int_equal(cairn_record_check(bytes, sizeof(bytes)), 56);
    assert_int_equal(cairn_record_check(bytes, 55), 0);
    assert_int_equal(cairn_record_check(bytes, 51), 0);
    bytes[6] = 57;
    assert_int_equal(cairn_record_check(bytes, sizeof(bytes)), 0);
    bytes[6] = 0;
    assert_int_equal(cairn_record_check(bytes, sizeof(bytes)), 0);
    bytes[6] = 56;
    bytes[40] = 13;
    assert_int_equal(cairn_record_check(bytes, sizeof(bytes)), 0);
    bytes[40] = 12;
    bytes[0] = 3;
    assert_int_equal(cairn_record_check(bytes, sizeof(bytes)), 0);
}

/* ---- writers and a reader at the same time ---- */

#define THREADS 2
#define EACH    50000

struct work {
    struct fixture *fixture;
    uint64_t number; /* next number of the thread */
    uint64_t written;
};

static void *write_all(void *arg)
{
    struct work *work = arg;
    struct cairn_writer writer = {0};
    struct cairn_pool pool = work->fixture->pool;

    for (uint64_t i = 0; i < EACH; i++) {
        while (!put(&pool, &writer, work->number << 32 | i))
            ; /* wait for the reader */
        work->written++;
    }
    core_writer_close(&writer);
    return NULL;
}

static void expect_next_of_thread(void *arg, uint32_t chunk, uint64_t number)
{
    uint64_t *next = arg;

    (void)chunk;
    assert_true(number >> 32 < THREADS);
    assert_int_equal((uint32_t)number, next[number >> 32]);
    next[number >> 32]++;
}

static void events_of_each_thread_arrive_in_order_and_once(void **state)
{
    struct fixture f;
    struct work work[THREADS];
    pthread_t threads[THREADS];
    uint64_t next[THREADS] = {0};

    (void)state;
    make(&f, 4);
    for (uint64_t i = 0; i < THREADS; i++) {
        work[i] = (struct work){&f, i, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, write_all, &work[i]), 0);
    }
    while (next[0] + next[1] < THREADS * EACH)
        drain(&f, expect_next_of_thread, next);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    drain(&f, expect_next_of_thread, next);
    assert_int_equal(next[0], EACH);
    assert_int_equal(next[1], EACH);
    unmake(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(committed_records_are_read_once_and_in_order),
        cmocka_unit_test(chunks_are_reused_after_they_were_read),
        cmocka_unit_test(an_uncommitted_reservation_is_not_visible),
        cmocka_unit_test(a_full_pool_drops_and_counts_new_events),
        cmocka_unit_test(the_largest_record_fits_and_a_larger_one_is_lost),
        cmocka_unit_test(a_pool_with_invalid_sizes_is_not_attached),
        cmocka_unit_test(a_wrong_length_is_limited_to_the_chunk),
        cmocka_unit_test(malformed_records_are_refused),
        cmocka_unit_test(events_of_each_thread_arrive_in_order_and_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
