/* SPDX-License-Identifier: MIT */
/* Records of the kernel in trace files: as they are, in the order of time, with names and losses.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <cairn/record.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "trace_file/count.h"
#include "trace_file/perf_writer.h"
#include "trace_file/reader.h"
#include "trace_file/repair.h"

#define ATTR_BYTES 128u
#define DUMMY_ID   90u
#define EVENT_ID   91u

static const char format[] = "name: one\nID: 7\nformat:\n\tfield:unsigned short "
                             "common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
                             "\tfield:u32 n;\toffset:8;\tsize:4;\tsigned:0;\n";

struct output {
    int fd;
    struct trace_file_writer writer;
    struct trace_file_tables_writer tables;
    struct trace_file_perf_writer perf;
    struct trace_file_perf_added added;
};

static void add_attr(struct output *o, uint32_t descriptor, uint64_t id)
{
    uint8_t attr[ATTR_BYTES] = {0};
    uint64_t sample_type = CAIRN_RECORD_SAMPLE_TYPE;
    uint64_t flags = UINT64_C(1) << 18; /* sample_id_all */

    memcpy(attr + 24, &sample_type, sizeof(sample_type));
    memcpy(attr + 40, &flags, sizeof(flags));
    assert_int_equal(
        trace_file_perf_writer_attr(&o->perf, descriptor,
                                    (struct cairn_slice){(const char *)attr, sizeof(attr)}, &id, 1),
        0);
}

static void begin(struct output *o)
{
    *o = (struct output){.fd = memfd_create("trace", 0)};
    assert_true(o->fd >= 0);
    assert_int_equal(trace_file_writer_begin(&o->writer, o->fd, 0), 0);
    trace_file_perf_writer_begin(&o->perf, &o->writer, &o->tables);
    trace_file_put_descriptor(&o->tables, &(struct trace_file_descriptor){
                                              .number = 1,
                                              .kind = TRACE_FILE_TRACEPOINT,
                                              .flags = TRACE_FILE_HAS_COMMON,
                                              .id = 7,
                                              .long_size_bytes = 8,
                                              .system = {"sched", 5},
                                              .name = {"one", 3},
                                              .format = {format, sizeof(format) - 1},
                                          });
    add_attr(o, 0, DUMMY_ID);
    add_attr(o, 1, EVENT_ID);
}

static int put(struct output *o, uint32_t cpu, const void *record, size_t size)
{
    return trace_file_perf_writer_put(&o->perf, cpu, (const uint8_t *)record, size, &o->added);
}

static void put_sample(struct output *o, uint32_t cpu, uint64_t time_ns, uint32_t number)
{
    struct {
        struct cairn_record_head head;
        uint32_t n;
    } record = {
        .head =
            {
                .type = CAIRN_RECORD_SAMPLE,
                .size_bytes = sizeof(record),
                .id = EVENT_ID,
                .pid = 100,
                .tid = 100 + cpu,
                .time_ns = time_ns,
                .cpu = cpu,
                .raw_size_bytes = 12,
                .common_type = 7,
            },
        .n = number,
    };

    assert_int_equal(put(o, cpu, &record, sizeof(record)), 0);
}

/* The end of a record that is not a sample. */
struct trailer {
    uint32_t pid;
    uint32_t tid;
    uint64_t time_ns;
    uint64_t cpu;
    uint64_t id;
};

static void put_comm(struct output *o, uint32_t tid, uint64_t time_ns, const char *name)
{
    struct {
        uint32_t type;
        uint16_t misc;
        uint16_t size_bytes;
        uint32_t pid;
        uint32_t tid;
        char comm[16];
        struct trailer trailer;
    } record = {.type = CAIRN_PERF_RECORD_COMM,
                .size_bytes = sizeof(record),
                .pid = 100,
                .tid = tid,
                .trailer = {100, tid, time_ns, 0, DUMMY_ID}};

    strncpy(record.comm, name, sizeof(record.comm) - 1);
    assert_int_equal(put(o, 0, &record, sizeof(record)), 0);
}

static void put_lost(struct output *o, uint64_t time_ns, uint64_t lost)
{
    struct {
        uint32_t type;
        uint16_t misc;
        uint16_t size_bytes;
        uint64_t id;
        uint64_t lost;
        struct trailer trailer;
    } record = {.type = CAIRN_PERF_RECORD_LOST,
                .size_bytes = sizeof(record),
                .id = EVENT_ID,
                .lost = lost,
                .trailer = {100, 100, time_ns, 0, EVENT_ID}};

    assert_int_equal(put(o, 0, &record, sizeof(record)), 0);
}

static void put_switch(struct output *o, uint64_t time_ns)
{
    struct {
        uint32_t type;
        uint16_t misc;
        uint16_t size_bytes;
        struct trailer trailer;
    } record = {.type = PERF_RECORD_SWITCH,
                .size_bytes = sizeof(record),
                .trailer = {100, 100, time_ns, 0, DUMMY_ID}};

    assert_int_equal(put(o, 0, &record, sizeof(record)), 0);
}

static uint8_t *end(struct output *o, size_t *ret_size)
{
    uint8_t *bytes;

    assert_int_equal(trace_file_perf_writer_flush(&o->perf), 0);
    assert_int_equal(trace_file_writer_finish(&o->writer), 0);
    *ret_size = (size_t)o->writer.offset;
    bytes = (uint8_t *)malloc(*ret_size);
    assert_int_equal(pread(o->fd, bytes, *ret_size, 0), *ret_size);
    trace_file_perf_writer_free(&o->perf);
    trace_file_tables_writer_free(&o->tables);
    trace_file_writer_free(&o->writer);
    close(o->fd);
    return bytes;
}

/* Two CPUs; on one of them an interrupt has written before an earlier record. */
static uint8_t *make_file(size_t *ret_size)
{
    struct output o;

    begin(&o);
    put_comm(&o, 100, 5, "first");
    put_sample(&o, 0, 10, 1);
    put_sample(&o, 0, 30, 3);
    put_sample(&o, 0, 25, 2);
    put_lost(&o, 31, 4);
    put_comm(&o, 100, 35, "second");
    put_sample(&o, 0, 40, 5);
    put_sample(&o, 1, 20, 9);
    assert_int_equal(o.added.samples, 5);
    assert_int_equal(o.added.lost, 4);
    return end(&o, ret_size);
}

static int open_bytes(struct trace_file_reader *reader, const uint8_t *bytes, size_t size)
{
    struct perf_data_source source = {.map = bytes, .map_bytes = size, .end = size, .fd = -1};
    struct perf_data_block_pool pool = {0};

    return trace_file_reader_begin(reader, &source, &pool);
}

static uint32_t number_of(const struct trace_file_event *event)
{
    uint32_t number;

    assert_int_equal(event->payload_bytes, 12);
    memcpy(&number, event->payload + 8, sizeof(number));
    return number;
}

static void samples_are_events_in_the_order_of_time(void **state)
{
    static const uint32_t numbers[] = {1, 9, 2, 3, 5};
    static const char *const names[] = {"first", NULL, "first", "first", "second"};
    struct trace_file_reader reader;
    struct trace_file_event event;
    size_t size;
    uint8_t *bytes = make_file(&size);

    (void)state;
    assert_int_equal(open_bytes(&reader, bytes, size), 0);
    for (size_t n = 0; n < 5; n++) {
        const char *name;

        assert_int_equal(trace_file_reader_next(&reader, &event), 0);
        assert_int_equal(number_of(&event), numbers[n]);
        assert_int_equal(event.pid, 100);
        assert_int_equal(event.cpu, numbers[n] == 9);
        name = trace_file_reader_name(&reader, &event);
        assert_int_equal(name != NULL, names[n] != NULL);
        if (name)
            assert_string_equal(name, names[n]);
    }
    assert_int_equal(trace_file_reader_next(&reader, &event), ENODATA);
    assert_int_equal(trace_file_reader_lost(&reader), 4);
    trace_file_reader_end(&reader);
    free(bytes);
}

/* The index has no times of records that are no samples. */
static void records_of_a_later_block_are_in_the_order_of_time(void **state)
{
    const uint64_t ms = 1000000;
    struct trace_file_reader reader;
    struct trace_file_event event;
    struct output o;
    uint8_t *bytes;
    size_t size;

    (void)state;
    begin(&o);
    put_sample(&o, 0, 20 * ms, 1);
    put_sample(&o, 0, 30 * ms, 2);
    assert_int_equal(trace_file_perf_writer_flush(&o.perf), 0);
    put_comm(&o, 100, 25 * ms, "late");
    put_sample(&o, 1, 60 * ms, 3);
    bytes = end(&o, &size);
    assert_int_equal(open_bytes(&reader, bytes, size), 0);
    for (uint32_t n = 1; n <= 3; n++) {
        const char *name;

        assert_int_equal(trace_file_reader_next(&reader, &event), 0);
        assert_int_equal(number_of(&event), n);
        name = trace_file_reader_name(&reader, &event);
        assert_int_equal(name != NULL, n == 2);
        if (name)
            assert_string_equal(name, "late");
    }
    assert_int_equal(trace_file_reader_next(&reader, &event), ENODATA);
    trace_file_reader_end(&reader);
    free(bytes);
}

/* Threads of two machines have the same numbers. */
static void records_of_each_domain_have_pieces_of_their_own(void **state)
{
    static const char *const names[] = {"zero", "one"};
    struct trace_file_reader reader;
    struct trace_file_event event;
    struct output o;
    uint8_t *bytes;
    size_t size;

    (void)state;
    begin(&o);
    put_comm(&o, 100, 5, "zero");
    put_sample(&o, 0, 10, 1);
    o.perf.domain = 1;
    put_comm(&o, 100, 8, "one");
    put_sample(&o, 0, 20, 2);
    bytes = end(&o, &size);
    assert_int_equal(open_bytes(&reader, bytes, size), 0);
    for (uint32_t n = 0; n < 2; n++) {
        const char *name;

        assert_int_equal(trace_file_reader_next(&reader, &event), 0);
        assert_int_equal(number_of(&event), n + 1);
        name = trace_file_reader_name(&reader, &event);
        assert_non_null(name);
        assert_string_equal(name, names[n]);
    }
    assert_int_equal(trace_file_reader_next(&reader, &event), ENODATA);
    trace_file_reader_end(&reader);
    free(bytes);
}

static void switches_are_not_kept_where_they_are_not_wanted(void **state)
{
    struct output o;
    uint8_t *bytes;
    size_t size;

    (void)state;
    begin(&o);
    put_switch(&o, 10);
    put_switch(&o, 20);
    assert_int_equal(trace_file_perf_writer_flush(&o.perf), 0);
    put_switch(&o, 30);
    put_comm(&o, 100, 40, "name");
    put_sample(&o, 0, 50, 1);
    bytes = end(&o, &size);
    for (int without = 0; without < 2; without++) {
        struct trace_file_reader reader;
        struct trace_file_event event;
        uint32_t count = 0;

        assert_int_equal(open_bytes(&reader, bytes, size), 0);
        reader.with_others = true;
        reader.without_switches = without;
        assert_int_equal(trace_file_reader_set_range(&reader, 0, UINT64_MAX), 0);
        assert_int_equal(reader.heap_count, without ? 1 : 2);
        while (!trace_file_reader_next(&reader, &event))
            count++;
        assert_int_equal(count, without ? 2 : 5);
        assert_string_equal(trace_file_reader_name(&reader, &event), "name");
        trace_file_reader_end(&reader);
    }
    free(bytes);
}

static void a_range_knows_the_names_before_it(void **state)
{
    struct trace_file_reader reader;
    struct trace_file_event event;
    size_t size;
    uint8_t *bytes = make_file(&size);

    (void)state;
    assert_int_equal(open_bytes(&reader, bytes, size), 0);
    assert_int_equal(trace_file_reader_set_range(&reader, 36, 100), 0);
    assert_int_equal(trace_file_reader_next(&reader, &event), 0);
    assert_int_equal(number_of(&event), 5);
    assert_string_equal(trace_file_reader_name(&reader, &event), "second");
    assert_int_equal(trace_file_reader_next(&reader, &event), ENODATA);
    assert_int_equal(trace_file_reader_lost(&reader), 0); /* before the range */
    trace_file_reader_end(&reader);
    free(bytes);
}

static void the_index_counts_them_as_the_blocks_do(void **state)
{
    struct trace_file_reader reader;
    size_t size;
    uint8_t *bytes = make_file(&size);

    (void)state;
    for (size_t cut = 0; cut <= 48; cut += 48) { /* with the end, and without */
        struct trace_file_counts counts = {0};

        assert_int_equal(open_bytes(&reader, bytes, size - cut), 0);
        assert_int_equal(trace_file_count(&reader.blocks, &counts), cut ? EBADMSG : 0);
        assert_int_equal(counts.tables.descriptor_count, 1);
        assert_int_equal(counts.events[0], 5);
        trace_file_counts_free(&counts);
        trace_file_reader_end(&reader);
    }
    free(bytes);
}

static void a_file_without_its_end_is_repaired(void **state)
{
    struct perf_data_block_pool pool = {0};
    struct trace_file_repair repair;
    size_t size;
    uint8_t *bytes = make_file(&size);
    struct perf_data_source source = {
        .map = bytes, .map_bytes = size - 48, .end = size - 48, .fd = -1};

    (void)state;
    assert_int_equal(trace_file_repair_examine(&source, &pool, &repair), 0);
    assert_false(repair.is_whole);
    assert_int_equal(repair.events, 5);
    assert_int_equal(repair.damage_count, 0);
    trace_file_repair_free(&repair);
    free(bytes);
}

/* Reads a damaged file to its end. */
static void read_all(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = (uint8_t *)malloc(size);
    struct trace_file_reader reader;
    struct trace_file_event event;

    memcpy(copy, bytes, size);
    if (!open_bytes(&reader, copy, size)) {
        while (!trace_file_reader_next(&reader, &event))
            (void)trace_file_reader_name(&reader, &event);
    }
    trace_file_reader_end(&reader);
    free(copy);
}

static void a_record_of_an_impossible_size_is_damage(void **state)
{
    uint8_t bad[64] = {CAIRN_RECORD_SAMPLE};
    struct output o;
    uint8_t *bytes;
    size_t size;

    (void)state;
    begin(&o);
    for (unsigned record_bytes = 0; record_bytes < 80; record_bytes++) {
        bad[6] = (uint8_t)record_bytes;
        if (put(&o, 0, bad, sizeof(bad)) == 0)
            assert_int_equal(record_bytes, sizeof(bad));
    }
    bytes = end(&o, &size);
    read_all(bytes, size);
    free(bytes);
}

/* Recorders that follow one another write the same ones again, or more. */
static void strings_of_kernels_are_collected(void **state)
{
    static const char first[] = "0x10 : \"a\"\n0x20 : \"b\"\n";
    static const char more[] = "0x30 : \"c\"";
    static const char all[] = "0x10 : \"a\"\n0x20 : \"b\"\n0x30 : \"c\"\n";
    struct trace_file_reader reader;
    struct trace_file_event event;
    struct output o;
    uint8_t *bytes;
    size_t size;

    (void)state;
    begin(&o);
    trace_file_put_kernel_strings(&o.tables, 0, (struct cairn_slice){first, sizeof(first) - 1});
    trace_file_put_kernel_strings(&o.tables, 1, (struct cairn_slice){first, sizeof(first) - 1});
    trace_file_put_kernel_strings(&o.tables, 1, (struct cairn_slice){more, sizeof(more) - 1});
    trace_file_put_kernel_strings(&o.tables, 2, (struct cairn_slice){"", 0});
    put_sample(&o, 0, 10, 1);
    bytes = end(&o, &size);
    assert_int_equal(open_bytes(&reader, bytes, size), 0);
    assert_int_equal(trace_file_reader_next(&reader, &event), 0);
    assert_int_equal(reader.tables.kernel_strings.length, strlen(all));
    assert_memory_equal(reader.tables.kernel_strings.text, all, strlen(all));
    trace_file_reader_end(&reader);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_are_events_in_the_order_of_time),
        cmocka_unit_test(records_of_a_later_block_are_in_the_order_of_time),
        cmocka_unit_test(records_of_each_domain_have_pieces_of_their_own),
        cmocka_unit_test(switches_are_not_kept_where_they_are_not_wanted),
        cmocka_unit_test(a_range_knows_the_names_before_it),
        cmocka_unit_test(the_index_counts_them_as_the_blocks_do),
        cmocka_unit_test(a_file_without_its_end_is_repaired),
        cmocka_unit_test(a_record_of_an_impossible_size_is_damage),
        cmocka_unit_test(strings_of_kernels_are_collected),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
