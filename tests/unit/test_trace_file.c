/* SPDX-License-Identifier: MIT */
/* Trace files: what is written is read, in the order of time; any damage is noticed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trace_file/copies.h"
#include "trace_file/count.h"
#include "trace_file/crc32c.h"
#include "trace_file/expand.h"
#include "trace_file/pack.h"
#include "trace_file/parts.h"
#include "trace_file/pieces.h"
#include "trace_file/repair.h"

static const char format[] =
    "name: one\nID: 7\nformat:\n\tfield:u32 n;\toffset:8;\tsize:4;\tsigned:0;\n";

/* ---- writing ---- */

struct output {
    int fd;
    struct trace_file_writer writer;
    struct trace_file_tables_writer tables;
    struct trace_file_pieces pieces;
};

static void begin(struct output *o, int level)
{
    *o = (struct output){.fd = memfd_create("trace", 0)};
    assert_true(o->fd >= 0);
    assert_int_equal(trace_file_writer_begin(&o->writer, o->fd, level), 0);
    trace_file_pieces_begin(&o->pieces, &o->writer, &o->tables);
    trace_file_put_process(&o->tables, &(struct trace_file_process){.number = 1, .pid = 100});
    trace_file_put_descriptor(&o->tables, &(struct trace_file_descriptor){
                                              .number = 1,
                                              .kind = TRACE_FILE_TRACEPOINT,
                                              .id = 7,
                                              .long_size_bytes = 8,
                                              .system = {"user_events", 11},
                                              .name = {"one", 3},
                                              .format = {format, sizeof(format) - 1},
                                          });
}

static void add_sized(struct output *o, uint32_t tid, uint64_t time_ns, uint32_t cpu,
                      uint32_t number, size_t size)
{
    uint8_t *payload = (uint8_t *)calloc(1, size);
    struct iovec part = {payload, size};

    memcpy(payload, &number, sizeof(number));
    assert_int_equal(
        trace_file_pieces_add(
            &o->pieces,
            &(struct trace_file_origin){
                .process = 1, .tid = tid, .cpu = cpu, .descriptor = 1, .time_ns = time_ns},
            &part, 1),
        0);
    free(payload);
}

static void add(struct output *o, uint32_t tid, uint64_t time_ns, uint32_t cpu, uint32_t number)
{
    add_sized(o, tid, time_ns, cpu, number, sizeof(number));
}

static void flush(struct output *o)
{
    assert_int_equal(trace_file_pieces_flush(&o->pieces), 0);
}

/* The file's bytes, which the caller frees. */
static uint8_t *end(struct output *o, size_t *ret_size)
{
    uint8_t *bytes;

    flush(o);
    assert_int_equal(trace_file_writer_finish(&o->writer), 0);
    *ret_size = (size_t)o->writer.offset;
    bytes = (uint8_t *)malloc(*ret_size);
    assert_int_equal(pread(o->fd, bytes, *ret_size, 0), *ret_size);
    trace_file_pieces_free(&o->pieces);
    trace_file_tables_writer_free(&o->tables);
    trace_file_writer_free(&o->writer);
    close(o->fd);
    return bytes;
}

/* ---- reading ---- */

/* Bytes are in a file that is mapped, and read by its descriptor. */
static bool is_in_file;

/* Returns the descriptor of the mapped file. */
static int map_file(struct perf_data_source *source, const uint8_t *bytes, size_t size)
{
    int fd = memfd_create("trace", 0);

    assert_int_equal(write(fd, bytes, size), size);
    *source = (struct perf_data_source){.fd = -1};
    assert_int_equal(perf_data_source_map(source, fd), 0);
    return fd;
}

/* In memory of exactly the file's size, so that a sanitizer sees reads after it. */
static int open_bytes(struct trace_file_reader *reader, const uint8_t *bytes, size_t size)
{
    struct perf_data_source source = {
        .map = size ? bytes : (const uint8_t *)"", .map_bytes = size, .end = size, .fd = -1};
    struct perf_data_block_pool pool = {0};

    if (is_in_file && size)
        close(map_file(&source, bytes, size));
    return trace_file_reader_begin(reader, &source, &pool);
}

static uint32_t number_of(const struct trace_file_event *event)
{
    uint32_t number;

    assert_true(event->payload_bytes >= sizeof(number));
    memcpy(&number, event->payload, sizeof(number));
    return number;
}

/* Reads everything. Returns the error that ended it, and the number of events. */
static int read_all(const uint8_t *bytes, size_t size, uint32_t *ret_events)
{
    struct trace_file_reader reader;
    struct trace_file_event event;
    struct cairn_bytes raw = {0};
    uint64_t last_ns = 0;
    int err = open_bytes(&reader, bytes, size);

    *ret_events = 0;
    while (!err) {
        err = trace_file_reader_next(&reader, &event);
        if (!err) {
            assert_true(event.time_ns >= last_ns);
            last_ns = event.time_ns;
            trace_file_expand(&event, false, &raw);
            ++*ret_events;
        }
    }
    perf_data_bytes_free(&raw);
    trace_file_reader_end(&reader);
    return err;
}

/* The same from a stream. */
static int read_stream(const uint8_t *bytes, size_t size, uint32_t *ret_events)
{
    struct trace_file_reader reader;
    struct trace_file_event event;
    struct perf_data_block_pool pool = {0};
    struct perf_data_source source;
    int fds[2];
    int err;
    pid_t writer;

    assert_int_equal(pipe(fds), 0);
    writer = fork();
    if (!writer) {
        for (size_t done = 0; done < size;) {
            ssize_t written = write(fds[1], bytes + done, size - done);

            if (written <= 0)
                _exit(1);
            done += (size_t)written;
        }
        _exit(0);
    }
    close(fds[1]);
    assert_int_equal(perf_data_source_open_fd(&source, fds[0], NULL), 0);
    *ret_events = 0;
    err = trace_file_reader_begin(&reader, &source, &pool);
    while (!err || err == EAGAIN) {
        err = trace_file_reader_next(&reader, &event);
        *ret_events += !err;
    }
    trace_file_reader_end(&reader);
    close(fds[0]);
    assert_int_equal(waitpid(writer, NULL, 0), writer);
    return err;
}

static void expect(struct trace_file_reader *reader, uint32_t tid, uint64_t time_ns, uint32_t cpu,
                   uint32_t number)
{
    struct trace_file_event event;

    assert_int_equal(trace_file_reader_next(reader, &event), 0);
    assert_int_equal(event.tid, tid);
    assert_int_equal(event.time_ns, time_ns);
    assert_int_equal(event.cpu, cpu);
    assert_int_equal(number_of(&event), number);
    assert_int_equal(event.process->pid, 100);
    assert_string_equal(event.descriptor->name.text, "one");
}

static void expect_end(struct trace_file_reader *reader, int err)
{
    struct trace_file_event event;

    assert_int_equal(trace_file_reader_next(reader, &event), err);
    trace_file_reader_end(reader);
}

/* ---- tests ---- */

static void the_checksum_is_that_of_the_standard(void **state)
{
    (void)state;
    assert_int_equal(trace_file_crc32c("123456789", 9), 0xe3069283);
    assert_int_equal(trace_file_crc32c("", 0), 0);
}

static void events_of_threads_are_merged_by_time(void **state)
{
    struct trace_file_reader reader;
    struct output o;
    size_t size;
    uint8_t *bytes;

    (void)state;
    begin(&o, 0);
    add(&o, 11, 1000, 0, 1);
    add(&o, 11, 3000, 1, 3);
    add(&o, 12, 2000, 2, 2);
    flush(&o);
    add(&o, 12, 4000, TRACE_FILE_CPU_UNKNOWN, 4);
    add(&o, 11, 5000000000000, 1, 5); /* more than a record's time can express */
    add(&o, 11, 5000000000001, 1, 6);
    bytes = end(&o, &size);
    assert_int_equal(open_bytes(&reader, bytes, size), 0);
    expect(&reader, 11, 1000, 0, 1);
    expect(&reader, 12, 2000, 2, 2);
    expect(&reader, 11, 3000, 1, 3);
    expect(&reader, 12, 4000, TRACE_FILE_CPU_UNKNOWN, 4);
    expect(&reader, 11, 5000000000000, 1, 5);
    expect(&reader, 11, 5000000000001, 1, 6);
    expect_end(&reader, ENODATA);
    free(bytes);
}

static void a_thread_may_pause_and_change_processors(void **state)
{
    struct trace_file_reader reader;
    struct output o;
    size_t size;
    uint8_t *bytes;

    (void)state;
    begin(&o, 0);
    for (uint32_t n = 0; n < 10; n++)
        add(&o, 11, 1000 + n * UINT64_C(3000000000), n / 3, n);
    bytes = end(&o, &size);
    assert_int_equal(open_bytes(&reader, bytes, size), 0);
    for (uint32_t n = 0; n < 10; n++)
        expect(&reader, 11, 1000 + n * UINT64_C(3000000000), n / 3, n);
    expect_end(&reader, ENODATA);
    free(bytes);
}

static void large_events_are_long_records(void **state)
{
    static const size_t sizes[] = {4, 65527, 65528, 65535, 65536, 1000000, 4};
    struct trace_file_reader reader;
    struct trace_file_event event;
    struct output o;
    size_t size;
    uint8_t *bytes;

    (void)state;
    begin(&o, 0);
    for (uint32_t n = 0; n < sizeof(sizes) / sizeof(*sizes); n++)
        add_sized(&o, 11, 1000 + n, 0, n, sizes[n]);
    bytes = end(&o, &size);
    assert_int_equal(open_bytes(&reader, bytes, size), 0);
    for (uint32_t n = 0; n < sizeof(sizes) / sizeof(*sizes); n++) {
        assert_int_equal(trace_file_reader_next(&reader, &event), 0);
        assert_int_equal(number_of(&event), n);
        assert_int_equal(event.payload_bytes, sizes[n]);
    }
    expect_end(&reader, ENODATA);
    free(bytes);
}

static void names_are_those_of_the_time(void **state)
{
    struct trace_file_reader reader;
    struct trace_file_event event;
    struct output o;
    size_t size;
    uint8_t *bytes;

    (void)state;
    begin(&o, 0);
    trace_file_put_name(&o.tables, &(struct trace_file_name){2000, 1, 11, "runner"});
    trace_file_put_name(&o.tables, &(struct trace_file_name){1000, 1, 11, "walker"});
    add(&o, 11, 999, 0, 0);
    add(&o, 11, 1000, 0, 1);
    add(&o, 11, 2000, 0, 2);
    bytes = end(&o, &size);
    assert_int_equal(open_bytes(&reader, bytes, size), 0);
    assert_int_equal(trace_file_reader_next(&reader, &event), 0);
    assert_null(trace_file_reader_name(&reader, &event));
    assert_int_equal(trace_file_reader_next(&reader, &event), 0);
    assert_string_equal(trace_file_reader_name(&reader, &event), "walker");
    assert_int_equal(trace_file_reader_next(&reader, &event), 0);
    assert_string_equal(trace_file_reader_name(&reader, &event), "runner");
    expect_end(&reader, ENODATA);
    free(bytes);
}

static void counters_become_times_by_the_rates_of_their_pairs(void **state)
{
    static const struct trace_file_clock_pair pairs[] = {
        {0, TRACE_FILE_COUNTER_CYCLES, 1, 1000, 50000, 7000000, 1, UINT64_C(1) << 31},
        {0, TRACE_FILE_COUNTER_CYCLES, 1, 2000, 50500, 7000500, 1, UINT64_C(3) << 30},
        {7, TRACE_FILE_COUNTER_CYCLES, 1, 1500, 9, 0, 1, UINT64_C(1) << 32},
    };
    struct trace_file_tables_writer tables = {0};
    struct trace_file_clocks clocks = {0};

    (void)state;
    for (size_t n = 0; n < sizeof(pairs) / sizeof(*pairs); n++)
        trace_file_put_clock(&tables, &pairs[n]);
    assert_int_equal(
        trace_file_clocks_add(&clocks, core_cursor(tables.clocks.data, tables.clocks.size, false)),
        0);
    assert_int_equal(trace_file_clocks_time(&clocks, 0, 1000), 50000);
    assert_int_equal(trace_file_clocks_time(&clocks, 0, 1999), 50499);
    assert_int_equal(trace_file_clocks_time(&clocks, 0, 2000), 50500);
    assert_int_equal(trace_file_clocks_time(&clocks, 0, 2004), 50503);
    assert_int_equal(trace_file_clocks_time(&clocks, 0, 900), 49950); /* before the first: by it */
    assert_int_equal(trace_file_clocks_time(&clocks, 7, 1501), 10);
    tables.clocks.data[7 * 8 - 1] = 0x40; /* the first rate is 2^62 at most: */
    assert_int_equal(
        trace_file_clocks_add(&clocks, core_cursor(tables.clocks.data, tables.clocks.size, false)),
        EBADMSG);
    trace_file_clocks_free(&clocks);
    trace_file_tables_writer_free(&tables);
}

static void counters_become_times_by_interpolation(void **state)
{
    static const struct trace_file_clock_pair pairs[] = {
        {0, TRACE_FILE_COUNTER_CYCLES, 1, 1000, 50000, 7000000, 1, 0},
        {0, TRACE_FILE_COUNTER_CYCLES, 1, 2000, 50500, 7000600, 1, 0},
        {0, TRACE_FILE_COUNTER_CYCLES, 1, 4000, 52500, 7002600, 1, 0},
        {3, TRACE_FILE_COUNTER_CYCLES, 1, 0, 9, 0, 1, 0},
    };
    struct trace_file_tables_writer tables = {0};
    struct trace_file_clocks clocks = {0};
    struct trace_file_day day = {0};
    uint64_t wall_ns = 0;

    (void)state;
    for (size_t n = 0; n < sizeof(pairs) / sizeof(*pairs); n++)
        trace_file_put_clock(&tables, &pairs[n]);
    assert_int_equal(
        trace_file_clocks_add(&clocks, core_cursor(tables.clocks.data, tables.clocks.size, false)),
        0);
    assert_int_equal(trace_file_clocks_time(&clocks, 0, 1000), 50000);
    assert_int_equal(trace_file_clocks_time(&clocks, 0, 1500), 50250);
    assert_int_equal(trace_file_clocks_time(&clocks, 0, 3000), 51500);
    assert_int_equal(trace_file_clocks_time(&clocks, 0, 0), 49500);
    assert_int_equal(trace_file_clocks_time(&clocks, 0, 5000), 53500);
    assert_int_equal(trace_file_clocks_time(&clocks, 3, 77), 9);
    assert_int_equal(trace_file_clocks_time(&clocks, 4, 77), 77);
    assert_true(trace_file_clocks_wall(&clocks, 0, 50600, &day, &wall_ns));
    assert_int_equal(wall_ns, 7000700);
    assert_false(trace_file_clocks_wall(&clocks, 3, 9, &day, &wall_ns));
    trace_file_clocks_free(&clocks);
    trace_file_tables_writer_free(&tables);
}

/* A file with several blocks of events; 3 events in each. */
static uint8_t *small_file(int level, size_t *ret_size, uint32_t *ret_events)
{
    struct output o;

    begin(&o, level);
    trace_file_put_host(&o.tables, &(struct cairn_perf_host){.hostname = "a", .arch = "b"});
    trace_file_put_clock(&o.tables, &(struct trace_file_clock_pair){.clockid = 1});
    trace_file_put_name(&o.tables, &(struct trace_file_name){0, 1, 11, "walker"});
    for (uint32_t n = 0; n < 12; n++) {
        add(&o, 11 + n % 2, 1000 + n, 0, n);
        if (n % 3 == 2)
            flush(&o);
    }
    trace_file_put_missing(&o.tables, &(struct cairn_perf_missing){.lost = {4}});
    *ret_events = 12;
    return end(&o, ret_size);
}

static void check_cuts(int level)
{
    uint32_t all;
    uint32_t events;
    uint32_t most = 0;
    size_t size;
    uint8_t *bytes = small_file(level, &size, &all);

    assert_int_equal(read_all(bytes, size, &events), ENODATA);
    assert_int_equal(events, all);
    for (size_t cut = 0; cut < size; cut++) {
        uint8_t *copy = (uint8_t *)malloc(cut ? cut : 1);

        memcpy(copy, bytes, cut);
        assert_int_equal(read_all(copy, cut, &events), EBADMSG);
        assert_true(events >= most); /* a longer file has no fewer events */
        most = events;
        free(copy);
    }
    assert_int_equal(most, all);
    free(bytes);
}

static void a_cut_file_is_read_up_to_the_cut(void **state)
{
    (void)state;
    check_cuts(0);
    if (trace_file_pack_is_supported())
        check_cuts(3);
}

static void a_cut_file_on_a_disk_is_read_up_to_the_cut(void **state)
{
    is_in_file = true;
    a_cut_file_is_read_up_to_the_cut(state);
    is_in_file = false;
}

/* Four blocks of ten events, which are larger than what is read ahead. The file becomes shorter
 * when its beginning was read: then two blocks are whole. */
static void check_shrinking(bool with_range)
{
    struct perf_data_block_pool pool = {0};
    struct perf_data_source source;
    struct trace_file_reader reader;
    struct trace_file_event event;
    struct output o;
    uint32_t events = 0;
    uint8_t *bytes;
    size_t size;
    int err;
    int fd;

    begin(&o, 0);
    for (uint32_t n = 0; n < 40; n++) {
        add_sized(&o, 11, 1000 + n, 0, n, 10000);
        if (n % 10 == 9)
            flush(&o);
    }
    bytes = end(&o, &size);
    fd = map_file(&source, bytes, size);
    assert_int_equal(trace_file_reader_begin(&reader, &source, &pool), 0);
    assert_int_equal(ftruncate(fd, (off_t)(size / 8 * 5)), 0);
    if (with_range)
        assert_int_equal(trace_file_reader_set_range(&reader, 0, UINT64_MAX), 0);
    while (!(err = trace_file_reader_next(&reader, &event)))
        assert_int_equal(number_of(&event), events++);
    assert_int_equal(err, EBADMSG);
    assert_int_equal(events, 20);
    trace_file_reader_end(&reader);
    close(fd);
    free(bytes);
}

static void a_file_that_becomes_shorter_is_read_up_to_its_end(void **state)
{
    (void)state;
    check_shrinking(false);
    check_shrinking(true);
}

static void check_flips(int level)
{
    uint32_t all;
    uint32_t events;
    size_t size;
    uint8_t *bytes = small_file(level, &size, &all);

    for (size_t bit = 0; bit < 8 * size; bit++) {
        int err;

        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        err = read_all(bytes, size, &events);
        assert_true(err == EBADMSG || err == EOPNOTSUPP);
        if (bit >= 8 * TRACE_FILE_PROLOG_BYTES) /* the rest is read: without it at most a block */
            assert_true(events >= all - 3 || events == 0);
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    free(bytes);
}

static void every_flipped_bit_is_noticed(void **state)
{
    (void)state;
    check_flips(0);
    if (trace_file_pack_is_supported())
        check_flips(3);
}

/* ---- records as programs wrote them ---- */

#define OWN_ID 40u /* of descriptor 1, in the program */

static void copy_record(struct trace_file_copies *copies, uint64_t counter, uint64_t time_ns,
                        uint32_t number)
{
    struct trace_file_count_position place = {0};
    uint8_t *to = trace_file_copies_room(copies, 12);

    assert_non_null(to);
    core_record_put_head(to, OWN_ID, 12, (uint32_t)(counter - copies->head.base));
    memcpy(to + CORE_RECORD_HEAD_BYTES, &number, sizeof(number));
    trace_file_copies_add(copies, &(struct trace_file_copied){.size_bytes = 12,
                                                              .events = 1,
                                                              .first = counter,
                                                              .last = counter,
                                                              .first_ns = time_ns,
                                                              .last_ns = time_ns});
    trace_file_copies_count(copies, &place, 1, 1);
}

/* A piece with the counter of a line with half a ns for a count, and one with ns. */
static uint8_t *copied_file(size_t *ret_size)
{
    struct trace_file_copies copies;
    struct output o;

    begin(&o, 0);
    trace_file_put_clock(&o.tables,
                         &(struct trace_file_clock_pair){.counter_kind = TRACE_FILE_COUNTER_CYCLES,
                                                         .clockid = 1,
                                                         .counter = 1000,
                                                         .time_ns = 5000,
                                                         .rate = UINT64_C(1) << 31});
    trace_file_put_id(&o.tables, 1, OWN_ID, 1);
    trace_file_copies_begin(&copies, &o.writer, &o.tables);
    trace_file_copies_piece(&copies,
                            &(struct trace_file_piece_head){.process = 1, .tid = 11, .base = 900});
    copy_record(&copies, 1010, 5005, 0);
    copy_record(&copies, 1030, 5015, 2);
    trace_file_copies_piece(&copies, &(struct trace_file_piece_head){.process = 1});
    trace_file_copies_piece(
        &copies,
        &(struct trace_file_piece_head){
            .process = 1, .tid = 12, .cpu = 3, .flags = TRACE_FILE_PIECE_NS, .base = 5000});
    copy_record(&copies, 5010, 5010, 1);
    trace_file_copies_end_piece(&copies);
    assert_int_equal(trace_file_copies_waiting(&copies), 3);
    assert_int_equal(copies.latest_ns, 5015);
    assert_int_equal(trace_file_copies_flush(&copies), 0);
    assert_int_equal(trace_file_copies_flush(&copies), 0); /* nothing more */
    assert_int_equal(copies.unstored, 0);
    trace_file_copies_free(&copies);
    return end(&o, ret_size);
}

static void copied_records_have_the_descriptors_and_times_of_their_process(void **state)
{
    struct trace_file_reader reader;
    size_t size;
    uint8_t *bytes = copied_file(&size);

    (void)state;
    assert_int_equal(open_bytes(&reader, bytes, size), 0);
    expect(&reader, 11, 5005, 0, 0);
    expect(&reader, 12, 5010, 3, 1);
    expect(&reader, 11, 5015, 0, 2);
    expect_end(&reader, ENODATA);
    free(bytes);
}

static void every_flipped_bit_of_a_copied_file_is_noticed(void **state)
{
    uint32_t events;
    size_t size;
    uint8_t *bytes = copied_file(&size);

    (void)state;
    assert_int_equal(read_all(bytes, size, &events), ENODATA);
    assert_int_equal(events, 3);
    for (size_t bit = 0; bit < 8 * size; bit++) {
        int err;

        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        err = read_all(bytes, size, &events);
        assert_true(err == EBADMSG || err == EOPNOTSUPP);
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    for (size_t cut = 0; cut < size; cut++)
        assert_int_equal(read_all(bytes, cut, &events), EBADMSG);
    free(bytes);
}

/* Any contents with a right checksum: no reader goes beyond them. */
static void any_byte_of_a_copied_piece_may_be_wrong(void **state)
{
    size_t size;
    uint8_t *bytes = copied_file(&size);

    (void)state;
    for (size_t at = TRACE_FILE_PROLOG_BYTES; at + TRACE_FILE_BLOCK_HEADER_BYTES < size;) {
        uint32_t stored;

        memcpy(&stored, bytes + at + 8, sizeof(stored));
        for (size_t n = 0; n < 8 * (size_t)stored; n++) {
            uint8_t *contents = bytes + at + TRACE_FILE_BLOCK_HEADER_BYTES;
            struct trace_file_reader reader;
            struct trace_file_event event;
            uint32_t crc;

            contents[n / 8] ^= (uint8_t)(1u << n % 8);
            crc = trace_file_crc32c(contents, stored);
            memcpy(bytes + at + 16, &crc, sizeof(crc));
            crc = trace_file_crc32c(bytes + at, 28);
            memcpy(bytes + at + 28, &crc, sizeof(crc));
            if (!open_bytes(&reader, bytes, size)) {
                for (int events = 0; events < 10 && !trace_file_reader_next(&reader, &event);)
                    events++;
                trace_file_reader_end(&reader);
            }
            contents[n / 8] ^= (uint8_t)(1u << n % 8);
        }
        at += TRACE_FILE_BLOCK_HEADER_BYTES + ((stored + 7u) & ~7u);
    }
    free(bytes);
}

static void a_missing_block_is_noticed(void **state)
{
    uint32_t all;
    uint32_t events;
    uint32_t stored;
    size_t size;
    size_t at = TRACE_FILE_PROLOG_BYTES;
    uint8_t *bytes = small_file(0, &size, &all);
    size_t block_bytes;

    (void)state;
    for (;; at += block_bytes) { /* the first of events */
        uint16_t type;

        memcpy(&type, bytes + at + 4, sizeof(type));
        memcpy(&stored, bytes + at + 8, sizeof(stored));
        block_bytes = TRACE_FILE_BLOCK_HEADER_BYTES + ((stored + 7u) & ~7u);
        if (type == TRACE_FILE_EVENTS)
            break;
    }
    memmove(bytes + at, bytes + at + block_bytes, size - at - block_bytes);
    assert_int_equal(read_all(bytes, size - block_bytes, &events), EBADMSG);
    assert_int_equal(events, all - 3);
    free(bytes);
}

static void a_stream_is_read_round_by_round(void **state)
{
    struct trace_file_reader reader;
    struct trace_file_event event;
    struct perf_data_block_pool pool = {0};
    struct perf_data_source source;
    uint32_t events = 0;
    uint32_t pauses = 0;
    uint32_t all;
    size_t size;
    uint8_t *bytes = small_file(0, &size, &all);
    int fds[2];
    int err;

    (void)state;
    assert_int_equal(pipe(fds), 0);
    assert_int_equal(write(fds[1], bytes, size), size);
    close(fds[1]);
    assert_int_equal(perf_data_source_open_fd(&source, fds[0], NULL), 0);
    assert_int_equal(trace_file_reader_begin(&reader, &source, &pool), 0);
    while ((err = trace_file_reader_next(&reader, &event)) != ENODATA) {
        assert_true(err == 0 || err == EAGAIN);
        pauses += err == EAGAIN;
        events += err == 0;
        assert_true(err != EAGAIN || events == 3 * pauses);
    }
    assert_int_equal(events, all);
    assert_int_equal(pauses, 4);
    assert_int_equal(trace_file_reader_lost(&reader), 4);
    trace_file_reader_end(&reader);
    close(fds[0]);
    free(bytes);
}

static void a_full_disk_is_an_error(void **state)
{
    struct output o;
    int full = open("/dev/full", O_WRONLY);

    (void)state;
    begin(&o, 0);
    close(o.fd);
    o.fd = o.writer.fd = full;
    add(&o, 11, 1000, 0, 1);
    assert_int_equal(trace_file_pieces_flush(&o.pieces), ENOSPC);
    assert_int_equal(trace_file_writer_finish(&o.writer), ENOSPC);
    trace_file_pieces_free(&o.pieces);
    trace_file_tables_writer_free(&o.tables);
    trace_file_writer_free(&o.writer);
    close(full);
}

/* ---- the index ---- */

/* Reads the events of a range. Returns the error that ended it. */
static int read_range(const uint8_t *bytes, size_t size, uint64_t since_ns, uint64_t until_ns,
                      uint32_t *ret_events, bool *ret_indexed)
{
    struct trace_file_reader reader;
    struct trace_file_event event;
    int err = open_bytes(&reader, bytes, size);

    *ret_events = 0;
    err = err ? err : trace_file_reader_set_range(&reader, since_ns, until_ns);
    while (!err) {
        err = trace_file_reader_next(&reader, &event);
        if (!err) {
            assert_in_range(event.time_ns, since_ns, until_ns);
            ++*ret_events;
        }
    }
    *ret_indexed = reader.index.count != 0;
    trace_file_reader_end(&reader);
    return err;
}

static uint64_t count_all(const uint8_t *bytes, size_t size, int *ret_err)
{
    struct trace_file_counts counts = {0};
    struct trace_file_reader reader;
    uint64_t events = 0;

    *ret_err = open_bytes(&reader, bytes, size);
    if (!*ret_err)
        *ret_err = trace_file_count(&reader.blocks, &counts);
    for (uint32_t n = 0; n < counts.tables.descriptor_count; n++)
        events += counts.events[n];
    trace_file_counts_free(&counts);
    trace_file_reader_end(&reader);
    return events;
}

/* Turns a bit in the block that has the event at this time: 3 events in a block. */
static void spoil_block(uint8_t *bytes, size_t size, uint32_t number)
{
    struct trace_file_reader reader;

    assert_int_equal(open_bytes(&reader, bytes, size), 0);
    assert_int_equal(trace_file_index_read(&reader.blocks, &reader.index), 0);
    for (uint64_t n = 0; n < reader.index.count; n++) {
        if (reader.index.entries[n].type == TRACE_FILE_EVENTS && !number--)
            bytes[reader.index.entries[n].offset + TRACE_FILE_BLOCK_HEADER_BYTES] ^= 1;
    }
    trace_file_reader_end(&reader);
}

static void a_range_is_read_without_the_rest(void **state)
{
    bool is_indexed;
    uint32_t all;
    uint32_t events;
    size_t size;
    uint8_t *bytes = small_file(0, &size, &all);

    (void)state;
    assert_int_equal(read_range(bytes, size, 0, UINT64_MAX, &events, &is_indexed), ENODATA);
    assert_int_equal(events, all);
    assert_true(is_indexed);
    spoil_block(bytes, size, 0); /* which the range does not need */
    assert_int_equal(read_range(bytes, size, 1004, 1007, &events, &is_indexed), ENODATA);
    assert_int_equal(events, 4);
    assert_int_equal(read_range(bytes, size, 1012, 2000, &events, &is_indexed), ENODATA);
    assert_int_equal(events, 0);
    assert_int_equal(read_range(bytes, size, 1001, 1004, &events, &is_indexed), EBADMSG);
    assert_int_equal(events, 2);
    free(bytes);
}

/* Reads ranges of some ns, one after the other. Returns the number of their events. */
static uint32_t read_ranges(const uint8_t *bytes, size_t size, uint64_t step_ns, int *ret_err)
{
    struct trace_file_reader reader;
    struct trace_file_event event;
    uint32_t events = 0;
    int err = open_bytes(&reader, bytes, size);

    *ret_err = ENODATA;
    for (uint64_t at = 0; !err; at = at ? at + step_ns : 1001) {
        uint64_t until_ns = at > 1012 ? UINT64_MAX : at ? at + step_ns - 1 : 1000;

        err = trace_file_reader_set_range(&reader, at, until_ns);
        while (!err) {
            err = trace_file_reader_next(&reader, &event);
            if (!err)
                assert_in_range(event.time_ns, at, until_ns);
            events += !err;
        }
        *ret_err = err;
        err = until_ns < UINT64_MAX && (err == ENODATA || err == EBADMSG) ? 0 : err;
    }
    trace_file_reader_end(&reader);
    return events;
}

static void ranges_have_each_event_once(void **state)
{
    uint32_t all;
    size_t size;
    uint8_t *bytes = small_file(0, &size, &all);
    int err;

    (void)state;
    for (uint64_t step_ns = 1; step_ns < 8; step_ns++) {
        assert_int_equal(read_ranges(bytes, size, step_ns, &err), all);
        assert_int_equal(err, ENODATA);
    }
    spoil_block(bytes, size, 1);
    for (uint64_t step_ns = 1; step_ns < 8; step_ns++) {
        assert_int_equal(read_ranges(bytes, size, step_ns, &err), all - 3);
        assert_int_equal(err, EBADMSG);
    }
    free(bytes);
}

static void parts_are_the_whole_range(void **state)
{
    struct trace_file_reader reader;
    struct trace_file_parts parts;
    struct trace_file_range range;
    uint64_t from_ns = 1003;
    uint32_t all;
    size_t size;
    uint8_t *bytes = small_file(0, &size, &all);

    (void)state;
    assert_int_equal(open_bytes(&reader, bytes, size), 0);
    assert_int_equal(trace_file_reader_set_range(&reader, from_ns, 1010), 0);
    for (uint64_t n = 0; n < reader.index.count; n++)
        reader.index.entries[n].plain_bytes = TRACE_FILE_BLOCK_MAX_BYTES; /* many parts */
    trace_file_parts_begin(&parts, &reader);
    while (trace_file_parts_next(&parts, &range)) {
        assert_int_equal(range.since_ns, from_ns);
        assert_true(range.until_ns >= range.since_ns);
        from_ns = range.until_ns + 1;
    }
    assert_int_equal(from_ns, 1011);
    trace_file_reader_end(&reader);
    free(bytes);
}

/* Blocks that follow each other without a pause are not read for the part before or after theirs.
 */
static void parts_of_blocks_in_order_read_each_once(void **state)
{
    struct trace_file_index_entry entries[8];
    struct trace_file_reader reader = {.until_ns = UINT64_MAX,
                                       .index = {.entries = entries, .count = 8}};
    struct trace_file_parts parts;
    struct trace_file_range range;
    uint32_t read = 0;

    (void)state;
    for (uint32_t n = 0; n < 8; n++) {
        entries[n] = (struct trace_file_index_entry){
            .type = TRACE_FILE_EVENTS,
            .events = 20000, /* of one part */
            .first_ns = 1000000 * (n + 1) + 20,
            .last_ns = 1000000 * (n + 2),
        };
    }
    reader.later_ns = trace_file_index_later_ns(&reader.index, false);
    assert_non_null(reader.later_ns);
    trace_file_parts_begin(&parts, &reader);
    while (trace_file_parts_next(&parts, &range)) {
        for (uint32_t n = 0; n < 8; n++)
            read += entries[n].last_ns + 4 >= range.since_ns &&
                    entries[n].first_ns <= trace_file_time_after(range.until_ns, 4);
    }
    assert_int_equal(read, 8);
    free(reader.later_ns);
}

/* Reads a file by parts of its blocks. Returns the number of events; *ret_parts: of parts. */
static uint32_t read_by_blocks(const uint8_t *bytes, size_t size, uint32_t *ret_parts, int *ret_err)
{
    struct trace_file_reader whole;
    struct trace_file_reader reader;
    struct trace_file_event event;
    struct trace_file_parts parts;
    struct trace_file_range range;
    uint32_t events = 0;
    int err;

    assert_int_equal(open_bytes(&whole, bytes, size), 0);
    assert_int_equal(open_bytes(&reader, bytes, size), 0);
    assert_int_equal(trace_file_reader_set_range(&whole, 0, UINT64_MAX), 0);
    for (uint64_t n = 0; n < whole.index.count; n++)
        whole.index.entries[n].plain_bytes = TRACE_FILE_BLOCK_MAX_BYTES; /* many parts */
    trace_file_parts_begin(&parts, &whole);
    parts.by_blocks = true;
    *ret_parts = 0;
    *ret_err = ENODATA;
    while (trace_file_parts_next(&parts, &range)) {
        assert_int_equal(trace_file_reader_set_range(&reader, range.since_ns, range.until_ns), 0);
        trace_file_reader_set_entries(&reader, range.first_entry, range.end_entry);
        while (!(err = trace_file_reader_next(&reader, &event)))
            events++;
        *ret_err = err == ENODATA ? *ret_err : err;
        ++*ret_parts;
    }
    trace_file_reader_end(&reader);
    trace_file_reader_end(&whole);
    return events;
}

static void parts_by_blocks_have_each_event_once(void **state)
{
    uint32_t all;
    uint32_t parts;
    size_t size;
    uint8_t *bytes = small_file(0, &size, &all);
    int err;

    (void)state;
    assert_int_equal(read_by_blocks(bytes, size, &parts, &err), all);
    assert_int_equal(err, ENODATA);
    assert_true(parts >= 4);
    spoil_block(bytes, size, 1);
    assert_int_equal(read_by_blocks(bytes, size, &parts, &err), all - 3);
    assert_int_equal(err, EBADMSG);
    free(bytes);
}

static void a_cut_file_has_ranges_and_counts(void **state)
{
    bool is_indexed;
    uint32_t all;
    uint32_t events;
    uint32_t in_range;
    size_t size;
    uint8_t *bytes = small_file(0, &size, &all);

    (void)state;
    for (size_t cut = 0; cut < size; cut++) {
        uint8_t *copy = (uint8_t *)malloc(cut ? cut : 1);
        int err;

        memcpy(copy, bytes, cut);
        read_all(copy, cut, &events);
        assert_int_equal(read_range(copy, cut, 1003, 1008, &in_range, &is_indexed), EBADMSG);
        assert_false(is_indexed);
        assert_int_equal(in_range, events < 3 ? 0 : events > 9 ? 6 : events - 3);
        assert_int_equal(count_all(copy, cut, &err), events);
        assert_int_equal(err, EBADMSG);
        free(copy);
    }
    free(bytes);
}

static void a_flipped_bit_of_the_index_costs_no_event(void **state)
{
    bool is_indexed;
    uint32_t all;
    uint32_t events;
    size_t size;
    uint8_t *bytes = small_file(0, &size, &all);
    uint64_t first;

    (void)state;
    memcpy(&first, bytes + size - 16, sizeof(first));
    for (size_t bit = 8 * first; bit < 8 * size; bit++) {
        int err;

        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_int_equal(read_range(bytes, size, 1003, 1008, &events, &is_indexed), EBADMSG);
        assert_int_equal(events, 6);
        assert_false(is_indexed);
        assert_int_equal(count_all(bytes, size, &err), all);
        assert_int_equal(err, EBADMSG);
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    assert_int_equal(count_all(bytes, size, &(int){0}), all);
    free(bytes);
}

/* Writes a block whose entry in the index is another one's. */
static uint8_t *lying_file(const struct trace_file_extent *lie, size_t *ret_size)
{
    struct output o;
    size_t size;
    uint8_t *bytes;
    uint32_t all;
    struct trace_file_index index = {0};
    struct trace_file_reader reader;

    bytes = small_file(0, &size, &all);
    assert_int_equal(open_bytes(&reader, bytes, size), 0);
    assert_int_equal(trace_file_index_read(&reader.blocks, &index), 0);
    begin(&o, 0);
    for (uint64_t n = 0; n < index.count; n++) {
        const struct trace_file_index_entry *entry = &index.entries[n];
        struct cairn_bytes contents = {.data =
                                           bytes + entry->offset + TRACE_FILE_BLOCK_HEADER_BYTES,
                                       .size = entry->plain_bytes};

        assert_int_equal(trace_file_writer_block(&o.writer, (enum trace_file_block_type)entry->type,
                                                 &contents,
                                                 entry->type == TRACE_FILE_EVENTS ? lie : NULL),
                         0);
    }
    trace_file_index_free(&index);
    trace_file_reader_end(&reader);
    free(bytes);
    trace_file_tables_writer_free(&o.tables);
    return end(&o, ret_size);
}

static void an_index_that_contradicts_itself_is_not_used(void **state)
{
    static const struct trace_file_extent lie = {.first_ns = 0, .last_ns = 1, .events = 77};
    bool is_indexed;
    uint32_t events;
    size_t size;
    uint8_t *bytes = lying_file(&lie, &size); /* no counts of its events */

    (void)state;
    assert_int_equal(read_range(bytes, size, 1003, 1008, &events, &is_indexed), EBADMSG);
    assert_int_equal(events, 6);
    assert_false(is_indexed);
    free(bytes);
}

static void an_index_with_other_numbers_is_found_out(void **state)
{
    struct cairn_bytes counts = {0};
    struct trace_file_extent lie = {
        .first_ns = 1000, .last_ns = 1011, .events = 4, .count_entries = 1};
    bool is_indexed;
    uint32_t events;
    int err;
    size_t size;
    uint8_t *bytes;

    (void)state;
    perf_data_bytes_put_u32(&counts, 1);
    perf_data_bytes_put_u32(&counts, 1);
    perf_data_bytes_put_u64(&counts, 4);
    lie.counts = counts;
    bytes = lying_file(&lie, &size);
    assert_int_equal(read_range(bytes, size, 1003, 1008, &events, &is_indexed), EBADMSG);
    assert_int_equal(events, 6);
    assert_false(is_indexed);
    assert_int_equal(read_all(bytes, size, &events), EBADMSG);
    assert_int_equal(events, 12);
    assert_int_equal(read_by_blocks(bytes, size, &(uint32_t){0}, &err), 12);
    assert_int_equal(err, EBADMSG);
    perf_data_bytes_free(&counts);
    free(bytes);
}

static void the_index_limits_how_many_blocks_are_held(void **state)
{
    struct trace_file_reader reader;
    struct trace_file_event event;
    struct output o;
    uint8_t *bytes;
    size_t size;

    (void)state;
    begin(&o, 0);
    for (uint32_t n = 0; n < 20; n++) { /* without rounds */
        add(&o, 11, UINT64_C(100000000) * n, 0, n);
        flush(&o);
    }
    bytes = end(&o, &size);
    assert_int_equal(open_bytes(&reader, bytes, size), 0);
    for (uint32_t n = 0; n < 20; n++) {
        assert_int_equal(trace_file_reader_next(&reader, &event), 0);
        assert_int_equal(event.time_ns, UINT64_C(100000000) * n);
        assert_in_range(reader.heap_count, 1, 2);
    }
    assert_int_equal(trace_file_reader_next(&reader, &event), ENODATA);
    trace_file_reader_end(&reader);
    free(bytes);
}

/* ---- repair ---- */

static int examine(const uint8_t *bytes, size_t size, struct trace_file_repair *repair)
{
    struct perf_data_source source = {
        .map = size ? bytes : (const uint8_t *)"", .map_bytes = size, .end = size, .fd = -1};
    struct perf_data_block_pool pool = {0};

    return trace_file_repair_examine(&source, &pool, repair);
}

static bool can_append(const uint8_t *bytes, size_t size)
{
    struct trace_file_repair repair;
    bool is_possible;

    assert_int_equal(examine(bytes, size, &repair), 0);
    is_possible = repair.can_append;
    trace_file_repair_free(&repair);
    return is_possible;
}

/* Repairs a file, in place if that is possible. Returns the number of its events; -1: it is no
 * trace file. */
static int repair_bytes(const uint8_t *bytes, size_t size, bool *ret_damaged)
{
    struct trace_file_repair repair;
    int fd = memfd_create("repaired", 0);
    int err = examine(bytes, size, &repair);
    uint8_t *whole;
    uint32_t events;
    uint64_t counted;
    size_t whole_size;

    assert_true(fd >= 0);
    if (!err && repair.can_append) {
        assert_int_equal(write(fd, bytes, size), size);
        assert_int_equal(trace_file_repair_append(&repair, fd), 0);
    } else if (!err) {
        assert_int_equal(trace_file_repair_copy(&repair, fd), 0);
    }
    *ret_damaged = repair.damage_count != 0;
    counted = repair.events - repair.undescribed;
    trace_file_repair_free(&repair);
    whole_size = (size_t)lseek(fd, 0, SEEK_END);
    whole = (uint8_t *)malloc(whole_size + 1);
    assert_int_equal(pread(fd, whole, whole_size, 0), whole_size);
    close(fd);
    if (!err) {
        assert_int_equal(read_all(whole, whole_size, &events), ENODATA);
        assert_int_equal(counted, events);
        assert_int_equal(examine(whole, whole_size, &repair), 0);
        assert_true(repair.is_whole);
        trace_file_repair_free(&repair);
    }
    free(whole);
    return err ? -1 : (int)events;
}

static void a_whole_file_needs_no_repair(void **state)
{
    struct trace_file_repair repair;
    uint32_t all;
    size_t size;
    uint8_t *bytes = small_file(0, &size, &all);

    (void)state;
    assert_int_equal(examine(bytes, size, &repair), 0);
    assert_true(repair.is_whole);
    assert_int_equal(repair.events, all);
    trace_file_repair_free(&repair);
    free(bytes);
}

static void a_file_cut_anywhere_is_repaired(void **state)
{
    uint32_t all;
    uint32_t events;
    size_t size;
    uint8_t *bytes = small_file(0, &size, &all);

    (void)state;
    for (size_t cut = 0; cut < size; cut++) {
        uint8_t *copy = (uint8_t *)malloc(cut ? cut : 1);
        bool is_damaged;

        memcpy(copy, bytes, cut);
        read_all(copy, cut, &events);
        assert_int_equal(repair_bytes(copy, cut, &is_damaged),
                         cut < TRACE_FILE_PROLOG_BYTES ? -1 : (int)events);
        if (cut >= TRACE_FILE_PROLOG_BYTES)
            assert_true(can_append(copy, cut));
        free(copy);
    }
    free(bytes);
}

static void a_file_with_a_byte_inserted_anywhere_loses_at_most_one_block(void **state)
{
    uint32_t all;
    uint32_t events;
    size_t size;
    uint8_t *bytes = small_file(0, &size, &all);
    uint8_t *copy = (uint8_t *)malloc(size + 1);
    bool is_damaged;

    (void)state;
    for (size_t at = TRACE_FILE_PROLOG_BYTES; at <= size; at++) {
        memcpy(copy, bytes, at);
        copy[at] = 'x';
        memcpy(copy + at + 1, bytes + at, size - at);
        assert_int_equal(read_all(copy, size + 1, &events), EBADMSG);
        assert_true(events >= all - 3 || events == 0);
        assert_int_equal(repair_bytes(copy, size + 1, &is_damaged), events);
        assert_true(is_damaged);
    }
    free(copy);
    free(bytes);
}

static void a_file_with_a_byte_missing_anywhere_loses_at_most_one_block(void **state)
{
    uint32_t all;
    uint32_t events;
    uint32_t of_stream;
    size_t size;
    uint8_t *bytes = small_file(0, &size, &all);
    uint8_t *copy = (uint8_t *)malloc(size);
    bool is_damaged;

    (void)state;
    for (size_t at = TRACE_FILE_PROLOG_BYTES; at < size; at++) {
        memcpy(copy, bytes, at);
        memcpy(copy + at, bytes + at + 1, size - at - 1);
        assert_int_equal(read_all(copy, size - 1, &events), EBADMSG);
        assert_true(events >= all - 3 || events == 0);
        if (at % 8 == 0) {
            assert_int_equal(read_stream(copy, size - 1, &of_stream), EBADMSG);
            assert_int_equal(of_stream, events);
        }
        assert_int_equal(repair_bytes(copy, size - 1, &is_damaged), events);
        assert_true(is_damaged);
    }
    free(copy);
    free(bytes);
}

/* Blocks are larger than what is read at once. */
static void a_large_block_with_a_byte_missing_costs_only_its_own_events(void **state)
{
    struct output o;
    uint32_t events;
    size_t size;
    uint8_t *bytes;

    (void)state;
    begin(&o, 0);
    for (uint32_t n = 0; n < 20; n++) {
        add_sized(&o, 11, 1000 + n, 0, n, n % 2 ? 40 : 1000000);
        flush(&o);
    }
    bytes = end(&o, &size);
    for (size_t at = 1000000; at < size - 1000000; at += 3000000) {
        uint8_t *copy = (uint8_t *)malloc(size);

        memcpy(copy, bytes, at);
        memcpy(copy + at, bytes + at + 1, size - at - 1);
        assert_int_equal(read_all(copy, size - 1, &events), EBADMSG);
        assert_int_equal(events, 19);
        is_in_file = true;
        assert_int_equal(read_all(copy, size - 1, &events), EBADMSG);
        assert_int_equal(events, 19);
        is_in_file = false;
        assert_int_equal(read_stream(copy, size - 1, &events), EBADMSG);
        assert_int_equal(events, 19);
        free(copy);
    }
    free(bytes);
}

static void put_head(uint8_t *at, uint32_t stored_bytes, uint32_t sequence)
{
    uint32_t words[8] = {0, TRACE_FILE_EVENTS, stored_bytes, stored_bytes, 0, sequence};

    memcpy(words, TRACE_FILE_BLOCK_MAGIC, TRACE_FILE_BLOCK_MAGIC_BYTES);
    words[7] = trace_file_crc32c(words, sizeof(words) - sizeof(*words));
    memcpy(at, words, sizeof(words));
}

/* The offset of a block by its number; the file's size if it has fewer blocks. */
static size_t offset_of(const uint8_t *bytes, size_t size, uint32_t number)
{
    size_t at = TRACE_FILE_PROLOG_BYTES;

    for (; number && at < size; number--) {
        uint32_t stored;

        memcpy(&stored, bytes + at + 8, sizeof(stored));
        at += TRACE_FILE_BLOCK_HEADER_BYTES + ((stored + 7u) & ~7u);
    }
    return at;
}

/* A copy of the first `end` bytes, and then of all from `begin` on. */
static uint8_t *repeat(const uint8_t *bytes, size_t size, size_t end, size_t begin)
{
    uint8_t *copy = (uint8_t *)malloc(end + size - begin);

    memcpy(copy, bytes, end);
    memcpy(copy + end, bytes + begin, size - begin);
    return copy;
}

/* All events are read once, from a stream, too, and a repaired file lacks nothing. */
static void check_repeated(const uint8_t *bytes, size_t size, uint32_t all)
{
    struct trace_file_repair repair;
    uint32_t events;
    bool is_damaged;

    assert_int_equal(read_all(bytes, size, &events), EBADMSG);
    assert_int_equal(events, all);
    assert_int_equal(read_stream(bytes, size, &events), EBADMSG);
    assert_int_equal(events, all);
    assert_int_equal(repair_bytes(bytes, size, &is_damaged), all);
    assert_true(is_damaged);
    assert_int_equal(examine(bytes, size, &repair), 0);
    assert_int_equal(repair.lost + repair.unknown, 0);
    trace_file_repair_free(&repair);
}

/* Checks a file of the bytes up to `end`, and then those from `begin` on. */
static void check_repetition(const uint8_t *bytes, size_t size, size_t end, size_t begin,
                             uint32_t all)
{
    uint8_t *copy = repeat(bytes, size, end, begin);

    check_repeated(copy, end + size - begin, all);
    free(copy);
}

static void a_block_that_occurs_again_is_left_out(void **state)
{
    uint32_t all;
    size_t size;
    uint8_t *bytes = small_file(0, &size, &all);

    (void)state;
    for (uint32_t number = 0; offset_of(bytes, size, number) < size; number++) {
        size_t begin = offset_of(bytes, size, number);

        for (uint32_t end = 1; end < 4; end++)
            check_repetition(bytes, size, offset_of(bytes, size, number + end), begin, all);
    }
    free(bytes);
}

/* A block that was cut is read where it occurs again. */
static void a_copy_that_was_resumed_too_early_is_whole(void **state)
{
    uint32_t all;
    size_t size;
    uint8_t *bytes = small_file(0, &size, &all);

    (void)state;
    for (uint32_t number = 0; offset_of(bytes, size, number + 2) < size; number++) {
        size_t begin = offset_of(bytes, size, number);
        size_t cut_at = offset_of(bytes, size, number + 1);

        for (size_t end = cut_at + 1; end < offset_of(bytes, size, number + 2); end += 5)
            check_repetition(bytes, size, end, begin, all);
    }
    free(bytes);
}

static void renumber(uint8_t *header, uint32_t sequence)
{
    uint32_t crc;

    memcpy(header + 20, &sequence, sizeof(sequence));
    crc = trace_file_crc32c(header, TRACE_FILE_BLOCK_HEADER_BYTES - sizeof(crc));
    memcpy(header + TRACE_FILE_BLOCK_HEADER_BYTES - sizeof(crc), &crc, sizeof(crc));
}

static void what_follows_the_end_is_not_read(void **state)
{
    uint32_t all;
    size_t size;
    uint8_t *bytes = small_file(0, &size, &all);
    size_t begin = offset_of(bytes, size, 6);
    uint8_t *twice = repeat(bytes, size, size, begin);

    (void)state;
    check_repetition(bytes, size, size, 0, all);
    for (size_t at = begin; at < size; at++) /* headers with greater numbers, as of a longer file */
        if (!memcmp(bytes + at, TRACE_FILE_BLOCK_MAGIC, TRACE_FILE_BLOCK_MAGIC_BYTES))
            renumber(twice + size + at - begin, 1000);
    check_repeated(twice, 2 * size - begin, all);
    free(twice);
    free(bytes);
}

/* Each of them seems to have the rest of the file: all checksums together would take an hour. */
static void headers_alone_are_read_in_a_limited_time(void **state)
{
    const size_t size = TRACE_FILE_BLOCK_MAX_BYTES;
    uint8_t *bytes = (uint8_t *)calloc(1, size);
    uint32_t sequence = 0;
    uint32_t events;
    uint8_t *small = small_file(0, &(size_t){0}, &events);

    (void)state;
    memcpy(bytes, small, TRACE_FILE_PROLOG_BYTES);
    for (size_t at = TRACE_FILE_PROLOG_BYTES; at + 40 <= size; at += 40) {
        bytes[at + 32] = 1;
        put_head(bytes + at, (uint32_t)(size - at - 32), sequence++);
    }
    assert_int_equal(read_all(bytes, size, &events), EBADMSG);
    assert_int_equal(read_stream(bytes, size, &events), EBADMSG);
    free(small);
    free(bytes);
}

/* All removed bytes could be of valid blocks, except those of one that is not complete. */
static void a_file_with_any_flipped_bit_is_not_changed_in_place(void **state)
{
    uint32_t all;
    size_t size;
    uint8_t *bytes = small_file(0, &size, &all);

    (void)state;
    for (size_t bit = 8 * (size_t)TRACE_FILE_PROLOG_BYTES; bit < 8 * size; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_false(can_append(bytes, size));
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    free(bytes);
}

/* A flipped bit costs its block, which the index had: its events are then counted as lost. */
static void a_file_with_any_flipped_bit_is_repaired(void **state)
{
    uint32_t all;
    uint32_t events;
    size_t size;
    uint8_t *bytes = small_file(0, &size, &all);

    (void)state;
    for (size_t bit = 0; bit < 8 * size; bit++) {
        bool is_damaged;

        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        read_all(bytes, size, &events);
        if (bit < 8 * TRACE_FILE_PROLOG_BYTES) {
            assert_int_equal(repair_bytes(bytes, size, &is_damaged), -1);
        } else {
            assert_int_equal(repair_bytes(bytes, size, &is_damaged), events);
            assert_true(is_damaged);
        }
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    free(bytes);
}

/* Repairs a file. Returns the bytes of the new one, which the caller frees. */
static uint8_t *repaired(const uint8_t *bytes, size_t size, size_t *ret_size)
{
    struct trace_file_repair repair;
    int fd = memfd_create("repaired", 0);
    uint8_t *whole;

    assert_true(fd >= 0);
    assert_int_equal(examine(bytes, size, &repair), 0);
    assert_int_equal(trace_file_repair_copy(&repair, fd), 0);
    trace_file_repair_free(&repair);
    *ret_size = (size_t)lseek(fd, 0, SEEK_END);
    whole = (uint8_t *)malloc(*ret_size);
    assert_int_equal(pread(fd, whole, *ret_size, 0), *ret_size);
    close(fd);
    return whole;
}

/* The first block of a type. */
static uint8_t *block_of(uint8_t *bytes, size_t size, uint16_t type)
{
    for (uint32_t number = 0;; number++) {
        uint8_t *header = bytes + offset_of(bytes, size, number);

        assert_true(header < bytes + size);
        if (!memcmp(header + 4, &type, sizeof(type)))
            return header;
    }
}

static void expect_counters(const uint8_t *bytes, size_t size)
{
    struct trace_file_reader reader;

    assert_int_equal(open_bytes(&reader, bytes, size), 0);
    expect(&reader, 11, 1010, 0, 0);
    expect(&reader, 11, 1030, 0, 2);
    expect(&reader, 12, 5010, 3, 1);
    assert_non_null(strstr(reader.blocks.error.text, "clocks of these events are missing"));
    expect_end(&reader, EBADMSG);
}

/* Whatever happened to its block, and if it was removed by a repair. */
static void times_that_are_counters_are_reported(void **state)
{
    size_t size;
    size_t whole_size;
    uint8_t *bytes = copied_file(&size);
    uint8_t *header = block_of(bytes, size, TRACE_FILE_CLOCKS);
    uint8_t *whole;

    (void)state;
    *header ^= 1;
    expect_counters(bytes, size);
    *header ^= 1;
    header[TRACE_FILE_BLOCK_HEADER_BYTES] ^= 1;
    expect_counters(bytes, size);
    whole = repaired(bytes, size, &whole_size);
    expect_counters(whole, whole_size);
    free(whole);
    free(bytes);
}

/* Two blocks of events, each after a pair of the same line. */
static uint8_t *file_with_two_pairs(size_t *ret_size)
{
    struct trace_file_copies copies;
    struct output o;

    begin(&o, 0);
    trace_file_put_id(&o.tables, 1, OWN_ID, 1);
    trace_file_copies_begin(&copies, &o.writer, &o.tables);
    for (uint32_t n = 0; n < 2; n++) {
        struct trace_file_clock_pair pair = {.counter_kind = TRACE_FILE_COUNTER_CYCLES,
                                             .clockid = 1,
                                             .counter = 1000 + 1000 * n,
                                             .time_ns = 5000 + 500 * n,
                                             .rate = UINT64_C(1) << 31};
        struct trace_file_piece_head head = {.process = 1, .tid = 11, .base = pair.counter};

        trace_file_put_clock(&o.tables, &pair);
        trace_file_copies_piece(&copies, &head);
        copy_record(&copies, pair.counter + 10, pair.time_ns + 5, 2 * n);
        copy_record(&copies, pair.counter + 20, pair.time_ns + 10, 2 * n + 1);
        assert_int_equal(trace_file_copies_flush(&copies), 0);
    }
    trace_file_copies_free(&copies);
    return end(&o, ret_size);
}

/* In the order of blocks, and by the index. */
static void expect_two_pairs(const uint8_t *bytes, size_t size, int err)
{
    for (int n = 0; n < 2; n++) {
        struct trace_file_reader reader;

        assert_int_equal(open_bytes(&reader, bytes, size), 0);
        if (n)
            assert_int_equal(trace_file_reader_set_range(&reader, 0, UINT64_MAX), 0);
        expect(&reader, 11, 5005, 0, 0);
        expect(&reader, 11, 5010, 0, 1);
        expect(&reader, 11, 5505, 0, 2);
        expect(&reader, 11, 5510, 0, 3);
        assert_false(reader.lacks_clocks || reader.is_index_wrong);
        expect_end(&reader, err);
    }
}

static void a_later_pair_of_clocks_replaces_one_that_was_lost(void **state)
{
    size_t size;
    size_t whole_size;
    uint8_t *bytes = file_with_two_pairs(&size);
    uint8_t *whole;

    (void)state;
    expect_two_pairs(bytes, size, ENODATA);
    block_of(bytes, size, TRACE_FILE_CLOCKS)[TRACE_FILE_BLOCK_HEADER_BYTES] ^= 1;
    expect_two_pairs(bytes, size, EBADMSG);
    whole = repaired(bytes, size, &whole_size);
    expect_two_pairs(whole, whole_size, ENODATA);
    free(whole);
    free(bytes);
}

static void what_was_in_damaged_blocks_is_counted_as_lost(void **state)
{
    struct trace_file_repair repair;
    uint32_t all;
    size_t size;
    uint8_t *bytes = small_file(0, &size, &all);

    (void)state;
    spoil_block(bytes, size, 1);
    assert_int_equal(examine(bytes, size, &repair), 0);
    assert_false(repair.is_whole);
    assert_false(repair.can_append);
    assert_int_equal(repair.lost, 3);
    assert_int_equal(repair.events, all - 3);
    trace_file_repair_free(&repair);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_checksum_is_that_of_the_standard),
        cmocka_unit_test(events_of_threads_are_merged_by_time),
        cmocka_unit_test(a_thread_may_pause_and_change_processors),
        cmocka_unit_test(large_events_are_long_records),
        cmocka_unit_test(names_are_those_of_the_time),
        cmocka_unit_test(counters_become_times_by_the_rates_of_their_pairs),
        cmocka_unit_test(counters_become_times_by_interpolation),
        cmocka_unit_test(a_cut_file_is_read_up_to_the_cut),
        cmocka_unit_test(a_cut_file_on_a_disk_is_read_up_to_the_cut),
        cmocka_unit_test(a_file_that_becomes_shorter_is_read_up_to_its_end),
        cmocka_unit_test(every_flipped_bit_is_noticed),
        cmocka_unit_test(copied_records_have_the_descriptors_and_times_of_their_process),
        cmocka_unit_test(every_flipped_bit_of_a_copied_file_is_noticed),
        cmocka_unit_test(any_byte_of_a_copied_piece_may_be_wrong),
        cmocka_unit_test(a_missing_block_is_noticed),
        cmocka_unit_test(a_stream_is_read_round_by_round),
        cmocka_unit_test(a_full_disk_is_an_error),
        cmocka_unit_test(a_range_is_read_without_the_rest),
        cmocka_unit_test(ranges_have_each_event_once),
        cmocka_unit_test(parts_are_the_whole_range),
        cmocka_unit_test(parts_of_blocks_in_order_read_each_once),
        cmocka_unit_test(parts_by_blocks_have_each_event_once),
        cmocka_unit_test(a_cut_file_has_ranges_and_counts),
        cmocka_unit_test(a_flipped_bit_of_the_index_costs_no_event),
        cmocka_unit_test(an_index_that_contradicts_itself_is_not_used),
        cmocka_unit_test(the_index_limits_how_many_blocks_are_held),
        cmocka_unit_test(an_index_with_other_numbers_is_found_out),
        cmocka_unit_test(a_whole_file_needs_no_repair),
        cmocka_unit_test(a_file_cut_anywhere_is_repaired),
        cmocka_unit_test(a_file_with_a_byte_inserted_anywhere_loses_at_most_one_block),
        cmocka_unit_test(a_file_with_a_byte_missing_anywhere_loses_at_most_one_block),
        cmocka_unit_test(a_large_block_with_a_byte_missing_costs_only_its_own_events),
        cmocka_unit_test(a_block_that_occurs_again_is_left_out),
        cmocka_unit_test(a_copy_that_was_resumed_too_early_is_whole),
        cmocka_unit_test(what_follows_the_end_is_not_read),
        cmocka_unit_test(headers_alone_are_read_in_a_limited_time),
        cmocka_unit_test(a_file_with_any_flipped_bit_is_repaired),
        cmocka_unit_test(a_file_with_any_flipped_bit_is_not_changed_in_place),
        cmocka_unit_test(times_that_are_counters_are_reported),
        cmocka_unit_test(a_later_pair_of_clocks_replaces_one_that_was_lost),
        cmocka_unit_test(what_was_in_damaged_blocks_is_counted_as_lost),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
