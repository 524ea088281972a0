/* SPDX-License-Identifier: MIT */
/* Structs of options: callers of other versions have smaller and larger ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/options.h"
#include "tracing_dir.h"

#include <cairn/convert.h>
#include <cairn/inspect.h>
#include <cairn/reader.h>
#include <cairn/repair.h>
#include <cairn/report.h>
#include <cairn/select.h>
#include <cairn/session.h>
#include <cairn/stats.h>
#include <cairn/tracing.h>
#include <cairn/user_events.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- the copy ---- */

struct version1 {
    size_t size;
    uint32_t a;
    uint32_t b;
};

/* This version: it has one more member, whose default is not zero. */
struct version2 {
    size_t size;
    uint32_t a;
    uint32_t b;
    int64_t fd;
};

struct version3 {
    struct version2 known;
    uint64_t later;
};

static int copy(const void *options, struct version2 *ret_options)
{
    *ret_options = (struct version2){.size = sizeof(*ret_options), .fd = -1};
    return core_options_copy(options, CORE_OPTIONS_BYTES_TO(struct version2, b),
                             sizeof(*ret_options), ret_options);
}

static void smaller_options_get_defaults(void **state)
{
    const struct version1 given = {sizeof(given), 1, 2};
    struct version2 options;

    (void)state;
    assert_int_equal(copy(&given, &options), 0);
    assert_int_equal(options.size, sizeof(options));
    assert_int_equal(options.a, 1);
    assert_int_equal(options.b, 2);
    assert_int_equal(options.fd, -1);
}

static void no_options_are_the_defaults(void **state)
{
    struct version2 options;

    (void)state;
    assert_int_equal(copy(NULL, &options), 0);
    assert_int_equal(options.size, sizeof(options));
    assert_int_equal(options.fd, -1);
}

static void larger_options_are_taken_if_the_rest_is_zero(void **state)
{
    struct version3 given = {{sizeof(given), 1, 2, 3}, 0};
    struct version2 options;

    (void)state;
    assert_int_equal(copy(&given, &options), 0);
    assert_int_equal(options.size, sizeof(options));
    assert_int_equal(options.fd, 3);
    given.later = UINT64_C(1) << 63;
    assert_int_equal(copy(&given, &options), E2BIG);
}

static void a_size_of_no_version_is_refused_and_changes_nothing(void **state)
{
    struct version2 given = {sizeof(struct version1) - 1, 1, 2, 3};
    struct version2 options;

    (void)state;
    assert_int_equal(copy(&given, &options), EINVAL);
    given.size = SIZE_MAX; /* the bytes after the struct are not read */
    assert_int_equal(copy(&given, &options), E2BIG);
    assert_int_equal(options.a, 0);
    assert_int_equal(options.fd, -1);
}

/* ---- the public structs ---- */

static const char *const patterns[] = {"options_*"};

static int use_session(const void *options)
{
    struct cairn_session *session;
    int err = cairn_session_create((const struct cairn_session_options *)options, &session);

    if (!err)
        cairn_session_destroy(session);
    return err;
}

static int use_receiver(const void *receiver)
{
    struct cairn_session_options options = CAIRN_SESSION_OPTIONS_INIT;

    options.patterns = patterns;
    options.pattern_count = 1;
    options.receiver = (const struct cairn_session_receiver *)receiver;
    return use_session(&options);
}

static int use_reader(const void *options)
{
    struct cairn_reader *reader;
    int err = cairn_reader_open_session((const struct cairn_reader_options *)options, &reader);

    if (!err)
        cairn_reader_close(reader);
    return err;
}

static int use_user_event(const void *options)
{
    struct cairn_tracepoint tracepoint = CAIRN_TRACEPOINT_INIT;
    int err = cairn_tracepoint_register_with(&tracepoint, "options_test u32 number",
                                             (const struct cairn_tracepoint_options *)options);

    (void)cairn_tracepoint_unregister(&tracepoint);
    return err;
}

static int use_stderr(const void *options)
{
    struct cairn_layer *layer;
    int err = cairn_stderr_layer_create((const struct cairn_stderr_options *)options, &layer);

    if (!err)
        cairn_layer_destroy(layer);
    return err;
}

static int use_eventheader(const void *options)
{
    struct cairn_layer *layer;
    int err =
        cairn_eventheader_layer_create((const struct cairn_eventheader_options *)options, &layer);

    if (!err)
        cairn_layer_destroy(layer);
    return err;
}

/* A trace file without events, of which each function can read. */
static const char *empty_trace(void)
{
    struct cairn_convert_input none = {.path = "/nonexistent"};
    static char path[32];
    int fd = memfd_create("trace", 0);

    assert_int_equal(cairn_convert_merge(fd, NULL, &none, 1), 0);
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    return path;
}

static int use_convert(const void *options)
{
    struct cairn_convert_report report;
    int fd = memfd_create("output", 0);
    int err = cairn_convert_to_perf(empty_trace(), fd,
                                    (const struct cairn_convert_options *)options, &report);

    close(fd);
    return err;
}

static int use_repair(const void *options)
{
    struct cairn_perf_error error;
    struct cairn_repair *repair;
    int err = cairn_repair_create((const struct cairn_repair_options *)options, &error, &repair);

    if (!err)
        cairn_repair_destroy(repair);
    return err;
}

static int use_report_server(const void *options)
{
    struct cairn_report_server *server;
    int err =
        cairn_report_server_create((const struct cairn_report_server_options *)options, &server);

    if (!err)
        cairn_report_server_destroy(server);
    return err;
}

static int use_stats(const void *options)
{
    struct cairn_stats *stats;
    int err = cairn_stats_create((const struct cairn_stats_options *)options, &stats);

    if (!err)
        cairn_stats_destroy(stats);
    return err;
}

static int use_selection(const void *options)
{
    struct cairn_filter_error error;
    struct cairn_selection *selection;
    int err =
        cairn_selection_create((const struct cairn_selection_options *)options, &error, &selection);

    if (!err)
        cairn_selection_destroy(selection);
    return err;
}

static int use_inspection(const void *options)
{
    struct cairn_inspection *inspection;
    int err =
        cairn_inspection_create((const struct cairn_inspection_options *)options, &inspection);

    if (!err)
        cairn_inspection_destroy(inspection);
    return err;
}

/* A struct, and space after it for a member of a later version. */
static void assert_grows(const void *options, int (*use)(const void *options))
{
    uint8_t bytes[256] = {0};
    size_t size;

    memcpy(&size, options, sizeof(size));
    assert_true(size + sizeof(uint64_t) <= sizeof(bytes));
    memcpy(bytes, options, size);
    assert_int_equal(use(bytes), 0);
    size += sizeof(uint64_t);
    memcpy(bytes, &size, sizeof(size));
    assert_int_equal(use(bytes), 0);
    bytes[size - 1] = 1;
    assert_int_equal(use(bytes), E2BIG);
    bytes[size - 1] = 0;
    memset(bytes, 0, sizeof(size)); /* no size: the first version */
    assert_int_equal(use(bytes), 0);
    bytes[0] = 1;
    assert_int_equal(use(bytes), EINVAL);
}

static int add_tracepoint(void *context, const struct cairn_perf_tracepoint *tracepoint)
{
    (void)context;
    (void)tracepoint;
    return 0;
}

static void each_struct_of_options_can_grow(void **state)
{
    const struct cairn_session_receiver receiver = {.size = sizeof(receiver),
                                                    .tracepoint = add_tracepoint};
    const struct cairn_tracepoint_options user_event = CAIRN_TRACEPOINT_OPTIONS_INIT;
    const struct cairn_stderr_options to_stderr = CAIRN_STDERR_OPTIONS_INIT;
    struct cairn_eventheader_options eventheader = CAIRN_EVENTHEADER_OPTIONS_INIT;
    struct cairn_session_options session = CAIRN_SESSION_OPTIONS_INIT;
    struct cairn_reader_options reader = CAIRN_READER_OPTIONS_INIT;

    (void)state;
    session.patterns = reader.patterns = patterns;
    session.pattern_count = reader.pattern_count = 1;
    session.receiver = &receiver;
    eventheader.name = "Options";
    assert_grows(&session, use_session);
    assert_grows(&receiver, use_receiver);
    assert_grows(&reader, use_reader);
    assert_grows(&user_event, use_user_event);
    assert_grows(&to_stderr, use_stderr);
    assert_grows(&eventheader, use_eventheader);
}

static void options_for_reading_can_grow(void **state)
{
    const struct cairn_convert_options convert = CAIRN_CONVERT_OPTIONS_INIT;
    const struct cairn_stats_options stats = CAIRN_STATS_OPTIONS_INIT;
    const struct cairn_selection_options selection = CAIRN_SELECTION_OPTIONS_INIT;
    const struct cairn_inspection_options inspection = CAIRN_INSPECTION_OPTIONS_INIT;
    struct cairn_repair_options repair = CAIRN_REPAIR_OPTIONS_INIT;
    struct cairn_report_server_options server = CAIRN_REPORT_SERVER_OPTIONS_INIT;

    (void)state;
    repair.path = empty_trace();
    server.data_fd = memfd_create("data", 0);
    assert_int_equal(cairn_report_create(NULL, server.data_fd, &server.report), 0);
    assert_grows(&convert, use_convert);
    assert_grows(&repair, use_repair);
    assert_grows(&server, use_report_server);
    assert_grows(&stats, use_stats);
    assert_grows(&selection, use_selection);
    assert_grows(&inspection, use_inspection);
    cairn_report_destroy(server.report);
}

/* There is nothing to work on by default. */
static void objects_of_nothing_are_refused(void **state)
{
    struct cairn_perf_error error;
    struct cairn_repair *repair;
    struct cairn_report_server *server;

    (void)state;
    assert_int_equal(cairn_convert_merge(-1, NULL, NULL, 0), EINVAL);
    assert_int_equal(cairn_repair_create(NULL, &error, &repair), EINVAL);
    assert_int_equal(cairn_repair_create(NULL, NULL, &repair), EINVAL);
    assert_int_equal(cairn_report_server_create(NULL, &server), EINVAL);
}

static int set_up(void **state)
{
    (void)state;
    return tracing_dir_make();
}

static int tear_down(void **state)
{
    (void)state;
    tracing_dir_remove();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smaller_options_get_defaults),
        cmocka_unit_test(no_options_are_the_defaults),
        cmocka_unit_test(larger_options_are_taken_if_the_rest_is_zero),
        cmocka_unit_test(a_size_of_no_version_is_refused_and_changes_nothing),
        cmocka_unit_test(each_struct_of_options_can_grow),
        cmocka_unit_test(options_for_reading_can_grow),
        cmocka_unit_test(objects_of_nothing_are_refused),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
