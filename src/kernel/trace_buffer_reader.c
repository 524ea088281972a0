/* SPDX-License-Identifier: MIT */
/*
 * Reading one CPU's rings while it writes, and overwrites: which record comes next.
 *
 * Order. A stream's next record, once found, stays its next one until it is consumed or
 * overwritten. To find the earliest of all levels we look twice. Suppose a level shows a record e
 * at the first look. When e became visible every earlier record was visible too, or became so by
 * the same store (trace_buffer_write.c); our loads are acquires. So the second look, at the levels
 * that seemed empty, finds what is earlier than e; and nothing that is visible only then, and that
 * we miss, can be earlier than the earliest that we then have.
 */
#include "kernel/trace_buffer_reader.h"

#include "core/atomic.h"

static RACES uint32_t level_of(const struct cairn_chunk *chunk)
{
    return cairn_load_relaxed(&chunk->tid);
}

/* For each level without a chunk the next one of its stream, into `chunks` and `sequences`. */
static void find_chunks(const struct cairn_trace_reader *reader, uint32_t *chunks,
                        uint64_t *sequences)
{
    const struct cairn_pool *pool = &reader->cpu->pool;
    /* As in cairn_pool_scan: of two chunks of one stream we might else see the second only. */
    uint64_t limit = cairn_load_acquire(&pool->header->last_sequence);

    for (uint32_t i = 0; i < pool->chunk_count; i++) {
        uint64_t taken = cairn_load_acquire(&pool->chunks[i].taken);
        uint64_t sequence = taken >> CAIRN_POOL_TAKEN_BITS;
        uint32_t level = level_of(&pool->chunks[i]);

        if (!taken || sequence > limit || level >= CAIRN_TRACE_LEVELS)
            continue;
        if (reader->streams[level].chunk == CAIRN_TRACE_NO_CHUNK &&
            sequence > reader->streams[level].sequence && sequence < sequences[level]) {
            chunks[level] = i;
            sequences[level] = sequence;
        }
    }
}

/*
 * Puts each stream that is in no chunk into its next one, if there is something new. True: a chunk
 * was overwritten between finding and entering it, so its stream may have another one.
 */
static bool enter_chunks(struct cairn_trace_reader *reader)
{
    /* Pairs with the release in cairn_trace_buffer_reserve_slow. */
    uint64_t claims = cairn_load_acquire(&reader->cpu->claims);
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
        cairn_trace_stream_enter(reader, stream, chunks[i], sequences[i]);
        failed |= stream->chunk == CAIRN_TRACE_NO_CHUNK;
    }
    return failed;
}

/*
 * Looks at every stream that has no record to show, until each one is in a chunk or has none: a
 * stream that was merely not found might hold an earlier record than those that were. Bounded,
 * whatever writers do meanwhile. False: they overwrote each chunk as soon as it was found.
 */
static bool refresh(struct cairn_trace_reader *reader)
{
    bool left = true;

    for (uint32_t tries = 0; left && tries <= reader->cpu->pool.chunk_count; tries++) {
        left = enter_chunks(reader);
        for (uint32_t i = 0; i < CAIRN_TRACE_LEVELS; i++) {
            struct cairn_trace_stream *stream = &reader->streams[i];

            if (stream->head_bytes || stream->chunk == CAIRN_TRACE_NO_CHUNK)
                continue;
            left |= cairn_trace_stream_look(reader, stream);
        }
    }
    return !left;
}

void cairn_trace_reader_open(struct cairn_trace_reader *reader, struct cairn_trace_cpu *cpu,
                             bool consume, bool bounded)
{
    *reader = (struct cairn_trace_reader){
        .cpu = cpu,
        .consume = consume,
        .bounded = bounded,
    };
    for (uint32_t i = 0; i < CAIRN_TRACE_LEVELS; i++) {
        reader->streams[i].chunk = CAIRN_TRACE_NO_CHUNK;
        reader->streams[i].end_event = cairn_load_relaxed(&cpu->levels[i].events);
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

struct cairn_trace_stream *cairn_trace_reader_next(struct cairn_trace_reader *reader)
{
    /* Twice: see the top. What only the second look finds could have earlier ones that it missed.
     */
    if (!refresh(reader) || !earliest(reader) || !refresh(reader))
        return NULL;
    return earliest(reader);
}
