/* SPDX-License-Identifier: MIT */
/*
 * Reads one CPU's rings while it writes and overwrites: chooses the next record.
 *
 * Order. A stream's next record, once found, stays its next one until it is consumed or
 * overwritten. To find the earliest record of all levels, the reader makes two passes. Suppose a
 * level shows a record e in the first pass. When e became visible, every earlier record was visible
 * too, or became visible by the same store (trace_buffer_write.c); the reader's loads are acquires.
 * So the second pass, over the levels that seemed empty, finds the records that are earlier than e;
 * and a record that becomes visible only then, and is missed, cannot be earlier than the earliest
 * that was found.
 */
#include "kernel/trace_buffer_reader.h"

#include "core/atomic.h"

static RACES uint32_t level_of(const struct cairn_chunk *chunk)
{
    return core_load_relaxed(&chunk->tid);
}

/* Finds the next chunk of each level that has none, into `chunks` and `sequences`. */
static void find_chunks(const struct cairn_trace_reader *reader, uint32_t *chunks,
                        uint64_t *sequences)
{
    const struct cairn_pool *pool = &reader->cpu->pool;
    /*
     * As in core_pool_scan: otherwise the second of two chunks of one stream might be seen without
     * the first.
     */
    uint64_t limit = core_load_acquire(&pool->header->last_sequence);

    for (uint32_t i = 0; i < pool->chunk_count; i++) {
        uint64_t taken = core_load_acquire(&pool->chunks[i].taken);
        uint64_t sequence = taken >> CAIRN_POOL_TAKEN_BITS;
        uint32_t level = level_of(&pool->chunks[i]);

        if (!taken || sequence > limit || level >= CAIRN_TRACE_LEVELS)
            continue;
        if (reader->streams[level].chunk == KERNEL_TRACE_NO_CHUNK &&
            sequence > reader->streams[level].sequence && sequence < sequences[level]) {
            chunks[level] = i;
            sequences[level] = sequence;
        }
    }
}

/*
 * Moves each stream that is in no chunk to its next chunk, if there is one. True: a chunk was
 * overwritten between finding and entering it, so its stream may have another one.
 */
static bool enter_chunks(struct cairn_trace_reader *reader)
{
    /* Pairs with the release in cairn_trace_cpu_reserve_slow. */
    uint64_t claims = core_load_acquire(&reader->cpu->claims);
    uint32_t chunks[CAIRN_TRACE_LEVELS];
    uint64_t sequences[CAIRN_TRACE_LEVELS];
    bool failed = false;

    if (claims == reader->claims)
        return false;
    for (uint32_t i = 0; i < CAIRN_TRACE_LEVELS; i++)
        sequences[i] = UINT64_MAX;
    find_chunks(reader, chunks, sequences);
    reader->claims = claims;
    for (uint32_t i = 0; i < CAIRN_TRACE_LEVELS; i++) {
        struct cairn_trace_stream *stream = &reader->streams[i];

        if (sequences[i] == UINT64_MAX)
            continue;
        kernel_trace_stream_enter(reader, stream, chunks[i], sequences[i]);
        failed |= stream->chunk == KERNEL_TRACE_NO_CHUNK;
    }
    return failed;
}

/*
 * Checks every stream that has no record, until each is in a chunk or has none: a stream that was
 * not found might have an earlier record than the others. Bounded, whatever writers do meanwhile.
 * False: writers overwrote each chunk as soon as it was found.
 */
static bool refresh(struct cairn_trace_reader *reader)
{
    bool left = true;

    for (uint32_t tries = 0; left && tries <= reader->cpu->pool.chunk_count; tries++) {
        left = enter_chunks(reader);
        for (uint32_t i = 0; i < CAIRN_TRACE_LEVELS; i++) {
            struct cairn_trace_stream *stream = &reader->streams[i];

            if (stream->head_bytes || stream->chunk == KERNEL_TRACE_NO_CHUNK)
                continue;
            left |= kernel_trace_stream_look(reader, stream);
        }
    }
    return !left;
}

void kernel_trace_reader_open(struct cairn_trace_reader *reader, struct cairn_trace_cpu *cpu,
                              uint32_t number, bool consume, bool bounded)
{
    *reader = (struct cairn_trace_reader){
        .cpu = cpu,
        .cpu_number = number,
        .consume = consume,
        .bounded = bounded,
    };
    for (uint32_t i = 0; i < CAIRN_TRACE_LEVELS; i++) {
        reader->streams[i].chunk = KERNEL_TRACE_NO_CHUNK;
        reader->streams[i].end_event = core_load_relaxed(&cpu->levels[i].events);
    }
}

static struct cairn_trace_stream *earliest(struct cairn_trace_reader *reader)
{
    struct cairn_trace_stream *next = NULL;

    for (uint32_t i = 0; i < CAIRN_TRACE_LEVELS; i++) {
        struct cairn_trace_stream *stream = &reader->streams[i];

        if (stream->head_bytes && (!next || stream->head_ns < next->head_ns))
            next = stream;
    }
    return next;
}

struct cairn_trace_stream *kernel_trace_reader_next(struct cairn_trace_reader *reader)
{
    /*
     * Two passes: see the top. A record that only the second pass finds may have earlier ones that
     * it missed. /
     */
    if (!refresh(reader) || !earliest(reader) || !refresh(reader))
        return NULL;
    return earliest(reader);
}
