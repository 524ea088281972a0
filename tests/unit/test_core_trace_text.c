/* SPDX-License-Identifier: MIT */
/* Test of the files `trace`, `trace_pipe` and `stats`, read in pieces of any size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trace_record.h"

#include <cairn/typed_tracepoint.h>
#include <cairn/kernel/trace_text.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define CPUS      2u
#define CPU_BYTES 65536u

static struct test_event event;
static struct cairn_trace_buffer buffer;
static void *buffer_memory, *text_memory;
static char text[1 << 20];

static int set_up(void **state)
{
    size_t bytes = cairn_trace_buffer_memory_bytes(CPUS, CPU_BYTES);

    (void)state;
    buffer_memory = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    assert_non_null(buffer_memory);
    assert_int_equal(
        cairn_trace_buffer_init(&buffer, buffer_memory, bytes, CPUS, CAIRN_TRACE_OVERWRITE), 0);
    text_memory = aligned_alloc(16, (cairn_trace_text_memory_bytes(&buffer) + 15) / 16 * 16);
    assert_non_null(text_memory);
    test_event_init(&event, "demo u32 a");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    free(text_memory);
    free(buffer_memory);
    return 0;
}

static void write_payload(uint32_t cpu, uint64_t time_ns, const void *payload, uint32_t bytes)
{
    struct cairn_trace_stamp stamp = {.time_ns = time_ns, .id = event.id};
    const struct cairn_trace_common common = {.type = event.id, .pid = (int32_t)cpu + 10};
    struct cairn_trace_cpu *ring = &buffer.cpus[cpu];
    uint32_t level = cairn_trace_cpu_enter(ring);
    uint8_t *raw = cairn_trace_cpu_reserve(ring, level, CAIRN_COMMON_BYTES + bytes);

    if (raw) {
        memcpy(raw, &common, sizeof(common));
        if (bytes)
            memcpy(raw + CAIRN_COMMON_BYTES, payload, bytes);
        cairn_trace_cpu_commit(ring, level, &stamp, CAIRN_COMMON_BYTES + bytes);
    }
    cairn_trace_cpu_leave(ring, level);
}

static void write_number(uint32_t cpu, uint64_t time_ns, uint32_t number)
{
    write_payload(cpu, time_ns, &number, sizeof(number));
}

static struct cairn_trace_text open_text(uint32_t cpu, bool consume)
{
    struct cairn_trace_names names = test_event_names(&event);
    struct cairn_trace_text opened;

    assert_int_equal(cairn_trace_text_open(&opened, &names, &buffer, cpu, consume, text_memory,
                                           cairn_trace_text_memory_bytes(&buffer)),
                     0);
    return opened;
}

/* Everything that can be read, in pieces of piece_bytes. */
static const char *read_all(uint32_t cpu, bool consume, size_t piece_bytes)
{
    struct cairn_trace_text opened = open_text(cpu, consume);
    size_t length = 0, piece;
    int err;

    do {
        piece = 0;
        assert_true(length + piece_bytes < sizeof(text));
        err = cairn_trace_text_read(&opened, text + length, piece_bytes, &piece);
        assert_true(piece <= piece_bytes);
        length += piece;
    } while (piece);
    assert_int_equal(err, consume ? EAGAIN : 0);
    cairn_trace_text_close(&opened);
    text[length] = '\0';
    return text;
}

#define HEADER(counts)                                                 \
    "# tracer: nop\n"                                                  \
    "#\n"                                                              \
    "# entries-in-buffer/entries-written: " counts "   #P:2\n"         \
    "#\n"                                                              \
    "#                                _-----=> irqs-off/BH-disabled\n" \
    "#                               / _----=> need-resched\n"         \
    "#                              | / _---=> hardirq/softirq\n"      \
    "#                              || / _--=> preempt-depth\n"        \
    "#                              ||| / _-=> migrate-disable\n"      \
    "#                              |||| /     delay\n"                \
    "#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION\n"      \
    "#              | |         |   |||||     |         |\n"

/* The same text as in the kernel. */
static void an_empty_trace_is_only_a_header(void **state)
{
    (void)state;
    assert_string_equal(read_all(CAIRN_TRACE_ALL_CPUS, false, 65536), HEADER("0/0"));
    assert_string_equal(read_all(1, false, 65536), HEADER("0/0"));
}

static void an_empty_pipe_is_EAGAIN(void **state)
{
    struct cairn_trace_text pipe = open_text(CAIRN_TRACE_ALL_CPUS, true);
    size_t length = 77;

    (void)state;
    assert_int_equal(cairn_trace_text_read(&pipe, text, 100, &length), EAGAIN);
    assert_int_equal(length, 77);
    write_number(1, 1000, 5);
    assert_int_equal(cairn_trace_text_read(&pipe, text, 100, &length), 0);
    assert_int_equal(length, strlen("           <...>-11      [001] .....     0.000001: "
                                    "demo: a=0x5 (5)\n"));
    assert_int_equal(cairn_trace_text_read(&pipe, text, 100, &length), EAGAIN);
    cairn_trace_text_close(&pipe);
}

#define THREE_EVENTS                                                       \
    "           <...>-11      [001] .....     0.000001: demo: a=0x1 (1)\n" \
    "           <...>-10      [000] .....     0.000002: demo: a=0x2 (2)\n" \
    "           <...>-11      [001] .....     0.000003: demo: a=0x3 (3)\n"

static void write_three_events(void)
{
    write_number(1, 1000, 1);
    write_number(0, 2000, 2);
    write_number(1, 3000, 3);
}

static void events_of_all_cpus_are_sorted_by_time(void **state)
{
    (void)state;
    write_three_events();
    assert_string_equal(read_all(CAIRN_TRACE_ALL_CPUS, false, 65536), HEADER("3/3") THREE_EVENTS);
    assert_string_equal(read_all(CAIRN_TRACE_ALL_CPUS, false, 65536), HEADER("3/3") THREE_EVENTS);
}

/* Linux counts all CPUs in this header, too. */
static void a_cpu_has_a_trace_of_its_own(void **state)
{
    (void)state;
    write_three_events();
    assert_string_equal(
        read_all(0, false, 65536),
        HEADER("3/3") "           <...>-10      [000] .....     0.000002: demo: a=0x2 (2)\n");
}

static void a_pipe_shows_each_event_once_and_no_header(void **state)
{
    (void)state;
    write_three_events();
    assert_string_equal(read_all(1, true, 65536),
                        "           <...>-11      [001] .....     0.000001: demo: a=0x1 (1)\n"
                        "           <...>-11      [001] .....     0.000003: demo: a=0x3 (3)\n");
    assert_string_equal(
        read_all(CAIRN_TRACE_ALL_CPUS, false, 65536),
        HEADER("1/1") "           <...>-10      [000] .....     0.000002: demo: a=0x2 (2)\n");
    assert_string_equal(read_all(CAIRN_TRACE_ALL_CPUS, true, 65536),
                        "           <...>-10      [000] .....     0.000002: demo: a=0x2 (2)\n");
    assert_string_equal(read_all(CAIRN_TRACE_ALL_CPUS, true, 65536), "");
}

static void the_text_is_the_same_in_pieces_of_any_size(void **state)
{
    (void)state;
    for (size_t bytes = 1; bytes < 900; bytes++) {
        tear_down(NULL);
        set_up(NULL);
        write_three_events();
        assert_string_equal(read_all(CAIRN_TRACE_ALL_CPUS, false, bytes),
                            HEADER("3/3") THREE_EVENTS);
        assert_string_equal(read_all(CAIRN_TRACE_ALL_CPUS, true, bytes), THREE_EVENTS);
    }
}

static void a_piece_ends_with_a_whole_line_if_one_fits(void **state)
{
    struct cairn_trace_text pipe;
    size_t length, line = strlen(THREE_EVENTS) / 3;

    (void)state;
    write_three_events();
    pipe = open_text(CAIRN_TRACE_ALL_CPUS, true);
    assert_int_equal(cairn_trace_text_read(&pipe, text, 2 * line + 5, &length), 0);
    assert_int_equal(length, 2 * line);
    assert_int_equal(cairn_trace_text_read(&pipe, text, 5, &length), 0);
    assert_int_equal(length, 5);
    assert_memory_equal(text, "     ", 5);
    assert_int_equal(cairn_trace_text_read(&pipe, text, 0, &length), EINVAL);
    assert_int_equal(cairn_trace_text_read(&pipe, text, 2 * line, &length), 0);
    assert_int_equal(length, line - 5);
    cairn_trace_text_close(&pipe);
}

/* Simulates another reader that consumes the event while its line is made; the line is then not
 * printed. */
static int find_and_steal(void *data, uint16_t id, struct cairn_trace_format *ret_format)
{
    char record[256];
    size_t bytes;

    cairn_trace_buffer_read(&buffer, 0, record, 64, &bytes);
    return test_event_find(data, id, ret_format);
}

static void an_event_consumed_by_another_reader_is_not_printed(void **state)
{
    struct cairn_trace_text pipe;
    size_t length = 77;

    (void)state;
    pipe = open_text(0, true);
    pipe.names.event = find_and_steal;
    write_number(0, 1000, 1);
    assert_int_equal(cairn_trace_text_read(&pipe, text, 4096, &length), EAGAIN);
    assert_int_equal(cairn_trace_text_read(&pipe, text, 4096, &length), EAGAIN);
    assert_int_equal(length, 77);
    pipe.names.event = test_event_find;
    write_number(0, 2000, 2);
    assert_int_equal(cairn_trace_text_read(&pipe, text, 4096, &length), 0);
    text[length] = '\0';
    assert_null(strstr(text, "a=0x1 "));
    assert_non_null(strstr(text, "a=0x2 "));
    cairn_trace_text_close(&pipe);
}

/* Overwrites most of CPU 0's ring; CPU 1's events are older. Returns the number of overwritten
 * events. */
static uint64_t overrun(void)
{
    struct cairn_trace_stats stats;

    write_number(1, 1000, 1);
    write_number(1, 2000, 2);
    for (uint32_t i = 0; i < 3000; i++)
        write_number(0, 10000 + i, i);
    assert_int_equal(cairn_trace_buffer_stats(&buffer, 0, &stats), 0);
    assert_true(stats.overruns > 0 && stats.entries > 0);
    assert_int_equal(stats.overruns + stats.entries, 3000);
    return stats.overruns;
}

static void overruns_are_counted_and_buffer_starts_announced_in_the_trace(void **state)
{
    uint64_t gone = overrun();
    char expected[2048];

    (void)state;
    snprintf(
        expected, sizeof(expected),
        HEADER("%lu/3002") "           <...>-11      [001] .....     0.000001: demo: a=0x1 (1)\n"
                           "           <...>-11      [001] .....     0.000002: demo: a=0x2 (2)\n"
                           "##### CPU 0 buffer started ####\n"
                           "           <...>-10      [000] .....     0.0000%02lu: demo: a=0x%lx "
                           "(%lu)\n",
        3002 - gone, (10500 + gone) / 1000, gone, gone);
    read_all(CAIRN_TRACE_ALL_CPUS, false, 65536);
    assert_memory_equal(text, expected, strlen(expected));
    assert_null(strstr(text + strlen(expected), "CPU"));
    assert_non_null(strstr(text, ": demo: a=0xbb7 (2999)\n"));
}

/* As in Linux, which counts events from 0 and announces a start from number 2 on. */
static void a_buffer_start_is_not_announced_before_the_third_event(void **state)
{
    (void)state;
    write_number(1, 1000, 1);
    for (uint32_t i = 0; i < 3000; i++)
        write_number(0, 10000 + i, i);
    assert_null(strstr(read_all(CAIRN_TRACE_ALL_CPUS, false, 65536), "buffer started"));
}

static void a_pipe_reports_the_number_of_lost_events(void **state)
{
    uint64_t gone = overrun();
    char expected[2048];

    (void)state;
    snprintf(expected, sizeof(expected),
             "           <...>-11      [001] .....     0.000001: demo: a=0x1 (1)\n"
             "           <...>-11      [001] .....     0.000002: demo: a=0x2 (2)\n"
             "CPU:0 [LOST %lu EVENTS]\n"
             "           <...>-10      [000] .....     0.0000%02lu: demo: a=0x%lx (%lu)\n",
             gone, (10500 + gone) / 1000, gone, gone);
    read_all(CAIRN_TRACE_ALL_CPUS, true, 65536);
    assert_memory_equal(text, expected, strlen(expected));
    assert_null(strstr(text + strlen(expected), "LOST"));
}

/* The kernel prints 3800 bytes as "00,00,..." until 8155 bytes are used. */
static void a_truncated_line_is_marked(void **state)
{
    static char payload[4 + 3800];
    const char *end;

    (void)state;
    test_event_init(&event, "e_big __data_loc u8[] s");
    memcpy(payload, "\x0c\0\xd8\x0e", 4);
    write_payload(0, 1000, payload, sizeof(payload));
    write_payload(0, 2000, "\x0c\0\0", 4);
    read_all(CAIRN_TRACE_ALL_CPUS, true, 100);
    end = strstr(text, "[LINE TOO BIG]\n");
    assert_non_null(end);
    assert_in_range(end - text, CAIRN_TRACE_LINE_MAX_BYTES - 2, CAIRN_TRACE_LINE_MAX_BYTES);
    assert_string_equal(end + 15, "           <...>-10      [000] .....     0.000002: e_big: s=\n");
}

static void print_hex(struct cairn_text *to, const void *raw, size_t raw_bytes)
{
    cairn_text_printf(to, "%s", cairn_text_hex(to, (const char *)raw + 8, raw_bytes - 8, 0));
}

/* The kernel, too, keeps the strings of print functions outside the line. */
static void a_string_may_be_longer_than_half_a_line(void **state)
{
    static char payload[3800];

    (void)state;
    event.print = print_hex;
    write_payload(0, 1000, payload, sizeof(payload));
    read_all(CAIRN_TRACE_ALL_CPUS, true, 10000);
    assert_null(strstr(text, "TOO BIG"));
    assert_in_range(strlen(text), 7600 + 50, CAIRN_TRACE_LINE_MAX_BYTES);
}

static void each_cpu_has_stats_of_its_own(void **state)
{
    struct cairn_trace_stats stats;
    struct cairn_text to = cairn_text(text, sizeof(text) - 1);
    char expected[512];

    (void)state;
    memset(text, 0, sizeof(text));
    overrun();
    read_all(1, true, 65536);
    assert_int_equal(cairn_trace_buffer_stats(&buffer, 0, &stats), 0);
    memset(text, 0, sizeof(text));
    assert_int_equal(cairn_trace_buffer_write_stats(&buffer, 0, 12345678901234, &to), 0);
    snprintf(expected, sizeof(expected),
             "entries: %lu\noverrun: %lu\ncommit overrun: 0\nbytes: %lu\n"
             "oldest event ts:     0.0000%02lu\nnow ts: 12345.678901\n"
             "dropped events: 0\nread events: 0\n",
             stats.entries, stats.overruns, stats.bytes, (10500 + stats.overruns) / 1000);
    assert_string_equal(text, expected);

    to = cairn_text(text, sizeof(text) - 1);
    memset(text, 0, sizeof(text));
    assert_int_equal(cairn_trace_buffer_write_stats(&buffer, 1, 0, &to), 0);
    assert_string_equal(text, "entries: 0\noverrun: 0\ncommit overrun: 0\nbytes: 0\n"
                              "oldest event ts:     0.000000\nnow ts:     0.000000\n"
                              "dropped events: 0\nread events: 2\n");
    assert_int_equal(cairn_trace_buffer_write_stats(&buffer, CPUS, 0, &to), EINVAL);
}

static void invalid_opens_are_refused(void **state)
{
    struct cairn_trace_names names = test_event_names(&event);
    size_t bytes = cairn_trace_text_memory_bytes(&buffer);
    struct cairn_trace_text opened = {.line_at = 77};
    char *memory = text_memory;

    (void)state;
    assert_int_equal(cairn_trace_text_open(&opened, &names, &buffer, CPUS, false, memory, bytes),
                     EINVAL);
    assert_int_equal(cairn_trace_text_open(&opened, &names, &buffer, 0, false, memory, bytes - 1),
                     EINVAL);
    assert_int_equal(cairn_trace_text_open(&opened, &names, &buffer, 0, false, memory, 5), EINVAL);
    assert_int_equal(cairn_trace_text_open(&opened, &names, &buffer, 0, false, memory + 8, bytes),
                     EINVAL);
    assert_int_equal(cairn_trace_text_open(&opened, &names, &buffer, 0, false, NULL, bytes),
                     EINVAL);
    assert_int_equal(opened.line_at, 77);
}

/* Rings with random contents: reading ends, and stays inside the memory. */
static void rings_with_random_contents_are_harmless(void **state)
{
    uint32_t seed = 1;

    (void)state;
    for (int round = 0; round < 300; round++) {
        const struct cairn_pool *pool;

        tear_down(NULL);
        set_up(NULL);
        pool = &buffer.cpus[round % CPUS].pool;
        test_event_init(&event, "e u32 a; __data_loc char[] b; __rel_loc u8[] c; char[8] d");
        for (uint32_t i = 0; i < 200; i++)
            write_payload(i % CPUS, i, "1234567890123456789012345678", 28);
        for (uint32_t i = 0; i < 1u << round % 10; i++) {
            seed = seed * 1103515245 + 12345;
            pool->data[(seed >> 4) % (4 * pool->chunk_bytes)] = (uint8_t)(seed >> 16);
        }
        read_all(CAIRN_TRACE_ALL_CPUS, false, 4096);
        read_all(CAIRN_TRACE_ALL_CPUS, true, 4096);
        assert_string_equal(read_all(CAIRN_TRACE_ALL_CPUS, true, 4096), "");
    }
}

#define THREADED_EVENTS 20000u

static void *write_in_a_thread(void *cpu)
{
    for (uint32_t i = 0; i < THREADED_EVENTS; i++)
        write_number((uint32_t)(uintptr_t)cpu, i, i);
    return NULL;
}

/* Printed and lost events together are all events that were written, and numbers only increase. */
static void a_pipe_read_during_writing_accounts_for_each_event(void **state)
{
    struct cairn_trace_text pipe = open_text(CAIRN_TRACE_ALL_CPUS, true);
    uint64_t shown[CPUS] = {0}, lost[CPUS] = {0}, next[CPUS] = {0};
    pthread_t writers[CPUS];
    struct cairn_trace_stats stats;
    size_t length;

    (void)state;
    for (uintptr_t cpu = 0; cpu < CPUS; cpu++)
        assert_int_equal(pthread_create(&writers[cpu], NULL, write_in_a_thread, (void *)cpu), 0);
    for (uint32_t joined = 0;;) {
        unsigned cpu;
        unsigned long number;

        if (cairn_trace_text_read(&pipe, text, 4096, &length)) {
            if (joined == CPUS)
                break;
            assert_int_equal(pthread_join(writers[joined++], NULL), 0);
            continue;
        }
        text[length] = '\0';
        for (char *rest, *line = strtok_r(text, "\n", &rest); line;
             line = strtok_r(NULL, "\n", &rest)) {
            if (sscanf(line, "CPU:%u [LOST %lu EVENTS]", &cpu, &number) == 2) {
                lost[cpu] += number;
                continue;
            }
            assert_int_equal(sscanf(line, " <...>-%*d [%u] ..... %*s demo: a=%lx", &cpu, &number),
                             2);
            assert_true(cpu < CPUS && number >= next[cpu]);
            next[cpu] = number + 1;
            shown[cpu]++;
        }
    }
    cairn_trace_text_close(&pipe);
    for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
        assert_int_equal(cairn_trace_buffer_stats(&buffer, cpu, &stats), 0);
        assert_int_equal(stats.dropped, 0);
        assert_int_equal(shown[cpu] + lost[cpu], THREADED_EVENTS);
        assert_int_equal(shown[cpu], stats.read_events);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_empty_trace_is_only_a_header),
        TEST(an_empty_pipe_is_EAGAIN),
        TEST(events_of_all_cpus_are_sorted_by_time),
        TEST(a_cpu_has_a_trace_of_its_own),
        TEST(a_pipe_shows_each_event_once_and_no_header),
        TEST(the_text_is_the_same_in_pieces_of_any_size),
        TEST(a_piece_ends_with_a_whole_line_if_one_fits),
        TEST(an_event_consumed_by_another_reader_is_not_printed),
        TEST(overruns_are_counted_and_buffer_starts_announced_in_the_trace),
        TEST(a_buffer_start_is_not_announced_before_the_third_event),
        TEST(a_pipe_reports_the_number_of_lost_events),
        TEST(a_truncated_line_is_marked),
        TEST(a_string_may_be_longer_than_half_a_line),
        TEST(each_cpu_has_stats_of_its_own),
        TEST(invalid_opens_are_refused),
        TEST(rings_with_random_contents_are_harmless),
        TEST(a_pipe_read_during_writing_accounts_for_each_event),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
