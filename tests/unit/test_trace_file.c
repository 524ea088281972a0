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
#include <unistd.h>

#include "trace_file/crc32c.h"
#include "trace_file/expand.h"
#include "trace_file/pack.h"
#include "trace_file/pieces.h"

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

/* In memory of exactly the file's size, so that a sanitizer sees reads after it. */
static int open_bytes(struct trace_file_reader *reader, const uint8_t *bytes, size_t size)
{
    struct perf_data_source source = {
        .map = size ? bytes : (const uint8_t *)"", .map_bytes = size, .end = size, .fd = -1};
    struct perf_data_block_pool pool = {0};

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

static void counters_become_times_by_interpolation(void **state)
{
    static const struct trace_file_clock_pair pairs[] = {
        {0, TRACE_FILE_COUNTER_CYCLES, 1, 1000, 50000, 7000000, 1},
        {0, TRACE_FILE_COUNTER_CYCLES, 1, 2000, 50500, 7000600, 1},
        {0, TRACE_FILE_COUNTER_CYCLES, 1, 4000, 52500, 7002600, 1},
        {3, TRACE_FILE_COUNTER_CYCLES, 1, 0, 9, 0, 1},
    };
    struct trace_file_tables_writer tables = {0};
    struct trace_file_clocks clocks = {0};
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
    assert_true(trace_file_clocks_wall(&clocks, 0, 50600, &wall_ns));
    assert_int_equal(wall_ns, 7000700);
    assert_false(trace_file_clocks_wall(&clocks, 3, 9, &wall_ns));
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_checksum_is_that_of_the_standard),
        cmocka_unit_test(events_of_threads_are_merged_by_time),
        cmocka_unit_test(a_thread_may_pause_and_change_processors),
        cmocka_unit_test(large_events_are_long_records),
        cmocka_unit_test(names_are_those_of_the_time),
        cmocka_unit_test(counters_become_times_by_interpolation),
        cmocka_unit_test(a_cut_file_is_read_up_to_the_cut),
        cmocka_unit_test(every_flipped_bit_is_noticed),
        cmocka_unit_test(a_missing_block_is_noticed),
        cmocka_unit_test(a_stream_is_read_round_by_round),
        cmocka_unit_test(a_full_disk_is_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
