/* SPDX-License-Identifier: MIT */
/* The public functions for readers: one CPU, or all CPUs merged by time. */
#include "core/errno.h"
#include "kernel/trace_buffer_reader.h"

/* The limit of attempts to copy a record that writers overwrite. */
#define COPY_TRIES 1000

#define CURSOR_ALIGN 16u

int cairn_trace_buffer_read(struct cairn_trace_buffer *buffer, uint32_t cpu, void *to,
                            size_t size_bytes, size_t *ret_bytes)
{
    struct cairn_trace_reader reader;
    struct cairn_trace_stream *stream;
    uint8_t *bytes = to;
    size_t at = 0;

    if (cpu >= buffer->cpu_count)
        return EINVAL;
    kernel_trace_reader_open(&reader, &buffer->cpus[cpu], cpu, true, false);
    for (int tries = 0; tries < COPY_TRIES; tries++) {
        uint32_t record_bytes;

        stream = kernel_trace_reader_next(&reader);
        if (!stream)
            break;
        record_bytes = kernel_trace_record_bytes(stream->raw_bytes);
        if (record_bytes > size_bytes - at) {
            if (!at)
                return ENOSPC;
            break;
        }
        if (kernel_trace_reader_copy(&reader, stream, bytes + at) &&
            kernel_trace_reader_pass(&reader, stream, &reader.cpu->read_events)) {
            at += record_bytes;
            tries = 0;
        }
    }
    if (!at)
        return EAGAIN;
    *ret_bytes = at;
    return 0;
}

static size_t readers_bytes(uint32_t count)
{
    size_t bytes = (size_t)count * sizeof(struct cairn_trace_reader);

    return (bytes + CURSOR_ALIGN - 1) & ~(size_t)(CURSOR_ALIGN - 1);
}

size_t cairn_trace_cursor_memory_bytes(const struct cairn_trace_buffer *buffer)
{
    return readers_bytes(buffer->cpu_count) + cairn_trace_buffer_record_max_bytes(buffer);
}

int cairn_trace_cursor_open(struct cairn_trace_cursor *cursor, struct cairn_trace_buffer *buffer,
                            uint32_t cpu, bool consume, void *memory, size_t memory_bytes)
{
    bool all = cpu == CAIRN_TRACE_ALL_CPUS;
    uint32_t first = all ? 0 : cpu;
    uint32_t count = all ? buffer->cpu_count : 1;

    if (first >= buffer->cpu_count || (uintptr_t)memory % CURSOR_ALIGN ||
        memory_bytes < cairn_trace_cursor_memory_bytes(buffer))
        return EINVAL;
    *cursor = (struct cairn_trace_cursor){
        .readers = memory,
        .record = (uint8_t *)memory + readers_bytes(count),
        .reader_count = count,
        .current = count,
    };
    for (uint32_t i = 0; i < count; i++)
        kernel_trace_reader_open(&cursor->readers[i], &buffer->cpus[first + i], first + i, consume,
                                 !consume);
    return 0;
}

/* Finds the earliest of all CPUs' next records: returns its stream, or NULL, and its reader. */
static struct cairn_trace_stream *earliest(struct cairn_trace_cursor *cursor, uint32_t *ret_reader)
{
    struct cairn_trace_stream *next = NULL;

    for (uint32_t i = 0; i < cursor->reader_count; i++) {
        struct cairn_trace_stream *stream = kernel_trace_reader_next(&cursor->readers[i]);

        if (stream && (!next || stream->head_ns < next->head_ns)) {
            next = stream;
            *ret_reader = i;
        }
    }
    return next;
}

int cairn_trace_cursor_peek(struct cairn_trace_cursor *cursor,
                            const struct cairn_record_head **ret_record)
{
    for (int tries = 0; cursor->current == cursor->reader_count; tries++) {
        uint32_t i = 0;
        struct cairn_trace_stream *stream = tries < COPY_TRIES ? earliest(cursor, &i) : NULL;

        if (!stream)
            return EAGAIN;
        if (kernel_trace_reader_copy(&cursor->readers[i], stream, cursor->record)) {
            cursor->stream = stream;
            cursor->current = i;
        }
    }
    *ret_record = (const struct cairn_record_head *)(void *)cursor->record;
    return 0;
}

int cairn_trace_cursor_pop(struct cairn_trace_cursor *cursor)
{
    struct cairn_trace_reader *reader = &cursor->readers[cursor->current];
    struct cairn_trace_stream *stream = cursor->stream;

    if (cursor->current == cursor->reader_count)
        return EAGAIN;
    cursor->current = cursor->reader_count;
    if (!kernel_trace_reader_pass(reader, stream, &reader->cpu->read_events))
        return EAGAIN;
    reader->lost = 0;
    return 0;
}

uint64_t cairn_trace_cursor_lost(const struct cairn_trace_cursor *cursor)
{
    return cursor->current < cursor->reader_count ? cursor->readers[cursor->current].lost : 0;
}

void cairn_trace_cursor_close(struct cairn_trace_cursor *cursor)
{
    *cursor = (struct cairn_trace_cursor){0};
}
