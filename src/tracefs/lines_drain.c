/* SPDX-License-Identifier: MIT */
/* Moves records from the pools of the shared session to the buffer of lines. */
#include "tracefs/text_session.h"
#include "core/atomic.h"
#include "engine/clock.h"
#include "engine/descriptors.h"
#include "engine/engine.h"
#include "engine/loss.h"
#include "engine/pool_range.h"
#include "engine/sample.h"
#include "os/memory.h"
#include "tracefs/filters.h"
#include "tracefs/program.h"

#include "core/pool.h"
#include <cairn/schema.h>
#include <cairn/kernel/trace_line.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>

#define COPY_BYTES ((size_t)32 << 20) /* of samples, at once */
#define RUNS_MAX   1024u
#define PASSES_MAX 8 /* writers may be as fast as this reader */

/*
 * Samples of the new records of a chunk: those of one thread, in the order of time. In
 * head.reserved each has the end of its record in the chunk.
 */
struct lines_drain_run {
    struct cairn_record_head head; /* of the one at `at` */
    const uint8_t *at;
    const uint8_t *end;
    struct cairn_chunk *chunk; /* its consumed bytes follow `at` */
    char comm[16];
};

/* One for the process; only the memory that records need is touched. */
struct lines_drain {
    struct tracefs_lines_file *file;
    struct lines_drain_run runs[RUNS_MAX];
    uint32_t run_count;
    struct iovec pools[RUNS_MAX]; /* those with runs */
    uint32_t pool_count;
    bool is_full; /* there is more than fits: the next pass takes it */
    size_t used;
    struct tracefs_event event; /* of the last record: the next is likely of the same */
    const char *comm;           /* of the record that is being printed */
    char line[TRACEFS_LINES_LINE_BYTES];
    /* the descriptor of the last record that was taken */
    const struct engine_descriptor_table *table;
    uint32_t descriptor_id;
    struct engine_descriptor *descriptor; /* NULL: there is none */
    uint8_t chunk[ENGINE_SHARED_CHUNK_BYTES];
    uint8_t bytes[COPY_BYTES];
};

/* ---- taking ---- */

/* The bytes of a chunk that were read. They are in shared memory: its readers take turns. */
static uint32_t consumed_of(const struct cairn_chunk *chunk)
{
    return (uint32_t)(core_load_relaxed(&chunk->taken) & CAIRN_POOL_TAKEN_MASK);
}

static void set_consumed(struct cairn_chunk *chunk, uint32_t size_bytes)
{
    uint64_t sequence = core_load_relaxed(&chunk->taken) & ~CAIRN_POOL_TAKEN_MASK;

    core_store_relaxed(&chunk->taken, sequence | size_bytes);
}

CAIRN_I_STATIC_ASSERT(ENGINE_SHARED_CHUNK_BYTES <= CAIRN_POOL_TAKEN_MASK, "its bytes have space");

/* The descriptor of a record with an id. NULL: there is none, and the record is not printed. */
static const struct engine_descriptor *find_descriptor(struct lines_drain *drain, uint32_t id)
{
    if (drain->descriptor_id != id) {
        free(drain->descriptor);
        drain->descriptor = NULL;
        drain->descriptor_id = id;
        (void)engine_descriptor_copy(drain->table, id, &drain->descriptor);
    }
    return drain->descriptor;
}

/* Time by the calibration that a recorder has published last. Writers use the counter only while
 * there is one. */
static uint64_t time_of_record(const struct engine_baseline *baseline, uint64_t counter)
{
    const struct engine_clock *clock = &engine_self.local.registry->clock;
    __int128 passed;

    if (baseline->unit == ENGINE_UNIT_NS)
        return counter;
    passed = (int64_t)(os_ticks() - counter);
    return os_clock_ns() - (uint64_t)(int64_t)(passed * core_load_relaxed(&clock->mult) >> 32);
}

/* Adds the sample of a record to a run. Without one the record is passed with the next. */
static void add_sample(struct lines_drain *drain, struct lines_drain_run *run,
                       const struct cairn_chunk *chunk, const struct engine_baseline *baseline,
                       const struct engine_record *record, uint32_t end_in_chunk)
{
    const struct engine_sample_origin origin = {
        .time_ns = time_of_record(baseline, record->counter),
        .cpu = baseline->cpu,
        .pid = chunk->pid,
        .tid = chunk->tid,
    };
    uint8_t *to = drain->bytes + drain->used;
    uint32_t size_bytes =
        engine_sample_expand(record, find_descriptor(drain, record->id), &origin, to);

    if (!size_bytes)
        return;
    memcpy(to + offsetof(struct cairn_record_head, reserved), &end_in_chunk, sizeof(end_in_chunk));
    drain->used += size_bytes;
    run->end = to + size_bytes;
}

/* Takes the new records of a chunk. Each counts as read when its line is written: a reader that is
 * killed loses none. */
static void take_records(struct lines_drain *drain, struct lines_drain_run *run,
                         const struct cairn_chunk *chunk, uint32_t end)
{
    struct engine_baseline baseline = {0};
    struct engine_record record;
    uint32_t consumed = consumed_of(run->chunk);
    uint32_t at = 0;

    while (at < end && engine_record_read(&baseline, drain->chunk + at, end - at, &record)) {
        at += record.size_bytes;
        if (!record.payload || at <= consumed)
            continue;
        if (COPY_BYTES - drain->used < CAIRN_RECORD_MAX_BYTES) {
            drain->is_full = true;
            return;
        }
        add_sample(drain, run, chunk, &baseline, &record, at);
    }
}

/* Frees a chunk that is full and was read to its end before; takes a run of another one. All of it
 * is read, since records depend on the control records before them. */
static void take_chunk(struct lines_drain *drain, struct engine_process_pool_reader *reader,
                       uint32_t number)
{
    struct cairn_chunk *chunk = engine_process_pool_chunk(&reader->pool, number);
    const struct cairn_chunk copy = engine_process_pool_copy_chunk(chunk);
    struct lines_drain_run *run = &drain->runs[drain->run_count];
    bool is_ready;
    uint32_t end;

    if (drain->run_count == RUNS_MAX) {
        drain->is_full = true;
        return;
    }
    reader->consumed[number] = 0;
    end = engine_process_pool_copy(reader, number, drain->chunk, &is_ready);
    if (end <= consumed_of(chunk)) {
        if (is_ready)
            engine_process_pool_free(reader, number);
        return;
    }
    run->at = drain->bytes + drain->used;
    run->end = run->at;
    run->chunk = chunk;
    memcpy(run->comm, copy.comm, sizeof(run->comm));
    run->comm[sizeof(run->comm) - 1] = 0;
    take_records(drain, run, &copy, end);
    if (run->end != run->at) {
        memcpy(&run->head, run->at, sizeof(run->head));
        drain->run_count++;
    } else if (!drain->is_full) {
        set_consumed(chunk, end); /* nothing of it can be printed */
    }
}

static void tell_lost(struct tracefs_lines_file *file, struct cairn_pool_header *pool)
{
    uint64_t lost = engine_loss_value(core_load_relaxed(&pool->lost), file->session);
    char line[64];

    if (!lost || lost == UINT64_MAX) /* none; or the count is of another session */
        return;
    (void)snprintf(line, sizeof(line), "[LOST %" PRIu64 " EVENTS]\n", lost);
    tracefs_lines_add(file, line, strlen(line));
    (void)core_fetch_add_relaxed(&pool->lost, -lost);
}

/* Returns 0; EBADMSG no program of this version has such a pool; ENOMEM. */
static int take_pool(struct lines_drain *drain, const struct engine_process_pool *pool,
                     bool namespace_is_ours)
{
    struct engine_process_pool_reader reader;
    uint32_t count = 0;
    int error;

    if (pool->large.chunk_bytes > sizeof(drain->chunk) ||
        pool->large.chunk_count + pool->small.chunk_count > RUNS_MAX)
        return EBADMSG;
    error = engine_process_pool_reader_open(&reader, pool, drain->file->session);
    if (!error) {
        for (uint32_t i = 0; i < reader.count; i++)
            reader.consumed[i] = consumed_of(engine_process_pool_chunk(pool, i));
        if (namespace_is_ours)
            engine_process_pool_take_back(&reader, engine_chunk_owner_is_dead, NULL);
        count = engine_process_pool_scan(&reader);
    }
    for (uint32_t i = 0; i < count; i++)
        take_chunk(drain, &reader, reader.order[i]);
    engine_process_pool_reader_close(&reader);
    free(drain->descriptor);
    drain->descriptor = NULL;
    drain->descriptor_id = ENGINE_ID_NONE;
    tell_lost(drain->file, pool->large.header);
    return error;
}

static void look_into(const struct engine_pool_visit *of, void *arg)
{
    struct lines_drain *drain = arg;
    uint32_t slot = drain->file->slot;
    uint32_t runs = drain->run_count;
    /* Read first: a process that has ended writes nothing after this. */
    bool dead = engine_pool_file_is_left(of->local, of->name);
    struct engine_pool_range range;
    struct engine_process_pool pool;
    void *memory;
    int error;

    if (slot >= ENGINE_SESSION_MAX ||
        !engine_pool_range_copy(of->file, slot, drain->file->session, &range))
        return;
    error = range.size_bytes ? engine_pool_range_map(of->fd, &range, &memory, &pool) : EBADMSG;
    if (!error) {
        drain->table = engine_pool_file_table(of->file);
        error =
            take_pool(drain, &pool, of->file->pid_namespace == engine_self.process->pid_namespace);
        if (drain->run_count == runs)
            os_memory_unmap(memory, range.size_bytes);
        else
            drain->pools[drain->pool_count++] = (struct iovec){memory, range.size_bytes};
    }
    if (dead && (!error || error == EBADMSG) && drain->run_count == runs && !drain->is_full) {
        of->file->ranges[slot].session = 0;
        engine_pool_file_remove(of->local, of->directory, of->name, of->file);
    }
}

/* ---- printing ---- */

/* The run whose next record is the oldest. */
static struct lines_drain_run *oldest(struct lines_drain *drain)
{
    struct lines_drain_run *best = NULL;

    for (uint32_t i = 0; i < drain->run_count; i++) {
        struct lines_drain_run *run = &drain->runs[i];

        if (run->at < run->end && (!best || run->head.time_ns < best->head.time_ns))
            best = run;
    }
    return best;
}

static int name_event(void *data, uint16_t id, struct cairn_trace_format *ret_format)
{
    const struct lines_drain *drain = data;

    (void)id;
    *ret_format =
        (struct cairn_trace_format){drain->event.schema.name, &drain->event.schema, NULL, 0};
    return 0;
}

static int name_thread(void *data, uint32_t tid, char ret_comm[16])
{
    const struct lines_drain *drain = data;

    (void)tid;
    memcpy(ret_comm, drain->comm, 16);
    return 0;
}

static void print_record(struct lines_drain *drain, const struct lines_drain_run *run)
{
    const struct cairn_trace_names names = {name_event, name_thread, drain};
    struct cairn_text text = cairn_text(drain->line, sizeof(drain->line) - 1);
    size_t length;

    drain->comm = run->comm;
    if (drain->file->is_off || !tracefs_event_read(run->head.id, &drain->event) ||
        !tracefs_filters_choose(drain->file, &drain->event, run->at, run->head.size_bytes,
                                run->comm) ||
        cairn_trace_line(&names, run->at, (size_t)(run->end - run->at), &text) == EBADMSG)
        return;
    length = cairn_text_length(&text);
    if (!length || drain->line[length - 1] != '\n')
        drain->line[length++] = '\n'; /* it was truncated */
    tracefs_lines_add(drain->file, drain->line, length);
}

static void print_all(struct lines_drain *drain)
{
    struct lines_drain_run *run;

    while ((run = oldest(drain))) {
        print_record(drain, run);
        set_consumed(run->chunk, run->head.reserved);
        run->at += run->head.size_bytes;
        if (run->at < run->end)
            memcpy(&run->head, run->at, sizeof(run->head));
    }
    while (drain->pool_count) {
        const struct iovec *pool = &drain->pools[--drain->pool_count];

        os_memory_unmap(pool->iov_base, pool->iov_len);
    }
}

/* Chunks that were read to their end are freed at the next pass. */
void tracefs_lines_drain(struct tracefs_lines_file *file)
{
    static struct lines_drain *drain;
    size_t touched = 0;

    if (!drain)
        drain = tracefs_memory_take(sizeof(*drain));
    if (!drain)
        return;
    drain->file = file;
    drain->event.id = 0; /* it may have been removed since */
    for (int pass_number = 0; pass_number < PASSES_MAX; pass_number++) {
        drain->run_count = 0;
        drain->used = 0;
        drain->is_full = false;
        engine_pool_files_visit(&engine_self.local, look_into, drain);
        print_all(drain);
        if (!drain->used)
            break;
        touched = drain->used > touched ? drain->used : touched;
    }
    if (touched > ENGINE_SHARED_CHUNK_BYTES)
        (void)madvise(drain->bytes, sizeof(drain->bytes), MADV_DONTNEED);
}
