/* SPDX-License-Identifier: MIT */
/* Test of the writer: its files and streams are read and compared. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>

#include "perf_recording.h"
#include "perf_walk.h"

static struct cairn_perf_writer *create(int fd, enum cairn_perf_mode mode)
{
    struct cairn_perf_writer *writer = NULL;

    assert_int_equal(cairn_perf_writer_create(fd, mode, &writer), 0);
    return writer;
}

static void finish(struct cairn_perf_writer *writer)
{
    assert_int_equal(cairn_perf_writer_finish(writer), 0);
    cairn_perf_writer_destroy(writer);
}

static struct cairn_perf_file *reopen(int fd)
{
    struct cairn_perf_error error = {0};
    struct cairn_perf_file *file = NULL;
    int err = cairn_perf_file_open_fd(fd, &error, &file);

    if (err)
        print_message("%d at %llu: %s\n", err, (unsigned long long)error.offset, error.text);
    assert_int_equal(err, 0);
    return file;
}

/* Skips to the next record that is not written by tools for themselves. */
static uint32_t next(struct cairn_perf_file *file, struct cairn_perf_record *record)
{
    int err;

    do
        err = cairn_perf_file_next_ordered(file, record);
    while (!err && record->type >= CAIRN_PERF_RECORD_USER_FIRST);
    if (err && err != ENODATA)
        print_message("%s\n", cairn_perf_file_error(file)->text);
    assert_true(!err || err == ENODATA);
    return err ? 0 : record->type;
}

static void expect_open(struct cairn_perf_file *file, uint64_t id, uint64_t time_ns)
{
    struct cairn_perf_record record;
    struct cairn_perf_sample s;

    assert_int_equal(next(file, &record), CAIRN_PERF_RECORD_SAMPLE);
    assert_int_equal(cairn_perf_sample_parse(file, &record, &s), 0);
    assert_int_equal(s.id, id);
    assert_int_equal(s.time_ns, time_ns);
    assert_int_equal(s.pid, 4000);
    assert_int_equal(s.tid, 4001);
    assert_int_equal(s.cpu, 1);
    assert_int_equal(s.raw_size_bytes, 28);
    assert_memory_equal(s.raw + 12, "10.0.0.1", 9);
    assert_string_equal(s.attr->name, "user_events:conn_open");
    assert_int_equal(s.attr->type, CAIRN_PERF_TYPE_TRACEPOINT);
    assert_int_equal(s.attr->config, 1701);
    assert_int_equal(s.attr->format.length, strlen(FORMAT_OPEN));
    assert_memory_equal(s.attr->format.text, FORMAT_OPEN, strlen(FORMAT_OPEN));
}

static void expect_close(struct cairn_perf_file *file, uint64_t id, uint64_t time_ns,
                         const char *name)
{
    struct cairn_perf_record record;
    struct cairn_perf_sample s;

    assert_int_equal(next(file, &record), CAIRN_PERF_RECORD_SAMPLE);
    assert_int_equal(cairn_perf_sample_parse(file, &record, &s), 0);
    assert_int_equal(s.id, id);
    assert_int_equal(s.time_ns, time_ns);
    assert_string_equal(s.attr->name, name);
    assert_memory_equal(s.attr->system.text, name, s.attr->system.length);
    assert_int_equal(s.attr->type, CAIRN_PERF_TYPE_TRACEPOINT);
    assert_true(s.attr->format.length > 0);
}

static void expect_type(struct cairn_perf_file *file, uint32_t type)
{
    struct cairn_perf_record record;

    assert_int_equal(next(file, &record), type);
}

static void write_two_rounds(struct cairn_perf_writer *writer)
{
    static const char *const args[] = {"cairn", "record", "-e", "*"};

    assert_int_equal(cairn_perf_writer_set_command(writer, 4, args), 0);
    assert_int_equal(add_tracepoint(writer, "user_events", "conn_open", 1701, FORMAT_OPEN, 100), 0);
    assert_int_equal(add_tracepoint(writer, "user_events", "conn_close", 1702, FORMAT_CLOSE, 200),
                     0);
    assert_int_equal(cairn_perf_writer_comm(writer, 4000, 4001, "a name that is too long", 0), 0);
    assert_int_equal(write_open(writer, 100, 1500), 0);
    assert_int_equal(write_close(writer, 200, 1000), 0);
    assert_int_equal(cairn_perf_writer_round(writer), 0);
    assert_int_equal(write_close(writer, 200, 2000), 0);
    assert_int_equal(cairn_perf_writer_lost(writer, 100, 42, 1700), 0);
    assert_int_equal(cairn_perf_writer_lost(writer, 0, 1, 0), 0);
}

static void expect_two_rounds(struct cairn_perf_file *file)
{
    expect_type(file, CAIRN_PERF_RECORD_COMM);
    expect_type(file, CAIRN_PERF_RECORD_LOST); /* without a time: returned at once */
    expect_close(file, 200, 1000, "user_events:conn_close");
    expect_open(file, 100, 1500);
    expect_type(file, CAIRN_PERF_RECORD_LOST);
    expect_close(file, 200, 2000, "user_events:conn_close");
    expect_type(file, 0);
    assert_string_equal(cairn_perf_file_comm(file, 4001), "a name that is ");
    assert_int_equal(cairn_perf_file_counts(file)->lost_events, 43);
    assert_int_equal(cairn_perf_file_counts(file)->late, 0);
}

static void expect_facts(struct cairn_perf_file *file)
{
    const struct cairn_perf_host *host = cairn_perf_file_host(file);
    const struct cairn_perf_clock *clock = cairn_perf_file_clock(file);
    struct utsname uts;
    int64_t off_s;

    uname(&uts);
    assert_string_equal(host->hostname, uts.nodename);
    assert_string_equal(host->osrelease, uts.release);
    assert_string_equal(host->arch, uts.machine);
    assert_string_equal(host->version, "cairn " CAIRN_VERSION);
    assert_true(host->cpus_online >= 1);
    assert_true(host->cpus_available >= host->cpus_online);
    assert_true(host->total_mem_kib > 1000);
    assert_int_equal(host->arg_count, 4);
    assert_string_equal(host->args[3], "*");
    assert_int_equal(clock->clockid, CLOCK_MONOTONIC);
    assert_true(clock->wall_clock_known);
    assert_true(clock->resolution_ns > 0);
    off_s = (int64_t)(clock->wall_clock_ns / 1000000000) - (int64_t)time(NULL);
    assert_true(off_s > -10 && off_s < 10);
    assert_int_equal(cairn_perf_file_tracing(file)->page_size_bytes, getpagesize());
    assert_int_equal(cairn_perf_file_tracing(file)->long_size_bytes, sizeof(long));
    assert_true(cairn_perf_file_attr_of_id(file, 100)->flags & PERF_DATA_ATTR_USE_CLOCKID);
    assert_int_equal(cairn_perf_file_attr_of_id(file, 100)->clockid, CLOCK_MONOTONIC);
    assert_int_equal(cairn_perf_file_attr_count(file), 3);
    assert_string_equal(cairn_perf_file_attr(file, 0)->name,
                        cairn_perf_file_is_pipe(file) ? "" : "dummy");
}

static void a_written_file_can_be_read(void **state)
{
    int fd = memory_file();
    struct cairn_perf_writer *writer = create(fd, CAIRN_PERF_FILE);
    struct cairn_perf_file *file;
    struct stat st;

    (void)state;
    write_two_rounds(writer);
    finish(writer);
    file = reopen(fd);
    assert_false(cairn_perf_file_is_pipe(file));
    expect_facts(file);
    assert_int_equal(cairn_perf_file_format_count(file), 2);
    expect_two_rounds(file);
    cairn_perf_file_close(file);
    assert_int_equal(fstat(fd, &st), 0);
    assert_int_equal(st.st_size % 8, 0);
    close(fd);
}

static void a_written_stream_can_be_read(void **state)
{
    int fd = memory_file();
    struct cairn_perf_writer *writer = create(fd, CAIRN_PERF_PIPE);
    struct cairn_perf_file *file;

    (void)state;
    write_two_rounds(writer);
    finish(writer);
    file = reopen(fd);
    assert_true(cairn_perf_file_is_pipe(file));
    expect_two_rounds(file);
    expect_facts(file);
    cairn_perf_file_close(file);
    close(fd);
}

static void an_unfinished_file_is_a_stream(void **state)
{
    int fd = memory_file();
    struct cairn_perf_writer *writer = create(fd, CAIRN_PERF_FILE);
    struct cairn_perf_file *file;

    (void)state;
    write_two_rounds(writer);
    assert_int_equal(cairn_perf_writer_flush(writer), 0);
    cairn_perf_writer_destroy(writer);
    file = reopen(fd);
    assert_true(cairn_perf_file_is_pipe(file));
    expect_two_rounds(file);
    expect_facts(file);
    cairn_perf_file_close(file);
    close(fd);
}

static void write_late_tracepoints(struct cairn_perf_writer *writer)
{
    assert_int_equal(add_tracepoint(writer, "net", "conn_open", 1701, FORMAT_OPEN, 100), 0);
    assert_int_equal(write_close(writer, 0, 1), 0); /* an unknown id: the dummy attr's */
    assert_int_equal(add_tracepoint(writer, "late system", "conn_close", 1702, FORMAT_CLOSE, 200),
                     0);
    assert_int_equal(write_close(writer, 200, 2), 0);
    assert_int_equal(add_tracepoint(writer, "net", "conn_open", 1701, FORMAT_OPEN, 101), 0);
    assert_int_equal(write_open(writer, 101, 3), 0);
}

static void expect_late_tracepoints(struct cairn_perf_file *file)
{
    struct cairn_perf_record record;

    assert_int_equal(next(file, &record), CAIRN_PERF_RECORD_SAMPLE);
    assert_ptr_equal(record.attr, cairn_perf_file_attr(file, 0));
    expect_close(file, 200, 2, "late system:conn_close");
    expect_close(file, 101, 3, "net:conn_open");
    expect_type(file, 0);
    assert_int_equal(cairn_perf_file_attr_count(file), 4);
}

static void tracepoints_may_be_added_late(void **state)
{
    (void)state;
    for (int mode = 0; mode < 2; mode++) {
        int fd = memory_file();
        struct cairn_perf_writer *writer = create(fd, mode ? CAIRN_PERF_PIPE : CAIRN_PERF_FILE);
        struct cairn_perf_file *file;

        write_late_tracepoints(writer);
        finish(writer);
        file = reopen(fd);
        if (!mode) { /* in a file they are like the others */
            assert_string_equal(cairn_perf_file_attr_of_id(file, 200)->name,
                                "late system:conn_close");
            assert_int_equal(cairn_perf_file_attr_of_id(file, 200)->config, 1702);
            assert_int_equal(cairn_perf_file_format_count(file), 2);
        }
        expect_late_tracepoints(file);
        cairn_perf_file_close(file);
        close(fd);
    }
}

/* Tracepoints: one whose name perf does not accept, one added late, and one of each other kind. */
static void write_to_be_cut(struct cairn_perf_writer *writer)
{
    static const char odd[] = "name: conn-open\nID: 1701\n" COMMON_FIELDS OPEN_FIELDS;

    assert_int_equal(add_tracepoint(writer, "user_events", "conn-open", 1701, odd, 100), 0);
    assert_int_equal(cairn_perf_writer_comm(writer, 4000, 4001, "cut", 0), 0);
    for (uint64_t time_ns = 1; time_ns < 10; time_ns++)
        assert_int_equal(write_open(writer, 100, time_ns), 0);
    assert_int_equal(cairn_perf_writer_round(writer), 0);
    assert_int_equal(add_tracepoint(writer, "late", "conn_close", 1702, FORMAT_CLOSE, 200), 0);
    for (uint64_t time_ns = 10; time_ns < 20; time_ns++)
        assert_int_equal(write_close(writer, 200, time_ns), 0);
}

/* Reads samples with all their data. Returns their number. */
static uint64_t expect_cut(struct cairn_perf_file *file, int *ret_err)
{
    struct cairn_perf_record record;
    uint64_t samples = 0;

    while (!(*ret_err = cairn_perf_file_next_ordered(file, &record))) {
        if (record.type != CAIRN_PERF_RECORD_SAMPLE)
            continue;
        assert_int_equal(record.time_ns, ++samples);
        assert_string_equal(record.attr->name,
                            samples < 10 ? "user_events:conn-open" : "late:conn_close");
        assert_int_equal(record.attr->config, samples < 10 ? 1701 : 1702);
        assert_int_equal(record.attr->format.length,
                         strlen(samples < 10 ? FORMAT_OPEN : FORMAT_CLOSE));
        assert_string_equal(cairn_perf_file_comm(file, 4001), "cut");
        assert_true(cairn_perf_file_clock(file)->wall_clock_known);
        assert_non_null(cairn_perf_file_host(file)->hostname);
    }
    return samples;
}

/* A copy that was interrupted, of a finished file. */
static void a_truncated_finished_file_is_readable_up_to_its_end(void **state)
{
    int fd = memory_file();
    struct cairn_perf_writer *writer = create(fd, CAIRN_PERF_FILE);
    struct cairn_perf_file *file;
    uint64_t most = 19;
    struct stat st;
    int err;

    (void)state;
    write_to_be_cut(writer);
    finish(writer);
    file = reopen(fd);
    assert_int_equal(expect_cut(file, &err), 19);
    assert_int_equal(err, ENODATA);
    cairn_perf_file_close(file);
    assert_int_equal(fstat(fd, &st), 0);
    for (off_t size = st.st_size - 1; size >= PERF_DATA_KEPT_STREAM_AT + 16; size--) {
        uint64_t samples;

        assert_int_equal(ftruncate(fd, size), 0);
        file = reopen(fd);
        samples = expect_cut(file, &err);
        assert_int_equal(err, EBADMSG);
        assert_true(samples <= most && samples + 1 >= most);
        most = samples;
        cairn_perf_file_close(file);
    }
    assert_int_equal(most, 0);
    close(fd);
}

static void one_id_may_have_several_formats(void **state)
{
    static const char other[] = "name: conn_open\nID: 1701\n" COMMON_FIELDS CLOSE_FIELDS;

    (void)state;
    for (int late = 0; late < 2; late++) {
        int fd = memory_file();
        struct cairn_perf_writer *writer = create(fd, CAIRN_PERF_FILE);
        struct cairn_perf_file *file;

        assert_int_equal(add_tracepoint(writer, "user_events", "conn_open", 1701, FORMAT_OPEN, 100),
                         0);
        if (late)
            assert_int_equal(write_open(writer, 100, 1), 0);
        assert_int_equal(add_tracepoint(writer, "user_events", "conn_open", 1701, other, 101), 0);
        if (!late)
            assert_int_equal(write_open(writer, 100, 1), 0);
        assert_int_equal(write_close(writer, 101, 2), 0);
        finish(writer);
        file = reopen(fd);
        expect_open(file, 100, 1);
        expect_close(file, 101, 2, "user_events:conn_open");
        assert_int_equal(cairn_perf_file_attr_of_id(file, 101)->format.length, strlen(other));
        assert_memory_equal(cairn_perf_file_attr_of_id(file, 101)->format.text, other,
                            strlen(other));
        cairn_perf_file_close(file);
        close(fd);
    }
}

static void late_tracepoints_may_exceed_the_space_before_the_data(void **state)
{
    const uint64_t count = 300;
    int fd = memory_file();
    struct cairn_perf_writer *writer = create(fd, CAIRN_PERF_FILE);
    struct cairn_perf_file *file;

    (void)state;
    for (uint64_t i = 1; i <= count; i++) {
        char name[16];

        assert_int_equal(write_close(writer, i - 1, i), 0);
        snprintf(name, sizeof(name), "tp%03d", (int)i);
        assert_int_equal(
            add_tracepoint(writer, "user_events", name, 3000 + (uint32_t)i, FORMAT_CLOSE, i), 0);
    }
    finish(writer);
    file = reopen(fd);
    expect_type(file, CAIRN_PERF_RECORD_SAMPLE);
    for (uint64_t i = 1; i < count; i++) {
        char name[32];

        snprintf(name, sizeof(name), "user_events:tp%03d", (int)i);
        expect_close(file, i, i + 1, name);
    }
    expect_type(file, 0);
    cairn_perf_file_close(file);
    close(fd);
}

/* The metadata of such a tracepoint do not fit into one record. */
static void a_late_tracepoint_may_have_thousands_of_ids(void **state)
{
    static uint64_t ids[8001];
    char name[2001] = "";
    struct cairn_perf_tracepoint tracepoint = {
        .system = "many",
        .name = name,
        .id = 5,
        .format = "name: x\nID: 5\n",
        .format_bytes = 14,
        .sample_ids = ids,
        .sample_id_count = 8001,
    };
    int fd = memory_file();
    struct cairn_perf_writer *writer = create(fd, CAIRN_PERF_FILE);
    struct cairn_perf_file *file;

    (void)state;
    memset(name, 'n', sizeof(name) - 1);
    for (uint64_t i = 0; i < 8001; i++)
        ids[i] = 1000 + i;
    assert_int_equal(write_close(writer, 0, 1), 0);
    assert_int_equal(cairn_perf_writer_add_tracepoint(writer, &tracepoint), E2BIG);
    tracepoint.sample_id_count = 8000;
    assert_int_equal(cairn_perf_writer_add_tracepoint(writer, &tracepoint), E2BIG);
    name[1200] = '\0';
    assert_int_equal(cairn_perf_writer_add_tracepoint(writer, &tracepoint), 0);
    assert_int_equal(write_close(writer, ids[7999], 2), 0);
    finish(writer);
    file = reopen(fd);
    assert_int_equal(cairn_perf_file_attr_of_id(file, ids[7999])->id_count, 8000);
    expect_type(file, CAIRN_PERF_RECORD_SAMPLE);
    expect_type(file, CAIRN_PERF_RECORD_SAMPLE);
    expect_type(file, 0);
    assert_int_equal(cairn_perf_file_attr_count(file), 2);
    cairn_perf_file_close(file);
    close(fd);
}

static void an_empty_recording_can_be_read(void **state)
{
    (void)state;
    for (int mode = 0; mode < 2; mode++) {
        int fd = memory_file();
        struct cairn_perf_writer *writer = create(fd, mode ? CAIRN_PERF_PIPE : CAIRN_PERF_FILE);
        struct cairn_perf_file *file;

        assert_int_equal(cairn_perf_writer_flush(writer), 0);
        finish(writer);
        file = reopen(fd);
        expect_type(file, 0);
        assert_int_equal(cairn_perf_file_attr_count(file), 1);
        assert_int_equal(cairn_perf_file_counts(file)->samples, 0);
        cairn_perf_file_close(file);
        close(fd);
    }
}

static void blocks_of_any_size_keep_their_order(void **state)
{
    const uint32_t record_bytes = cairn_record_size(4);
    const uint64_t count = 40000;
    uint8_t *block = calloc(count, record_bytes);
    int fd = memory_file();
    struct cairn_perf_writer *writer = create(fd, CAIRN_PERF_FILE);
    struct cairn_perf_file *file;
    struct cairn_perf_record record;
    uint64_t done = 0;

    (void)state;
    assert_non_null(block);
    assert_int_equal(add_tracepoint(writer, "s", "conn_open", 1701, FORMAT_OPEN, 9), 0);
    for (uint64_t i = 0; i < count; i++) {
        struct cairn_record_head head = {.type = CAIRN_RECORD_SAMPLE, .id = 9, .time_ns = i + 1};

        head.size_bytes = (uint16_t)record_bytes;
        head.raw_size_bytes = record_bytes - 44;
        memcpy(block + i * record_bytes, &head, sizeof(head));
    }
    for (uint64_t piece = 1; done < count; piece = 3 * piece % 20011) {
        uint64_t records = piece < count - done ? piece : count - done;

        assert_int_equal(
            cairn_perf_writer_write(writer, block + done * record_bytes, records * record_bytes),
            0);
        done += records;
        assert_true(cairn_perf_writer_size_bytes(writer) >= done * record_bytes);
    }
    free(block);
    finish(writer);
    file = reopen(fd);
    for (uint64_t i = 0; i < count; i++) {
        assert_int_equal(cairn_perf_file_next(file, &record), 0);
        assert_int_equal(record.time_ns, i + 1);
    }
    cairn_perf_file_close(file);
    close(fd);
}

static void invalid_arguments_are_refused(void **state)
{
    int fd = memory_file();
    struct cairn_perf_writer *writer = create(fd, CAIRN_PERF_FILE);
    struct cairn_perf_clock clock = {0};
    const uint64_t zero = 0;
    struct cairn_perf_tracepoint bad = {"s", "n", 1, "name: n", 7, &zero, 1, 0};
    static char long_name[5000];

    (void)state;
    memset(long_name, 'x', sizeof(long_name) - 1);
    assert_int_equal(cairn_perf_writer_add_tracepoint(writer, &bad), EINVAL); /* id 0 */
    bad.sample_id_count = 0;
    assert_int_equal(cairn_perf_writer_add_tracepoint(writer, &bad), EINVAL);
    assert_int_equal(add_tracepoint(writer, "", "x", 1, "x", 1), EINVAL);
    assert_int_equal(add_tracepoint(writer, "s", "", 1, "x", 1), EINVAL);
    assert_int_equal(add_tracepoint(writer, "s", "x", 1, "", 1), EINVAL);
    assert_int_equal(add_tracepoint(writer, "s", long_name, 1, "x", 1), E2BIG);
    assert_int_equal(add_tracepoint(writer, long_name, "x", 1, "x", 1), E2BIG);
    bad = (struct cairn_perf_tracepoint){"s", "n", 1, "name: n", 7, &(uint64_t){5}, 1, 0x406};
    assert_int_equal(cairn_perf_writer_add_tracepoint(writer, &bad), EINVAL); /* no IDENTIFIER */
    assert_int_equal(add_tracepoint(writer, "s", "x", 1, "x", 7), 0);
    assert_int_equal(add_tracepoint(writer, "s", "y", 2, "y", 7), EEXIST);
    assert_int_equal(cairn_perf_writer_lost(writer, 4711, 1, 0), EINVAL);
    assert_int_equal(cairn_perf_writer_write(writer, "1234567", 7), EINVAL);
    assert_int_equal(cairn_perf_clock_read(4711, &clock), EINVAL);
    assert_int_equal(cairn_perf_writer_set_clock(writer, &clock), 0);
    assert_int_equal(cairn_perf_writer_set_command(writer, -1, NULL), EINVAL);
    assert_int_equal(write_close(writer, 7, 1), 0);
    assert_int_equal(cairn_perf_writer_set_clock(writer, &clock), EBUSY);
    assert_int_equal(cairn_perf_writer_set_command(writer, 0, NULL), EBUSY);
    assert_int_equal(cairn_perf_writer_finish(writer), 0);
    assert_int_equal(write_close(writer, 7, 1), EINVAL);
    assert_int_equal(add_tracepoint(writer, "s", "z", 3, "z", 8), EINVAL);
    assert_int_equal(cairn_perf_writer_finish(writer), 0);
    cairn_perf_writer_destroy(writer);
    cairn_perf_writer_destroy(NULL);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_written_file_can_be_read),
        cmocka_unit_test(a_written_stream_can_be_read),
        cmocka_unit_test(an_unfinished_file_is_a_stream),
        cmocka_unit_test(tracepoints_may_be_added_late),
        cmocka_unit_test(a_truncated_finished_file_is_readable_up_to_its_end),
        cmocka_unit_test(one_id_may_have_several_formats),
        cmocka_unit_test(late_tracepoints_may_exceed_the_space_before_the_data),
        cmocka_unit_test(a_late_tracepoint_may_have_thousands_of_ids),
        cmocka_unit_test(an_empty_recording_can_be_read),
        cmocka_unit_test(blocks_of_any_size_keep_their_order),
        cmocka_unit_test(invalid_arguments_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
