/* SPDX-License-Identifier: MIT */
/* Writing of blocks. */
#include "trace_file/writer.h"

#include "trace_file/crc32c.h"
#include "trace_file/pack.h"

#include <errno.h>
#include <string.h>

#define INDEX_BLOCK_BYTES (1u << 20)
#define PACK_LEAST_BYTES  128u /* less is not worth a frame */
#define ALIGNMENT         8u
#define HEADER_CRC_AT     (TRACE_FILE_BLOCK_HEADER_BYTES - 4u)

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
    *writer = (struct trace_file_writer){.fd = fd, .level = level};
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

static void note(struct trace_file_writer *writer, const struct block_header *header,
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

/* The contents as they are stored. */
static struct iovec pack(struct trace_file_writer *writer, const struct cairn_bytes *contents,
                         struct block_header *header)
{
    int err = EAGAIN;

    if (writer->level && contents->size >= PACK_LEAST_BYTES)
        err = trace_file_pack(contents->data, contents->size, writer->level, &writer->packed);
    if (!err) {
        header->flags = TRACE_FILE_BLOCK_ZSTD;
        return (struct iovec){writer->packed.data, writer->packed.size};
    }
    if (err != EAGAIN)
        writer->error = err;
    return (struct iovec){contents->data, contents->size};
}

int trace_file_writer_block(struct trace_file_writer *writer, enum trace_file_block_type type,
                            const struct cairn_bytes *contents,
                            const struct trace_file_extent *extent)
{
    static uint8_t zeros[ALIGNMENT];
    struct block_header header = {.type = (uint16_t)type,
                                  .plain_bytes = (uint32_t)contents->size,
                                  .sequence = writer->sequence++};
    struct iovec parts[3] = {{&header, sizeof(header)}};
    uint64_t offset;

    if (contents->error && !writer->error)
        writer->error = contents->error;
    if (contents->size > TRACE_FILE_BLOCK_MAX_BYTES && !writer->error)
        writer->error = E2BIG;
    if (writer->error || (!writer->begun && write_prolog(writer)))
        return writer->error;
    offset = writer->offset;
    parts[1] = pack(writer, contents, &header);
    memcpy(header.magic, TRACE_FILE_BLOCK_MAGIC, sizeof(header.magic));
    header.stored_bytes = (uint32_t)parts[1].iov_len;
    header.contents_crc = trace_file_crc32c(parts[1].iov_base, parts[1].iov_len);
    header.header_crc = trace_file_crc32c(&header, HEADER_CRC_AT);
    parts[2] = (struct iovec){zeros, -parts[1].iov_len & (ALIGNMENT - 1)};
    if (!write_all(writer, parts, 3))
        note(writer, &header, offset, extent);
    return writer->error;
}

/* Entries are not divided: an index block is a whole number of them. */
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
