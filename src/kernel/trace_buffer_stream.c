/* SPDX-License-Identifier: MIT */
/*
 * One level's stream of records: a position in a chunk that its writer may fill or overwrite.
 *
 * Weakly ordered processors: whatever the writer stored before it released `committed`, `before`,
 * `section`, `sections`, `taken` or `claims` is visible after acquiring it. The bytes of a record
 * are the only loads that race; the acquire fence after them pairs with the release fence before a
 * new owner's stores: if one of the loads saw such a store, the change of chunk->taken is visible.
 */
#include "core/atomic.h"
#include "kernel/trace_buffer_reader.h"

#include <cairn/schema.h>

/* Records begin at multiples of 4 bytes. As many as the largest control record has: the last ones
 * may be of the next record, or of the chunk's slack. */
#define HEAD_U32S (CORE_CONTROL_BASE_BYTES / 4)

static struct cairn_chunk *chunk_of(const struct cairn_trace_reader *reader,
                                    const struct cairn_trace_stream *stream)
{
    return &reader->cpu->pool.chunks[stream->chunk];
}

/* Loads that may race with a writer's stores: the caller validates the copy. */
static RACES void copy_u32s(uint8_t *to, const uint8_t *from, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t word = core_load_relaxed((const uint32_t *)(const void *)from + i);

        __builtin_memcpy(to + (size_t)4 * i, &word, sizeof(word));
    }
}

static RACES uint64_t first_event_of(const struct cairn_chunk *chunk)
{
    return core_load_relaxed(&chunk->first_event);
}

/* True if the stream's chunk was not overwritten; returns how much of it is consumed. / */
static bool is_ours(const struct cairn_trace_reader *reader,
                    const struct cairn_trace_stream *stream, uint64_t *ret_taken)
{
    /* Pairs with the fence in the pool's `own`: see the top. */
    core_fence_acquire();
    *ret_taken = core_load_acquire(&chunk_of(reader, stream)->taken);
    return *ret_taken >> CAIRN_POOL_TAKEN_BITS == stream->sequence && *ret_taken;
}

static const uint8_t *position_of(const struct cairn_trace_reader *reader,
                                  const struct cairn_trace_stream *stream)
{
    const struct cairn_pool *pool = &reader->cpu->pool;

    return pool->data + (size_t)stream->chunk * pool->chunk_bytes + stream->offset;
}

/* The visible bytes of a chunk. `ret_whole`: none of its bytes are held back. */
static uint32_t visible_bytes(const struct cairn_trace_reader *reader,
                              const struct cairn_trace_stream *stream, bool *ret_whole)
{
    const struct cairn_chunk *chunk = chunk_of(reader, stream);
    uint32_t usable = reader->cpu->pool.chunk_bytes - CAIRN_POOL_SLACK_BYTES;
    /* In this order: a section's number is visible with its bytes; see mark_section. */
    uint32_t bytes = core_load_acquire(&chunk->committed);
    uint64_t section = core_load_acquire(&chunk->section);
    uint64_t sections = core_load_acquire(&reader->cpu->sections);

    *ret_whole = section < sections;
    if (!*ret_whole) {
        uint32_t before = core_load_acquire(&chunk->before);

        /*
         * `before` may be of a later section than `committed`: only bytes below both are written
         * and belong to sections that have ended.
         */
        bytes = before < bytes ? before : bytes;
    }
    bytes &= ~3u;
    return bytes < usable ? bytes : usable;
}

static void leave_chunk(struct cairn_trace_reader *reader, struct cairn_trace_stream *stream)
{
    stream->chunk = KERNEL_TRACE_NO_CHUNK;
    stream->head_bytes = 0;
    reader->claims = 0;
}

/* Advances past the record at the position. */
static void step(struct cairn_trace_stream *stream)
{
    stream->offset += stream->head_bytes;
    stream->head_bytes = 0;
    stream->events++;
    stream->next_event++;
}

/* The head at a position, copied. */
struct trace_buffer_stream_head {
    uint32_t id;
    uint32_t size_bytes;
    uint32_t time;
    uint32_t kind; /* of a control record, and its value */
    uint32_t value[2];
};

static struct trace_buffer_stream_head parse_head(const uint32_t u32s[HEAD_U32S])
{
    struct trace_buffer_stream_head head = {
        .time = u32s[1], .kind = u32s[2], .value = {u32s[3], u32s[4]}};
    uint16_t halves[2];

    __builtin_memcpy(halves, u32s, sizeof(halves));
    head.id = halves[0];
    head.size_bytes = halves[1];
    return head;
}

/* Applies a control record. False: it is invalid. */
static bool apply_control(struct cairn_trace_stream *stream,
                          const struct trace_buffer_stream_head *head)
{
    if (head->kind == CORE_CONTROL_PROCESS && head->size_bytes == CORE_CONTROL_PROCESS_BYTES) {
        stream->pid = head->value[0];
    } else if (head->kind == CORE_CONTROL_BASE_NS && head->size_bytes == CORE_CONTROL_BASE_BYTES) {
        __builtin_memcpy(&stream->base_ns, head->value, sizeof(stream->base_ns));
        stream->has_base = true;
    } else {
        return false;
    }
    stream->offset += head->size_bytes;
    return true;
}

/* Notes the record at the position. False: it is invalid. */
static bool note_head(const struct cairn_trace_reader *reader, struct cairn_trace_stream *stream,
                      const struct trace_buffer_stream_head *head, uint32_t left)
{
    uint32_t raw_bytes = head->size_bytes - CORE_RECORD_HEAD_BYTES;

    if (head->size_bytes < CORE_RECORD_HEAD_BYTES + CAIRN_COMMON_BYTES || !stream->has_base ||
        core_record_padded(head->size_bytes) > left ||
        raw_bytes > kernel_trace_raw_max(reader->cpu))
        return false;
    stream->head_bytes = core_record_padded(head->size_bytes);
    stream->raw_bytes = raw_bytes;
    stream->head_id = head->id;
    stream->head_ns = stream->base_ns + head->time;
    return true;
}

/* Reads the head of the record at the position, after control records; reading of the chunk ends at
 * an invalid head. */
static void read_head(const struct cairn_trace_reader *reader, struct cairn_trace_stream *stream,
                      uint32_t end)
{
    bool is_control = true;

    while (is_control && !stream->is_damaged) {
        uint32_t u32s[HEAD_U32S];
        struct trace_buffer_stream_head head;
        uint64_t taken;

        copy_u32s((uint8_t *)u32s, position_of(reader, stream), HEAD_U32S);
        if (!is_ours(reader, stream, &taken))
            return;
        head = parse_head(u32s);
        is_control = head.id == CORE_RECORD_CONTROL;
        if (is_control)
            stream->is_damaged = !apply_control(stream, &head) || stream->offset >= end;
        else
            stream->is_damaged = !note_head(reader, stream, &head, end - stream->offset);
    }
}

/* Advances past records that were already consumed. */
static void catch_up(const struct cairn_trace_reader *reader, struct cairn_trace_stream *stream,
                     uint32_t end, uint64_t consumed)
{
    while (stream->events < consumed && !stream->is_damaged) {
        if (!stream->head_bytes && stream->offset < end)
            read_head(reader, stream, end);
        if (!stream->head_bytes)
            return; /* consumed since the end was loaded, or the chunk was overwritten */
        step(stream);
    }
}

/* Frees a chunk that was read to its end, unless it was taken. */
static void free_chunk(struct cairn_trace_reader *reader, const struct cairn_trace_stream *stream,
                       uint64_t taken)
{
    struct cairn_chunk *chunk = chunk_of(reader, stream);
    uint64_t events = core_load_relaxed(&chunk->events);
    uint64_t consumed = taken & CAIRN_POOL_TAKEN_MASK;

    if (!core_compare_exchange_acq_rel(&chunk->taken, &taken, 0))
        return;
    if (events > consumed)
        core_fetch_add_relaxed(&reader->cpu->damaged, events - consumed);
    /* Pairs with the acquire of the claim: the bytes are not read any more. */
    core_store_release(&chunk->state, CAIRN_CHUNK_FREE);
    /* Pairs with the acquire in core_pool_reserve_slow. */
    core_fetch_add_release(&reader->cpu->pool.header->freed, 1);
}

/* Finds the record at the position. True: this chunk has no more records. */
static bool is_at_end(struct cairn_trace_reader *reader, struct cairn_trace_stream *stream)
{
    /*
     * The state first: a chunk that is ready has its final length. Pairs with core_writer_close.
     */
    uint32_t state = core_load_acquire(&chunk_of(reader, stream)->state);
    bool whole;
    uint32_t end = visible_bytes(reader, stream, &whole);
    uint64_t taken;

    if (!is_ours(reader, stream, &taken))
        return true;
    if (reader->consume || !stream->events)
        catch_up(reader, stream, end, taken & CAIRN_POOL_TAKEN_MASK);
    if (!stream->is_damaged && stream->offset < end) {
        if (reader->bounded && stream->next_event >= stream->end_event)
            return false;
        read_head(reader, stream, end);
        if (!stream->is_damaged)
            return !stream->head_bytes; /* 0: it was overwritten just now */
    }
    if (state != CAIRN_CHUNK_READY || !whole)
        return false;
    if (reader->consume)
        free_chunk(reader, stream, taken);
    return true;
}

bool kernel_trace_stream_look(struct cairn_trace_reader *reader, struct cairn_trace_stream *stream)
{
    bool left = is_at_end(reader, stream);

    if (left)
        leave_chunk(reader, stream);
    return left;
}

static uint64_t *consumed_of(const struct cairn_trace_reader *reader,
                             const struct cairn_trace_stream *stream)
{
    return &reader->cpu->consumed[stream - reader->streams];
}

void kernel_trace_stream_enter(struct cairn_trace_reader *reader, struct cairn_trace_stream *stream,
                               uint32_t chunk, uint64_t sequence)
{
    uint64_t consumed = core_load_relaxed(consumed_of(reader, stream));
    uint64_t first_event;
    uint64_t expected;
    uint64_t taken;

    stream->chunk = chunk;
    stream->sequence = sequence;
    first_event = first_event_of(chunk_of(reader, stream));
    if (!is_ours(reader, stream, &taken)) {
        leave_chunk(reader, stream);
        return;
    }
    /* Records that other readers consumed are not lost. */
    expected = consumed > stream->next_event ? consumed : stream->next_event;
    if ((stream->began || reader->consume) && first_event > expected)
        reader->lost += first_event - expected;
    stream->began = true;
    stream->next_event = first_event;
    stream->offset = 0;
    stream->events = 0;
    stream->head_bytes = 0;
    stream->has_base = false;
    stream->is_damaged = false;
}

/* The head of a record whose raw part was copied to its place; zeros after that. */
static void complete(const struct cairn_trace_reader *reader,
                     const struct cairn_trace_stream *stream, uint8_t *to)
{
    uint32_t size_bytes = kernel_trace_record_bytes(stream->raw_bytes);
    uint32_t end = KERNEL_TRACE_RAW_AT + stream->raw_bytes;
    struct cairn_record_head head = {
        .type = CAIRN_RECORD_SAMPLE,
        .misc = KERNEL_TRACE_MISC,
        .size_bytes = (uint16_t)size_bytes,
        .id = stream->head_id,
        .pid = stream->pid,
        .time_ns = stream->head_ns,
        .cpu = reader->cpu_number,
        .raw_size_bytes = size_bytes - KERNEL_TRACE_RAW_AT,
    };

    __builtin_memcpy(&head.common_type, to + KERNEL_TRACE_RAW_AT, CAIRN_COMMON_BYTES);
    head.tid = (uint32_t)head.common_pid;
    __builtin_memcpy(to, &head, sizeof(head));
    __builtin_memset(to + end, 0, size_bytes - end);
}

bool kernel_trace_reader_copy(struct cairn_trace_reader *reader, struct cairn_trace_stream *stream,
                              void *to)
{
    uint64_t expected = stream->sequence << CAIRN_POOL_TAKEN_BITS | stream->events;
    uint64_t taken;

    copy_u32s((uint8_t *)to + KERNEL_TRACE_RAW_AT,
              position_of(reader, stream) + CORE_RECORD_HEAD_BYTES, (stream->raw_bytes + 3) / 4);
    if (!is_ours(reader, stream, &taken) || (reader->consume && taken != expected)) {
        stream->head_bytes = 0;
        return false;
    }
    complete(reader, stream, to);
    return true;
}

bool kernel_trace_reader_pass(struct cairn_trace_reader *reader, struct cairn_trace_stream *stream,
                              uint64_t *count)
{
    uint64_t expected = stream->sequence << CAIRN_POOL_TAKEN_BITS | stream->events;

    if (reader->consume) {
        /* Release: the loads of the record are complete before another owner may have the chunk. */
        if (!core_compare_exchange_acq_rel(&chunk_of(reader, stream)->taken, &expected,
                                           expected + 1)) {
            stream->head_bytes = 0;
            return false;
        }
        core_fetch_add_relaxed(count, 1);
        core_store_relaxed(consumed_of(reader, stream), stream->next_event + 1);
    }
    step(stream);
    return true;
}
