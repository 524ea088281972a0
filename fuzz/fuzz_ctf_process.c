/* SPDX-License-Identifier: MIT */
/*
 * Any bytes in the pipe of the process that reads CTF: a trace may have damaged that process, which
 * is not trusted. Reading ends, with an error of those that ctf/process.h names.
 *
 * An odd first byte: the rest are frames, so that more inputs have some. Each has a byte for its
 * kind and for the members that it has, three for the sizes of its name, its comm and its record,
 * then those.
 */
#include "core/cursor.h"
#include "ctf/process.h"
#include "decode/reader.h"
#include "perf_data/bytes.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int __wrap_ctf_process_open(struct ctf_process *process, const char *directory);

/* This size is another one, once: the reader's memory grows. */
#define LARGE       0xfdu
#define LARGE_BYTES 300000u

static struct cairn_bytes pipe_bytes;

/* Replaces the one that starts a process. */
int __wrap_ctf_process_open(struct ctf_process *process, const char *directory)
{
    int fd = memfd_create(directory, MFD_CLOEXEC);

    if (fd < 0 || write(fd, pipe_bytes.data, pipe_bytes.size) != (ssize_t)pipe_bytes.size ||
        lseek(fd, 0, SEEK_SET))
        abort();
    return ctf_process_open_pipe(process, fd);
}

/* ---- frames ---- */

static uint32_t size_of(uint8_t byte)
{
    return byte == LARGE && pipe_bytes.size < LARGE_BYTES ? LARGE_BYTES : byte;
}

/* The bytes that the input has, then zeros. */
static void put_part(struct core_cursor *from, uint32_t size_bytes)
{
    uint32_t there = size_bytes < from->left ? size_bytes : (uint32_t)from->left;

    perf_data_bytes_put(&pipe_bytes, from->at, there);
    (void)core_cursor_take(from, there);
    perf_data_bytes_put_zeros(&pipe_bytes, size_bytes - there);
}

/* A text with its zero. */
static void put_text(struct core_cursor *from, uint32_t size_bytes)
{
    if (!size_bytes)
        return;
    put_part(from, size_bytes - 1);
    perf_data_bytes_put_zeros(&pipe_bytes, 1);
}

static void put_frame(struct core_cursor *from)
{
    uint8_t head = core_cursor_u8(from);
    struct ctf_frame frame = {
        .kind = head & 0x80 ? CTF_FRAME_END : CTF_FRAME_EVENT,
        .has = head & 0x1f,
        .error = head & 0x7f, /* of the end */
        .lost = head,
        .lost_packets = head,
        .unreadable = head,
    };

    frame.name_bytes = size_of(core_cursor_u8(from)) + 1;
    frame.comm_bytes = size_of(core_cursor_u8(from));
    frame.record_bytes = size_of(core_cursor_u8(from));
    if (!(head & CTF_FRAME_HAS_COMM))
        frame.comm_bytes = 0;
    perf_data_bytes_put(&pipe_bytes, &frame, sizeof(frame));
    put_text(from, frame.name_bytes);
    put_text(from, frame.comm_bytes);
    put_part(from, frame.record_bytes);
}

static void put_frames(const uint8_t *data, size_t size)
{
    const struct ctf_frame opened = {.kind = CTF_FRAME_OPENED};
    struct core_cursor from = core_cursor(data, size, false);

    perf_data_bytes_put(&pipe_bytes, &opened, sizeof(opened));
    while (from.left)
        put_frame(&from);
}

/* ---- reading ---- */

static void check_text(const struct cairn_perf_error *error)
{
    for (const char *c = error->text; c && *c; c++)
        assert((unsigned char)*c >= ' ');
}

static void read_events(void)
{
    const struct cairn_reader_options options = CAIRN_READER_OPTIONS_INIT;
    struct cairn_perf_error error = {0};
    const struct cairn_event *event;
    struct cairn_reader *reader;
    struct cairn_item item;
    int err = decode_reader_open_ctf("fuzz", &options, &error, &reader);

    check_text(&error);
    assert(!err || err == EBADMSG || err == EOPNOTSUPP || err == ENOMEM);
    if (err)
        return;
    while (!(err = cairn_reader_next(reader, &event))) {
        struct cairn_items *items = cairn_reader_items(reader);

        while (cairn_items_next(items, &item))
            ;
        assert(!event->comm || strlen(event->comm) < pipe_bytes.size);
    }
    assert(err == ENODATA || err == EBADMSG || err == ENOMEM);
    check_text(cairn_reader_error(reader));
    (void)cairn_reader_counts(reader);
    cairn_reader_close(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pipe_bytes.size = 0;
    if (size && *data & 1)
        put_frames(data + 1, size - 1);
    else if (size)
        perf_data_bytes_put(&pipe_bytes, data + 1, size - 1);
    if (pipe_bytes.error)
        abort();
    read_events();
    perf_data_bytes_free(&pipe_bytes);
    pipe_bytes = (struct cairn_bytes){0};
    return 0;
}
