/* SPDX-License-Identifier: MIT */
/*
 * Test of the pool: both CPUs write, their timers' interrupts write, and CPU 0 reads at the same
 * time. Each writer numbers its records; the reader gets them in order, and missing ones are
 * counted.
 */
#include "bare.h"

#include "core/pool.h"

#define CHUNK_BYTES CAIRN_POOL_CHUNK_MIN_BYTES
#define CHUNK_COUNT 8u
#define LEVELS      2u
#define WRITERS     (BARE_CPUS * LEVELS)
#define TICK_US     100u
#define WRITING_NS  300000000u

struct payload {
    uint64_t number; /* from 1, for each record written */
    uint32_t writer;
    uint32_t check; /* computed from the number, to detect a torn record */
};

static _Alignas(4096) uint8_t memory[CAIRN_POOL_HEADER_BYTES + 4096 + CHUNK_COUNT * CHUNK_BYTES];
static uint8_t copy[CHUNK_BYTES];
static uint32_t consumed[CHUNK_COUNT];
static uint32_t order[CHUNK_COUNT];
static uint64_t order_keys[CHUNK_COUNT];

static struct cairn_pool pool;
static struct core_pool_reader reader = {.consumed = consumed, .order = order, .keys = order_keys};
static struct cairn_writer writers[WRITERS];
static uint64_t written[WRITERS];
static uint64_t tries[WRITERS];
static uint64_t read_last[WRITERS];
static uint64_t read_count[WRITERS];
static uint64_t bad_records;

static uint32_t check_of(uint64_t number, uint32_t writer)
{
    return (uint32_t)(number * 2654435761u) ^ writer;
}

static void write_one(uint32_t level)
{
    uint32_t index = bare_cpu() * LEVELS + level;
    const struct cairn_writer_name name = {.pid = 1, .tid = index, .comm = "bare"};
    uint32_t size = cairn_record_size(sizeof(struct payload));
    struct cairn_record_head *head = core_pool_reserve(&pool, &writers[index], &name, size);
    struct payload payload = {written[index] + 1, index, check_of(written[index] + 1, index)};

    tries[index]++;
    if (!head)
        return;
    *head = (struct cairn_record_head){
        .type = CAIRN_RECORD_SAMPLE,
        .size_bytes = (uint16_t)size,
        .tid = index,
        .raw_size_bytes = size - (uint32_t)offsetof(struct cairn_record_head, common_type),
    };
    __builtin_memcpy(head + 1, &payload, sizeof(payload));
    core_pool_commit(&writers[index], size);
    written[index]++;
}

static uint32_t ticks[BARE_CPUS];

static void tick(void)
{
    ticks[bare_cpu()]++;
    for (unsigned i = 0; i < 8; i++)
        write_one(1);
}

/* While chunks are free, this CPU and its timer claim one each. */
static void write_first(void)
{
    bool on = bare_irqs_off();

    write_one(0);
    write_one(1);
    bare_irqs_restore(on);
}

static void write_for_a_while(void)
{
    uint64_t start;

    write_first();
    start = bare_now_ns();
    bare_timer(TICK_US);
    while (bare_now_ns() - start < WRITING_NS)
        write_one(0);
    bare_timer(0);
}

static void read_record(const uint8_t *at)
{
    struct payload payload;

    __builtin_memcpy(&payload, at + sizeof(struct cairn_record_head), sizeof(payload));
    if (payload.writer >= WRITERS || payload.check != check_of(payload.number, payload.writer) ||
        payload.number != read_last[payload.writer] + 1) {
        bad_records++;
        return;
    }
    read_last[payload.writer] = payload.number;
    read_count[payload.writer]++;
}

static void read_all(void)
{
    uint32_t chunks = core_pool_scan(&reader);

    for (uint32_t i = 0; i < chunks; i++) {
        uint32_t left = core_pool_take(&reader, order[i], copy);
        const uint8_t *at = copy;

        while (left) {
            uint32_t size = cairn_record_check(at, left);

            if (!size) {
                bad_records++;
                break;
            }
            read_record(at);
            at += size;
            left -= size;
        }
    }
}

static uint64_t sum(const uint64_t *numbers)
{
    uint64_t all = 0;

    for (unsigned i = 0; i < WRITERS; i++)
        all += numbers[i];
    return all;
}

void bare_main(void)
{
    uint64_t start;

    bare_check(core_pool_size(CHUNK_BYTES, CHUNK_COUNT) <= sizeof(memory),
               "the memory is large enough for the pool");
    bare_check_equal((uint64_t)core_pool_format(memory, CHUNK_BYTES, CHUNK_COUNT, 1, 1, &pool), 0,
                     "a pool is created");
    bare_check_equal((uint64_t)core_pool_attach(memory, sizeof(memory), &reader.pool), 0,
                     "a reader attaches to it");

    /* CPU 0 writes some records between two reads, and its timer writes while it reads. */
    write_first();
    bare_timer_hook = tick;
    bare_second_begin(write_for_a_while);
    bare_timer(TICK_US);
    start = bare_now_ns();
    while (bare_now_ns() - start < WRITING_NS) {
        for (unsigned i = 0; i < 50; i++)
            write_one(0);
        read_all();
    }
    bare_timer(0);
    bare_second_wait();
    bare_timer_hook = NULL;
    for (unsigned i = 0; i < WRITERS; i++)
        core_writer_close(&writers[i]);
    read_all();

    for (unsigned i = 0; i < WRITERS; i++)
        bare_check(written[i] > 0, "a writer has written");
    bare_check(ticks[0] && ticks[1], "timers came on both CPUs");
    bare_check_equal(bad_records, 0, "records are whole and in the order of each writer");
    bare_check_equal(sum(read_count), sum(written), "everything that was written is read, once");
    bare_check_equal(sum(written) + core_pool_lost(&pool), sum(tries), "lost records are counted");
}
