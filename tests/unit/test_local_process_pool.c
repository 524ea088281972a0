/* SPDX-License-Identifier: MIT */
/* Test of a process's pool, whose chunks can be divided: claiming, dividing and merging, without
 * processes or files. */
#include "core/pool.h"
#include "engine/process_pool.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include <cmocka.h>

#define CHUNK_BYTES  131072u
#define CHUNKS       8u
#define SMALL        32u
#define SMALL_CHUNKS (CHUNKS * SMALL)
#define SESSION      7u
#define WRITERS      6u

/* A pool in memory, formatted and attached as in the engine. */
struct fixture {
    uint8_t *memory;
    size_t size_bytes;
    uint32_t table_bytes;
    struct engine_process_pool pool;
    struct engine_process_pool_reader reader;
    uint8_t block[CHUNK_BYTES];
};

static int make(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    struct cairn_pool large;

    *state = f;
    if (!f)
        return -1;
    f->size_bytes = engine_process_pool_size(CHUNK_BYTES, CHUNKS, SMALL, &f->table_bytes);
    f->memory = aligned_alloc(4096, f->size_bytes);
    if (!f->memory)
        return -1;
    memset(f->memory, 0, f->size_bytes);
    if (core_pool_format(f->memory + f->table_bytes, CHUNK_BYTES, CHUNKS, SESSION, 1, &large))
        return -1;
    large.header->small_chunks = SMALL;
    large.header->usable_chunks = CHUNKS;
    large.header->free_chunks = CHUNKS;
    return engine_process_pool_attach(f->memory, f->size_bytes, f->table_bytes, &f->pool) ||
           engine_process_pool_reader_open(&f->reader, &f->pool, SESSION);
}

static int unmake(void **state)
{
    struct fixture *f = *state;

    engine_process_pool_reader_close(&f->reader);
    free(f->memory);
    free(f);
    return 0;
}

/* ---- writing and reading ---- */

/* Writes as a thread of the engine does: claims a chunk when its own is full. False: no chunk was
 * free. */
static bool write_as(struct engine_process_pool *pool, struct cairn_writer *writer, bool large,
                     uint64_t session, uint32_t tid, uint64_t number)
{
    struct cairn_writer_name name = {.pid = 1, .tid = tid, .session = session};
    uint64_t record[2] = {tid, number};
    struct cairn_pool *view;
    uint32_t index;

    if ((size_t)(writer->end - writer->next) < sizeof(record)) {
        core_writer_close(writer);
        if (!engine_process_pool_claim(pool, large, 0, sizeof(record), &view, &index))
            return false;
        core_writer_own(view, writer, &name, index);
    }
    memcpy(writer->next, record, sizeof(record));
    core_pool_commit(writer, sizeof(record));
    return true;
}

/* Numbers that the reader got from each writer: each is one more than the one before. */
struct seen {
    uint64_t next[WRITERS > SMALL ? WRITERS : SMALL];
    uint64_t disorder;
};

static void look_at(const uint8_t *block, uint32_t size_bytes, struct seen *seen)
{
    uint64_t record[2];

    if (size_bytes % sizeof(record))
        seen->disorder++;
    for (uint32_t at = 0; at + sizeof(record) <= size_bytes; at += sizeof(record)) {
        memcpy(record, block + at, sizeof(record));
        if (record[0] >= sizeof(seen->next) / sizeof(*seen->next) ||
            record[1] != seen->next[record[0]]) {
            seen->disorder++;
            continue;
        }
        seen->next[record[0]]++;
    }
}

static uint32_t read_all(struct fixture *f, struct seen *seen)
{
    uint32_t chunks = engine_process_pool_scan(&f->reader);
    uint32_t bytes = 0;

    for (uint32_t i = 0; i < chunks; i++) {
        uint32_t size_bytes = engine_process_pool_take(&f->reader, f->reader.order[i], f->block);

        look_at(f->block, size_bytes, seen);
        bytes += size_bytes;
    }
    return bytes;
}

static uint32_t state_of(const struct fixture *f, uint32_t chunk)
{
    return f->pool.large.chunks[chunk].state;
}

static void assert_all_free(const struct fixture *f)
{
    for (uint32_t i = 0; i < CHUNKS; i++)
        assert_int_equal(state_of(f, i), CAIRN_CHUNK_FREE);
    assert_int_equal(f->pool.large.header->free_chunks, CHUNKS);
}

/* ---- tests ---- */

static void a_divided_chunk_is_merged_when_its_last_part_is_free(void **state)
{
    struct fixture *f = *state;
    struct cairn_writer writers[SMALL] = {0};
    struct seen seen = {0};

    for (uint32_t i = 0; i < SMALL; i++)
        assert_true(write_as(&f->pool, &writers[i], false, SESSION, i, 0));
    assert_int_equal(state_of(f, 0), CAIRN_CHUNK_SPLIT);
    assert_int_equal(state_of(f, 1), CAIRN_CHUNK_FREE);
    assert_int_equal(read_all(f, &seen), SMALL * 16);
    for (uint32_t i = 0; i < SMALL; i++) {
        assert_int_equal(state_of(f, 0), CAIRN_CHUNK_SPLIT);
        assert_int_equal(f->pool.large.header->free_chunks, CHUNKS - 1);
        core_writer_close(&writers[i]);
        (void)read_all(f, &seen);
    }
    assert_all_free(f);
    assert_int_equal(seen.disorder, 0);
    /* The merged chunk can be claimed as a large one. */
    assert_true(write_as(&f->pool, &writers[0], true, SESSION, 0, 1));
    assert_int_equal(state_of(f, 0), CAIRN_CHUNK_OWNED);
    assert_int_equal(writers[0].end - writers[0].start, CHUNK_BYTES - CAIRN_POOL_SLACK_BYTES);
}

static void exactly_the_bytes_of_a_pool_can_be_claimed_as_small_chunks(void **state)
{
    struct fixture *f = *state;
    struct cairn_writer writers[SMALL_CHUNKS] = {0};
    struct cairn_writer late = {0};
    bool taken[SMALL_CHUNKS] = {false};

    for (uint32_t i = 0; i < SMALL_CHUNKS; i++) {
        size_t at;

        assert_true(write_as(&f->pool, &writers[i], false, SESSION, 0, 0));
        at = (size_t)(writers[i].start - f->pool.large.data) / (CHUNK_BYTES / SMALL);
        assert_in_range(at, 0, SMALL_CHUNKS - 1);
        assert_false(taken[at]);
        taken[at] = true;
    }
    assert_false(write_as(&f->pool, &late, false, SESSION, 0, 0));
    assert_false(write_as(&f->pool, &late, true, SESSION, 0, 0));
}

static void a_quarter_of_the_chunks_is_reserved_for_quiet_threads(void **state)
{
    struct fixture *f = *state;
    struct cairn_writer writers[CHUNKS] = {0};

    for (uint32_t i = 0; i < CHUNKS; i++)
        assert_true(write_as(&f->pool, &writers[i], true, SESSION, 0, i));
    for (uint32_t i = 0; i < CHUNKS - CHUNKS / 4; i++)
        assert_int_equal(state_of(f, i), CAIRN_CHUNK_OWNED);
    assert_int_equal(state_of(f, CHUNKS - 2), CAIRN_CHUNK_SPLIT);
    assert_int_equal(state_of(f, CHUNKS - 1), CAIRN_CHUNK_FREE);
}

static void a_record_too_large_for_a_small_chunk_gets_a_large_one_or_none(void **state)
{
    struct fixture *f = *state;
    const uint32_t size_bytes = CHUNK_BYTES / SMALL - CAIRN_POOL_SLACK_BYTES + 8;
    struct cairn_pool *view;
    uint32_t index;

    for (uint32_t i = 0; i < CHUNKS; i++) {
        assert_true(engine_process_pool_claim(&f->pool, false, 0, size_bytes, &view, &index));
        assert_ptr_equal(view, &f->pool.large);
        assert_int_equal(index, i);
    }
    assert_false(engine_process_pool_claim(&f->pool, false, 0, size_bytes, &view, &index));
    assert_false(engine_process_pool_claim(&f->pool, false, 0, 16, &view, &index));
}

static void a_writer_killed_while_dividing_a_chunk_is_not_waited_for(void **state)
{
    struct fixture *f = *state;
    struct cairn_writer writer = {0};

    for (uint32_t i = 0; i < CHUNKS; i++)
        f->pool.large.chunks[i].state = CAIRN_CHUNK_OWNED;
    assert_false(write_as(&f->pool, &writer, false, SESSION, 0, 0));
    /* The writer was alive and continues. */
    f->pool.large.chunks[2].taken = ENGINE_SPLIT_MARK | 2;
    f->pool.large.chunks[2].state = CAIRN_CHUNK_SPLIT;
    assert_true(write_as(&f->pool, &writer, false, SESSION, 0, 0));
    assert_ptr_equal(writer.chunk, &f->pool.small.chunks[2 * SMALL + 1]);
}

/* A thread that saw the chunk divided the time before has claimed a part of it meanwhile. */
static void parts_are_read_while_the_thread_that_divides_is_preempted(void **state)
{
    struct fixture *f = *state;
    struct cairn_writer divider = {0};
    struct cairn_writer other = {0};
    struct seen seen = {0};

    assert_true(write_as(&f->pool, &divider, false, SESSION, 0, 0));
    assert_true(write_as(&f->pool, &other, false, SESSION, 1, 0));
    f->pool.large.chunks[0].state = CAIRN_CHUNK_OWNED; /* the divider has not changed it yet */
    assert_int_equal(read_all(f, &seen), 32);
    assert_int_equal(seen.next[1], 1);
    f->pool.large.chunks[0].state = CAIRN_CHUNK_SPLIT;
    core_writer_close(&other);
    core_writer_close(&divider);
    (void)read_all(f, &seen);
    assert_all_free(f);
}

/* A thread that is preempted between seeing that a chunk is divided and claiming a part: meanwhile
 * the chunk was merged, and claimed whole by another thread. */
static void a_part_of_a_chunk_that_a_writer_owns_is_not_claimed(void **state)
{
    struct fixture *f = *state;
    struct cairn_writer owner = {0};
    struct cairn_writer other = {0};

    /* The descriptor has a sequence number instead of the bitmap of parts. */
    f->pool.large.header->last_sequence = 5;
    assert_true(write_as(&f->pool, &owner, true, SESSION, 0, 0));
    assert_int_equal(state_of(f, 0), CAIRN_CHUNK_OWNED);
    /* The state that the preempted thread saw. */
    f->pool.large.chunks[0].state = CAIRN_CHUNK_SPLIT;
    assert_true(write_as(&f->pool, &other, false, SESSION, 1, 0));
    f->pool.large.chunks[0].state = CAIRN_CHUNK_OWNED;
    assert_true(other.start >= f->pool.large.data + CHUNK_BYTES);
}

static void chunks_of_an_earlier_session_are_released_unread(void **state)
{
    struct fixture *f = *state;
    struct cairn_writer stale[2] = {0};
    struct cairn_writer writer = {0};
    struct seen seen = {0};

    assert_true(write_as(&f->pool, &stale[0], true, SESSION - 1, 1, 0));
    assert_true(write_as(&f->pool, &stale[1], false, SESSION - 1, 2, 0));
    assert_true(write_as(&f->pool, &writer, false, SESSION, 0, 0));
    assert_int_equal(read_all(f, &seen), 16);
    /* Their threads still own them. */
    assert_int_equal(state_of(f, 0), CAIRN_CHUNK_OWNED);
    for (uint32_t i = 0; i < 2; i++)
        core_writer_close(&stale[i]);
    assert_int_equal(read_all(f, &seen), 0);
    assert_int_equal(state_of(f, 0), CAIRN_CHUNK_FREE);
    core_writer_close(&writer);
    (void)read_all(f, &seen);
    assert_all_free(f);
    assert_int_equal(seen.next[0], 1);
    assert_int_equal(seen.disorder, 0);
    /* The same chunk is read from its beginning when it is used for this session. */
    assert_true(write_as(&f->pool, &writer, true, SESSION, 0, 1));
    assert_int_equal(read_all(f, &seen), 16);
}

static bool is_of_thread(const struct cairn_chunk *chunk, void *arg)
{
    return chunk->tid == *(uint32_t *)arg;
}

static void chunks_of_a_dead_thread_are_read_and_released(void **state)
{
    struct fixture *f = *state;
    struct cairn_writer writers[3] = {0};
    struct seen seen = {0};
    uint32_t dead = 1;

    assert_true(write_as(&f->pool, &writers[0], true, SESSION, 1, 0));
    assert_true(write_as(&f->pool, &writers[1], false, SESSION, 1, 1));
    assert_true(write_as(&f->pool, &writers[2], false, SESSION, 2, 0));
    engine_process_pool_take_back(&f->reader, is_of_thread, &dead);
    assert_int_equal(read_all(f, &seen), 48);
    assert_int_equal(seen.next[1], 2);
    assert_int_equal(state_of(f, 0), CAIRN_CHUNK_FREE);
    assert_int_equal(f->pool.large.header->free_chunks, CHUNKS - 1);
    dead = 2;
    engine_process_pool_take_back(&f->reader, is_of_thread, &dead);
    (void)read_all(f, &seen);
    assert_all_free(f);
}

/* ---- many threads ---- */

struct crowd {
    struct fixture *f;
    uint32_t rounds;
    uint32_t running;
    uint64_t written[WRITERS];
    uint64_t lost[WRITERS];
};

struct member {
    struct crowd *crowd;
    uint32_t number;
};

/* Changes from large chunks to small ones, and releases chunks long before they are full. */
static void *write_in_crowd(void *arg)
{
    struct member *m = arg;
    struct crowd *c = m->crowd;
    struct engine_process_pool pool = c->f->pool;
    struct cairn_writer writer = {0};
    uint64_t number = 0;

    for (uint32_t i = 0; i < c->rounds; i++) {
        bool large = (i / 97 + m->number) % 3 == 0;

        if (write_as(&pool, &writer, large, SESSION, m->number, number))
            number++;
        else
            c->lost[m->number]++;
        if (i % (101 + m->number) == 0)
            core_writer_close(&writer);
    }
    core_writer_close(&writer);
    c->written[m->number] = number;
    __atomic_fetch_sub(&c->running, 1, __ATOMIC_RELEASE);
    return NULL;
}

static void events_of_many_writers_are_read_once_and_in_order(void **state)
{
    struct crowd crowd = {.f = *state, .rounds = 200000, .running = WRITERS};
    struct member members[WRITERS];
    pthread_t threads[WRITERS];
    struct seen seen = {0};

    for (uint32_t i = 0; i < WRITERS; i++) {
        members[i] = (struct member){&crowd, i};
        assert_int_equal(pthread_create(&threads[i], NULL, write_in_crowd, &members[i]), 0);
    }
    while (__atomic_load_n(&crowd.running, __ATOMIC_ACQUIRE))
        (void)read_all(crowd.f, &seen);
    for (uint32_t i = 0; i < WRITERS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    while (read_all(crowd.f, &seen))
        ;
    assert_int_equal(seen.disorder, 0);
    for (uint32_t i = 0; i < WRITERS; i++) {
        assert_int_equal(seen.next[i], crowd.written[i]);
        assert_int_equal(crowd.written[i] + crowd.lost[i], crowd.rounds);
    }
    assert_all_free(crowd.f);
}

/* ---- damaged pools ---- */

static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

/* Overwrites a word that a reader uses, with a random or an almost valid value. */
static void damage(struct fixture *f, uint64_t *seed)
{
    struct cairn_pool_header *header = f->pool.large.header;
    uint64_t value = next_random(seed);
    uint32_t at = (uint32_t)(value >> 40) % (CHUNKS + SMALL_CHUNKS);
    struct cairn_chunk *chunk = engine_process_pool_chunk(&f->reader.pool, at);

    switch (next_random(seed) % 9) {
    case 0:
    case 1:
        __atomic_store_n(&chunk->state, (uint32_t)value % 6, __ATOMIC_RELAXED);
        break;
    case 2:
        __atomic_store_n(&chunk->committed, (uint32_t)value, __ATOMIC_RELAXED);
        break;
    case 3:
        __atomic_store_n(&chunk->sequence, value % 8 ? value % 100 : value, __ATOMIC_RELAXED);
        break;
    case 4:
        __atomic_store_n(&chunk->taken, value % 2 ? value : UINT64_MAX, __ATOMIC_RELAXED);
        break;
    case 5:
        __atomic_store_n(&chunk->session, value % 2 ? SESSION : value, __ATOMIC_RELAXED);
        break;
    case 6:
        __atomic_store_n(&header->usable_chunks, (uint32_t)value, __ATOMIC_RELAXED);
        __atomic_store_n(&header->small_chunks, (uint32_t)(value >> 8), __ATOMIC_RELAXED);
        break;
    case 7:
        __atomic_store_n(&header->last_sequence, value, __ATOMIC_RELAXED);
        break;
    default:
        __atomic_store_n(&header->freed, value, __ATOMIC_RELAXED);
        __atomic_store_n(&header->free_chunks, (uint32_t)(value >> 32), __ATOMIC_RELAXED);
    }
}

static void *damage_in_thread(void *arg)
{
    struct crowd *c = arg;
    uint64_t seed = 88172645463325252u;

    while (__atomic_load_n(&c->running, __ATOMIC_ACQUIRE))
        damage(c->f, &seed);
    return NULL;
}

static bool is_odd(const struct cairn_chunk *chunk, void *arg)
{
    (void)arg;
    return chunk->sequence & 1;
}

/* Reads and claims while another thread overwrites the shared memory, or has just done so. */
static void damaged_shared_memory_never_causes_accesses_outside_it(void **state)
{
    struct crowd crowd = {.f = *state, .running = 1};
    struct fixture *f = *state;
    uint64_t seed = 2463534242u;
    struct seen seen = {0};
    pthread_t thread;

    for (uint32_t i = 0; i < 40000; i++) {
        struct cairn_pool *view;
        uint32_t index;

        if (i == 20000)
            assert_int_equal(pthread_create(&thread, NULL, damage_in_thread, &crowd), 0);
        for (uint32_t k = 0; k < 4; k++)
            damage(f, &seed);
        (void)read_all(f, &seen);
        engine_process_pool_take_back(&f->reader, is_odd, NULL);
        if (engine_process_pool_claim(&f->pool, i % 2, 0, 16, &view, &index))
            assert_in_range(index, 0, view->chunk_count - 1);
    }
    __atomic_store_n(&crowd.running, 0, __ATOMIC_RELEASE);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

/* Thousands of quiet threads, whose chunks were claimed in the opposite order of their
 * addresses. */
static void thousands_of_chunks_are_sorted_quickly(void **state)
{
    const uint32_t chunks = 16384;
    const uint32_t count = chunks / SMALL;
    struct engine_process_pool_reader reader = {0};
    struct engine_process_pool pool;
    struct cairn_pool large;
    uint32_t table_bytes;
    size_t size = engine_process_pool_size(CHUNK_BYTES, count, SMALL, &table_bytes);
    uint8_t *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    clock_t began;

    (void)state;
    assert_true(memory != MAP_FAILED);
    assert_int_equal(core_pool_format(memory + table_bytes, CHUNK_BYTES, count, SESSION, 1, &large),
                     0);
    large.header->small_chunks = SMALL;
    large.header->usable_chunks = count;
    large.header->last_sequence = chunks;
    assert_int_equal(engine_process_pool_attach(memory, size, table_bytes, &pool), 0);
    for (uint32_t i = 0; i < count; i++)
        large.chunks[i].state = CAIRN_CHUNK_SPLIT;
    for (uint32_t i = 0; i < chunks; i++)
        pool.small.chunks[i] = (struct cairn_chunk){
            .state = CAIRN_CHUNK_OWNED, .sequence = chunks - i, .committed = 8, .session = SESSION};
    assert_int_equal(engine_process_pool_reader_open(&reader, &pool, SESSION), 0);
    began = clock();
    for (int i = 0; i < 10; i++)
        assert_int_equal(engine_process_pool_scan(&reader), chunks);
    assert_in_range(clock() - began, 0, CLOCKS_PER_SEC / 2);
    for (uint32_t i = 0; i < chunks; i++)
        assert_int_equal(reader.order[i], count + chunks - 1 - i);
    engine_process_pool_reader_close(&reader);
    munmap(memory, size);
}

static void invalid_sizes_are_refused(void **state)
{
    struct fixture *f = *state;
    struct cairn_pool_header *header = f->pool.large.header;
    struct engine_process_pool pool;
    static const uint32_t bad_small[] = {3, 5, 31, 33, 64, 65, 1u << 31, UINT32_MAX};
    static const uint32_t bad_tables[] = {0, 1, 8, 4096, 65536};

    for (size_t i = 0; i < sizeof(bad_small) / sizeof(*bad_small); i++) {
        header->small_chunks = bad_small[i];
        assert_int_equal(
            engine_process_pool_attach(f->memory, f->size_bytes, f->table_bytes, &pool), EBADMSG);
    }
    header->small_chunks = SMALL;
    header->usable_chunks = CHUNKS + 1;
    assert_int_equal(engine_process_pool_attach(f->memory, f->size_bytes, f->table_bytes, &pool),
                     EBADMSG);
    header->usable_chunks = CHUNKS;
    for (size_t i = 0; i < sizeof(bad_tables) / sizeof(*bad_tables); i++)
        assert_int_equal(engine_process_pool_attach(f->memory, f->size_bytes, bad_tables[i], &pool),
                         EBADMSG);
    assert_int_equal(
        engine_process_pool_attach(f->memory, f->size_bytes - 1, f->table_bytes, &pool), EBADMSG);
    assert_int_equal(engine_process_pool_attach(f->memory, f->size_bytes, f->table_bytes, &pool),
                     0);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, make, unmake)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_divided_chunk_is_merged_when_its_last_part_is_free),
        TEST(exactly_the_bytes_of_a_pool_can_be_claimed_as_small_chunks),
        TEST(a_quarter_of_the_chunks_is_reserved_for_quiet_threads),
        TEST(a_record_too_large_for_a_small_chunk_gets_a_large_one_or_none),
        TEST(a_part_of_a_chunk_that_a_writer_owns_is_not_claimed),
        TEST(chunks_of_an_earlier_session_are_released_unread),
        TEST(chunks_of_a_dead_thread_are_read_and_released),
        TEST(events_of_many_writers_are_read_once_and_in_order),
        TEST(a_writer_killed_while_dividing_a_chunk_is_not_waited_for),
        TEST(parts_are_read_while_the_thread_that_divides_is_preempted),
        TEST(damaged_shared_memory_never_causes_accesses_outside_it),
        TEST(thousands_of_chunks_are_sorted_quickly),
        TEST(invalid_sizes_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
