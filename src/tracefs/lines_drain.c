/* SPDX-License-Identifier: MIT */
/* Moves records from the pools of the shared session to the buffer of lines. */
#include "tracefs/lines.h"
#include "core/atomic.h"
#include "engine/clock.h"
#include "engine/descriptors.h"
#include "engine/engine.h"
#include "engine/loss.h"
#include "engine/pool_range.h"
#include "engine/sample.h"
#include "os/memory.h"
#include "tracefs/filters.h"
#include "tracefs/memory.h"

#include "core/pool.h"
#include <cairn/schema.h>
#include <cairn/kernel/trace_line.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define COPY_BYTES ((size_t)32 << 20) /* of samples, at once */
#define RUNS_MAX   1024u
#define PASSES_MAX 8 /* writers may be as fast as this reader */

/*
 * Samples of the new records of a chunk: those of one thread, in the order of time. In
 * head.reserved each has the end of its record in the chunk.
 */
struct lines_drain_run {
    const uint8_t *at;
    const uint8_t *end;
    uint32_t *consumed; /* of the chunk: follows `at` */
    char comm[16];
};

/* One for the process; only the memory that records need is touched. */
struct lines_drain {
    struct lines_drain_run runs[RUNS_MAX];
    uint32_t run_count;
    bool is_full; /* there is more than fits */
    size_t used;
    struct tracefs_event event; /* of the last record: the next is likely of the same */
    char line[TRACEFS_LINES_LINE_BYTES];
    /* the descriptor of the last record that was taken */
    const struct engine_descriptor_table *table;
    uint32_t descriptor_id;
    struct engine_descriptor *descriptor;
    uint8_t chunk[ENGINE_SHARED_CHUNK_BYTES];
    uint8_t bytes[COPY_BYTES];
};

/* ---- taking ---- */

static struct tracefs_lines_pool *find_pool(struct tracefs_lines_file *file, const char *name)
{
    struct tracefs_lines_pool *free_pool = NULL;

    for (uint32_t i = 0; i < TRACEFS_LINES_POOLS; i++) {
        if (!strncmp(file->pools[i].name, name, sizeof(file->pools[i].name)))
            return &file->pools[i];
        if (!free_pool && !*file->pools[i].name)
            free_pool = &file->pools[i];
    }
    if (free_pool) {
        memset(free_pool, 0, sizeof(*free_pool));
        (void)snprintf(free_pool->name, sizeof(free_pool->name), "%s", name);
    }
    return free_pool;
}

/* The descriptor of a record. False: there is none, and the record is not printed. */
static bool find_descriptor(struct lines_drain *drain, uint32_t id,
                            const struct engine_descriptor **ret_descriptor)
{
    struct engine_descriptor *descriptor = NULL;

    *ret_descriptor = NULL;
    if (id == ENGINE_ID_NONE)
        return true;
    if (!drain->descriptor || drain->descriptor_id != id) {
        if (engine_descriptor_copy(drain->table, id, &descriptor))
            return false;
        free(drain->descriptor);
        drain->descriptor = descriptor;
        drain->descriptor_id = id;
    }
    *ret_descriptor = drain->descriptor;
    return true;
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
    const struct engine_descriptor *descriptor;
    uint32_t size_bytes = 0;

    if (find_descriptor(drain, record->id, &descriptor))
        size_bytes = engine_sample_expand(record, descriptor, &origin, to);
    if (!size_bytes)
        return;
    memcpy(to + offsetof(struct cairn_record_head, reserved), &end_in_chunk, sizeof(end_in_chunk));
    drain->used += size_bytes;
    run->end = to + size_bytes;
}

/*
 * Takes the new records of a chunk. All of it is read, since records depend on the control records
 * before them. Each counts as read when its line is written: a reader that is killed loses none.
 */
static void take_records(struct lines_drain *drain, struct lines_drain_run *run,
                         const struct cairn_chunk *chunk, uint32_t end)
{
    struct engine_baseline baseline = {0};
    uint32_t at = 0;

    while (at < end) {
        struct engine_record record;

        if (!engine_record_read(&baseline, drain->chunk + at, end - at, &record)) {
            *run->consumed = end;
            return;
        }
        at += record.size_bytes;
        if (!record.payload || at <= *run->consumed)
            continue;
        if (COPY_BYTES - drain->used < CAIRN_RECORD_MAX_BYTES) {
            drain->is_full = true;
            return;
        }
        add_sample(drain, run, chunk, &baseline, &record, at);
    }
}

static void take_chunk(struct lines_drain *drain, const struct engine_process_pool *both,
                       uint32_t chunk, uint32_t *consumed)
{
    const bool is_small = chunk >= both->large.chunk_count;
    const struct cairn_pool *pool = is_small ? &both->small : &both->large;
    const uint32_t index = is_small ? chunk - both->large.chunk_count : chunk;
    struct lines_drain_run *run = &drain->runs[drain->run_count];
    /* Pairs with the release in core_pool_commit: the bytes come before the length. */
    uint32_t end = core_load_acquire(&pool->chunks[index].committed);

    if (end > pool->chunk_bytes || *consumed >= end)
        return;
    if (drain->run_count == RUNS_MAX) {
        drain->is_full = true;
        return;
    }
    run->at = drain->bytes + drain->used;
    run->end = run->at;
    run->consumed = consumed;
    memcpy(run->comm, pool->chunks[index].comm, sizeof(run->comm));
    run->comm[sizeof(run->comm) - 1] = 0;
    memcpy(drain->chunk, pool->data + (size_t)index * pool->chunk_bytes, end);
    take_records(drain, run, &pool->chunks[index], end);
    if (run->end != run->at)
        drain->run_count++;
    else if (!drain->is_full)
        *consumed = end; /* nothing of it can be printed */
}

/* Frees a chunk that is full and was read to its end before. */
static void free_chunk(struct engine_process_pool_reader *reader, uint32_t chunk, uint8_t *scratch)
{
    const struct cairn_chunk *descriptor = engine_process_pool_chunk(&reader->pool, chunk);

    if (core_load_acquire(&descriptor->state) == CAIRN_CHUNK_READY &&
        core_load_acquire(&descriptor->committed) == reader->consumed[chunk])
        (void)engine_process_pool_take(reader, chunk, scratch);
}

static void tell_lost(struct tracefs_lines_file *file, struct tracefs_lines_pool *known,
                      uint64_t lost)
{
    char line[64];

    if (lost <= known->lost || lost == UINT64_MAX) /* the latter: of another session */
        return;
    (void)snprintf(line, sizeof(line), "[LOST %" PRIu64 " EVENTS]\n", lost - known->lost);
    known->lost = lost;
    tracefs_lines_add(file, line, strlen(line));
}

static void take_pool(struct lines_drain *drain, struct tracefs_lines_file *file,
                      struct tracefs_lines_pool *known, const struct engine_process_pool *pool,
                      bool namespace_is_ours)
{
    uint32_t order[2][ENGINE_SHARED_ALL_CHUNKS];
    uint64_t keys[2][ENGINE_SHARED_ALL_CHUNKS];
    struct engine_process_pool_reader reader = {
        .pool = *pool,
        .session = file->session,
        .count = pool->large.chunk_count + pool->small.chunk_count,
        .consumed = known->consumed,
        .order = order[0],
        .keys = keys[0],
        .merged_order = order[1],
        .merged_keys = keys[1],
    };
    uint32_t count;

    if (pool->large.chunk_count > ENGINE_SHARED_CHUNKS ||
        pool->small_chunks > ENGINE_SHARED_SMALL_CHUNKS ||
        pool->large.chunk_bytes != ENGINE_SHARED_CHUNK_BYTES)
        return;
    if (namespace_is_ours)
        engine_process_pool_take_back(&reader, engine_chunk_owner_is_dead, NULL);
    count = engine_process_pool_scan(&reader);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t chunk = reader.order[i];

        free_chunk(&reader, chunk, drain->chunk);
        take_chunk(drain, pool, chunk, &known->consumed[chunk]);
    }
    tell_lost(file, known, engine_loss_value(core_pool_lost(&pool->large), file->session));
}

static void take_range(struct lines_drain *drain, struct tracefs_lines_file *lines,
                       struct tracefs_lines_pool *known, int fd,
                       const struct engine_pool_range *range, bool namespace_is_ours)
{
    struct engine_process_pool pool;
    void *memory;
    void *table;

    if (!range->size_bytes || engine_pool_range_map(fd, range, &memory, &pool))
        return;
    if (!os_memory_map(fd, ENGINE_PAGE_BYTES, ENGINE_TABLE_BYTES, &table)) {
        drain->table = table;
        take_pool(drain, lines, known, &pool, namespace_is_ours);
        free(drain->descriptor);
        drain->descriptor = NULL;
        os_memory_unmap(table, ENGINE_TABLE_BYTES);
    }
    os_memory_unmap(memory, range->size_bytes);
}

static void look_into(struct lines_drain *drain, struct tracefs_lines_file *lines, int directory,
                      const char *name)
{
    /* Read first: a process that has ended writes nothing after this. */
    bool dead = engine_pool_file_is_left(&engine_self.local, name);
    struct tracefs_lines_pool *known;
    uint32_t runs = drain->run_count;
    struct engine_pool_range range;
    struct engine_pool_file *file;
    int fd;

    if (engine_pool_file_open(directory, name, &fd, &file))
        return;
    if (engine_pool_range_copy(file, lines->slot, lines->session, &range) &&
        (known = find_pool(lines, name))) {
        take_range(drain, lines, known, fd, &range,
                   file->pid_namespace == engine_self.process->pid_namespace);
        if (dead && drain->run_count == runs && !drain->is_full) {
            file->ranges[lines->slot].session = 0;
            engine_pool_file_remove(&engine_self.local, directory, name, file);
            *known->name = 0;
        }
    }
    engine_pool_file_close(fd, file);
}

static void take_all(struct lines_drain *drain, struct tracefs_lines_file *file)
{
    const struct engine_directory *directory = &engine_self.local.directory;
    DIR *pools = engine_directory_list(directory, "pools");
    const char *name;
    uint32_t count = 0;

    while (pools && (name = engine_directory_next(directory, pools, &count))) {
        if (strlen(name) < sizeof(file->pools->name))
            look_into(drain, file, dirfd(pools), name);
    }
    if (pools)
        closedir(pools);
}

/* ---- printing ---- */

static uint64_t time_of(const struct lines_drain_run *run)
{
    struct cairn_record_head head;

    memcpy(&head, run->at, sizeof(head));
    return head.time_ns;
}

/* The run whose next record is the oldest. */
static struct lines_drain_run *oldest(struct lines_drain *drain)
{
    struct lines_drain_run *best = NULL;

    for (uint32_t i = 0; i < drain->run_count; i++) {
        struct lines_drain_run *run = &drain->runs[i];

        if (run->at < run->end && (!best || time_of(run) < time_of(best)))
            best = run;
    }
    return best;
}

/* Data of the record that is being printed. */
struct printed {
    const struct tracefs_event *event;
    const char *comm;
};

static int name_event(void *data, uint16_t id, struct cairn_trace_format *ret_format)
{
    const struct printed *printed = data;
    const struct cairn_schema *schema = &printed->event->schema;

    (void)id;
    *ret_format = (struct cairn_trace_format){.name = schema->name, .schema = schema};
    return 0;
}

static int name_thread(void *data, uint32_t tid, char ret_comm[16])
{
    const struct printed *printed = data;

    (void)tid;
    memcpy(ret_comm, printed->comm, 16);
    return 0;
}

static void print_record(struct lines_drain *drain, struct tracefs_lines_file *file,
                         const struct lines_drain_run *run, const struct cairn_record_head *head)
{
    struct printed printed = {&drain->event, run->comm};
    const struct cairn_trace_names names = {name_event, name_thread, &printed};
    struct cairn_text text = cairn_text(drain->line, sizeof(drain->line) - 1);
    size_t length;

    if (file->is_off || !tracefs_event_read(head->id, &drain->event) ||
        !tracefs_filters_choose(file, &drain->event, run->at, head->size_bytes, run->comm) ||
        cairn_trace_line(&names, run->at, (size_t)(run->end - run->at), &text) == EBADMSG)
        return;
    length = cairn_text_length(&text);
    if (!length || drain->line[length - 1] != '\n')
        drain->line[length++] = '\n'; /* it was truncated */
    tracefs_lines_add(file, drain->line, length);
}

static void print_all(struct lines_drain *drain, struct tracefs_lines_file *file)
{
    struct lines_drain_run *run;

    while ((run = oldest(drain))) {
        struct cairn_record_head head;

        memcpy(&head, run->at, sizeof(head));
        print_record(drain, file, run, &head);
        run->at += head.size_bytes;
        *run->consumed = head.reserved;
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
    drain->event.id = 0; /* it may have been removed since */
    for (int pass_number = 0; pass_number < PASSES_MAX; pass_number++) {
        drain->run_count = 0;
        drain->used = 0;
        drain->is_full = false;
        take_all(drain, file);
        if (!drain->used)
            break;
        touched = drain->used > touched ? drain->used : touched;
        print_all(drain, file);
    }
    if (touched > ENGINE_SHARED_CHUNK_BYTES)
        (void)madvise(drain->bytes, sizeof(drain->bytes), MADV_DONTNEED);
}
