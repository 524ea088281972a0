/* SPDX-License-Identifier: MIT */
/* Test of rings with damaged contents: readers return the valid records, count the others, and
 * end. */
#include "core/pool.h"
#include "trace_ring.h"

/* As readers get them, and the two control records at the beginning of a chunk. */
#define RECORD_BYTES 64u
#define FIRST_AT     36u

/* The head of a record in a chunk. */
struct compact {
    uint16_t id;
    uint16_t size_bytes;
    uint32_t time;
    uint32_t kind; /* of a control record */
};

static uint8_t *chunk_at(const struct ring *r, uint32_t chunk)
{
    const struct cairn_pool *pool = &r->buffer.cpus[0].pool;

    return pool->data + (size_t)chunk * pool->chunk_bytes;
}

static struct compact *record_at(const struct ring *r, uint32_t chunk, uint32_t record)
{
    return (void *)(chunk_at(r, chunk) + FIRST_AT + (size_t)record * RING_RECORD_BYTES);
}

/* Three full chunks, the pool's first three, and one more event. */
static void make_full_chunks(struct ring *r)
{
    ring_make(r, 1, RING_CPU_BYTES, CAIRN_TRACE_OVERWRITE);
    for (uint32_t i = 0; i <= 3 * RING_CHUNK_RECORDS; i++)
        assert_true(ring_put(&r->buffer.cpus[0], i, i));
}

static void expect_events(struct cairn_trace_cursor *cursor, uint32_t begin, uint32_t end)
{
    for (uint32_t i = begin; i < end; i++)
        assert_int_equal(ring_next(cursor), i);
}

/* Records of the second chunk are valid up to number `sound`. */
static void expect_skipped(struct ring *r, uint32_t sound)
{
    struct cairn_trace_cursor cursor;
    const struct cairn_record_head *record;

    for (int consume = 0; consume < 2; consume++) {
        cursor = ring_open(r, 0, consume);
        expect_events(&cursor, 0, RING_CHUNK_RECORDS + sound);
        assert_int_equal(cairn_trace_cursor_peek(&cursor, &record), 0);
        assert_int_equal(cairn_trace_cursor_lost(&cursor), RING_CHUNK_RECORDS - sound);
        expect_events(&cursor, 2 * RING_CHUNK_RECORDS, 3 * RING_CHUNK_RECORDS + 1);
        assert_int_equal(ring_next(&cursor), -1);
    }
    assert_int_equal(ring_stats(r, 0).damaged, RING_CHUNK_RECORDS - sound);
    assert_int_equal(ring_stats(r, 0).entries, 0);
    assert_int_equal(ring_stats(r, 0).overruns, 0);
    ring_unmake(r);
}

static void after_a_malformed_record_the_chunk_is_skipped_and_counted(void **state)
{
    struct ring r;

    (void)state;
    make_full_chunks(&r);
    record_at(&r, 1, 20)->size_bytes = 0;
    expect_skipped(&r, 20);
    make_full_chunks(&r);
    record_at(&r, 1, 0)->size_bytes = UINT16_MAX;
    expect_skipped(&r, 0);
    make_full_chunks(&r);
    record_at(&r, 1, RING_CHUNK_RECORDS - 1)->size_bytes = 32; /* beyond what was committed */
    expect_skipped(&r, RING_CHUNK_RECORDS - 1);
    make_full_chunks(&r);
    record_at(&r, 1, 1)->size_bytes = 12; /* smaller than the common fields */
    expect_skipped(&r, 1);
}

static void a_control_record_that_is_malformed_is_damage(void **state)
{
    struct ring r;

    (void)state;
    make_full_chunks(&r);
    record_at(&r, 1, 62)->id = 0; /* a control record of this size and kind does not exist */
    expect_skipped(&r, 62);
    make_full_chunks(&r);
    ((struct compact *)(void *)chunk_at(&r, 1))->kind = 5; /* the base of times is missing */
    expect_skipped(&r, 0);
    make_full_chunks(&r);
    ((struct compact *)(void *)chunk_at(&r, 1))->size_bytes = UINT16_MAX;
    expect_skipped(&r, 0);
}

static void raw_reads_skip_damaged_chunks(void **state)
{
    struct ring r;
    uint8_t bytes[8192];
    size_t got = 0;
    size_t sum = 0;

    (void)state;
    make_full_chunks(&r);
    record_at(&r, 1, 20)->size_bytes = 12;
    while (!cairn_trace_buffer_read(&r.buffer, 0, bytes, sizeof(bytes), &got))
        sum += got;
    assert_int_equal(sum, (2 * RING_CHUNK_RECORDS + 21) * RECORD_BYTES);
    assert_int_equal(ring_stats(&r, 0).damaged, RING_CHUNK_RECORDS - 20);
    ring_unmake(&r);
}

static void a_damaged_chunk_is_skipped_after_its_writer_has_left_it(void **state)
{
    struct ring r;
    struct cairn_trace_cursor cursor;
    struct cairn_trace_stats stats;

    (void)state;
    ring_make(&r, 1, RING_CPU_BYTES, CAIRN_TRACE_DISCARD);
    for (uint32_t i = 0; i < 10; i++)
        assert_true(ring_put(&r.buffer.cpus[0], i, i));
    record_at(&r, 0, 5)->size_bytes = 0;
    cursor = ring_open(&r, 0, true);
    expect_events(&cursor, 0, 5);
    assert_int_equal(ring_next(&cursor), -1);
    for (uint32_t i = 10; i < 200; i++)
        assert_true(ring_put(&r.buffer.cpus[0], i, i));
    expect_events(&cursor, RING_CHUNK_RECORDS, 200);
    stats = ring_stats(&r, 0);
    assert_int_equal(stats.damaged, RING_CHUNK_RECORDS - 5);
    assert_int_equal(stats.entries, 0);
    ring_unmake(&r);
}

static void wrong_descriptors_do_not_stop_a_reader(void **state)
{
    struct ring r;
    struct cairn_trace_cursor cursor;
    struct cairn_chunk *chunks;

    (void)state;
    make_full_chunks(&r);
    chunks = r.buffer.cpus[0].pool.chunks;
    chunks[0].committed = UINT32_MAX;             /* the unused end of the chunk contains no
                                                   * record */
    chunks[1].tid = UINT32_MAX;                   /* a level that does not exist */
    chunks[2].taken |= CAIRN_POOL_TAKEN_MASK - 3; /* more bytes consumed than committed */
    chunks[2].events = UINT32_MAX;
    chunks[3].first_event = UINT64_MAX;
    chunks[7].taken = UINT64_MAX; /* a sequence number that is not yet used */
    cursor = ring_open(&r, 0, false);
    expect_events(&cursor, 0, RING_CHUNK_RECORDS);
    assert_int_equal(ring_next(&cursor), -1);
    cursor = ring_open(&r, 0, true);
    expect_events(&cursor, 0, RING_CHUNK_RECORDS);
    assert_int_equal(ring_next(&cursor), 3 * RING_CHUNK_RECORDS);
    assert_int_equal(ring_next(&cursor), -1);
    assert_int_equal(cairn_trace_buffer_reset(&r.buffer, 0), 0);
    for (uint32_t i = 0; i < 5000; i++)
        ring_put(&r.buffer.cpus[0], i, i);
    ring_unmake(&r);
}

/* ---- random contents ---- */

static uint64_t random_state;

static uint32_t random_below(uint32_t limit)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % limit;
}

static void damage(struct ring *r)
{
    const struct cairn_pool *pool = &r->buffer.cpus[0].pool;
    uint8_t *memory = (uint8_t *)pool->header;
    size_t bytes = core_pool_size(pool->chunk_bytes, pool->chunk_count);
    size_t where[] = {random_below(128), CAIRN_POOL_HEADER_BYTES + random_below(640),
                      random_below((uint32_t)bytes)};
    size_t at = where[random_below(3)];

    for (uint32_t n = 1 + random_below(8); n && at < bytes; n--, at++)
        memory[at] =
            random_below(3) ? (uint8_t)random_below(256) : (uint8_t)(random_below(2) * 255);
}

/* Each returned record is well-formed, and reading ends. */
static void read_some(struct ring *r, bool consume)
{
    struct cairn_trace_cursor cursor = ring_open(r, CAIRN_TRACE_ALL_CPUS, consume);
    const struct cairn_record_head *record;
    uint32_t shown = 0;

    while (!cairn_trace_cursor_peek(&cursor, &record)) {
        uint32_t max_bytes = cairn_trace_buffer_record_max_bytes(&r->buffer);

        assert_int_not_equal(cairn_record_check(record, max_bytes), 0);
        (void)cairn_trace_cursor_lost(&cursor);
        (void)cairn_trace_cursor_pop(&cursor);
        assert_true(shown++ < 10000);
    }
}

static void one_step(struct ring *r)
{
    struct cairn_trace_cpu *cpu = &r->buffer.cpus[0];
    struct cairn_trace_stats stats;
    uint8_t bytes[4096];
    size_t got;

    switch (random_below(8)) {
    case 0:
        read_some(r, true);
        break;
    case 1:
        read_some(r, false);
        break;
    case 2:
        (void)cairn_trace_buffer_read(&r->buffer, 0, bytes, sizeof(bytes), &got);
        break;
    case 3:
        assert_int_equal(cairn_trace_buffer_stats(&r->buffer, 0, &stats), 0);
        break;
    case 4:
        if (!random_below(8))
            assert_int_equal(cairn_trace_buffer_reset(&r->buffer, 0), 0);
        break;
    default:
        for (uint32_t i = 0, depth = random_below(5); i < depth; i++)
            cairn_trace_cpu_enter(cpu);
        for (uint32_t n = random_below(200); n; n--)
            ring_put_sized(cpu, r->now_ns++, 0, 64 + 8 * random_below(100));
        while (cpu->nest)
            cairn_trace_cpu_leave(cpu, cpu->nest - 1);
    }
}

static void random_bytes_anywhere_are_harmless(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 300; seed++) {
        struct ring r;

        random_state = seed;
        ring_make(&r, 1, RING_CPU_BYTES, seed % 2);
        for (uint32_t i = 0; i < 60; i++) {
            one_step(&r);
            if (i > 10)
                damage(&r);
        }
        ring_unmake(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(after_a_malformed_record_the_chunk_is_skipped_and_counted),
        cmocka_unit_test(a_control_record_that_is_malformed_is_damage),
        cmocka_unit_test(raw_reads_skip_damaged_chunks),
        cmocka_unit_test(a_damaged_chunk_is_skipped_after_its_writer_has_left_it),
        cmocka_unit_test(wrong_descriptors_do_not_stop_a_reader),
        cmocka_unit_test(random_bytes_anywhere_are_harmless),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
