/* SPDX-License-Identifier: MIT */
/* Merging of recordings: of one machine, of several, and of damaged ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cairn/convert.h>
#include <cairn/reader.h>
#include "trace_file/reader.h"
#include "trace_file/samples.h"

static const char format[] =
    "name: one\nID: 7\nformat:\n\tfield:u32 n;\toffset:8;\tsize:4;\tsigned:0;\n";

static struct trace_file_clock_pair pair_of(uint64_t time_ns, uint64_t wall_ns)
{
    return (struct trace_file_clock_pair){
        .clockid = wall_ns ? 1 : -1, .counter = time_ns, .time_ns = time_ns, .wall_ns = wall_ns};
}

/* Properties of the machines whose files are made. */
static uint32_t long_size_bytes = 8;
static uint32_t order_flag;

/* Missing data of the recordings whose files are made. */
static struct cairn_perf_missing missing;
static uint64_t lost_in_records; /* of a control record */

/* A record without a descriptor is a control record: of events that the recorder lost. */
static void put_lost_record(struct trace_file_samples *samples, uint64_t time_ns)
{
    struct trace_file_origin origin = {.tid = 101, .time_ns = time_ns};
    struct {
        uint32_t kind;
        uint32_t cause;
        uint64_t count;
    } lost = {3, 0, lost_in_records};
    struct iovec payload = {&lost, sizeof(lost)};

    assert_int_equal(trace_file_samples_process(samples, 0, 100, NULL, &origin.process), 0);
    assert_int_equal(trace_file_pieces_add(&samples->pieces, &origin, &payload, 1), 0);
}

/* A trace file of events of process 100, one each 10 ns from the first pair of clocks on. Returns
 * its descriptor. */
static int make_file_of(const char *hostname, const struct trace_file_clock_pair *pairs,
                        size_t pair_count, uint32_t events)
{
    const struct trace_file_descriptor one = {
        .kind = TRACE_FILE_TRACEPOINT,
        .id = 7,
        .long_size_bytes = long_size_bytes,
        .flags = order_flag,
        .system = {"user_events", 11},
        .name = {"one", 3},
        .format = {format, sizeof(format) - 1},
    };
    int fd = memfd_create(hostname, 0);
    struct trace_file_sample_type type;
    struct trace_file_samples samples;
    uint8_t raw[12] = {7, 0, 0, 0, 101};

    assert_int_equal(trace_file_samples_begin(&samples, fd, 0), 0);
    trace_file_put_host(&samples.tables, &(struct cairn_perf_host){.hostname = hostname});
    for (size_t n = 0; n < pair_count; n++)
        trace_file_put_clock(&samples.tables, &pairs[n]);
    trace_file_sample_type_set(&type, &one);
    for (uint32_t n = 0; n < events; n++)
        assert_int_equal(trace_file_samples_add(&samples, &type,
                                                &(struct trace_file_sample){
                                                    .pid = 100,
                                                    .tid = 101,
                                                    .time_ns = pairs[0].time_ns + n * 10ull,
                                                    .raw = raw,
                                                    .raw_bytes = sizeof(raw),
                                                }),
                         0);
    if (lost_in_records)
        put_lost_record(&samples, pairs[0].time_ns + events * 10ull);
    trace_file_put_missing(&samples.tables, &missing);
    assert_int_equal(trace_file_samples_finish(&samples), 0);
    trace_file_samples_free(&samples);
    return fd;
}

static int make_file(const char *hostname, uint64_t first_ns, uint64_t wall_ns, uint32_t events)
{
    struct trace_file_clock_pair pair = pair_of(first_ns, wall_ns);

    return make_file_of(hostname, &pair, 1, events);
}

static struct cairn_convert_input input_of(char path[32], int fd)
{
    (void)snprintf(path, 32, "/proc/self/fd/%d", fd);
    return (struct cairn_convert_input){.path = path};
}

struct merged {
    uint32_t events;
    uint32_t descriptors;
    uint32_t processes;
    uint64_t times[16];
    uint64_t walls[16]; /* 0: unknown */
    uint32_t machines[16];
    uint32_t pids[16];
};

static struct merged read_file(int fd)
{
    struct perf_data_block_pool pool = {0};
    struct trace_file_reader reader;
    struct perf_data_source source;
    struct trace_file_event event;
    struct merged m = {0};
    int err;

    assert_int_equal(perf_data_source_open_fd(&source, fd, NULL), 0);
    assert_int_equal(trace_file_reader_begin(&reader, &source, &pool), 0);
    while (!(err = trace_file_reader_next(&reader, &event)) && m.events < 16) {
        m.times[m.events] = event.time_ns;
        (void)trace_file_clocks_wall(&reader.tables.clocks, event.domain, event.time_ns,
                                     &(struct trace_file_day){0}, &m.walls[m.events]);
        m.machines[m.events] = event.process->domain;
        m.pids[m.events] = event.process->pid;
        m.events++;
    }
    assert_int_equal(err, ENODATA);
    m.descriptors = reader.tables.descriptor_count;
    m.processes = reader.tables.process_count;
    trace_file_reader_end(&reader);
    close(fd);
    return m;
}

/* Merges two files, and closes them. */
static struct merged merge(int a, int b, int64_t offset_ns)
{
    char paths[2][32];
    struct cairn_convert_input inputs[2] = {input_of(paths[0], a), input_of(paths[1], b)};
    int fd = memfd_create("merged", 0);

    inputs[1].offset_ns = offset_ns;
    assert_int_equal(cairn_convert_merge(fd, NULL, inputs, 2), 0);
    assert_int_equal(inputs[0].error, 0);
    assert_int_equal(inputs[1].error, 0);
    close(a);
    close(b);
    return read_file(fd);
}

static void files_of_one_machine_keep_their_times(void **state)
{
    struct merged m = merge(make_file("a", 1000, 5000000, 2), make_file("a", 1005, 5000900, 2), 0);

    (void)state;
    assert_int_equal(m.events, 4);
    assert_int_equal(m.times[1], 1005); /* the time of day was set meanwhile */
    assert_int_equal(m.times[3], 1015);
    assert_int_equal(m.machines[1], m.machines[0]);
    assert_int_equal(m.processes, 1);
    assert_int_equal(m.descriptors, 1);
}

static void files_of_two_machines_are_compared_by_the_time_of_day(void **state)
{
    struct merged m = merge(make_file("a", 1000, 5000000, 2), make_file("b", 70000, 5000005, 2), 0);

    (void)state;
    assert_int_equal(m.events, 4);
    assert_int_equal(m.times[0], 1000);
    assert_int_equal(m.times[1], 1005);
    assert_int_equal(m.times[2], 1010);
    assert_int_equal(m.times[3], 1015);
    assert_int_equal(m.pids[0], 100);
    assert_int_equal(m.pids[1], 100);
    assert_int_not_equal(m.machines[1], m.machines[0]);
    assert_int_equal(m.processes, 2); /* with one number, on two machines */
    assert_int_equal(m.descriptors, 1);
}

static void an_offset_corrects_a_clock(void **state)
{
    struct merged m =
        merge(make_file("a", 1000, 5000000, 2), make_file("b", 70000, 5000005, 2), -100);

    (void)state;
    assert_int_equal(m.times[0], 905);
    assert_int_equal(m.times[3], 1010);
    m = merge(make_file("a", 1000, 5000000, 2), make_file("a", 1005, 5000005, 2), 100);
    assert_int_equal(m.times[2], 1105);
}

static void a_machine_that_was_started_again_is_another_one(void **state)
{
    struct merged m = merge(make_file("a", 1000, UINT64_C(5000000000000), 1),
                            make_file("a", 900, UINT64_C(6000000000000), 1), 0);

    (void)state;
    assert_int_equal(m.events, 2);
    assert_int_equal(m.times[1], 1000 + UINT64_C(1000000000000));
    assert_int_not_equal(m.machines[1], m.machines[0]);
}

/* Two recordings of one machine, whose clock was set, and one of another. */
static void each_event_keeps_its_time_of_day(void **state)
{
    const struct trace_file_clock_pair pairs[] = {pair_of(1000, 5000000), pair_of(1015, 9000000)};
    const struct trace_file_clock_pair later[] = {pair_of(1005, 5000007), pair_of(1018, 9000002)};
    struct merged m = merge(make_file_of("a", pairs, 2, 3), make_file_of("a", later, 2, 3), 0);

    (void)state;
    assert_int_equal(m.events, 6);
    assert_int_equal(m.walls[0], 5000000);
    assert_int_equal(m.walls[1], 5000007);
    assert_int_equal(m.walls[2], 5000010);
    assert_int_equal(m.walls[3], 5000017);
    assert_int_equal(m.walls[4], 9000005);
    assert_int_equal(m.walls[5], 9000009);
    m = merge(make_file_of("a", pairs, 2, 3), make_file("b", 70000, 5000005, 2), 0);
    assert_int_equal(m.walls[1], 5000005);
    assert_int_equal(m.walls[3], 5000015);
    assert_int_equal(m.walls[4], 9000005);
    m = merge(make_file_of("a", pairs, 2, 3), make_file_of("a", later, 2, 3), -2000);
    assert_int_equal(m.times[0], 0); /* all were moved: it would be before 0 */
    assert_int_equal(m.walls[0], 5000007 - 2000);
    assert_int_equal(m.walls[2], 9000009 - 2000);
    assert_int_equal(m.walls[5], 9000005);
}

static void an_unknown_time_of_day_remains_unknown(void **state)
{
    struct merged m = merge(make_file("a", 1000, 5000000, 1), make_file("b", 1005, 0, 1), 0);

    (void)state;
    assert_int_equal(m.walls[0], 5000000);
    assert_int_equal(m.times[1], 1005);
    assert_int_equal(m.walls[1], 0);
}

/* A merged file is an input like others: its processes are those of two machines. */
static void a_merged_file_is_merged_again(void **state)
{
    char paths[2][32];
    int a = make_file("a", 1000, 5000000, 1);
    int b = make_file("b", 70000, 5000005, 1);
    struct cairn_convert_input inputs[2] = {input_of(paths[0], a), input_of(paths[1], b)};
    int both = memfd_create("merged", 0);
    struct merged m;

    (void)state;
    assert_int_equal(cairn_convert_merge(both, NULL, inputs, 2), 0);
    close(a);
    close(b);
    m = merge(make_file("c", 200, 5000001, 1), both, 0);
    assert_int_equal(m.events, 3);
    assert_int_equal(m.processes, 3);
    assert_int_equal(m.walls[0], 5000000);
    assert_int_equal(m.walls[1], 5000001);
    assert_int_equal(m.walls[2], 5000005);
    assert_int_not_equal(m.machines[0], m.machines[2]);
}

/* Each bit of a file is flipped, and each length cut: the output is whole, and has the other file.
 */
static void damage_costs_the_damaged_events_only(void **state)
{
    int good = make_file("a", 1000, 5000000, 2);
    int other = make_file("b", 70000, 5000005, 2);
    uint8_t bytes[4096];
    ssize_t size = pread(other, bytes, sizeof(bytes), 0);

    (void)state;
    assert_in_range(size, 100, sizeof(bytes) - 1);
    for (ssize_t bit = 0; bit < 9 * size; bit++) {
        bool is_cut = bit >= 8 * size;
        int bad = memfd_create("bad", 0);
        char paths[2][32];
        struct cairn_convert_input inputs[2] = {input_of(paths[0], good), input_of(paths[1], bad)};
        int fd = memfd_create("merged", 0);
        struct merged m;

        if (!is_cut)
            bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_true(write(bad, bytes, is_cut ? (size_t)(bit - 8 * size) : (size_t)size) >= 0);
        if (!is_cut)
            bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_int_equal(cairn_convert_merge(fd, NULL, inputs, 2), 0);
        assert_int_equal(inputs[0].error, 0);
        assert_int_not_equal(inputs[1].error, 0);
        m = read_file(fd);
        assert_in_range(m.events, 2, 4);
        close(bad);
    }
    close(good);
    close(other);
}

static void perf_data_of_an_unknown_clock_has_none(void **state)
{
    int from = make_file("a", 1000, 0, 3);
    int fd = memfd_create("converted", 0);
    struct cairn_convert_report report;
    struct cairn_perf_file *file;
    char path[32];
    char to[32];

    (void)state;
    (void)input_of(path, from);
    (void)input_of(to, fd);
    assert_int_equal(cairn_convert_to_trace(path, fd, NULL, &report), EINVAL);
    assert_int_equal(report.error.code, EINVAL);
    assert_int_equal(cairn_convert_to_perf(path, fd, NULL, &report), 0);
    assert_int_equal(cairn_convert_to_perf(to, from, NULL, &report), EINVAL);
    assert_int_equal(report.error.code, EINVAL);
    assert_int_equal(cairn_perf_file_open(to, NULL, &file), 0);
    assert_int_equal(cairn_perf_file_clock(file)->clockid, -1);
    assert_false(cairn_perf_file_clock(file)->wall_clock_known);
    cairn_perf_file_close(file);
    close(from);
    close(fd);
}

static void perf_data_has_the_clock_that_is_right_for_the_longest_time(void **state)
{
    static const uint64_t hour_ns = UINT64_C(3600000000000);
    const struct trace_file_clock_pair pairs[] = {
        pair_of(1000, 5000000), pair_of(2000, 5000000 + hour_ns), /* set */
        pair_of(9000, 5007003 + hour_ns),                         /* adjusted */
    };
    int from = make_file_of("a", pairs, 3, 3);
    int fd = memfd_create("converted", 0);
    const struct cairn_perf_clock *clock;
    struct cairn_convert_report report;
    struct cairn_perf_file *file;
    char path[32];
    char to[32];

    (void)state;
    (void)input_of(path, from);
    (void)input_of(to, fd);
    assert_int_equal(cairn_convert_to_perf(path, fd, NULL, &report), 0);
    assert_int_equal(report.wall_error_ns, hour_ns - 1000);
    assert_int_equal(cairn_perf_file_open(to, NULL, &file), 0);
    clock = cairn_perf_file_clock(file);
    assert_int_equal(clock->wall_clock_ns - clock->time_ns, 5000000 + hour_ns - 2000);
    cairn_perf_file_close(file);
    close(from);
    close(fd);
}

/* Merges files of two machines. Returns the descriptor of the merged one. */
static int merge_machines(uint32_t long_of_second, uint32_t order_of_second)
{
    char paths[2][32];
    struct cairn_convert_input inputs[2];
    int fd = memfd_create("merged", 0);
    int fds[2];

    fds[0] = make_file("a", 1000, 5000, 2);
    long_size_bytes = long_of_second;
    order_flag = order_of_second;
    fds[1] = make_file("b", 1000, 6000, 3);
    long_size_bytes = 8;
    order_flag = 0;
    for (int n = 0; n < 2; n++)
        inputs[n] = input_of(paths[n], fds[n]);
    assert_int_equal(cairn_convert_merge(fd, NULL, inputs, 2), 0);
    close(fds[0]);
    close(fds[1]);
    return fd;
}

static void perf_data_has_events_of_one_byte_order_and_size_of_long(void **state)
{
    const uint32_t machines[][2] = {{8, 0}, {4, 0}, {8, TRACE_FILE_OTHER_ORDER}};

    (void)state;
    for (size_t n = 0; n < sizeof(machines) / sizeof(*machines); n++) {
        int from = merge_machines(machines[n][0], machines[n][1]);
        int fd = memfd_create("converted", 0);
        struct cairn_convert_report report;
        char path[32];

        (void)input_of(path, from);
        assert_int_equal(cairn_convert_to_perf(path, fd, NULL, &report), 0);
        assert_int_equal(report.events, n ? 2 : 5);
        assert_int_equal(report.foreign, n ? 3 : 0);
        close(from);
        close(fd);
    }
}

static void perf_data_has_the_size_of_long_of_its_machine(void **state)
{
    int from;
    int fd = memfd_create("converted", 0);
    struct cairn_convert_report report;
    struct cairn_perf_file *file;
    char path[32];

    (void)state;
    long_size_bytes = 4;
    from = make_file("a", 1000, 5000, 2);
    long_size_bytes = 8;
    (void)input_of(path, from);
    assert_int_equal(cairn_convert_to_perf(path, fd, NULL, &report), 0);
    assert_int_equal(report.events, 2);
    (void)input_of(path, fd);
    assert_int_equal(cairn_perf_file_open(path, NULL, &file), 0);
    assert_int_equal(cairn_perf_file_tracing(file)->long_size_bytes, 4);
    cairn_perf_file_close(file);
    close(from);
    close(fd);
}

/* ---- missing data ---- */

/* A file with one event, of which a recording lacks this. */
static int make_lossy_file(const char *hostname, const struct cairn_perf_missing *lacks,
                           uint64_t lost)
{
    int fd;

    missing = *lacks;
    lost_in_records = lost;
    fd = make_file(hostname, 1000, 5000, 1);
    missing = (struct cairn_perf_missing){0};
    lost_in_records = 0;
    return fd;
}

static struct cairn_reader_counts counts_of(struct cairn_reader *reader)
{
    const struct cairn_event *event;
    struct cairn_reader_counts counts;

    while (!cairn_reader_next(reader, &event))
        ;
    counts = *cairn_reader_counts(reader);
    cairn_reader_close(reader);
    return counts;
}

/* Merges files to one, and as readers, which must count the same. Closes the files. */
static struct cairn_reader_counts counts_of_merged(const int *fds, size_t count)
{
    struct cairn_convert_input inputs[4] = {0};
    struct cairn_reader *readers[4];
    struct cairn_reader *reader;
    struct cairn_reader_counts counts[2];
    char paths[4][32];
    int fd = memfd_create("merged", 0);

    for (size_t n = 0; n < count; n++) {
        inputs[n] = input_of(paths[n], fds[n]);
        assert_int_equal(cairn_reader_open(paths[n], NULL, NULL, &readers[n]), 0);
    }
    assert_int_equal(cairn_convert_merge(fd, NULL, inputs, count), 0);
    assert_int_equal(cairn_reader_merge(readers, count, &reader), 0);
    counts[0] = counts_of(reader);
    (void)input_of(paths[0], fd);
    assert_int_equal(cairn_reader_open(paths[0], NULL, NULL, &reader), 0);
    counts[1] = counts_of(reader);
    assert_int_equal(counts[1].lost, counts[0].lost);
    for (size_t n = 0; n < count; n++)
        close(fds[n]);
    close(fd);
    return counts[1];
}

static void what_is_missing_from_a_rotated_recording_is_counted_once(void **state)
{
    const struct cairn_perf_missing first = {
        .lost = {5},
        .processes = {[CAIRN_LOSS_PERMISSION] = 3},
        .silences = 1,
        .changed_cpus = 1,
        .directories_left_out = 1,
    };
    const struct cairn_perf_missing later = {
        .lost = {2},
        .processes = {[CAIRN_LOSS_PERMISSION] = 4, [CAIRN_LOSS_OTHER] = 1},
        .silences = 2,
        .changed_cpus = 2,
        .directories_left_out = 1,
    };
    const int of_one[] = {make_lossy_file("a", &first, 0), make_lossy_file("a", &later, 0),
                          make_lossy_file("a", &later, 0)};
    const int of_two[] = {make_lossy_file("a", &first, 0), make_lossy_file("b", &later, 0),
                          make_lossy_file("a", &later, 0)};
    struct cairn_perf_missing all = counts_of_merged(of_one, 3).missing;

    (void)state;
    assert_int_equal(all.lost[0], 9);
    assert_int_equal(all.silences, 5);
    assert_int_equal(all.processes[CAIRN_LOSS_PERMISSION], 4);
    assert_int_equal(all.processes[CAIRN_LOSS_OTHER], 1);
    assert_int_equal(all.changed_cpus, 2);
    assert_int_equal(all.directories_left_out, 1);
    all = counts_of_merged(of_two, 3).missing;
    assert_int_equal(all.processes[CAIRN_LOSS_PERMISSION], 8);
    assert_int_equal(all.processes[CAIRN_LOSS_OTHER], 2);
    assert_int_equal(all.changed_cpus, 4);
    assert_int_equal(all.directories_left_out, 2);
}

static void lost_events_that_only_records_count_are_not_forgotten(void **state)
{
    const struct cairn_perf_missing none = {0};
    const struct cairn_perf_missing seven = {.lost = {7}};
    const int counted[] = {make_lossy_file("a", &seven, 5)};
    const int uncounted[] = {make_lossy_file("a", &none, 5)};
    const int both[] = {make_lossy_file("a", &seven, 5), make_lossy_file("a", &none, 5)};
    struct cairn_reader_counts counts;

    (void)state;
    assert_int_equal(counts_of_merged(counted, 1).lost, 7);
    assert_int_equal(counts_of_merged(uncounted, 1).lost, 5);
    counts = counts_of_merged(both, 2);
    assert_int_equal(counts.lost, 12);
    assert_int_equal(counts.missing.lost[0], 7);
    assert_int_equal(counts.missing.lost[CAIRN_LOSS_OTHER], 5);
}

/* ---- containers ---- */

/* A file with an event of each process, whose pids are all 100; NULL: it is in no container. */
static int make_file_of_containers(const char *const *containers, size_t count)
{
    const struct trace_file_descriptor one = {.kind = TRACE_FILE_TRACEPOINT,
                                              .id = 7,
                                              .name = {"one", 3},
                                              .format = {format, sizeof(format) - 1}};
    const struct trace_file_clock_pair pair = pair_of(1000, 5000);
    uint32_t number = 1;
    struct iovec payload = {&number, sizeof(number)};
    int fd = memfd_create("containers", 0);
    struct trace_file_samples samples;

    assert_int_equal(trace_file_samples_begin(&samples, fd, 0), 0);
    trace_file_put_clock(&samples.tables, &pair);
    for (size_t n = 0; n < count; n++) {
        struct trace_file_origin origin = {.tid = 100, .time_ns = 1000 + n};

        origin.process = trace_file_samples_new_process(&samples, 0, 100, containers[n]);
        assert_int_equal(trace_file_samples_descriptor(&samples, &one, &origin.descriptor), 0);
        assert_int_equal(trace_file_pieces_add(&samples.pieces, &origin, &payload, 1), 0);
    }
    assert_int_equal(trace_file_samples_finish(&samples), 0);
    trace_file_samples_free(&samples);
    return fd;
}

static void a_pid_in_two_containers_is_two_processes(void **state)
{
    static const char *const containers[] = {"web", "data", NULL, "web", "data", NULL};
    enum { COUNT = sizeof(containers) / sizeof(*containers) };
    int from = make_file_of_containers(containers, COUNT);
    int fd = memfd_create("merged", 0);
    char path[32];
    struct cairn_convert_input input = input_of(path, from);
    const struct cairn_event *event;
    struct cairn_reader *reader;
    struct merged m;

    (void)state;
    assert_int_equal(cairn_convert_merge(fd, NULL, &input, 1), 0);
    (void)input_of(path, fd);
    assert_int_equal(cairn_reader_open(path, NULL, NULL, &reader), 0);
    for (size_t n = 0; n < COUNT; n++) {
        assert_int_equal(cairn_reader_next(reader, &event), 0);
        assert_int_equal(event->pid, 100);
        if (containers[n])
            assert_string_equal(event->container, containers[n]);
        else
            assert_null(event->container);
    }
    cairn_reader_close(reader);
    m = read_file(fd);
    assert_int_equal(m.processes, 3);
    close(from);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(perf_data_of_an_unknown_clock_has_none),
        cmocka_unit_test(perf_data_has_events_of_one_byte_order_and_size_of_long),
        cmocka_unit_test(perf_data_has_the_size_of_long_of_its_machine),
        cmocka_unit_test(perf_data_has_the_clock_that_is_right_for_the_longest_time),
        cmocka_unit_test(each_event_keeps_its_time_of_day),
        cmocka_unit_test(an_unknown_time_of_day_remains_unknown),
        cmocka_unit_test(a_merged_file_is_merged_again),
        cmocka_unit_test(files_of_one_machine_keep_their_times),
        cmocka_unit_test(files_of_two_machines_are_compared_by_the_time_of_day),
        cmocka_unit_test(an_offset_corrects_a_clock),
        cmocka_unit_test(a_machine_that_was_started_again_is_another_one),
        cmocka_unit_test(damage_costs_the_damaged_events_only),
        cmocka_unit_test(what_is_missing_from_a_rotated_recording_is_counted_once),
        cmocka_unit_test(lost_events_that_only_records_count_are_not_forgotten),
        cmocka_unit_test(a_pid_in_two_containers_is_two_processes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
