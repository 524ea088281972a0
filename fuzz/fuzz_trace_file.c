/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a trace file, from memory and as a stream. Checksums would keep nearly all inputs
 * out: the input is a sequence of blocks without headers (u16 type, u16 size, contents), which gets
 * valid ones; with a first byte of 0 the rest is the file as it is. It is also repaired and
 * merged.
 */
#include <cairn/convert.h>
#include <cairn/reader.h>
#include "decode/stacks.h"
#include "trace_file/count.h"
#include "trace_file/expand.h"
#include "trace_file/parts.h"
#include "trace_file/perf.h"
#include "trace_file/repair.h"
#include "trace_file/writer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define PARTS_MAX 64u

/* A pipe holds so much without anybody reading. */
#define PIPE_BYTES 65536

static void read_stack(struct decode_stacks *stacks, const struct trace_file_event *from, bool swap)
{
    struct cairn_event event = {.pid = from->pid};
    struct cairn_frame frame;

    decode_stacks_set(stacks, from->callchain, from->callchain_count, swap, &event);
    for (uint32_t n = 0; n < 4 && cairn_event_frame(&event, n, &frame); n++)
        ;
}

static void read_events(struct perf_data_source *source)
{
    struct perf_data_block_pool pool = {0};
    struct trace_file_reader reader;
    struct trace_file_event event;
    struct trace_file_day day = {0};
    struct cairn_bytes raw = {0};
    uint64_t time_ns = 0;
    struct decode_stacks stacks = {0};
    int err = trace_file_reader_begin(&reader, source, &pool);

    reader.with_others = true;
    while (!err) {
        err = trace_file_reader_next(&reader, &event);
        if (!err && !event.descriptor) {
            err = decode_stacks_apply(&stacks, event.perf->data, event.perf->size_bytes,
                                      reader.blocks.swap);
        } else if (!err) {
            read_stack(&stacks, &event, reader.blocks.swap);
            if (trace_file_tracepoint_of(event.descriptor))
                (void)trace_file_expand(&event, reader.blocks.swap, &raw);
            (void)trace_file_reader_name(&reader, &event);
            (void)trace_file_clocks_wall(&reader.tables.clocks, event.domain, event.time_ns, &day,
                                         &time_ns);
        } else if (err == EAGAIN) {
            err = 0;
        }
    }
    perf_data_bytes_free(&raw);
    decode_stacks_free(&stacks);
    trace_file_reader_end(&reader);
}

/* A range, and the counts. */
static void read_by_index(struct perf_data_source *source)
{
    struct perf_data_block_pool pool = {0};
    struct trace_file_counts counts = {0};
    struct trace_file_reader reader;
    struct trace_file_event event;
    int err = trace_file_reader_begin(&reader, source, &pool);

    if (!err)
        (void)trace_file_count(&reader.blocks, &counts);
    trace_file_counts_free(&counts);
    if (!err)
        err = trace_file_reader_set_range(&reader, 1000, UINT64_C(1) << 40);
    while (!err || err == EAGAIN)
        err = trace_file_reader_next(&reader, &event);
    trace_file_reader_end(&reader);
}

/* The parts of the file, one after the other, as a thread reads them. */
static void read_parts(struct trace_file_reader *reader)
{
    struct trace_file_event event;
    struct trace_file_parts parts;
    struct trace_file_range range;
    int err = 0;

    trace_file_parts_begin(&parts, reader);
    for (uint32_t n = 0; n < PARTS_MAX && !err && trace_file_parts_next(&parts, &range); n++) {
        err = trace_file_reader_set_range(reader, range.since_ns, range.until_ns);
        while (!err)
            err = trace_file_reader_next(reader, &event);
        err = err == ENODATA || err == EBADMSG ? 0 : err;
        if (reader->is_index_wrong)
            break;
    }
}

/* A repaired file has an index. */
static void read_repaired(int fd)
{
    struct perf_data_block_pool pool = {0};
    struct perf_data_source source;
    struct trace_file_reader reader;

    if (perf_data_source_open_fd(&source, fd, NULL))
        abort();
    if (!trace_file_reader_begin(&reader, &source, &pool) &&
        !trace_file_reader_set_range(&reader, 0, UINT64_MAX) && reader.index.count)
        read_parts(&reader);
    trace_file_reader_end(&reader);
}

/* A repaired file is complete. */
static void repair(struct perf_data_source *source)
{
    struct perf_data_block_pool pool = {0};
    struct trace_file_repair repair;
    int fd = memfd_create("repaired", MFD_CLOEXEC);
    int err = trace_file_repair_examine(source, &pool, &repair);

    if (fd < 0)
        abort();
    if (!err && trace_file_repair_copy(&repair, fd))
        abort();
    trace_file_repair_free(&repair);
    if (!err && perf_data_source_open_fd(source, fd, NULL))
        abort();
    if (!err && (trace_file_repair_examine(source, &pool, &repair) || !repair.is_whole))
        abort();
    if (!err)
        trace_file_repair_free(&repair);
    if (!err)
        read_repaired(fd);
    close(fd);
}

/* By the reader, with the kernel's records of switches as events. */
static void read_switches(int fd)
{
    struct cairn_reader_options options = CAIRN_READER_OPTIONS_INIT;
    const struct cairn_event *event;
    struct cairn_reader *reader;

    options.with_switches = true;
    if (lseek(fd, 0, SEEK_SET) || cairn_reader_open_fd(fd, &options, NULL, &reader))
        return;
    for (int err = 0; !err || err == EAGAIN;)
        err = cairn_reader_next(reader, &event);
    cairn_reader_close(reader);
}

/* Merged with itself: what comes out is whole. */
static void merge(const uint8_t *data, size_t size)
{
    int in = memfd_create("in", MFD_CLOEXEC);
    int out = memfd_create("out", MFD_CLOEXEC);
    struct cairn_convert_input inputs[2] = {{0}};
    struct perf_data_block_pool pool = {0};
    struct trace_file_repair examined;
    struct perf_data_source source;
    char path[32];

    if (in < 0 || out < 0 || write(in, data, size) != (ssize_t)size)
        abort();
    read_switches(in);
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", in);
    inputs[0].path = inputs[1].path = path;
    inputs[1].offset_ns = -5;
    if (cairn_convert_merge(out, NULL, inputs, 2) || perf_data_source_open_fd(&source, out, NULL))
        abort();
    if (trace_file_repair_examine(&source, &pool, &examined) || !examined.is_whole)
        abort();
    trace_file_repair_free(&examined);
    close(in);
    close(out);
}

/* In memory of exactly the size, so that every read after it is noticed. */
static void read_memory(const uint8_t *data, size_t size)
{
    uint8_t *copy = (uint8_t *)malloc(size ? size : 1);
    struct perf_data_source source = {.map = copy, .map_bytes = size, .end = size, .fd = -1};

    struct perf_data_source again = source;

    memcpy(copy, data, size);
    read_events(&source);
    read_by_index(&again);
    again = (struct perf_data_source){.map = copy, .map_bytes = size, .end = size, .fd = -1};
    repair(&again);
    free(copy);
    merge(data, size);
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
