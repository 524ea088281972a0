/* SPDX-License-Identifier: MIT */
/* Collects the records of events by thread, and writes them in blocks. */
#include "trace_file/pieces.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FLUSH_BYTES ((size_t)1 << 20) /* of records, in all threads together */
#define BLOCK_BYTES ((size_t)1 << 20)
#define FORGET      4096u /* threads without events are forgotten when there are more */

struct trace_file_piece {
    struct cairn_bytes records;
    struct perf_data_map count_of; /* maps a descriptor to its index in `counts` */
    struct cairn_bytes counts;     /* as in the index */
    uint32_t recent;               /* the descriptor that was counted last; 0: none */
    uint32_t recent_at;            /* its place */
    uint32_t process;
    uint32_t tid;
    uint32_t domain;
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
    pieces->is_untidy = false;
}

void trace_file_pieces_free(struct trace_file_pieces *pieces)
{
    forget(pieces);
    free(pieces->pieces);
}

/* Returns NULL if there is no memory. */
static struct trace_file_piece *add_piece(struct trace_file_pieces *pieces, uint64_t key,
                                          const struct trace_file_origin *origin)
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
        .process = origin->process,
        .tid = origin->tid,
        .domain = origin->domain,
    };
    return &pieces->pieces[pieces->count++];
}

/* Rarely two threads have the same one: ids of threads have up to 22 bits. */
static uint64_t key_of(const struct trace_file_origin *origin)
{
    return (uint64_t)origin->process << 32 ^ (uint64_t)origin->domain << 22 ^ origin->tid;
}

static bool is_piece_of(const struct trace_file_piece *piece,
                        const struct trace_file_origin *origin)
{
    return piece->process == origin->process && piece->tid == origin->tid &&
           piece->domain == origin->domain;
}

/* The records of a piece are in the order of time: an earlier event, for example one of a signal
 * handler, begins another piece. */
static struct trace_file_piece *find_piece(struct trace_file_pieces *pieces,
                                           const struct trace_file_origin *origin)
{
    struct trace_file_piece *piece =
        pieces->recent < pieces->count ? &pieces->pieces[pieces->recent] : NULL;
    uint64_t key = key_of(origin);

    if (!piece || !is_piece_of(piece, origin)) {
        uint32_t index = perf_data_map_get(&pieces->piece_of, key);

        piece = index == PERF_DATA_MAP_NONE ? NULL : &pieces->pieces[index];
    }
    if (piece && (!is_piece_of(piece, origin) ||
                  (piece->records.size && origin->time_ns < piece->last_ns))) {
        pieces->is_untidy = true;
        piece = NULL;
    }
    if (!piece)
        piece = add_piece(pieces, key, origin);
    if (piece)
        pieces->recent = (uint32_t)(piece - pieces->pieces);
    return piece;
}

/* A record's header: two u16 and a u32. */
static void put_header(struct cairn_bytes *b, uint32_t descriptor, uint32_t size_bytes,
                       uint32_t time)
{
    uint16_t head[2] = {(uint16_t)descriptor, (uint16_t)size_bytes};

    perf_data_bytes_put(b, head, sizeof(head));
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
        put_header(b, CORE_RECORD_CONTROL, 20, (uint32_t)(piece->last_ns - piece->base_ns));
        perf_data_bytes_put_u32(b, CORE_CONTROL_BASE_NS);
        perf_data_bytes_put_u64(b, origin->time_ns);
        piece->base_ns = origin->time_ns;
    }
    if (origin->cpu != piece->cpu) {
        put_header(b, CORE_RECORD_CONTROL, 16, (uint32_t)(origin->time_ns - piece->base_ns));
        perf_data_bytes_put_u32(b, CORE_CONTROL_CPU);
        perf_data_bytes_put_u32(b, origin->cpu);
        piece->cpu = origin->cpu;
    }
}

static void put_stack(struct trace_file_piece *piece, const struct trace_file_origin *origin)
{
    uint64_t count = origin->stack_count;
    uint32_t size_bytes;

    if (count > CORE_STACK_FRAMES_MAX)
        count = CORE_STACK_FRAMES_MAX;
    if (!count)
        return;
    size_bytes = CORE_CONTROL_STACK_HEAD + (uint32_t)count * (uint32_t)sizeof(uint64_t);
    put_header(&piece->records, CORE_RECORD_CONTROL, size_bytes,
               (uint32_t)(origin->time_ns - piece->base_ns));
    perf_data_bytes_put_u32(&piece->records, CORE_CONTROL_STACK);
    perf_data_bytes_put(&piece->records, origin->stack, count * sizeof(uint64_t));
}

static void put_record(struct trace_file_piece *piece, const struct trace_file_origin *origin,
                       const struct iovec *parts, int part_count, size_t payload_bytes)
{
    struct cairn_bytes *b = &piece->records;
    uint32_t time = (uint32_t)(origin->time_ns - piece->base_ns);

    if (origin->descriptor < CORE_RECORD_LONG &&
        payload_bytes <= TRACE_FILE_RECORD_MAX_BYTES - CORE_RECORD_HEAD_BYTES) {
        put_header(b, origin->descriptor, CORE_RECORD_HEAD_BYTES + (uint32_t)payload_bytes, time);
    } else {
        put_header(b, CORE_RECORD_LONG, 0, time);
        perf_data_bytes_put_u32(b, origin->descriptor);
        perf_data_bytes_put_u32(b, CORE_RECORD_LONG_BYTES + (uint32_t)payload_bytes);
    }
    for (int n = 0; n < part_count; n++)
        perf_data_bytes_put(b, parts[n].iov_base, parts[n].iov_len);
    pad(b);
}

static int count(struct trace_file_piece *piece, uint32_t descriptor)
{
    uint32_t index = piece->recent_at;
    uint64_t events = 0;
    uint8_t *at;

    if (descriptor != piece->recent)
        index = perf_data_map_get(&piece->count_of, descriptor);
    if (index == PERF_DATA_MAP_NONE) {
        index = (uint32_t)(piece->counts.size / TRACE_FILE_INDEX_COUNT_BYTES);
        perf_data_bytes_put_u32(&piece->counts, piece->process);
        perf_data_bytes_put_u32(&piece->counts, descriptor);
        perf_data_bytes_put_u64(&piece->counts, 0);
        if (piece->counts.error || perf_data_map_set(&piece->count_of, descriptor, index))
            return ENOMEM;
    }
    piece->recent = descriptor;
    piece->recent_at = index;
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
    put_stack(piece, origin);
    put_record(piece, origin, parts, part_count, payload_bytes);
    if (piece->records.error || count(piece, origin->descriptor))
        return ENOMEM;
    piece->events++;
    piece->last_ns = origin->time_ns;
    if (origin->time_ns > pieces->latest_ns)
        pieces->latest_ns = origin->time_ns;
    pieces->waiting++;
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
    perf_data_bytes_put_u32(block, piece->domain);
    perf_data_bytes_put_u64(block, piece->first_ns);
    perf_data_bytes_put_u64(block, piece->last_ns);
    perf_data_bytes_put_u32(block, piece->events);
    perf_data_bytes_put_u32(block, TRACE_FILE_PIECE_FILE_IDS | TRACE_FILE_PIECE_NS);
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
    piece->recent = 0;
    perf_data_map_free(&piece->count_of);
    piece->count_of = (struct perf_data_map){0};
}

static int write_block(struct trace_file_pieces *pieces, struct cairn_bytes *block,
                       struct trace_file_extent *extent)
{
    int err = extent->counts.error
                  ? extent->counts.error
                  : trace_file_writer_block(pieces->writer, TRACE_FILE_EVENTS, block, extent);

    if (!err)
        pieces->waiting -= extent->events;
    block->size = 0;
    perf_data_bytes_free(&extent->counts);
    *extent = (struct trace_file_extent){0};
    return err;
}

static int write_pieces(struct trace_file_pieces *pieces)
{
    struct trace_file_extent extent = {0};
    struct cairn_bytes block = {0};
    int err = trace_file_tables_write(pieces->tables, pieces->writer);

    for (uint32_t n = 0; n < pieces->count && !err; n++) {
        if (pieces->pieces[n].records.size)
            put_piece(&block, &extent, &pieces->pieces[n]);
        if (block.size >= BLOCK_BYTES || block.error)
            err = write_block(pieces, &block, &extent);
    }
    if (!err && block.size)
        err = write_block(pieces, &block, &extent);
    perf_data_bytes_free(&block);
    perf_data_bytes_free(&extent.counts);
    pieces->size_bytes = 0;
    if (pieces->count > FORGET || pieces->is_untidy)
        forget(pieces);
    return err;
}

int trace_file_pieces_flush(struct trace_file_pieces *pieces)
{
    bool ends_round = pieces->size_bytes && !pieces->has_rounds;
    int err = write_pieces(pieces);

    return err || !ends_round ? err : trace_file_writer_round(pieces->writer, pieces->latest_ns);
}

int trace_file_pieces_round(struct trace_file_pieces *pieces, uint64_t time_ns)
{
    int err = write_pieces(pieces);

    return err ? err : trace_file_writer_round(pieces->writer, time_ns);
}
