/* SPDX-License-Identifier: MIT */
/*
 * Test of the text of traces: the same events go to the kernel's ftrace and to the core's rings;
 * `trace` and `trace_pipe` of both are equal, except for the times.
 */
#include "guest.h"

#include "user_events/kernel.h"

#include <cairn/typed_tracepoint.h>
#include <cairn/kernel/comm_cache.h>
#include <cairn/schema.h>
#include <cairn/kernel/trace_text.h>

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <unistd.h>

#define CPUS       2u
#define RING_BYTES (48u << 10) /* fewer than 2,000 events */
#define BATCH      40u
#define FIELDS_MAX 6u

/* An event that both sides have. */
struct both {
    char name[32];
    char command[CAIRN_COMMAND_MAX_BYTES];
    struct cairn_field fields[CAIRN_FIELDS_MAX];
    struct cairn_schema schema;
    struct cairn_tracepoint tracepoint;
};

static struct both events[BATCH];
static uint32_t event_count;
static uint64_t time_ns;
static struct cairn_trace_buffer buffer;
static struct cairn_comm_cache comms;
static void *text_memory;
static char kernel_text[65536], core_text[1 << 18];

static void *allocate(size_t size_bytes)
{
    void *memory = aligned_alloc(4096, (size_bytes + 4095) / 4096 * 4096);

    assert_non_null(memory);
    return memory;
}

static void run_on(uint32_t cpu)
{
    cpu_set_t one;

    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
}

static int set_up(void **state)
{
    size_t bytes = cairn_trace_buffer_memory_bytes(CPUS, RING_BYTES);

    if (guest_map_halves(state))
        return -1;
    run_on(0);
    assert_int_equal(
        cairn_trace_buffer_init(&buffer, allocate(bytes), bytes, CPUS, CAIRN_TRACE_OVERWRITE), 0);
    bytes = cairn_comm_cache_memory_bytes(4096); /* enough for the names that the kernel has saved
                                                  * in earlier tests */
    assert_int_equal(cairn_comm_cache_init(&comms, allocate(bytes), bytes), 0);
    text_memory = allocate(cairn_trace_text_memory_bytes(&buffer));
    return 0;
}

static int find_event(void *data, uint16_t id, struct cairn_trace_format *ret_format)
{
    (void)data;
    if (!id || id > event_count)
        return ENOENT;
    *ret_format = (struct cairn_trace_format){.name = events[id - 1].schema.name,
                                              .schema = &events[id - 1].schema};
    return 0;
}

static int find_comm(void *data, uint32_t tid, char ret_comm[16])
{
    return cairn_comm_cache_find(data, tid, ret_comm);
}

/* Copies the names that the kernel knows to the core. Both print them in the same way. */
static void learn_comms(void)
{
    const char *kernel = guest_read(TRACING "/saved_cmdlines");
    char *rest, *lines = strdup(kernel);
    struct cairn_text text = cairn_text(core_text, sizeof(core_text) - 1);

    assert_non_null(lines);
    for (char *line = strtok_r(lines, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char comm[CAIRN_COMM_BYTES] = "";
        char *name;
        uint32_t tid = (uint32_t)strtoul(line, &name, 10);

        snprintf(comm, sizeof(comm), "%s", name + 1);
        cairn_comm_cache_push(&comms, tid, comm);
    }
    cairn_comm_cache_text(&comms, &text);
    core_text[cairn_text_length(&text)] = '\0';
    strcpy(lines, kernel);
    for (char *line = strtok_r(lines, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        assert_non_null(strstr(core_text, line));
    free(lines);
}

/* Registers an event with both; if the kernel refuses it, returns none. */
static struct both *add_event(const char *fields)
{
    static unsigned number;
    struct both *event = &events[event_count];

    assert_true(event_count < BATCH);
    number++;
    snprintf(event->name, sizeof(event->name), "text_%u", number);
    snprintf(event->command, sizeof(event->command), "text_%u %s", number, fields);
    event->tracepoint = guest_tracepoint();
    if (user_events_kernel_register(&event->tracepoint, event->command, 0))
        fail_msg("the kernel refuses \"%s\"", event->command);
    assert_int_equal(cairn_schema_parse_command(event->command, event->fields, CAIRN_FIELDS_MAX,
                                                &event->schema, NULL),
                     0);
    guest_enable(event->name, true);
    event_count++;
    return event;
}

static void remove_events(void)
{
    while (event_count) {
        struct both *event = &events[--event_count];

        guest_enable(event->name, false);
        assert_int_equal(user_events_kernel_unregister(&event->tracepoint), 0);
    }
}

static void write_to_core(const struct both *event, const void *payload, uint32_t payload_bytes)
{
    struct cairn_trace_cpu *cpu = &buffer.cpus[sched_getcpu()];
    uint32_t level = cairn_trace_cpu_enter(cpu);
    struct cairn_trace_stamp stamp = {.time_ns = ++time_ns, .id = (uint16_t)(event - events + 1)};
    const struct cairn_trace_common common = {.type = stamp.id, .pid = gettid()};
    uint8_t *raw = cairn_trace_cpu_reserve(cpu, level, CAIRN_COMMON_BYTES + payload_bytes);

    assert_non_null(raw);
    memcpy(raw, &common, sizeof(common));
    memcpy(raw + CAIRN_COMMON_BYTES, payload, payload_bytes);
    cairn_trace_cpu_commit(cpu, level, &stamp, CAIRN_COMMON_BYTES + payload_bytes);
    cairn_trace_cpu_leave(cpu, level);
}

/* Writes to both what the kernel accepts. */
static bool write_to_both(const struct both *event, const void *payload, uint32_t payload_bytes)
{
    struct iovec part = {(void *)(uintptr_t)payload, payload_bytes};

    if (guest_write_parts(&event->tracepoint, &part, 1))
        return false;
    write_to_core(event, payload, payload_bytes);
    return true;
}

static void clear_both(void)
{
    guest_write(TRACING "/trace", "");
    assert_int_equal(cairn_trace_buffer_reset(&buffer, CAIRN_TRACE_ALL_CPUS), 0);
}

static const char *read_core(uint32_t cpu, bool consume)
{
    const struct cairn_trace_names names = {find_event, find_comm, &comms};
    struct cairn_trace_text text;
    size_t length = 0, piece;

    assert_int_equal(cairn_trace_text_open(&text, &names, &buffer, cpu, consume, text_memory,
                                           cairn_trace_text_memory_bytes(&buffer)),
                     0);
    do {
        piece = 0;
        cairn_trace_text_read(&text, core_text + length, sizeof(core_text) - 1 - length, &piece);
        length += piece;
    } while (piece && length < sizeof(core_text) - 1);
    cairn_trace_text_close(&text);
    core_text[length] = '\0';
    return core_text;
}

static const char *read_kernel_pipe(void)
{
    int fd = open(TRACING "/trace_pipe", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    size_t length = 0;
    ssize_t piece;

    assert_true(fd >= 0);
    do {
        piece = read(fd, kernel_text + length, sizeof(kernel_text) - 1 - length);
        length += piece > 0 ? (size_t)piece : 0;
    } while (piece > 0);
    close(fd);
    kernel_text[length] = '\0';
    return kernel_text;
}

/*
 * "%16s-%-7d [%03d] %s%5lu.%06lu: ": removes the time and the need to reschedule, which depends on
 * the guest's timer. Continuation lines of a string with a line break have neither.
 */
static char *hide_times(const char *text)
{
    char *hidden = strdup(text);

    assert_non_null(hidden);
    for (char *line = hidden; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strcspn(line, "\n") < 50 || line[25] != '[' || line[42] != '.' || line[49] != ':')
            continue;
        assert_true(isdigit(line[41]) && isdigit(line[48]));
        line[32] = '.';
        memset(line + 36, 'T', 13);
    }
    return hidden;
}

static void compare(const char *kernel, const char *core)
{
    char *expected = hide_times(kernel), *found = hide_times(core);
    size_t same = 0;

    while (expected[same] && expected[same] == found[same])
        same++;
    if (expected[same] != found[same])
        fail_msg("at byte %zu of %zu: \"%.60s\" instead of \"%.60s\"", same, strlen(expected),
                 found + (same < 30 ? 0 : same - 30), expected + (same < 30 ? 0 : same - 30));
    free(expected);
    free(found);
}

/* Compares all files of the same events; the pipe is the last, because reading consumes them. */
static void compare_files(void)
{
    learn_comms();
    compare(guest_read(TRACING "/trace"), read_core(CAIRN_TRACE_ALL_CPUS, false));
    compare(guest_read(TRACING "/per_cpu/cpu0/trace"), read_core(0, false));
    compare(guest_read(TRACING "/per_cpu/cpu1/trace"), read_core(1, false));
    compare(read_kernel_pipe(), read_core(CAIRN_TRACE_ALL_CPUS, true));
    compare(guest_read(TRACING "/trace"), read_core(CAIRN_TRACE_ALL_CPUS, false));
}

static void an_empty_trace_is_equal(void **state)
{
    (void)state;
    clear_both();
    compare_files();
}

static void names_of_tasks_are_equal(void **state)
{
    static const char *const names[] = {"a", "", "a name of 15 ch", "with\ttab"};
    const struct both *event = add_event("u32 a");

    (void)state;
    clear_both();
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(prctl(PR_SET_NAME, names[i]), 0);
        /* A task's name is saved when it is switched out while events are recorded. */
        assert_true(write_to_both(event, &i, sizeof(i)));
        usleep(20000);
        assert_true(write_to_both(event, &i, sizeof(i)));
        compare_files();
        clear_both();
    }
}

/* Appends a dynamic field of `bytes` bytes at `at`, and writes its location to `location_at`. */
static void put_dynamic(char *payload, uint32_t location_at, uint32_t at, uint32_t bytes)
{
    uint32_t location = bytes << 16 | (at + CAIRN_COMMON_BYTES);

    memcpy(payload + location_at, &location, sizeof(location));
    memset(payload + at, 'x', bytes - 1);
    payload[at + bytes - 1] = '\0';
}

static void lines_that_are_too_long_are_equal(void **state)
{
    static char payload[4096];
    const struct both *event = add_event("__data_loc u8[] a; __data_loc char[] b");
    uint32_t too_long = 0;

    (void)state;
    for (uint32_t length = 1045; length < 1070; length++) {
        clear_both();
        put_dynamic(payload, 0, 8, 2344);
        put_dynamic(payload, 4, 8 + 2344, length);
        assert_true(write_to_both(event, payload, 8 + 2344 + length));
        assert_true(write_to_both(event, payload, 8 + 2344 + length));
        too_long += strstr(guest_read(TRACING "/trace"), " b=[LINE TOO BIG]\n") != NULL;
        compare_files();
    }
    assert_in_range(too_long, 1, 24);
}

/* If not even the mark of a truncated line fits, the kernel omits it together with the line's
 * end. */
static void lines_without_space_for_the_truncation_mark_keep_their_end(void **state)
{
    static char payload[4096];
    const struct both *event = add_event("__data_loc u8[] a");
    const char *kernel, *core, *end;

    (void)state;
    clear_both();
    put_dynamic(payload, 0, 4, 3000);
    assert_true(write_to_both(event, payload, 3004));
    kernel = guest_read(TRACING "/trace");
    core = read_core(CAIRN_TRACE_ALL_CPUS, false);
    assert_null(strstr(kernel, "[LINE TOO BIG]"));
    end = strstr(core, "[LINE TOO BIG]\n");
    assert_non_null(end);
    assert_in_range(strlen(kernel) - (size_t)(end - core), 0, 1); /* one more comma */
    assert_true(strncmp(strstr(kernel, "78,78"), strstr(core, "78,78"), 8000) == 0);
}

static uint32_t next_random(void)
{
    static uint64_t state = 1;

    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33);
}

static void generate_fields(char *to, size_t size_bytes)
{
    static const char *const types[] = {"u8",
                                        "s8",
                                        "u16",
                                        "s16",
                                        "u32",
                                        "s32",
                                        "u64",
                                        "s64",
                                        "int",
                                        "unsigned int",
                                        "short",
                                        "unsigned short",
                                        "char",
                                        "unsigned char",
                                        "char[%u]",
                                        "unsigned char[%u]",
                                        "struct s",
                                        "struct char_x",
                                        "__data_loc char[]",
                                        "__data_loc u8[]",
                                        "__data_loc unsigned char[]",
                                        "__data_loc u32[]",
                                        "__rel_loc char[]",
                                        "__rel_loc u8[]",
                                        "__rel_loc s64[]",
                                        "__data_loc cpumask_t"};
    size_t at = 0;

    *to = '\0';
    for (uint32_t i = 0, count = next_random() % (FIELDS_MAX + 1); i < count; i++) {
        const char *type = types[next_random() % (sizeof(types) / sizeof(*types))];
        uint32_t size = 1 + next_random() % 12;
        const char *bracket = strstr(type, "[%u]");
        int type_length = (int)(bracket ? (size_t)(bracket - type) : strlen(type));

        at +=
            (size_t)snprintf(to + at, size_bytes - at, "%s%.*s", i ? "; " : "", type_length, type);
        if (bracket)
            at += (size_t)snprintf(to + at, size_bytes - at, "[%u]", size);
        at += (size_t)snprintf(to + at, size_bytes - at, " f%u", i);
        if (strncmp(type, "struct", 6) == 0)
            at += (size_t)snprintf(to + at, size_bytes - at, " %u", size);
    }
}

/* Random bytes; most locations point into the payload, and are followed by a NUL. */
static uint32_t generate_payload(const struct cairn_schema *schema, uint8_t *payload)
{
    uint32_t fixed = schema->fixed_size_bytes - CAIRN_COMMON_BYTES, size = fixed;

    for (uint32_t i = 0; i < fixed; i++)
        payload[i] = (uint8_t)(next_random() % 3 ? ' ' + next_random() % 95 : next_random());
    for (uint32_t i = 0; i < schema->field_count; i++) {
        const struct cairn_field *field = &schema->fields[i];
        uint32_t length = next_random() % 20 + 1, location;

        if (field->location == CAIRN_FIELD_INLINE)
            continue;
        location = length << 16 | (size + CAIRN_COMMON_BYTES);
        if (field->location == CAIRN_FIELD_REL_LOC)
            location -= field->offset + 4;
        if (next_random() % 8 == 0)
            location = next_random();
        memcpy(payload + field->offset - CAIRN_COMMON_BYTES, &location, sizeof(location));
        for (uint32_t byte = 0; byte < length - 1; byte++)
            payload[size + byte] = (uint8_t)next_random();
        payload[size + length - 1] = '\0';
        size += length;
    }
    return size;
}

static void events_with_random_fields_and_bytes_are_equal(void **state)
{
    uint8_t payload[1024];
    char fields[400];
    uint32_t written = 0, refused = 0;

    (void)state;
    for (int batch = 0; batch < 8; batch++) {
        for (uint32_t i = 0; i < BATCH; i++) {
            generate_fields(fields, sizeof(fields));
            add_event(fields);
        }
        clear_both();
        for (uint32_t i = 0; i < 3 * BATCH; i++) {
            const struct both *event = &events[i % BATCH];

            if (write_to_both(event, payload, generate_payload(&event->schema, payload)))
                written++;
            else
                refused++;
        }
        compare_files();
        remove_events();
    }
    print_message("# %u events equal, %u refused by the kernel\n", written, refused);
    assert_true(written > 8 * BATCH);
}

/*
 * The kinds of lines: one for each row of events of one CPU, without counts. The rings of the two
 * sides have different sizes.
 */
static char *shape_of(const char *text)
{
    char *shape = calloc(1, strlen(text) + 1), *at = shape;

    assert_non_null(shape);
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
        char kind[64];

        if (*line == '#' || *line == 'C')
            snprintf(kind, sizeof(kind), "%.*s", (int)strcspn(line, "\n0123456789"), line);
        else
            snprintf(kind, sizeof(kind), "CPU %c", line[28]);
        if (at - shape < (ptrdiff_t)strlen(kind) || strcmp(at - strlen(kind), kind) != 0)
            at += sprintf(at, "\n%s", kind);
    }
    return shape;
}

static void compare_shapes(const char *kernel, const char *core)
{
    char *expected = shape_of(kernel), *found = shape_of(core);

    assert_string_equal(found, expected);
    free(expected);
    free(found);
}

/* Writes `of_cpu_1` events on CPU 1, and then more on CPU 0 than the rings hold. */
static void overrun(const struct both *event, uint32_t of_cpu_1)
{
    uint32_t number = 0;

    clear_both();
    run_on(1);
    for (uint32_t i = 0; i < of_cpu_1; i++)
        assert_true(write_to_both(event, &number, sizeof(number)));
    run_on(0);
    for (number = 0; number < 2000; number++)
        assert_true(write_to_both(event, &number, sizeof(number)));
    run_on(1);
    for (uint32_t i = 0; i < of_cpu_1; i++)
        assert_true(write_to_both(event, &number, sizeof(number)));
    run_on(0);
}

/* ---- announcements of a CPU's first event, and reports of lost events ---- */

/* Returns the time of the first event in the kernel's ring of CPU 0, and consumes it. 0: the ring
 * has a mark of its own before the event. */
static uint64_t take_kernels_time(void)
{
    static uint8_t page[65536];
    const uint32_t data_words_max = 28;
    int fd = open(TRACING "/per_cpu/cpu0/trace_pipe_raw", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    ssize_t bytes;
    uint64_t page_ns;
    uint32_t head;

    assert_true(fd >= 0);
    bytes = read(fd, page, (size_t)sysconf(_SC_PAGESIZE));
    close(fd);
    assert_true(bytes > 20);
    memcpy(&page_ns, page, sizeof(page_ns));
    memcpy(&head, page + 16, sizeof(head)); /* after the time and the length: type, delta */
    return (head & 31) <= data_words_max ? page_ns + (head >> 5) : 0;
}

/* "   12.345678", without the spaces. */
static const char *time_of(const char *text)
{
    static char time[2][32];
    static uint32_t turn;
    char *to = time[++turn % 2];

    text = strstr(text, "] ");
    assert_non_null(text);
    assert_int_equal(sscanf(text, "] %*s %31[0-9.]: ", to), 1);
    return to;
}

static void times_are_rounded_in_the_same_way(void **state)
{
    const struct both *event = add_event("u32 a");
    uint32_t compared = 0, upwards = 0;

    (void)state;
    for (uint32_t i = 0; i < 200; i++) {
        struct iovec part = {&i, sizeof(i)};
        char kernels[32];
        uint64_t ns;

        clear_both();
        assert_int_equal(guest_write_parts(&event->tracepoint, &part, 1), 0);
        snprintf(kernels, sizeof(kernels), "%s",
                 time_of(guest_read(TRACING "/per_cpu/cpu0/trace")));
        ns = take_kernels_time();
        if (!ns)
            continue;
        time_ns = ns - 1;
        write_to_core(event, &i, sizeof(i));
        assert_string_equal(time_of(read_core(0, false)), kernels);
        compared++;
        upwards += ns % 1000 >= 500;
    }
    print_message("# %u times, %u of them rounded up\n", compared, upwards);
    assert_true(compared > 100 && upwards && upwards < compared);
}

static void overruns_are_reported_at_the_same_positions(void **state)
{
    const struct both *event = add_event("u32 a");

    (void)state;
    guest_write(TRACING "/buffer_size_kb", "8");
    for (uint32_t of_cpu_1 = 0; of_cpu_1 < 5; of_cpu_1++) {
        overrun(event, of_cpu_1);
        compare_shapes(guest_read(TRACING "/trace"), read_core(CAIRN_TRACE_ALL_CPUS, false));
        compare_shapes(guest_read(TRACING "/per_cpu/cpu0/trace"), read_core(0, false));
        compare_shapes(read_kernel_pipe(), read_core(CAIRN_TRACE_ALL_CPUS, true));
        assert_true(strstr(core_text, "CPU:0 [LOST ") != NULL);
        compare_shapes(guest_read(TRACING "/trace"), read_core(CAIRN_TRACE_ALL_CPUS, false));
    }
    guest_write(TRACING "/buffer_size_kb", "1408");
}

/* Compares the names and the order of the counts; the values depend on the rings. */
static void stats_have_the_same_lines(void **state)
{
    char core[512];
    struct cairn_text text = cairn_text(core, sizeof(core));
    const char *kernel = guest_read(TRACING "/per_cpu/cpu0/stats");

    (void)state;
    assert_int_equal(cairn_trace_buffer_write_stats(&buffer, 0, 1234567890, &text), 0);
    core[cairn_text_length(&text)] = '\0';
    for (const char *line = core; *line; line += strcspn(line, "\n") + 1) {
        size_t name = strcspn(line, ":") + 1;

        assert_int_equal(strncmp(line, kernel, name), 0);
        kernel += strcspn(kernel, "\n") + 1;
    }
    assert_string_equal(kernel, "");
}

/* Runs after failed tests, too. */
static int tear_down(void **state)
{
    (void)state;
    remove_events();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(an_empty_trace_is_equal, tear_down),
        cmocka_unit_test_teardown(names_of_tasks_are_equal, tear_down),
        cmocka_unit_test_teardown(lines_that_are_too_long_are_equal, tear_down),
        cmocka_unit_test_teardown(lines_without_space_for_the_truncation_mark_keep_their_end,
                                  tear_down),
        cmocka_unit_test_teardown(events_with_random_fields_and_bytes_are_equal, tear_down),
        cmocka_unit_test_teardown(times_are_rounded_in_the_same_way, tear_down),
        cmocka_unit_test_teardown(overruns_are_reported_at_the_same_positions, tear_down),
        cmocka_unit_test_teardown(stats_have_the_same_lines, tear_down),
    };

    return cmocka_run_group_tests(tests, set_up, NULL);
}
