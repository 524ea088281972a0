/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a trace file, from memory and as a stream. Checksums would keep nearly all inputs
 * out: the input is a sequence of blocks without headers (u16 type, u16 size, contents), which gets
 * valid ones; with a first byte of 0 the rest is the file as it is.
 */
#include "trace_file/expand.h"
#include "trace_file/writer.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A pipe holds so much without anybody reading. */
#define PIPE_BYTES 65536

static void read_events(struct perf_data_source *source)
{
    struct perf_data_block_pool pool = {0};
    struct trace_file_reader reader;
    struct trace_file_event event;
    struct cairn_bytes raw = {0};
    uint64_t time_ns = 0;
    int err = trace_file_reader_begin(&reader, source, &pool);

    while (!err) {
        err = trace_file_reader_next(&reader, &event);
        if (!err) {
            if (trace_file_tracepoint_of(event.descriptor))
                (void)trace_file_expand(&event, reader.blocks.swap, &raw);
            (void)trace_file_reader_name(&reader, &event);
            (void)trace_file_clocks_wall(&reader.tables.clocks, event.domain, event.time_ns,
                                         &time_ns);
        } else if (err == EAGAIN) {
            err = 0;
        }
    }
    perf_data_bytes_free(&raw);
    trace_file_reader_end(&reader);
}

/* In memory of exactly the size, so that every read after it is noticed. */
static void read_memory(const uint8_t *data, size_t size)
{
    uint8_t *copy = (uint8_t *)malloc(size ? size : 1);
    struct perf_data_source source = {.map = copy, .map_bytes = size, .end = size, .fd = -1};

    memcpy(copy, data, size);
    read_events(&source);
    free(copy);
}

static void read_stream(const uint8_t *data, size_t size)
{
    struct perf_data_source source;
    int fds[2];

    if (size > PIPE_BYTES || pipe(fds))
        return;
    if (write(fds[1], data, size) != (ssize_t)size)
        abort();
    close(fds[1]);
    if (!perf_data_source_open_fd(&source, fds[0], NULL))
        read_events(&source);
    close(fds[0]);
}

static void read_blocks(const uint8_t *data, size_t size)
{
    int fd = memfd_create("trace", MFD_CLOEXEC);
    struct trace_file_writer writer;
    struct core_cursor c = core_cursor(data, size, false);
    uint8_t *bytes;

    if (fd < 0 || trace_file_writer_begin(&writer, fd, 0))
        abort();
    while (c.left) {
        uint16_t type = core_cursor_u16(&c);
        uint16_t length = core_cursor_u16(&c);
        struct cairn_bytes contents = {.size = length < c.left ? length : c.left};

        contents.data = (uint8_t *)(uintptr_t)c.at;
        core_cursor_take(&c, contents.size);
        trace_file_writer_block(&writer, (enum trace_file_block_type)type, &contents, NULL);
    }
    trace_file_writer_finish(&writer);
    bytes = (uint8_t *)malloc(writer.offset);
    if (pread(fd, bytes, writer.offset, 0) != (ssize_t)writer.offset)
        abort();
    read_memory(bytes, writer.offset);
    read_stream(bytes, writer.offset);
    free(bytes);
    trace_file_writer_free(&writer);
    close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size && !data[0]) {
        read_memory(data + 1, size - 1);
        read_stream(data + 1, size - 1);
    } else if (size) {
        read_blocks(data + 1, size - 1);
    }
    return 0;
}
