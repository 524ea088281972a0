/* SPDX-License-Identifier: MIT */
/*
 * Test of the rings in the model: writers, interrupts of writers, consuming readers and readers of
 * snapshots, in all executions with a few records. The pool is much smaller than a real one.
 */
#include "model.h"
#include "model_operations.h"

#include <cairn/kernel/trace_buffer.h>

#include "kernel/trace_buffer_reader.h"

#include <stdio.h>
#include <string.h>

#define CHUNKS        3u
#define RAW_BYTES     16u /* common fields as zeros, a number and its complement */
#define RECORD_BYTES  (CAIRN_TRACE_RECORD_HEAD_BYTES + RAW_BYTES)
#define CHUNK_RECORDS 3u
#define NUMBER_AT     (KERNEL_TRACE_RAW_AT + 8u) /* in a record as readers get it */

/* A chunk begins with control records, and has as much space for others. */
#define CHUNK_BYTES_OF(records) \
    ((records)*RECORD_BYTES + 2 * KERNEL_TRACE_CONTROL_BYTES + CAIRN_POOL_SLACK_BYTES)
#define CHUNK_BYTES CHUNK_BYTES_OF(CHUNK_RECORDS)
#define NUMBERS     64u
#define OLD_NUMBER  1000u /* number of records from an earlier use of the memory */

static struct {
    struct cairn_pool_header header;
    struct cairn_chunk chunks[CHUNKS];
    uint32_t data[CHUNKS * CHUNK_BYTES / 4];
    struct cairn_trace_cpu cpu;
} memory __attribute__((aligned(4096)));

/* State of a reader. */
struct reader_state {
    struct cairn_trace_reader reader;
    uint64_t last_ns;
    uint64_t seen_numbers; /* bitmap */
    uint32_t last_number;
};

/* Data for the checks. */
static struct {
    uint64_t clock_ns;
    uint32_t numbers; /* assigned numbers */
    struct {
        uint64_t time_ns; /* 0: not written */
        uint64_t taken;
    } records[NUMBERS];
    struct reader_state readers[MODEL_THREADS];
} world;

/* ---- the writer ---- */

static void write_at(uint32_t level, uint32_t number, uint64_t time_ns)
{
    const uint32_t raw_words[RAW_BYTES / 4] = {0, 0, number, ~number};
    struct cairn_trace_stamp stamp = {.time_ns = time_ns, .id = 1};
    void *raw = cairn_trace_cpu_reserve(&memory.cpu, level, RAW_BYTES);

    if (!raw)
        return;
    memcpy(raw, raw_words, sizeof(raw_words));
    cairn_trace_cpu_commit(&memory.cpu, level, &stamp, RAW_BYTES);
    world.records[number].time_ns = stamp.time_ns;
}

/* Writes a section, or a part of one: interrupts up to `depth` write before its own record is
 * written. */
static void put_nested(unsigned depth)
{
    uint32_t number = ++world.numbers;
    uint64_t time_ns = ++world.clock_ns;
    uint32_t level = cairn_trace_cpu_enter(&memory.cpu);

    if (level < depth)
        put_nested(depth);
    write_at(level, number, time_ns);
    cairn_trace_cpu_leave(&memory.cpu, level);
}

static void put(unsigned depth)
{
    (void)depth;
    put_nested(0);
}

static void put_one(unsigned number)
{
    (void)number;
    put(0);
}

static void put_three(unsigned number)
{
    for (int i = 0; i < 3; i++)
        put_one(number);
}

static void put_two_sections(unsigned number)
{
    (void)number;
    put_nested(1);
    put_nested(1);
}

static void put_two_deep_sections(unsigned number)
{
    (void)number;
    put_nested(2);
    put_nested(2);
}

/* ---- readers ---- */

static void see(struct reader_state *state, const struct cairn_record_head *record)
{
    uint32_t payload[2];

    memcpy(payload, (const uint8_t *)record + NUMBER_AT, sizeof(payload));
    model_check(payload[0] == ~payload[1], "a record is torn");
    model_check(payload[0] > 0 && payload[0] <= world.numbers,
                "a record from an earlier use of the memory is shown");
    model_check(record->time_ns >= state->last_ns, "times decrease");
    model_check(!(state->seen_numbers >> payload[0] & 1), "a record is shown twice");
    state->last_ns = record->time_ns;
    state->last_number = payload[0];
    state->seen_numbers |= UINT64_C(1) << payload[0];
}

/* ---- states are compared between two reads of a reader ---- */

bool __real_kernel_trace_stream_look(struct cairn_trace_reader *, struct cairn_trace_stream *);
bool __wrap_kernel_trace_stream_look(struct cairn_trace_reader *, struct cairn_trace_stream *);

bool __wrap_kernel_trace_stream_look(struct cairn_trace_reader *reader,
                                     struct cairn_trace_stream *stream)
{
    bool left = __real_kernel_trace_stream_look(reader, stream);

    model_state();
    return left;
}

void __real_cairn_trace_stream_enter(struct cairn_trace_reader *, struct cairn_trace_stream *,
                                     uint32_t, uint64_t);
void __wrap_cairn_trace_stream_enter(struct cairn_trace_reader *, struct cairn_trace_stream *,
                                     uint32_t, uint64_t);

void __wrap_cairn_trace_stream_enter(struct cairn_trace_reader *reader,
                                     struct cairn_trace_stream *stream, uint32_t chunk,
                                     uint64_t sequence)
{
    __real_cairn_trace_stream_enter(reader, stream, chunk, sequence);
    model_state();
}

/* Reads until there are no more records. */
static void read_all(struct reader_state *state, bool consume, uint64_t *count)
{
    uint64_t record[(KERNEL_TRACE_RAW_AT + RAW_BYTES + 8) / 8];
    struct cairn_trace_stream *stream;

    kernel_trace_reader_open(&state->reader, &memory.cpu, 0, consume, false);
    while ((stream = kernel_trace_reader_next(&state->reader))) {
        model_state();
        if (!kernel_trace_reader_copy(&state->reader, stream, record))
            continue;
        model_state();
        if (!kernel_trace_reader_pass(&state->reader, stream, count))
            continue;
        see(state, (const struct cairn_record_head *)(const void *)record);
        if (consume) {
            uint32_t number = state->last_number;

            model_check(!world.records[number].taken, "a record is consumed twice");
            world.records[number].taken = 1;
        }
    }
}

static void look(unsigned number)
{
    read_all(&world.readers[number], false, NULL);
}

static void take(unsigned number)
{
    read_all(&world.readers[number], true, &memory.cpu.read_events);
}

/* ---- memory ---- */

/* Fills a chunk as an earlier use of the memory did: as the writer would, in a pool of its own. */
static void fill_chunk(uint32_t chunk, uint32_t chunk_records)
{
    uint8_t *at = (uint8_t *)memory.data + (size_t)chunk * CHUNK_BYTES_OF(chunk_records);
    struct cairn_chunk descriptor = {0};
    struct cairn_trace_level old = {
        .base_ns = UINT64_C(1) << 63,
        .writer = {.next = at, .start = at, .chunk = &descriptor},
    };

    for (uint32_t i = 0; i < chunk_records; i++) {
        uint32_t number = OLD_NUMBER + chunk * chunk_records + i;
        const uint32_t raw_words[RAW_BYTES / 4] = {0, 0, number, ~number};
        const struct cairn_trace_stamp stamp = {
            .time_ns = 1 + number - OLD_NUMBER, .pid = 1, .id = 1};

        memcpy(old.writer.next + CAIRN_TRACE_RECORD_HEAD_BYTES, raw_words, sizeof(raw_words));
        if (!cairn_i_trace_follows(&old, stamp.time_ns, stamp.pid))
            cairn_i_trace_put_controls(&old, &stamp, RAW_BYTES);
        cairn_i_trace_commit(&old, stamp, RAW_BYTES);
    }
}

static void track_chunk(struct cairn_chunk *chunk)
{
    model_track_shared(&chunk->state, 4);
    model_track(&chunk->committed, 4);
    model_track(&chunk->sequence, 8);
    model_track(&chunk->tid, 4);
    model_track(&chunk->first_event, 8);
    model_track_shared(&chunk->taken, 8);
    model_track(&chunk->section, 8);
    model_track(&chunk->before, 4);
    model_track(&chunk->events, 4);
}

static void track_all(void)
{
    model_track(&memory.header.last_sequence, 8);
    model_track_shared(&memory.header.freed, 8);
    for (uint32_t i = 0; i < memory.cpu.pool.chunk_count; i++) {
        uint32_t words = (memory.cpu.pool.chunk_bytes - CAIRN_POOL_SLACK_BYTES) / 4;

        track_chunk(&memory.chunks[i]);
        for (uint32_t j = 0; j < words; j++)
            model_track(&memory.data[i * memory.cpu.pool.chunk_bytes / 4 + j], 4);
    }
    model_track(&memory.cpu.sections, 8);
    model_track(&memory.cpu.claims, 8);
    for (uint32_t i = 0; i < CAIRN_TRACE_LEVELS; i++)
        model_track_shared(&memory.cpu.consumed[i], 8);
    model_track_shared(&memory.cpu.damaged, 8);
    model_track_shared(&memory.cpu.read_events, 8);
}

/* Makes empty rings, with records from an earlier use in the chunks' memory. */
static void make(uint32_t chunks, uint32_t chunk_records, bool overwrite)
{
    memset(&memory, 0, sizeof(memory));
    memset(&world, 0, sizeof(world));
    world.clock_ns = 1;
    for (uint32_t i = 0; i < chunks; i++)
        fill_chunk(i, chunk_records);
    memory.cpu.sections = 1;
    memory.cpu.pool = (struct cairn_pool){
        .header = &memory.header,
        .chunks = memory.chunks,
        .data = (uint8_t *)memory.data,
        .chunk_bytes = CHUNK_BYTES_OF(chunk_records),
        .chunk_count = chunks,
        .overwrite = overwrite,
    };
}

static void begin_empty(void)
{
    make(3, 3, false);
    track_all();
}

static void begin_overwriting(void)
{
    make(2, 1, true);
    track_all();
}

/* The next record overwrites the oldest. */
static void begin_full(void)
{
    make(2, 1, true);
    put_one(0);
    put_one(0);
    track_all();
}

/* Each level has a chunk, with an unread record in it. */
static void begin_nested(void)
{
    make(3, 3, false);
    put_nested(2);
    track_all();
}

/* Two records in two chunks, and no writer. */
static void begin_written(void)
{
    make(2, 1, false);
    put_one(0);
    put_one(0);
    track_all();
}

static void write_nothing(unsigned number)
{
    (void)number;
}

/* ---- checks at the end ---- */

static void end(void)
{
    struct reader_state rest = {.last_ns = 0};
    uint64_t written = 0, taken = 0;

    for (unsigned i = 0; i < MODEL_THREADS; i++) {
        if (world.readers[i].reader.consume && world.readers[i].last_ns > rest.last_ns)
            rest.last_ns = world.readers[i].last_ns;
    }
    read_all(&rest, true, &memory.cpu.read_events);
    for (uint32_t i = 1; i <= world.numbers; i++) {
        written += world.records[i].time_ns != 0;
        taken += world.records[i].taken;
    }
    model_check(memory.cpu.damaged == 0, "a valid record is counted as damaged");
    model_check(memory.cpu.read_events == taken, "a record is not counted as read");
    model_check(taken + memory.header.overwritten == written, "a record is lost");
    model_check(world.numbers - written == memory.header.lost, "a drop is not counted");
    model_check(memory.cpu.nest == 0 && memory.cpu.dirty == 0, "a section does not end");
}

/* A snapshot contains every record that is earlier than its last one. */
static void end_without_gaps(void)
{
    for (unsigned i = 1; i < MODEL_THREADS; i++) {
        for (uint32_t n = 1; n <= world.numbers; n++)
            model_check(world.readers[i].seen_numbers >> n & 1 || !world.records[n].time_ns ||
                            world.records[n].time_ns >= world.readers[i].last_ns,
                        "an earlier record is missing");
    }
    end();
}

#define WORLD .world = &world, .world_bytes = sizeof(world)

static const struct model models[] = {
    {.name = "a writer and a reader of a snapshot",
     .begin = begin_empty,
     .threads = {put_three, look},
     .old_values = MODEL_ANY,
     .end = end_without_gaps,
     WORLD},
    {.name = "nested writers and a reader of a snapshot",
     .begin = begin_nested,
     .threads = {put_two_sections, look},
     .old_values = MODEL_ANY,
     .end = end_without_gaps,
     WORLD},
    {.name = "writers nested twice and a reader of a snapshot",
     .begin = begin_nested,
     .threads = {put_two_deep_sections, look},
     .old_values = MODEL_ANY,
     .end = end_without_gaps,
     WORLD},
    {.name = "a writer, interrupted anywhere, and a reader of a snapshot",
     .begin = begin_nested,
     .threads = {put_one, look},
     .interrupt = put,
     .interrupts = 1,
     .nesting = 1,
     .old_values = MODEL_ANY,
     .end = end_without_gaps,
     WORLD},
    {.name = "a writer, interrupted anywhere, and a consuming reader",
     .begin = begin_nested,
     .threads = {put_one, take},
     .interrupt = put,
     .interrupts = 1,
     .nesting = 1,
     .old_values = MODEL_ANY,
     .end = end,
     WORLD},
    {.name = "a writer that overwrites and a reader of a snapshot",
     .begin = begin_overwriting,
     .threads = {put_three, look},
     .old_values = MODEL_ANY,
     .end = end,
     WORLD},
    {.name = "a writer and a consuming reader",
     .begin = begin_empty,
     .threads = {put_three, take},
     .old_values = MODEL_ANY,
     .end = end,
     WORLD},
    {.name = "a writer that overwrites and a consuming reader",
     .begin = begin_full,
     .threads = {put_one, take},
     .old_values = 3,
     .end = end,
     WORLD},
    {.name = "two consuming readers",
     .begin = begin_written,
     .threads = {write_nothing, take, take},
     .old_values = MODEL_ANY,
     .end = end,
     WORLD},
};

/* Runs the scenarios. usage: model_rings [ok | broken [PART-OF-A-NAME]] */
int main(int argc, char **argv)
{
    bool expect_failure = argc > 1 && strcmp(argv[1], "broken") == 0;
    bool failed = false;

    for (size_t i = 0; i < sizeof(models) / sizeof(models[0]) && !failed; i++) {
        uint64_t runs;

        if (argc > 2 && !strstr(models[i].name, argv[2]))
            continue;
        runs = model_explore(&models[i]);
        failed = !runs;
        if (runs)
            printf("%s: %llu runs\n", models[i].name, (unsigned long long)runs);
    }
    return failed != expect_failure;
}
