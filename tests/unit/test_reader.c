/* SPDX-License-Identifier: MIT */
/* Test of the reader of files, streams and sessions, and of its results for damaged input. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/slice.h"
#include "perf_recording.h"
#include "tracing_dir.h"

#include <cairn/convert.h>
#include <cairn/reader.h>
#include <cairn/user_events.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define OPEN  (1ull << 16 | 1701)
#define CLOSE (1ull << 16 | 1702)

static struct cairn_perf_writer *begin(int fd, enum cairn_perf_mode mode)
{
    const struct cairn_perf_clock clock = {
        .clockid = CLOCK_MONOTONIC,
        .wall_clock_known = true,
        .wall_clock_ns = 1700000000000000000,
        .time_ns = 1000,
    };
    struct cairn_perf_writer *writer;

    assert_int_equal(cairn_perf_writer_create(fd, mode, &writer), 0);
    assert_int_equal(cairn_perf_writer_set_clock(writer, &clock), 0);
    assert_int_equal(add_tracepoint(writer, "net", "conn_open", 1701, FORMAT_OPEN, OPEN), 0);
    assert_int_equal(add_tracepoint(writer, "net", "conn_close", 1702, FORMAT_CLOSE, CLOSE), 0);
    assert_int_equal(cairn_perf_writer_comm(writer, 4000, 4001, "server", 0), 0);
    return writer;
}

static void finish(struct cairn_perf_writer *writer)
{
    assert_int_equal(cairn_perf_writer_finish(writer), 0);
    cairn_perf_writer_destroy(writer);
}

/* Writes two events in the wrong order, and three losses. */
static void write_two(int fd, enum cairn_perf_mode mode)
{
    struct cairn_perf_writer *writer = begin(fd, mode);

    assert_int_equal(write_close(writer, CLOSE, 3000), 0);
    assert_int_equal(write_open(writer, OPEN, 2000), 0);
    assert_int_equal(cairn_perf_writer_lost(writer, OPEN, 3, 2000), 0);
    finish(writer);
}

static struct cairn_reader *open_fd(int fd, const struct cairn_reader_options *options)
{
    struct cairn_reader *reader;

    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    assert_int_equal(cairn_reader_open_fd(fd, options, NULL, &reader), 0);
    return reader;
}

/* Returns the next event, skipping pauses. */
static const struct cairn_event *next(struct cairn_reader *reader)
{
    const struct cairn_event *event;
    int err;

    do {
        err = cairn_reader_next(reader, &event);
    } while (err == EAGAIN);
    assert_int_equal(err, 0);
    return event;
}

static int end_of(struct cairn_reader *reader)
{
    const struct cairn_event *event = NULL;
    int err;

    do {
        err = cairn_reader_next(reader, &event);
    } while (err == EAGAIN);
    assert_null(event);
    assert_int_equal(cairn_reader_next(reader, &event), err); /* the result is kept */
    assert_null(cairn_reader_items(reader));
    return err;
}

static void assert_open(const struct cairn_event *event)
{
    assert_true(core_slice_is(event->tracepoint->system, "net"));
    assert_true(core_slice_is(event->tracepoint->name, "conn_open"));
    assert_true(core_slice_is(event->tracepoint->format, FORMAT_OPEN));
    assert_int_equal(event->error, CAIRN_EVENT_WHOLE);
    assert_int_equal(event->has,
                     CAIRN_EVENT_TIME | CAIRN_EVENT_WALL | CAIRN_EVENT_CPU | CAIRN_EVENT_TID);
    assert_int_equal(event->time_ns, 2000);
    assert_int_equal(event->wall_ns, 1700000000000001000);
    assert_int_equal(event->cpu, 1);
    assert_int_equal(event->pid, 4000);
    assert_int_equal(event->tid, 4001);
    assert_string_equal(event->comm, "server");
    assert_true(event->raw_bytes >= 8 + sizeof(struct conn_open));
    assert_string_equal((const char *)event->raw + 12, "10.0.0.1"); /* after `port` */
}

static void assert_items_of_open(struct cairn_reader *reader)
{
    struct cairn_items *items = cairn_reader_items(reader);
    struct cairn_item item;

    assert_true(cairn_items_next(items, &item));
    assert_true(core_slice_is(item.field->name, "port"));
    assert_int_equal(item.size_bytes, 4);
    assert_int_equal(*item.data, 80);
    assert_true(cairn_items_next(items, &item));
    assert_true(core_slice_is(item.field->name, "peer"));
    assert_false(cairn_items_next(items, &item));
    assert_int_equal(cairn_items_error(items), CAIRN_EVENT_WHOLE);
}

static void assert_two(struct cairn_reader *reader)
{
    const struct cairn_reader_position *position = cairn_reader_position(reader);
    uint64_t offset;

    assert_null(cairn_reader_items(reader));
    assert_int_equal(position->event, 0);
    assert_open(next(reader));
    assert_items_of_open(reader);
    assert_items_of_open(reader); /* from the first one again */
    assert_int_equal(position->event, 1);
    offset = position->offset;
    assert_int_equal(next(reader)->time_ns, 3000);
    assert_int_equal(position->event, 2);
    assert_true(position->offset > 0 && position->offset < offset); /* it was written before the
                                                                     * other */
    assert_int_equal(end_of(reader), ENODATA);
    assert_int_equal(cairn_reader_error(reader)->code, 0);
    assert_int_equal(cairn_reader_counts(reader)->events, 2);
    assert_int_equal(cairn_reader_counts(reader)->lost, 3);
    assert_int_equal(cairn_reader_counts(reader)->damaged, 0);
    assert_null(cairn_reader_session(reader));
    assert_non_null(cairn_reader_file(reader));
}

static void a_file_is_read_in_time_order(void **state)
{
    struct cairn_reader *reader;
    int fd = memory_file();
    char path[64];

    (void)state;
    write_two(fd, CAIRN_PERF_FILE);
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    assert_int_equal(cairn_reader_open(path, NULL, NULL, &reader), 0);
    assert_string_equal(cairn_reader_position(reader)->name, path);
    assert_two(reader);
    cairn_reader_close(reader);
    reader = open_fd(fd, NULL);
    assert_two(reader);
    cairn_reader_close(reader);
    close(fd);
}

static void a_stream_is_read_from_a_pipe(void **state)
{
    struct cairn_reader *reader;
    int fds[2];

    (void)state;
    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
    write_two(fds[1], CAIRN_PERF_PIPE);
    close(fds[1]);
    assert_int_equal(cairn_reader_open_fd(fds[0], NULL, NULL, &reader), 0);
    assert_two(reader);
    cairn_reader_close(reader);
    close(fds[0]);
}

/* A program that prints events must know when to flush: before the stream can block. */
static void a_stream_pauses_at_the_ends_of_rounds(void **state)
{
    const struct cairn_event *event;
    struct cairn_reader *reader;
    struct cairn_perf_writer *writer;
    int fds[2];

    (void)state;
    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
    writer = begin(fds[1], CAIRN_PERF_PIPE);
    assert_int_equal(write_open(writer, OPEN, 2000), 0);
    assert_int_equal(cairn_perf_writer_round(writer), 0);
    assert_int_equal(cairn_perf_writer_round(writer), 0);
    assert_int_equal(cairn_perf_writer_flush(writer), 0);
    assert_int_equal(cairn_reader_open_fd(fds[0], NULL, NULL, &reader), 0);
    assert_int_equal(cairn_reader_next(reader, &event), EAGAIN); /* the pipe is still open */
    assert_int_equal(cairn_reader_wait_ms(reader), 0);
    finish(writer);
    close(fds[1]);
    assert_open(next(reader));
    assert_int_equal(end_of(reader), ENODATA);
    cairn_reader_close(reader);
    close(fds[0]);
}

static void a_stream_in_a_file_does_not_pause(void **state)
{
    const struct cairn_event *event;
    struct cairn_perf_writer *writer;
    int fd = memory_file();

    (void)state;
    writer = begin(fd, CAIRN_PERF_PIPE);
    assert_int_equal(cairn_perf_writer_round(writer), 0);
    assert_int_equal(write_open(writer, OPEN, 2000), 0);
    assert_int_equal(cairn_perf_writer_round(writer), 0);
    assert_int_equal(write_open(writer, OPEN, 3000), 0);
    finish(writer);
    for (int by_file = 0; by_file < 2; by_file++) {
        struct cairn_reader_options options = CAIRN_READER_OPTIONS_INIT;
        struct cairn_reader *reader;

        options.in_file_order = by_file;
        reader = open_fd(fd, &options);
        assert_int_equal(cairn_reader_next(reader, &event), 0);
        assert_int_equal(cairn_reader_next(reader, &event), 0);
        assert_int_equal(cairn_reader_next(reader, &event), ENODATA);
        cairn_reader_close(reader);
    }
    close(fd);
}

static void a_damaged_event_is_returned_with_its_error(void **state)
{
    struct cairn_reader *reader;
    struct cairn_perf_writer *writer;
    struct cairn_items *items;
    struct cairn_item item;
    int fd = memory_file();

    (void)state;
    writer = begin(fd, CAIRN_PERF_FILE);
    assert_int_equal(write_event(writer, OPEN, 1701, 1000, "\x50\0\0\0", 4), 0);
    assert_int_equal(write_open(writer, OPEN, 2000), 0);
    finish(writer);
    reader = open_fd(fd, NULL);
    (void)next(reader);
    items = cairn_reader_items(reader);
    while (cairn_items_next(items, &item))
        ;
    assert_int_equal(cairn_items_error(items), CAIRN_EVENT_CUT_SHORT);
    assert_open(next(reader));
    assert_int_equal(end_of(reader), ENODATA);
    cairn_reader_close(reader);
    close(fd);
}

static void a_truncated_file_ends_with_an_error_at_its_position(void **state)
{
    struct cairn_reader *reader;
    struct cairn_perf_writer *writer;
    int fd = memory_file();
    off_t size;

    (void)state;
    writer = begin(fd, CAIRN_PERF_PIPE);
    assert_int_equal(write_open(writer, OPEN, 2000), 0);
    assert_int_equal(write_close(writer, CLOSE, 3000), 0);
    assert_int_equal(cairn_perf_writer_flush(writer), 0);
    cairn_perf_writer_destroy(writer);
    size = lseek(fd, 0, SEEK_END);
    assert_int_equal(ftruncate(fd, size - 4), 0);
    reader = open_fd(fd, NULL);
    assert_int_equal(next(reader)->time_ns, 2000);
    assert_int_equal(end_of(reader), EBADMSG);
    assert_int_equal(cairn_reader_error(reader)->code, EBADMSG);
    assert_non_null(cairn_reader_error(reader)->text);
    assert_true(cairn_reader_error(reader)->offset > cairn_reader_position(reader)->offset);
    cairn_reader_close(reader);
    close(fd);
}

static void other_input_is_refused(void **state)
{
    struct cairn_perf_error error = {0};
    struct cairn_reader *reader = NULL;
    int fd = memory_file();

    (void)state;
    assert_int_equal(write(fd, "this is something else", 22), 22);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    assert_int_equal(cairn_reader_open_fd(fd, NULL, &error, &reader), EBADMSG);
    assert_int_equal(error.code, EBADMSG);
    assert_int_equal(cairn_reader_open("/no/such/file", NULL, &error, &reader), ENOENT);
    assert_int_equal(error.code, ENOENT);
    assert_int_equal(cairn_reader_open("/", NULL, &error, &reader), EISDIR);
    assert_null(reader);
    cairn_reader_close(NULL);
    close(fd);
}

/* A program built for a later version passes more options: those that are zero change nothing. */
static void options_have_a_size(void **state)
{
    struct {
        struct cairn_reader_options options;
        uint64_t later;
    } larger = {CAIRN_READER_OPTIONS_INIT, 0};
    struct cairn_reader_options smaller = CAIRN_READER_OPTIONS_INIT;
    struct cairn_perf_error error = {0};
    struct cairn_reader *reader = NULL;
    int fd = memory_file();

    (void)state;
    write_two(fd, CAIRN_PERF_FILE);
    smaller.size = sizeof(size_t);
    assert_int_equal(cairn_reader_open_fd(fd, &smaller, &error, &reader), EINVAL);
    assert_int_equal(error.code, EINVAL);
    assert_int_equal(cairn_reader_open_session(&smaller, &reader), EINVAL);
    larger.options.size = sizeof(larger);
    larger.options.without_comm = true;
    reader = open_fd(fd, &larger.options);
    assert_null(next(reader)->comm);
    cairn_reader_close(reader);
    larger.later = 1;
    assert_int_equal(cairn_reader_open_fd(fd, &larger.options, NULL, &reader), E2BIG);
    close(fd);
}

/* ---- ranges of time, several recordings ---- */

static void events_outside_a_range_are_left_out(void **state)
{
    struct cairn_reader_options options = CAIRN_READER_OPTIONS_INIT;
    struct cairn_reader *reader;
    int fd = memory_file();

    (void)state;
    write_two(fd, CAIRN_PERF_FILE);
    options.since_ns = 2001;
    reader = open_fd(fd, &options);
    assert_int_equal(next(reader)->time_ns, 3000);
    assert_int_equal(end_of(reader), ENODATA);
    assert_int_equal(cairn_reader_counts(reader)->events, 1);
    assert_int_equal(cairn_reader_counts(reader)->filtered, 1);
    cairn_reader_close(reader);
    options = (struct cairn_reader_options)CAIRN_READER_OPTIONS_INIT;
    options.until_wall_ns = 1700000000000001000; /* that of 2000: both ends belong to the range */
    reader = open_fd(fd, &options);
    assert_int_equal(next(reader)->time_ns, 2000);
    assert_int_equal(end_of(reader), ENODATA);
    cairn_reader_close(reader);
    close(fd);
}

static void the_order_of_a_file_can_be_kept(void **state)
{
    struct cairn_reader_options options = CAIRN_READER_OPTIONS_INIT;
    struct cairn_reader *reader;
    int fd = memory_file();

    (void)state;
    write_two(fd, CAIRN_PERF_FILE);
    options.in_file_order = true;
    reader = open_fd(fd, &options);
    assert_int_equal(next(reader)->time_ns, 3000);
    assert_int_equal(next(reader)->time_ns, 2000);
    assert_int_equal(end_of(reader), ENODATA);
    cairn_reader_close(reader);
    close(fd);
}

#define EVENTHEADER (1ull << 16 | 1703)
#define FORMAT_EVENTHEADER                                           \
    "name: Prov_L5K1\nID: 1703\n" COMMON_FIELDS                      \
    "\tfield:u8 eventheader_flags;\toffset:8;\tsize:1;\tsigned:0;\n" \
    "\tfield:u8 version;\toffset:9;\tsize:1;\tsigned:0;\n"           \
    "\tfield:u16 id;\toffset:10;\tsize:2;\tsigned:0;\n"              \
    "\tfield:u16 tag;\toffset:12;\tsize:2;\tsigned:0;\n"             \
    "\tfield:u8 opcode;\toffset:14;\tsize:1;\tsigned:0;\n"           \
    "\tfield:u8 level;\toffset:15;\tsize:1;\tsigned:0;\n\nprint fmt: \"\"\n"

/* An event with an activity id of equal bytes, metadata, and a field `n`. */
struct eventheader_event {
    struct cairn_eventheader header;
    struct cairn_eventheader_extension activity;
    uint8_t activity_id[CAIRN_ACTIVITY_ID_BYTES];
    struct cairn_eventheader_extension extension;
    char metadata[6]; /* "Ev", "n", and the encoding */
    uint16_t n;
} __attribute__((packed));

static int write_eventheader_on(struct cairn_perf_writer *writer, uint32_t cpu, uint64_t time_ns,
                                uint8_t activity, uint16_t n)
{
    struct eventheader_event event = {
        .header = {.flags = CAIRN_EVENTHEADER_NATIVE_FLAGS | CAIRN_EVENTHEADER_EXTENSION,
                   .level = 5},
        .activity = {CAIRN_ACTIVITY_ID_BYTES, CAIRN_EXTENSION_ACTIVITY_ID | CAIRN_EXTENSION_CHAIN},
        .extension = {sizeof(event.metadata), CAIRN_EXTENSION_METADATA},
        .metadata = {'E', 'v', 0, 'n', 0, CAIRN_ENCODING_VALUE16},
        .n = n,
    };

    memset(event.activity_id, activity, sizeof(event.activity_id));
    return write_event_on(writer, cpu, EVENTHEADER, 1703, time_ns, &event, sizeof(event));
}

static int write_eventheader(struct cairn_perf_writer *writer, uint64_t time_ns, uint8_t activity,
                             uint16_t n)
{
    return write_eventheader_on(writer, 1, time_ns, activity, n);
}

/* A trace file of three events: two of one call site, and a tracepoint's between them. */
static int make_trace_file(void)
{
    struct cairn_convert_report report;
    int recording = memory_file();
    struct cairn_perf_writer *writer = begin(recording, CAIRN_PERF_FILE);
    int fd = memory_file();
    char path[64];

    assert_int_equal(
        add_tracepoint(writer, "user_events", "Prov_L5K1", 1703, FORMAT_EVENTHEADER, EVENTHEADER),
        0);
    assert_int_equal(write_eventheader(writer, 1000, 1, 7), 0);
    assert_int_equal(write_open(writer, OPEN, 2000), 0);
    assert_int_equal(write_eventheader(writer, 3000, 2, 8), 0);
    finish(writer);
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", recording);
    assert_int_equal(cairn_convert_to_trace(path, fd, NULL, &report), 0);
    close(recording);
    return fd;
}

static void assert_eventheader(struct cairn_reader *reader, const struct cairn_event *event,
                               uint64_t time_ns, uint8_t activity, uint16_t n)
{
    struct cairn_items *items = cairn_reader_items(reader);
    struct cairn_item item;

    assert_true(core_slice_is(event->type->provider, "Prov"));
    assert_true(core_slice_is(event->type->name, "Ev"));
    assert_true(core_slice_is(event->tracepoint->name, "Prov_L5K1"));
    assert_int_equal(event->error, CAIRN_EVENT_WHOLE);
    assert_int_equal(event->time_ns, time_ns);
    assert_int_equal(event->activity_id[0], activity);
    assert_int_equal(event->activity_id[CAIRN_ACTIVITY_ID_BYTES - 1], activity);
    assert_null(event->related_id);
    assert_true(cairn_items_next(items, &item));
    assert_true(core_slice_is(item.field->name, "n"));
    assert_int_equal(item.size_bytes, 2);
    assert_memory_equal(item.data, &n, sizeof(n));
}

static void events_of_a_trace_file_are_the_same_without_their_raw_bytes(void **state)
{
    struct cairn_reader_options options = CAIRN_READER_OPTIONS_INIT;
    int fd = make_trace_file();

    (void)state;
    for (int without_raw = 0; without_raw < 2; without_raw++) {
        const struct cairn_event *event;
        struct cairn_reader *reader;

        options.without_raw = without_raw;
        reader = open_fd(fd, &options);
        assert_eventheader(reader, next(reader), 1000, 1, 7);
        assert_open(next(reader)); /* a tracepoint's event has them */
        event = next(reader);
        assert_eventheader(reader, event, 3000, 2, 8);
        assert_true(without_raw ? !event->raw && !event->raw_bytes
                                : event->raw && event->raw_bytes);
        assert_int_equal(end_of(reader), ENODATA);
        assert_int_equal(cairn_reader_counts(reader)->damaged, 0);
        cairn_reader_close(reader);
    }
    close(fd);
}

/* Members that events of one thread and call site have in common are set once: not those that
 * change. */
static void events_of_one_call_site_in_a_row_have_members_of_their_own(void **state)
{
    struct cairn_reader_options options = CAIRN_READER_OPTIONS_INIT;
    struct cairn_convert_report report;
    int recording = memory_file();
    struct cairn_perf_writer *writer = begin(recording, CAIRN_PERF_FILE);
    int fd = memory_file();
    char path[64];

    (void)state;
    assert_int_equal(
        add_tracepoint(writer, "user_events", "Prov_L5K1", 1703, FORMAT_EVENTHEADER, EVENTHEADER),
        0);
    for (uint32_t n = 1; n <= 6; n++) {
        if (n == 4)
            assert_int_equal(cairn_perf_writer_comm(writer, 4000, 4001, "renamed", 3500), 0);
        assert_int_equal(
            write_eventheader_on(writer, n == 6 ? 3 : 1, 1000 * n, (uint8_t)n, (uint16_t)(100 + n)),
            0);
    }
    finish(writer);
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", recording);
    assert_int_equal(cairn_convert_to_trace(path, fd, NULL, &report), 0);
    close(recording);

    options.without_raw = true;
    for (int parts = 1; parts <= 2; parts++) { /* two: the same recording twice, merged */
        struct cairn_reader *all[2];
        struct cairn_reader *reader;

        for (int part = 0; part < parts; part++)
            all[part] = open_fd(fd, &options);
        reader = all[0];
        if (parts == 2)
            assert_int_equal(cairn_reader_merge(all, 2, &reader), 0);
        for (int at = 0; at < 6 * parts; at++) {
            int n = at / parts + 1;
            const struct cairn_event *event = next(reader);

            assert_eventheader(reader, event, (uint64_t)(1000 * n), (uint8_t)n,
                               (uint16_t)(100 + n));
            assert_int_equal(event->wall_ns, 1699999999999999000 + 1000 * n);
            assert_int_equal(event->cpu, n == 6 ? 3 : 1);
            assert_int_equal(event->tid, 4001);
            assert_string_equal(event->comm, n < 4 ? "server" : "renamed");
        }
        assert_int_equal(end_of(reader), ENODATA);
        cairn_reader_close(reader);
    }
    close(fd);
}

static void a_copy_of_an_event_outlives_the_next_one(void **state)
{
    struct cairn_event_copy *copy;
    const struct cairn_event *event;
    struct cairn_reader *reader;
    size_t source = 1;
    int fd = memory_file();

    (void)state;
    write_two(fd, CAIRN_PERF_FILE);
    reader = open_fd(fd, NULL);
    assert_int_equal(cairn_event_copy_create(&copy), 0);
    assert_int_equal(cairn_event_copy_restore(copy, &event, NULL), ENODATA);
    assert_int_equal(cairn_event_copy_set(copy, reader, next(reader)), 0);
    assert_int_equal(next(reader)->time_ns, 3000);
    assert_int_equal(end_of(reader), ENODATA);
    assert_int_equal(cairn_event_copy_restore(copy, &event, &source), 0);
    assert_open(event);
    assert_int_equal(source, 0);
    cairn_event_copy_destroy(copy);
    cairn_reader_close(reader);
    close(fd);
}

static void an_event_without_raw_bytes_cannot_be_copied(void **state)
{
    struct cairn_reader_options options = CAIRN_READER_OPTIONS_INIT;
    struct cairn_event_copy *copy;
    const struct cairn_event *event;
    struct cairn_reader *reader;
    int fd = make_trace_file();

    (void)state;
    options.without_raw = true;
    reader = open_fd(fd, &options);
    assert_int_equal(cairn_event_copy_create(&copy), 0);
    event = next(reader);
    assert_int_equal(cairn_event_copy_set(copy, reader, event), event->raw ? 0 : EINVAL);
    event = next(reader); /* of a tracepoint */
    assert_int_equal(cairn_event_copy_set(copy, reader, event), 0);
    event = next(reader);
    assert_null(event->raw);
    assert_int_equal(cairn_event_copy_set(copy, reader, event), EINVAL);
    assert_int_equal(cairn_event_copy_restore(copy, &event, NULL), 0);
    assert_open(event);
    cairn_event_copy_destroy(copy);
    cairn_reader_close(reader);
    close(fd);
}

static void the_times_of_a_recording_are_found(void **state)
{
    struct cairn_reader_times times;
    int fd = memory_file();
    char path[64];

    (void)state;
    write_two(fd, CAIRN_PERF_FILE);
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    assert_int_equal(cairn_reader_find_times(path, &times), 0);
    assert_int_equal(times.events, 2);
    assert_int_equal(times.first_ns, 2000);
    assert_int_equal(times.last_ns, 3000);
    assert_int_equal(times.walls, 2);
    assert_int_equal(times.last_wall_ns, 1700000000000002000);
    assert_int_equal(cairn_reader_find_times("/dev/null", &times), ESPIPE);
    assert_int_equal(cairn_reader_find_times("-", &times), ESPIPE);
    assert_int_equal(cairn_reader_find_times("/nowhere", &times), ENOENT);
    close(fd);
}

/* Two equal recordings: of each pair of equal times the first reader's event comes first. */
static void readers_are_merged_in_time_order(void **state)
{
    static const uint64_t expected[] = {2000, 2000, 3000, 3000};
    struct cairn_reader *parts[2];
    struct cairn_reader *reader = NULL;
    int fds[2] = {memory_file(), memory_file()};

    (void)state;
    assert_int_equal(cairn_reader_merge(parts, 0, &reader), EINVAL);
    for (size_t n = 0; n < 2; n++) {
        write_two(fds[n], CAIRN_PERF_FILE);
        parts[n] = open_fd(fds[n], NULL);
    }
    assert_int_equal(cairn_reader_merge(parts, 2, &reader), 0);
    for (size_t n = 0; n < 4; n++) {
        assert_int_equal(next(reader)->time_ns, expected[n]);
        assert_int_equal(cairn_reader_source(reader), n % 2);
        assert_int_equal(cairn_reader_position(reader)->event, n + 1);
    }
    assert_int_equal(end_of(reader), ENODATA);
    assert_int_equal(cairn_reader_counts(reader)->events, 4);
    assert_int_equal(cairn_reader_counts(reader)->lost, 6);
    assert_int_equal(cairn_reader_counts(parts[1])->lost, 3);
    cairn_reader_close(reader);
    close(fds[0]);
    close(fds[1]);
}

/* Which reader an event is from is an index: readers are merged once. */
static void a_merged_reader_cannot_be_merged(void **state)
{
    int fd = memory_file();
    struct cairn_reader *merged = NULL;
    struct cairn_reader *reader = NULL;
    struct cairn_reader *part;

    (void)state;
    write_two(fd, CAIRN_PERF_FILE);
    part = open_fd(fd, NULL);
    assert_int_equal(cairn_reader_merge(&part, 1, &merged), 0);
    assert_int_equal(cairn_reader_merge(&merged, 1, &reader), EINVAL);
    assert_null(reader);
    assert_int_equal(next(merged)->time_ns, 2000);
    cairn_reader_close(merged);
    close(fd);
}

/* ---- several threads ---- */

/* The times of events, as they are passed on. */
struct passed {
    uint64_t times_ns[8];
    size_t count;
    unsigned begun;
    unsigned ended;
    int error; /* of passing on */
};

struct kept {
    struct passed *passed;
    uint64_t times_ns[8];
    size_t count;
};

static int begin_thread(void *context, void **ret_state)
{
    struct kept *kept = (struct kept *)calloc(1, sizeof(*kept));

    assert_non_null(kept);
    kept->passed = (struct passed *)context;
    __atomic_fetch_add(&kept->passed->begun, 1, __ATOMIC_RELAXED);
    *ret_state = kept;
    return 0;
}

static int keep(void *state, const struct cairn_event *event, size_t source, size_t *ret_kept_bytes)
{
    struct kept *kept = (struct kept *)state;

    (void)source;
    kept->times_ns[kept->count++ % 8] = event->time_ns;
    *ret_kept_bytes = (size_t)1 << 30; /* so each event is passed on alone */
    return 0;
}

static int pass(void *state, bool pauses)
{
    struct kept *kept = (struct kept *)state;
    struct passed *passed = kept->passed;

    (void)pauses;
    for (size_t n = 0; n < kept->count; n++)
        passed->times_ns[passed->count++ % 8] = kept->times_ns[n];
    kept->count = 0;
    return passed->error;
}

static void end_thread(void *context, void *state)
{
    ((struct passed *)context)->ended++;
    free(state);
}

static int read_with_threads(struct cairn_reader *reader, uint32_t count, struct passed *passed)
{
    const struct cairn_reader_threads threads = {
        .size = sizeof(threads),
        .count = count,
        .context = passed,
        .begin = begin_thread,
        .event = keep,
        .pass = pass,
        .end = end_thread,
    };
    int err = cairn_reader_each(reader, &threads);

    assert_int_equal(passed->begun, passed->ended);
    assert_int_equal(passed->begun, count ? count : 1);
    return err;
}

static void threads_pass_on_events_in_their_order(void **state)
{
    static const uint64_t expected_ns[] = {1000, 2000, 3000};
    int fd = make_trace_file();

    (void)state;
    for (uint32_t count = 0; count < 5; count++) {
        struct cairn_reader *reader = open_fd(fd, NULL);
        struct passed passed = {0};

        assert_int_equal(read_with_threads(reader, count, &passed), ENODATA);
        assert_int_equal(passed.count, 3);
        assert_memory_equal(passed.times_ns, expected_ns, sizeof(expected_ns));
        assert_int_equal(cairn_reader_counts(reader)->events, 3);
        assert_int_equal(end_of(reader), ENODATA);
        cairn_reader_close(reader);
    }
    close(fd);
}

static void threads_read_merged_recordings(void **state)
{
    static const uint64_t expected_ns[] = {2000, 2000, 3000, 3000};
    struct cairn_reader *parts[2];
    struct cairn_reader *reader = NULL;
    struct passed passed = {0};
    int fds[2] = {memory_file(), memory_file()};

    (void)state;
    for (size_t n = 0; n < 2; n++) {
        write_two(fds[n], CAIRN_PERF_FILE);
        parts[n] = open_fd(fds[n], NULL);
    }
    assert_int_equal(cairn_reader_merge(parts, 2, &reader), 0);
    assert_int_equal(read_with_threads(reader, 3, &passed), ENODATA);
    assert_int_equal(passed.count, 4);
    assert_memory_equal(passed.times_ns, expected_ns, sizeof(expected_ns));
    assert_int_equal(cairn_reader_counts(reader)->lost, 6);
    cairn_reader_close(reader);
    close(fds[0]);
    close(fds[1]);
}

static void an_error_of_a_thread_ends_all(void **state)
{
    int fd = make_trace_file();

    (void)state;
    for (uint32_t count = 1; count < 4; count++) {
        struct cairn_reader *reader = open_fd(fd, NULL);
        struct passed passed = {.error = ENOSPC};

        assert_int_equal(read_with_threads(reader, count, &passed), ENOSPC);
        assert_int_equal(passed.count, 1);
        assert_int_equal(end_of(reader), ENOSPC);
        assert_int_equal(cairn_reader_error(reader)->code, ENOSPC);
        cairn_reader_close(reader);
    }
    close(fd);
}

static void too_many_threads_are_refused(void **state)
{
    const struct cairn_reader_threads threads = {.size = sizeof(threads), .count = 257};
    int fd = make_trace_file();
    struct cairn_reader *reader = open_fd(fd, NULL);

    (void)state;
    assert_int_equal(cairn_reader_each(reader, &threads), EINVAL);
    (void)next(reader);
    cairn_reader_close(reader);
    close(fd);
}

static void damage_of_one_reader_does_not_end_the_others(void **state)
{
    struct cairn_reader *parts[2];
    struct cairn_reader *reader;
    int fds[2] = {memory_file(), memory_file()};

    (void)state;
    write_two(fds[0], CAIRN_PERF_PIPE);
    assert_int_equal(ftruncate(fds[0], lseek(fds[0], 0, SEEK_END) - 24), 0);
    write_two(fds[1], CAIRN_PERF_FILE);
    for (size_t n = 0; n < 2; n++)
        parts[n] = open_fd(fds[n], NULL);
    assert_int_equal(cairn_reader_merge(parts, 2, &reader), 0);
    for (size_t n = 0; n < 4; n++)
        (void)next(reader);
    assert_int_equal(end_of(reader), EBADMSG);
    assert_int_equal(cairn_reader_error(reader)->code, EBADMSG);
    assert_non_null(cairn_reader_error(reader)->text);
    assert_int_equal(cairn_reader_error(reader)->offset, cairn_reader_error(parts[0])->offset);
    cairn_reader_close(reader);
    close(fds[0]);
    close(fds[1]);
}

/* ---- sessions ---- */

static struct cairn_tracepoint tick = CAIRN_TRACEPOINT_INIT;

static void write_tick(uint32_t number)
{
    struct iovec part = {&number, sizeof(number)};

    assert_int_equal(cairn_tracepoint_write(&tick, &part, 1), 0);
}

static struct cairn_reader *open_session(const char *filter)
{
    static const char *const patterns[] = {"reader_*"};
    const char *const filters[] = {filter};
    struct cairn_reader_options options = CAIRN_READER_OPTIONS_INIT;
    struct cairn_reader *reader;

    options.patterns = patterns;
    options.pattern_count = 1;
    options.filters = filters;
    assert_int_equal(cairn_reader_open_session(&options, &reader), 0);
    return reader;
}

static void assert_tick(const struct cairn_event *event, uint32_t number)
{
    uint32_t value;

    assert_true(core_slice_is(event->tracepoint->name, "reader_tick"));
    assert_int_equal(event->pid, getpid());
    assert_true(*event->comm);
    assert_int_equal(event->has, CAIRN_EVENT_TIME | CAIRN_EVENT_CPU | CAIRN_EVENT_TID);
    memcpy(&value, event->raw + 8, sizeof(value));
    assert_int_equal(value, number);
}

static void a_session_is_read_while_it_runs(void **state)
{
    const struct cairn_event *event;
    struct cairn_reader *reader;

    (void)state;
    reader = open_session(NULL);
    assert_int_equal(cairn_reader_next(reader, &event), EAGAIN);
    assert_true(cairn_reader_wait_ms(reader) > 0);
    write_tick(1);
    write_tick(2);
    assert_tick(next(reader), 1); /* waits until the event is old enough */
    assert_tick(next(reader), 2);
    assert_int_equal(cairn_reader_position(reader)->event, 2);
    assert_string_equal(cairn_reader_position(reader)->name, "live");
    assert_null(cairn_reader_file(reader));
    write_tick(3);
    assert_int_equal(cairn_reader_stop(reader), 0);
    assert_int_equal(cairn_reader_stop(reader), EINVAL);
    assert_int_equal(*tick.enabled, 0);
    assert_tick(next(reader), 3);
    assert_int_equal(end_of(reader), ENODATA);
    assert_int_equal(cairn_session_counts(cairn_reader_session(reader))->events, 3);
    cairn_reader_close(reader);
}

static void a_session_counts_omitted_events(void **state)
{
    struct cairn_reader *reader;

    (void)state;
    reader = open_session("number > 1");
    for (uint32_t i = 0; i < 3; i++)
        write_tick(i);
    assert_int_equal(cairn_reader_stop(reader), 0);
    assert_tick(next(reader), 2);
    assert_int_equal(end_of(reader), ENODATA);
    assert_int_equal(cairn_reader_counts(reader)->events, 1);
    assert_int_equal(cairn_reader_counts(reader)->filtered, 2);
    assert_int_equal(cairn_reader_counts(reader)->lost, 0);
    cairn_reader_close(reader);
}

static void a_session_needs_a_pattern(void **state)
{
    struct cairn_reader *reader = NULL;

    (void)state;
    assert_int_equal(cairn_reader_open_session(NULL, &reader), EINVAL);
    assert_null(reader);
}

static void a_file_cannot_be_stopped(void **state)
{
    struct cairn_reader *reader;
    int fd = memory_file();

    (void)state;
    write_two(fd, CAIRN_PERF_FILE);
    reader = open_fd(fd, NULL);
    assert_int_equal(cairn_reader_stop(reader), EINVAL);
    assert_two(reader);
    cairn_reader_close(reader);
    close(fd);
}

static int set_up(void **state)
{
    (void)state;
    return tracing_dir_make() || cairn_tracepoint_register(&tick, "reader_tick u32 number");
}

static int tear_down(void **state)
{
    (void)state;
    cairn_tracepoint_unregister(&tick);
    tracing_dir_remove();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_read_in_time_order),
        cmocka_unit_test(a_stream_is_read_from_a_pipe),
        cmocka_unit_test(a_stream_pauses_at_the_ends_of_rounds),
        cmocka_unit_test(a_stream_in_a_file_does_not_pause),
        cmocka_unit_test(a_damaged_event_is_returned_with_its_error),
        cmocka_unit_test(a_truncated_file_ends_with_an_error_at_its_position),
        cmocka_unit_test(other_input_is_refused),
        cmocka_unit_test(options_have_a_size),
        cmocka_unit_test(events_outside_a_range_are_left_out),
        cmocka_unit_test(the_order_of_a_file_can_be_kept),
        cmocka_unit_test(events_of_a_trace_file_are_the_same_without_their_raw_bytes),
        cmocka_unit_test(events_of_one_call_site_in_a_row_have_members_of_their_own),
        cmocka_unit_test(a_copy_of_an_event_outlives_the_next_one),
        cmocka_unit_test(an_event_without_raw_bytes_cannot_be_copied),
        cmocka_unit_test(the_times_of_a_recording_are_found),
        cmocka_unit_test(readers_are_merged_in_time_order),
        cmocka_unit_test(a_merged_reader_cannot_be_merged),
        cmocka_unit_test(threads_pass_on_events_in_their_order),
        cmocka_unit_test(threads_read_merged_recordings),
        cmocka_unit_test(an_error_of_a_thread_ends_all),
        cmocka_unit_test(too_many_threads_are_refused),
        cmocka_unit_test(damage_of_one_reader_does_not_end_the_others),
        cmocka_unit_test(a_session_is_read_while_it_runs),
        cmocka_unit_test(a_session_counts_omitted_events),
        cmocka_unit_test(a_session_needs_a_pattern),
        cmocka_unit_test(a_file_cannot_be_stopped),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
