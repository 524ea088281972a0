/* SPDX-License-Identifier: MIT */
/* Records of events, gathered by thread into blocks. */
#include "trace_file/pieces.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FLUSH_BYTES ((size_t)1 << 20) /* of records, in all threads together */
#define BLOCK_BYTES ((size_t)1 << 20)
#define FORGET      4096u /* threads without events are forgotten when there are more */

struct trace_file_piece {
    struct cairn_bytes records;
    struct perf_data_map count_of; /* descriptor to its place in `counts` */
    struct cairn_bytes counts;     /* as in the index */
    uint32_t process;
    uint32_t tid;
    uint32_t first_cpu;
    uint32_t cpu;
    uint32_t events;
    uint64_t first_ns; /* the first base */
    uint64_t base_ns;
    uint64_t last_ns;
};

void trace_file_pieces_begin(struct trace_file_pieces *pieces, struct trace_file_writer *writer,
                             struct trace_file_tables_writer *tables)
{
    *pieces = (struct trace_file_pieces){.writer = writer, .tables = tables};
}

static void free_piece(struct trace_file_piece *piece)
{
    perf_data_bytes_free(&piece->records);
    perf_data_bytes_free(&piece->counts);
    perf_data_map_free(&piece->count_of);
}

static void forget(struct trace_file_pieces *pieces)
{
    for (uint32_t n = 0; n < pieces->count; n++)
        free_piece(&pieces->pieces[n]);
    perf_data_map_free(&pieces->piece_of);
    pieces->piece_of = (struct perf_data_map){0};
    pieces->count = 0;
}

void trace_file_pieces_free(struct trace_file_pieces *pieces)
{
    forget(pieces);
    free(pieces->pieces);
}

/* Returns NULL if there is no memory. */
static struct trace_file_piece *add_piece(struct trace_file_pieces *pieces, uint64_t key)
{
    if (pieces->count == pieces->capacity) {
        uint32_t capacity = pieces->capacity ? 2 * pieces->capacity : 16;
        void *bigger = realloc(pieces->pieces, capacity * sizeof(*pieces->pieces));

        if (!bigger)
            return NULL;
        pieces->pieces = (struct trace_file_piece *)bigger;
        pieces->capacity = capacity;
    }
    if (perf_data_map_set(&pieces->piece_of, key, pieces->count))
        return NULL;
    pieces->pieces[pieces->count] = (struct trace_file_piece){
        .process = (uint32_t)(key >> 32),
        .tid = (uint32_t)key,
    };
    return &pieces->pieces[pieces->count++];
}

static struct trace_file_piece *find_piece(struct trace_file_pieces *pieces,
                                           const struct trace_file_origin *origin)
{
    uint64_t key = (uint64_t)origin->process << 32 | origin->tid;
    uint32_t index = perf_data_map_get(&pieces->piece_of, key);

    return index == PERF_DATA_MAP_NONE ? add_piece(pieces, key) : &pieces->pieces[index];
}

/* A record's header: two u16 and a u32. */
static void put_header(struct cairn_bytes *b, uint32_t descriptor, uint32_t size_bytes,
                       uint32_t time)
{
    uint16_t words[2] = {(uint16_t)descriptor, (uint16_t)size_bytes};

    perf_data_bytes_put(b, words, sizeof(words));
    perf_data_bytes_put_u32(b, time);
}

static void pad(struct cairn_bytes *b)
{
    perf_data_bytes_put_zeros(b, -b->size & 3);
}

/* Adds what has changed since the thread's last event. */
static void put_changes(struct trace_file_piece *piece, const struct trace_file_origin *origin)
{
    struct cairn_bytes *b = &piece->records;

    if (!b->size) {
        piece->first_ns = piece->base_ns = piece->last_ns = origin->time_ns;
        piece->first_cpu = piece->cpu = origin->cpu;
        return;
    }
    if (origin->time_ns - piece->base_ns > UINT32_MAX) {
        put_header(b, TRACE_FILE_RECORD_CONTROL, 20, (uint32_t)(piece->last_ns - piece->base_ns));
        perf_data_bytes_put_u32(b, TRACE_FILE_CONTROL_BASE);
        perf_data_bytes_put_u64(b, origin->time_ns);
        piece->base_ns = origin->time_ns;
    }
    if (origin->cpu != piece->cpu) {
        put_header(b, TRACE_FILE_RECORD_CONTROL, 16, (uint32_t)(origin->time_ns - piece->base_ns));
        perf_data_bytes_put_u32(b, TRACE_FILE_CONTROL_CPU);
        perf_data_bytes_put_u32(b, origin->cpu);
        piece->cpu = origin->cpu;
    }
}

static void put_record(struct trace_file_piece *piece, const struct trace_file_origin *origin,
                       const struct iovec *parts, int part_count, size_t payload_bytes)
{
    struct cairn_bytes *b = &piece->records;
    uint32_t time = (uint32_t)(origin->time_ns - piece->base_ns);

    if (origin->descriptor < TRACE_FILE_RECORD_LONG &&
        payload_bytes <= TRACE_FILE_RECORD_MAX_BYTES - TRACE_FILE_RECORD_BYTES) {
        put_header(b, origin->descriptor, TRACE_FILE_RECORD_BYTES + (uint32_t)payload_bytes, time);
    } else {
        put_header(b, TRACE_FILE_RECORD_LONG, 0, time);
        perf_data_bytes_put_u32(b, origin->descriptor);
        perf_data_bytes_put_u32(b, TRACE_FILE_LONG_BYTES + (uint32_t)payload_bytes);
    }
    for (int n = 0; n < part_count; n++)
        perf_data_bytes_put(b, parts[n].iov_base, parts[n].iov_len);
    pad(b);
}

static int count(struct trace_file_piece *piece, uint32_t descriptor)
{
    uint32_t index = perf_data_map_get(&piece->count_of, descriptor);
    uint64_t events = 0;
    uint8_t *at;

    if (index == PERF_DATA_MAP_NONE) {
        index = (uint32_t)(piece->counts.size / TRACE_FILE_INDEX_COUNT_BYTES);
        perf_data_bytes_put_u32(&piece->counts, piece->process);
        perf_data_bytes_put_u32(&piece->counts, descriptor);
        perf_data_bytes_put_u64(&piece->counts, 0);
        if (piece->counts.error || perf_data_map_set(&piece->count_of, descriptor, index))
            return ENOMEM;
    }
    at = piece->counts.data + (size_t)index * TRACE_FILE_INDEX_COUNT_BYTES + sizeof(uint64_t);
    memcpy(&events, at, sizeof(events));
    events++;
    memcpy(at, &events, sizeof(events));
    return 0;
}

int trace_file_pieces_add(struct trace_file_pieces *pieces, const struct trace_file_origin *origin,
                          const struct iovec *parts, int part_count)
{
    struct trace_file_piece *piece = find_piece(pieces, origin);
    size_t payload_bytes = 0;
    size_t before;

    for (int n = 0; n < part_count; n++)
        payload_bytes += parts[n].iov_len;
    if (payload_bytes > TRACE_FILE_BLOCK_MAX_BYTES / 2)
        return E2BIG;
    if (!piece)
        return ENOMEM;
    before = piece->records.size;
    put_changes(piece, origin);
    put_record(piece, origin, parts, part_count, payload_bytes);
    if (piece->records.error || count(piece, origin->descriptor))
        return ENOMEM;
    piece->events++;
    piece->last_ns = origin->time_ns;
    if (origin->time_ns > pieces->latest_ns)
        pieces->latest_ns = origin->time_ns;
    pieces->size_bytes += piece->records.size - before;
    return pieces->size_bytes < FLUSH_BYTES ? 0 : trace_file_pieces_flush(pieces);
}

/* Moves a thread's records to a block. */
static void put_piece(struct cairn_bytes *block, struct trace_file_extent *extent,
                      struct trace_file_piece *piece)
{
    size_t padding = -piece->records.size & 7;

    perf_data_bytes_put_u32(block,
                            (uint32_t)(TRACE_FILE_PIECE_BYTES + piece->records.size + padding));
    perf_data_bytes_put_u32(block, (uint32_t)piece->records.size);
    perf_data_bytes_put_u32(block, piece->process);
    perf_data_bytes_put_u32(block, piece->tid);
    perf_data_bytes_put_u32(block, piece->first_cpu);
    perf_data_bytes_put_u32(block, 0); /* domain */
    perf_data_bytes_put_u64(block, piece->first_ns);
    perf_data_bytes_put_u64(block, piece->last_ns);
    perf_data_bytes_put_u32(block, piece->events);
    perf_data_bytes_put_u32(block, TRACE_FILE_PIECE_FILE_IDS);
    perf_data_bytes_put(block, piece->records.data, piece->records.size);
    perf_data_bytes_put_zeros(block, padding);
    if (!extent->events || piece->first_ns < extent->first_ns)
        extent->first_ns = piece->first_ns;
    if (piece->last_ns > extent->last_ns)
        extent->last_ns = piece->last_ns;
    extent->events += piece->events;
    extent->count_entries += (uint32_t)(piece->counts.size / TRACE_FILE_INDEX_COUNT_BYTES);
    perf_data_bytes_put(&extent->counts, piece->counts.data, piece->counts.size);
    piece->records.size = 0;
    piece->counts.size = 0;
    piece->events = 0;
    perf_data_map_free(&piece->count_of);
    piece->count_of = (struct perf_data_map){0};
}

static int write_block(struct trace_file_writer *writer, struct cairn_bytes *block,
                       struct trace_file_extent *extent)
{
    int err = extent->counts.error
                  ? extent->counts.error
                  : trace_file_writer_block(writer, TRACE_FILE_EVENTS, block, extent);

    block->size = 0;
    perf_data_bytes_free(&extent->counts);
    *extent = (struct trace_file_extent){0};
    return err;
}

static int write_round(struct trace_file_pieces *pieces)
{
    struct cairn_bytes round = {0};
    int err;

    perf_data_bytes_put_u64(&round, pieces->latest_ns);
    err = trace_file_writer_block(pieces->writer, TRACE_FILE_ROUND, &round, NULL);
    perf_data_bytes_free(&round);
    return err;
}

int trace_file_pieces_flush(struct trace_file_pieces *pieces)
{
    struct trace_file_extent extent = {0};
    struct cairn_bytes block = {0};
    int err = trace_file_tables_write(pieces->tables, pieces->writer);

    if (!pieces->size_bytes)
        return err;
    for (uint32_t n = 0; n < pieces->count && !err; n++) {
        if (pieces->pieces[n].records.size)
            put_piece(&block, &extent, &pieces->pieces[n]);
        if (block.size >= BLOCK_BYTES || block.error)
            err = write_block(pieces->writer, &block, &extent);
    }
    if (!err && block.size)
        err = write_block(pieces->writer, &block, &extent);
    perf_data_bytes_free(&block);
    perf_data_bytes_free(&extent.counts);
    pieces->size_bytes = 0;
    if (pieces->count > FORGET)
        forget(pieces);
    return err ? err : write_round(pieces);
}
