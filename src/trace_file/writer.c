/* SPDX-License-Identifier: MIT */
/* Writes the blocks of a trace file and its index. */
#include "trace_file/writer.h"

#include "trace_file/crc32c.h"
#include "trace_file/kept.h"
#include "trace_file/pack.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#define INDEX_BLOCK_BYTES (1u << 20)
#define PACK_LEAST_BYTES  128u /* smaller contents are stored uncompressed */
#define PACK_SHARE        5u
#define PACK_USUAL_BYTES                                                    \
    (512u << 10) /* the times of smaller contents are not used as estimates \
                  */
#define PACK_FIRST_NS UINT64_C(10000000) /* the estimate before the first measurement */
#define ALIGNMENT     8u
#define HEADER_CRC_AT (TRACE_FILE_BLOCK_HEADER_BYTES - 4u)

static int write_all(struct trace_file_writer *writer, struct iovec *parts, int count)
{
    while (!writer->error && count) {
        ssize_t done = perf_data_write_some(&writer->wait, writer->fd, parts, count);

        if (done < 0) {
            writer->error = errno;
            break;
        }
        writer->offset += (uint64_t)done;
        for (; count && (size_t)done >= parts->iov_len; parts++, count--)
            done -= (ssize_t)parts->iov_len;
        if (count) {
            parts->iov_base = (uint8_t *)parts->iov_base + done;
            parts->iov_len -= (size_t)done;
        }
    }
    return writer->error;
}

static int write_prolog(struct trace_file_writer *writer)
{
    struct {
        char magic[TRACE_FILE_MAGIC_BYTES];
        uint32_t byte_order;
        uint16_t version;
        uint16_t inverted;
    } prolog = {.byte_order = TRACE_FILE_BYTE_ORDER,
                .version = TRACE_FILE_VERSION,
                .inverted = (uint16_t)~TRACE_FILE_VERSION};
    struct iovec part = {&prolog, sizeof(prolog)};

    _Static_assert(sizeof(prolog) == TRACE_FILE_PROLOG_BYTES, "no padding");
    memcpy(prolog.magic, TRACE_FILE_MAGIC, sizeof(prolog.magic));
    writer->begun = true;
    return write_all(writer, &part, 1);
}

int trace_file_writer_begin(struct trace_file_writer *writer, int fd, int level)
{
    *writer = (struct trace_file_writer){.fd = fd, .level = level, .pack_ns = PACK_FIRST_NS};
    writer->wait = perf_data_write_wait(fd, NULL, NULL);
    return level && !trace_file_pack_is_supported() ? EOPNOTSUPP : 0;
}

struct block_header {
    char magic[TRACE_FILE_BLOCK_MAGIC_BYTES];
    uint16_t type;
    uint16_t flags;
    uint32_t stored_bytes;
    uint32_t plain_bytes;
    uint32_t contents_crc;
    uint32_t sequence;
    uint32_t reserved;
    uint32_t header_crc;
};

_Static_assert(sizeof(struct block_header) == TRACE_FILE_BLOCK_HEADER_BYTES, "no padding");

static void add_to_index(struct trace_file_writer *writer, const struct block_header *header,
                         uint64_t offset, const struct trace_file_extent *extent)
{
    static const struct trace_file_extent none = {0};
    const struct trace_file_extent *e = extent ? extent : &none;
    struct cairn_bytes *index = &writer->index;

    writer->blocks++;
    perf_data_bytes_put_u64(index, offset);
    perf_data_bytes_put_u32(index, header->type);
    perf_data_bytes_put_u32(index, header->flags);
    perf_data_bytes_put_u32(index, header->stored_bytes);
    perf_data_bytes_put_u32(index, header->plain_bytes);
    perf_data_bytes_put_u64(index, e->first_ns);
    perf_data_bytes_put_u64(index, e->last_ns);
    perf_data_bytes_put_u32(index, e->events);
    perf_data_bytes_put_u32(index, e->count_entries);
    if (e->count_entries)
        perf_data_bytes_put(index, e->counts.data, e->counts.size);
    if (index->error)
        writer->error = index->error;
}

static uint64_t now_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/*
 * True if compression takes at most a fifth of the time since the last block, so that it delays the
 * writer's other work little. In a burst of blocks at most one is compressed.
 */
static bool has_time(struct trace_file_writer *writer, uint64_t began_ns)
{
    uint64_t excess_ns = writer->pack_ns - writer->pack_least_ns;

    if (!writer->is_level_auto || (began_ns - writer->last_ns) / PACK_SHARE >= writer->pack_ns)
        return true;
    writer->pack_ns -= excess_ns / 8;
    return false;
}

/* The estimate is the time of the slowest recent block. It decreases with each block, so that one
 * slow block, whose compression was interrupted, affects it only for a while. */
static void update_estimate(struct trace_file_writer *writer, uint64_t taken_ns)
{
    uint64_t usual_ns = writer->pack_ns - (writer->pack_ns - writer->pack_least_ns) / 8;

    if (!writer->pack_least_ns || taken_ns < writer->pack_least_ns)
        writer->pack_least_ns = taken_ns;
    writer->pack_ns = taken_ns > usual_ns ? taken_ns : usual_ns;
}

/* Returns the contents as they are stored: compressed, or unchanged. */
static struct iovec pack(struct trace_file_writer *writer, const struct cairn_bytes *contents,
                         struct block_header *header)
{
    uint64_t began_ns = writer->is_level_auto ? now_ns() : 0;
    int err = EAGAIN;

    if (writer->level && contents->size >= PACK_LEAST_BYTES && has_time(writer, began_ns)) {
        err = trace_file_pack(contents->data, contents->size, writer->level, &writer->packed);
        if (writer->is_level_auto && contents->size >= PACK_USUAL_BYTES)
            update_estimate(writer, now_ns() - began_ns);
    }
    if (!err) {
        header->flags = TRACE_FILE_BLOCK_ZSTD;
        return (struct iovec){writer->packed.data, writer->packed.size};
    }
    if (err != EAGAIN)
        writer->error = err;
    return (struct iovec){contents->data, contents->size};
}

/* Earlier blocks count less with each block. */
static void update_packing(struct trace_file_packing *packing, uint32_t plain_bytes,
                           uint32_t stored_bytes)
{
    packing->plain_bytes = packing->plain_bytes / 2 + plain_bytes;
    packing->stored_bytes = packing->stored_bytes / 2 + stored_bytes;
}

uint64_t trace_file_writer_estimate(const struct trace_file_writer *writer, uint64_t plain_bytes)
{
    const struct trace_file_packing *packing = &writer->packing;

    return packing->plain_bytes ? plain_bytes * packing->stored_bytes / packing->plain_bytes
                                : plain_bytes;
}

/* Sets the members of the header that describe the stored contents. */
static void seal(struct block_header *header, const struct iovec *contents)
{
    memcpy(header->magic, TRACE_FILE_BLOCK_MAGIC, sizeof(header->magic));
    header->stored_bytes = (uint32_t)contents->iov_len;
    header->contents_crc = trace_file_crc32c(contents->iov_base, contents->iov_len);
    header->header_crc = trace_file_crc32c(header, HEADER_CRC_AT);
}

/* Adds a block to those in memory, which get their headers when they are written. */
static int add_block(struct trace_file_writer *writer, const struct block_header *header,
                     const struct iovec *contents, const struct trace_file_extent *extent)
{
    const struct trace_file_stored stored = {
        .type = header->type,
        .flags = header->flags,
        .plain_bytes = header->plain_bytes,
        .data = contents->iov_base,
        .size_bytes = contents->iov_len,
    };

    writer->error = trace_file_kept_add(writer->kept, &stored, extent);
    writer->offset += contents->iov_len;
    return writer->error;
}

static int write_stored(struct trace_file_writer *writer, struct block_header *header,
                        const struct iovec *contents, const struct trace_file_extent *extent)
{
    static uint8_t zeros[ALIGNMENT];
    struct iovec parts[3] = {
        {header, sizeof(*header)},
        *contents,
        {zeros, -contents->iov_len & (ALIGNMENT - 1)},
    };
    uint64_t offset = writer->offset;

    seal(header, contents);
    if (writer->before && header->type == TRACE_FILE_EVENTS)
        writer->before(writer->before_context, writer->fd,
                       offset + parts[0].iov_len + parts[1].iov_len + parts[2].iov_len);
    if (!write_all(writer, parts, 3))
        add_to_index(writer, header, offset, extent);
    return writer->error;
}

int trace_file_writer_block(struct trace_file_writer *writer, enum trace_file_block_type type,
                            const struct cairn_bytes *contents,
                            const struct trace_file_extent *extent)
{
    struct block_header header = {.type = (uint16_t)type,
                                  .plain_bytes = (uint32_t)contents->size,
                                  .sequence = writer->sequence++};
    struct iovec stored;

    if (contents->error && !writer->error)
        writer->error = contents->error;
    if (contents->size > TRACE_FILE_BLOCK_MAX_BYTES && !writer->error)
        writer->error = E2BIG;
    if (writer->error || (!writer->begun && !writer->kept && write_prolog(writer)))
        return writer->error;
    stored = pack(writer, contents, &header);
    if (extent)
        update_packing(&writer->packing, header.plain_bytes, (uint32_t)stored.iov_len);
    if (writer->kept)
        add_block(writer, &header, &stored, extent);
    else
        write_stored(writer, &header, &stored, extent);
    if (writer->is_level_auto && extent)
        writer->last_ns = now_ns();
    return writer->error;
}

int trace_file_writer_round(struct trace_file_writer *writer, uint64_t time_ns)
{
    struct cairn_bytes round = {0};
    int err;

    perf_data_bytes_put_u64(&round, time_ns);
    err = trace_file_writer_block(writer, TRACE_FILE_ROUND, &round, NULL);
    perf_data_bytes_free(&round);
    return err;
}

static struct block_header header_of(struct trace_file_writer *writer,
                                     const struct trace_file_stored *stored)
{
    return (struct block_header){.type = (uint16_t)stored->type,
                                 .flags = (uint16_t)stored->flags,
                                 .plain_bytes = stored->plain_bytes,
                                 .stored_bytes = (uint32_t)stored->size_bytes,
                                 .sequence = writer->sequence++};
}

int trace_file_writer_copy(struct trace_file_writer *writer, const struct trace_file_stored *stored,
                           const struct trace_file_extent *extent)
{
    struct block_header header = header_of(writer, stored);
    struct iovec contents = {(void *)(uintptr_t)stored->data, stored->size_bytes};

    if (writer->error || (!writer->begun && write_prolog(writer)))
        return writer->error;
    return write_stored(writer, &header, &contents, extent);
}

int trace_file_writer_note(struct trace_file_writer *writer, const struct trace_file_stored *stored,
                           const struct trace_file_extent *extent)
{
    struct block_header header = header_of(writer, stored);

    if (!writer->begun)
        writer->offset = TRACE_FILE_PROLOG_BYTES;
    writer->begun = true;
    add_to_index(writer, &header, writer->offset, extent);
    writer->offset += sizeof(header) + ((stored->size_bytes + ALIGNMENT - 1) & ~(ALIGNMENT - 1ull));
    return writer->error;
}

/* An index block contains whole entries only. */
static int write_index(struct trace_file_writer *writer)
{
    struct cairn_bytes index = writer->index;
    size_t done = 0;

    writer->index = (struct cairn_bytes){0}; /* index blocks are not in the index */
    while (done < index.size && !writer->error) {
        size_t size = 0;

        while (done + size < index.size && size < INDEX_BLOCK_BYTES) {
            uint32_t counts;

            memcpy(&counts, index.data + done + size + TRACE_FILE_INDEX_BYTES - sizeof(counts),
                   sizeof(counts));
            size += TRACE_FILE_INDEX_BYTES + (size_t)counts * TRACE_FILE_INDEX_COUNT_BYTES;
        }
        trace_file_writer_block(writer, TRACE_FILE_INDEX,
                                &(struct cairn_bytes){.data = index.data + done, .size = size},
                                NULL);
        done += size;
    }
    perf_data_bytes_free(&index);
    return writer->error;
}

int trace_file_writer_finish(struct trace_file_writer *writer)
{
    struct cairn_bytes end = {0};
    uint64_t blocks = writer->blocks;

    if (!writer->begun && !writer->error)
        write_prolog(writer);
    perf_data_bytes_put_u64(&end, writer->offset);
    perf_data_bytes_put_u64(&end, blocks);
    if (!write_index(writer))
        trace_file_writer_block(writer, TRACE_FILE_END, &end, NULL);
    perf_data_bytes_free(&end);
    return writer->error;
}

void trace_file_writer_free(struct trace_file_writer *writer)
{
    perf_data_bytes_free(&writer->packed);
    perf_data_bytes_free(&writer->index);
}
