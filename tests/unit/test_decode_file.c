/* SPDX-License-Identifier: MIT */
/* Test of decoding whole recordings to text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "export/exporter.h"
#include "perf_recording.h"

#include <errno.h>
#include <stdlib.h>
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
    return writer;
}

static void finish(struct cairn_perf_writer *writer)
{
    assert_int_equal(cairn_perf_writer_finish(writer), 0);
    cairn_perf_writer_destroy(writer);
}

struct decoded {
    int err;
    struct cairn_decode_report report;
    char *text;
};

static struct decoded decode(int fd, enum cairn_style style)
{
    struct decoded decoded;
    struct cairn_printer *printer;
    char path[64];

    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    assert_int_equal(cairn_printer_create(style, -1, &printer), 0);
    decoded.err = cairn_decode_file(path, "r", printer, &decoded.report);
    assert_int_equal(cairn_printer_finish(printer), 0);
    decoded.text = strndup(printer->out.begin, (size_t)(printer->out.at - printer->out.begin));
    cairn_printer_destroy(printer);
    close(fd);
    return decoded;
}

static void assert_decoded(int fd, enum cairn_style style, const char *expected)
{
    struct decoded decoded = decode(fd, style);

    assert_int_equal(decoded.err, 0);
    assert_int_equal(decoded.report.error.code, 0);
    assert_string_equal(decoded.text, expected);
    free(decoded.text);
}

static void write_out_of_order(struct cairn_perf_writer *writer)
{
    assert_int_equal(cairn_perf_writer_comm(writer, 4000, 4001, "server", 0), 0);
    assert_int_equal(write_close(writer, CLOSE, 3001000), 0);
    assert_int_equal(write_open(writer, OPEN, 2001000), 0);
}

static const char in_order[] =
    "          server-4001    [001]     0.002001: conn_open: port=80 peer=10.0.0.1\n"
    "          server-4001    [001]     0.003001: conn_close: result=-7\n";

static void events_are_printed_in_time_order(void **state)
{
    int fd = memory_file();
    struct cairn_perf_writer *writer = begin(fd, CAIRN_PERF_FILE);

    (void)state;
    write_out_of_order(writer);
    finish(writer);
    assert_decoded(fd, CAIRN_STYLE_TEXT, in_order);
}

static void a_pipe_stream_is_decoded_like_a_file(void **state)
{
    int fd = memory_file();
    struct cairn_perf_writer *writer = begin(fd, CAIRN_PERF_PIPE);

    (void)state;
    write_out_of_order(writer);
    finish(writer);
    assert_decoded(fd, CAIRN_STYLE_TEXT, in_order);
}

static void times_are_wall_clock_times(void **state)
{
    int fd = memory_file();
    struct cairn_perf_writer *writer = begin(fd, CAIRN_PERF_FILE);

    (void)state;
    write_out_of_order(writer);
    finish(writer);
    assert_decoded(
        fd, CAIRN_STYLE_JSON,
        "{\n\"r\": [\n {\"n\":\"net:conn_open\",\"port\":80,\"peer\":\"10.0.0.1\",\"meta\":{"
        "\"time\":\"2023-11-14T22:13:20.002000000Z\",\"cpu\":1,\"pid\":4000,\"tid\":4001}},\n"
        " {\"n\":\"net:conn_close\",\"result\":-7,\"meta\":{"
        "\"time\":\"2023-11-14T22:13:20.003000000Z\",\"cpu\":1,\"pid\":4000,\"tid\":4001}} ]\n"
        "}\n");
}

static void losses_are_counted(void **state)
{
    int fd = memory_file();
    struct cairn_perf_writer *writer = begin(fd, CAIRN_PERF_FILE);
    struct decoded decoded;

    (void)state;
    assert_int_equal(write_open(writer, OPEN, 2000), 0);
    assert_int_equal(cairn_perf_writer_lost(writer, OPEN, 41, 2000), 0);
    assert_int_equal(cairn_perf_writer_lost(writer, CLOSE, 1, 2000), 0);
    finish(writer);
    decoded = decode(fd, CAIRN_STYLE_TEXT);
    assert_int_equal(decoded.err, 0);
    assert_int_equal(decoded.report.events, 1);
    assert_int_equal(decoded.report.lost, 42);
    assert_int_equal(decoded.report.damaged, 0);
    free(decoded.text);
}

static void damaged_events_are_counted_and_the_others_are_decoded(void **state)
{
    int fd = memory_file();
    struct cairn_perf_writer *writer = begin(fd, CAIRN_PERF_FILE);
    struct decoded decoded;

    (void)state;
    assert_int_equal(write_event(writer, OPEN, 1701, 1000, "\x50\0\0\0", 4), 0);
    assert_int_equal(write_close(writer, CLOSE, 2000), 0);
    finish(writer);
    decoded = decode(fd, CAIRN_STYLE_TEXT);
    assert_int_equal(decoded.err, 0);
    assert_int_equal(decoded.report.events, 2);
    assert_int_equal(decoded.report.damaged, 1);
    assert_non_null(strstr(decoded.text, "conn_open: port=80 <error: "));
    assert_non_null(strstr(decoded.text, "conn_close: result=-7\n"));
    free(decoded.text);
}

static void a_truncated_file_is_decoded_up_to_its_end(void **state)
{
    int fd = memory_file();
    struct cairn_perf_writer *writer = begin(fd, CAIRN_PERF_PIPE);
    off_t size;
    struct decoded decoded;

    (void)state;
    assert_int_equal(write_open(writer, OPEN, 1000), 0);
    assert_int_equal(cairn_perf_writer_flush(writer), 0);
    assert_int_equal(write_close(writer, CLOSE, 2000), 0);
    assert_int_equal(cairn_perf_writer_flush(writer), 0);
    cairn_perf_writer_destroy(writer);
    size = lseek(fd, 0, SEEK_END);
    assert_int_equal(ftruncate(fd, size - 4), 0);
    decoded = decode(fd, CAIRN_STYLE_TEXT);
    assert_int_equal(decoded.err, EBADMSG);
    assert_int_equal(decoded.report.error.code, EBADMSG);
    assert_true(decoded.report.error.offset > 0 && decoded.report.error.offset <= (uint64_t)size);
    assert_int_equal(decoded.report.events, 1);
    assert_non_null(strstr(decoded.text, "conn_open"));
    assert_null(strstr(decoded.text, "conn_close"));
    free(decoded.text);
}

static void a_file_that_is_not_a_recording_is_refused(void **state)
{
    int fd = memory_file();
    struct decoded decoded;

    (void)state;
    assert_int_equal(write(fd, "this is something else", 22), 22);
    decoded = decode(fd, CAIRN_STYLE_JSON);
    assert_int_equal(decoded.err, EBADMSG);
    assert_int_equal(decoded.report.error.code, EBADMSG);
    assert_string_equal(decoded.text, "");
    free(decoded.text);
}

/* The format of an attr's events is not a format text: the events are printed as bytes. */
static void an_event_of_unknown_format_is_printed_as_bytes(void **state)
{
    int fd = memory_file();
    struct cairn_perf_writer *writer = begin(fd, CAIRN_PERF_FILE);
    struct decoded decoded;

    (void)state;
    assert_int_equal(add_tracepoint(writer, "net", "odd", 1703, "no format text at all", 99), 0);
    assert_int_equal(write_event(writer, 99, 1703, 1000, "\1\2\3\4", 4), 0);
    finish(writer);
    decoded = decode(fd, CAIRN_STYLE_TEXT);
    assert_int_equal(decoded.err, 0);
    assert_int_equal(decoded.report.events, 1);
    assert_non_null(strstr(decoded.text, " raw=a7 06 00 00 "));
    assert_non_null(strstr(decoded.text, " 01 02 03 04"));
    free(decoded.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_are_printed_in_time_order),
        cmocka_unit_test(a_pipe_stream_is_decoded_like_a_file),
        cmocka_unit_test(times_are_wall_clock_times),
        cmocka_unit_test(losses_are_counted),
        cmocka_unit_test(damaged_events_are_counted_and_the_others_are_decoded),
        cmocka_unit_test(a_truncated_file_is_decoded_up_to_its_end),
        cmocka_unit_test(a_file_that_is_not_a_recording_is_refused),
        cmocka_unit_test(an_event_of_unknown_format_is_printed_as_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
