/* SPDX-License-Identifier: MIT */
/* The writer of a recording: descriptors, bytes, errors. */
#include "perf_data/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/*
 * Small blocks are collected up to the first size; blocks of the second size or more are not
 * copied.
 */
#define GATHER_BYTES ((size_t)256 << 10)
#define DIRECT_BYTES ((size_t)64 << 10)

/* Prepares the descriptor for the mode. */
static int check_fd(int fd, enum cairn_perf_mode mode)
{
    int flags = fcntl(fd, F_GETFL);
    struct stat st;

    if (flags < 0)
        return errno;
    if ((flags & O_ACCMODE) == O_RDONLY)
        return EINVAL;
    if (mode == CAIRN_PERF_PIPE)
        return 0;
    if (fstat(fd, &st))
        return errno;
    if (!S_ISREG(st.st_mode) || flags & O_APPEND)
        return EINVAL;
    return ftruncate(fd, 0) ? errno : 0;
}

/*
 * The first event: perf requires one in every recording, and records without a tracepoint belong to
 * it.
 */
static int add_dummy(struct cairn_perf_writer *writer)
{
    struct perf_data_written_event *dummy = perf_data_arena_alloc(&writer->arena, sizeof(*dummy));

    if (!dummy || perf_data_array_grow((void ***)&writer->events, 0))
        return ENOMEM;
    *dummy = (struct perf_data_written_event){
        .name = "dummy",
        .type = PERF_DATA_TYPE_SOFTWARE,
        .config = PERF_DATA_SW_DUMMY,
        .sample_type = CAIRN_RECORD_SAMPLE_TYPE,
        .flags = PERF_DATA_ATTR_SAMPLE_ID_ALL | PERF_DATA_ATTR_COMM,
        .next = PERF_DATA_MAP_NONE,
    };
    writer->events[writer->event_count++] = dummy;
    return 0;
}

int cairn_perf_writer_create(int fd, enum cairn_perf_mode mode,
                             struct cairn_perf_writer **ret_writer)
{
    struct cairn_perf_writer *writer;
    int err = mode == CAIRN_PERF_FILE || mode == CAIRN_PERF_PIPE ? check_fd(fd, mode) : EINVAL;

    if (err)
        return err;
    writer = calloc(1, sizeof(*writer));
    if (!writer)
        return ENOMEM;
    writer->fd = fd;
    writer->mode = mode;
    writer->gathered = malloc(GATHER_BYTES);
    err = writer->gathered ? add_dummy(writer) : ENOMEM;
    if (!err)
        err = cairn_perf_clock_read(CLOCK_MONOTONIC, &writer->clock);
    if (err) {
        cairn_perf_writer_destroy(writer);
        return err;
    }
    perf_data_host_gather(&writer->host);
    *ret_writer = writer;
    return 0;
}

void cairn_perf_writer_destroy(struct cairn_perf_writer *writer)
{
    if (!writer)
        return;
    perf_data_map_free(&writer->event_of_sample_id);
    perf_data_map_free(&writer->event_of_tracepoint_id);
    perf_data_bytes_free(&writer->stacked);
    perf_data_arena_free(&writer->arena);
    free(writer->events);
    free(writer->late);
    free(writer->gathered);
    free(writer);
}

int cairn_perf_writer_set_clock(struct cairn_perf_writer *writer,
                                const struct cairn_perf_clock *clock)
{
    if (writer->begun)
        return EBUSY;
    writer->clock = *clock;
    return 0;
}

void cairn_perf_writer_set_wait(struct cairn_perf_writer *writer,
                                int (*wait)(void *context, int fd), void *context)
{
    writer->wait = perf_data_write_wait(writer->fd, wait, context);
}

int cairn_perf_writer_set_command(struct cairn_perf_writer *writer, int arg_count,
                                  const char *const *args)
{
    const char **copies;

    if (writer->begun)
        return EBUSY;
    if (arg_count < 0)
        return EINVAL;
    copies = perf_data_arena_alloc(&writer->arena, (size_t)arg_count * sizeof(*copies));
    for (int i = 0; copies && i < arg_count; i++) {
        copies[i] = perf_data_arena_text(&writer->arena, args[i], strlen(args[i]));
        if (!copies[i])
            return ENOMEM;
    }
    if (!copies)
        return ENOMEM;
    writer->args = copies;
    writer->arg_count = (uint32_t)arg_count;
    return 0;
}

/* The number of the first `done` bytes that are complete records. */
static size_t whole_records(const uint8_t *records, size_t done)
{
    size_t at = 0;

    while (done - at >= PERF_DATA_RECORD_HEADER_BYTES) {
        uint16_t size;

        memcpy(&size, records + at + 6, sizeof(size));
        if (size < PERF_DATA_RECORD_HEADER_BYTES || size > done - at)
            break;
        at += size;
    }
    return at;
}

static void count_unwritten(struct cairn_perf_writer *writer, const uint8_t *records,
                            size_t size_bytes)
{
    for (size_t at = 0; size_bytes - at >= PERF_DATA_RECORD_HEADER_BYTES;) {
        uint32_t type;
        uint16_t size;

        memcpy(&type, records + at, sizeof(type));
        memcpy(&size, records + at + 6, sizeof(size));
        if (size < PERF_DATA_RECORD_HEADER_BYTES || size > size_bytes - at)
            break;
        writer->unwritten_samples += type == CAIRN_RECORD_SAMPLE;
        at += size;
    }
}

/* Executes one system call. Returns the bytes written; -1 with errno. */
static ssize_t write_some(const struct cairn_perf_writer *writer, const struct iovec parts[2],
                          uint64_t at)
{
    ssize_t done;

    if (writer->mode == CAIRN_PERF_PIPE)
        return perf_data_write_some(&writer->wait, writer->fd, parts, 2);
    do {
        done = pwritev(writer->fd, parts, 2, (off_t)at);
    } while (done < 0 && errno == EINTR);
    return done;
}

/* After an error: returns the bytes of whole records in the output, and counts those that are not.
 */
static size_t count_whole(struct cairn_perf_writer *writer, size_t done, const uint8_t *records,
                          size_t size_bytes, bool metadata)
{
    size_t first = writer->gathered_bytes;
    size_t whole;

    if (done < first) {
        whole = whole_records(writer->gathered, done);
        count_unwritten(writer, writer->gathered + whole, first - whole);
        done = first;
    } else {
        whole = first + (metadata ? 0 : whole_records(records, done - first));
        done = whole;
    }
    if (!metadata)
        count_unwritten(writer, records + (done - first), size_bytes - (done - first));
    return whole;
}

/*
 * Writes the collected bytes, and records after them. After an error written_bytes is the number of
 * bytes of complete records in the file; metadata, which does not consist of records only, counts
 * as not written.
 */
static int write_out(struct cairn_perf_writer *writer, const void *records, size_t size_bytes,
                     bool metadata)
{
    struct iovec parts[2] = {{writer->gathered, writer->gathered_bytes},
                             {(void *)(uintptr_t)records, size_bytes}};
    size_t first = parts[0].iov_len;
    size_t all = first + size_bytes;
    size_t done = 0;

    while (done < all && !writer->error) {
        ssize_t some = write_some(writer, parts, writer->written_bytes + done);

        if (some <= 0) {
            writer->error = some ? errno : EIO;
            break;
        }
        done += (size_t)some;
        for (int i = 0; i < 2; i++) {
            size_t taken = (size_t)some < parts[i].iov_len ? (size_t)some : parts[i].iov_len;

            parts[i].iov_base = (uint8_t *)parts[i].iov_base + taken;
            parts[i].iov_len -= taken;
            some -= (ssize_t)taken;
        }
    }
    if (writer->error)
        done = count_whole(writer, done, records, size_bytes, metadata);
    writer->written_bytes += done;
    writer->gathered_bytes = 0;
    return writer->error;
}

int perf_data_writer_put(struct cairn_perf_writer *writer, const void *records, size_t size_bytes,
                         bool metadata)
{
    if (writer->error && !metadata)
        count_unwritten(writer, records, size_bytes);
    if (writer->error)
        return writer->error;
    if (metadata || size_bytes >= DIRECT_BYTES ||
        size_bytes > GATHER_BYTES - writer->gathered_bytes)
        return write_out(writer, records, size_bytes, metadata);
    memcpy(writer->gathered + writer->gathered_bytes, records, size_bytes);
    writer->gathered_bytes += size_bytes;
    return 0;
}

int cairn_perf_writer_write(struct cairn_perf_writer *writer, const void *records,
                            size_t size_bytes)
{
    if (size_bytes % 8 || writer->finished)
        return EINVAL;
    if (!size_bytes)
        return writer->error;
    (void)perf_data_writer_begin(writer);
    return perf_data_writer_put(writer, records, size_bytes, false);
}

int cairn_perf_writer_flush(struct cairn_perf_writer *writer)
{
    return writer->error ? writer->error : write_out(writer, "", 0, false);
}

int cairn_perf_writer_finish(struct cairn_perf_writer *writer)
{
    int err;

    if (writer->finished)
        return writer->error;
    cairn_perf_writer_round(writer); /* so there is at least one record */
    err = cairn_perf_writer_flush(writer);
    writer->finished = true;
    if (writer->mode == CAIRN_PERF_PIPE)
        return err;
    if (err && ftruncate(writer->fd, (off_t)writer->written_bytes))
        return err; /* it has a partial record at its end, which readers detect */
    if (writer->written_bytes > writer->data_begin) {
        int file_err = perf_data_writer_make_file(writer);

        if (!writer->error)
            writer->error = file_err;
    }
    return writer->error;
}

uint64_t cairn_perf_writer_size_bytes(const struct cairn_perf_writer *writer)
{
    return writer->written_bytes + writer->gathered_bytes;
}

uint64_t perf_data_writer_unwritten_samples(const struct cairn_perf_writer *writer)
{
    return writer->unwritten_samples;
}
