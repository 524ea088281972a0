/* SPDX-License-Identifier: MIT */
/*
 * Test of filters, cairn's and the kernel's: thousands of random filters, and the same events for
 * both. cairn accepts what the kernel accepts, refuses what the kernel refuses with the same
 * message, and both select the same events.
 */
#include "filter_texts.h"
#include "guest.h"

#include "kernel/error_log.h"
#include "user_events/kernel.h"

#include <cairn/filter.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EVENT     "cairn_filter"
#define INSTANCE  TRACING "/instances/cairn_filter"
#define DIRECTORY INSTANCE "/events/user_events/" EVENT
#define EXPEDITED "/sys/kernel/rcu_expedited"

#define SEED           0x5eed0001u
#define TEXTS          4000u
#define EVENTS         16u /* for each text that is accepted */
#define TEXTS_IN_ROUND 16u /* selected events are read after these texts */
#define EVERY          8u  /* each eighth event of the kernel is tested */
#define MISTAKES_SHOWN 10u

/* The selection of a filter, a bit for each event. */
struct choice {
    char text[FILTER_TEXT_MAX_BYTES];
    uint32_t ours;
    uint32_t kernels;
};

static const char command[] = FILTER_EVENT_COMMAND(EVENT);
/* The schema of the command, and the schema of the format text that the kernel shows for it. */
static struct cairn_field fields[2][CAIRN_FIELDS_MAX];
static struct cairn_schema schemas[2];
static struct cairn_filter *filters[2];
static char format[CAIRN_FORMAT_MAX_BYTES];
static struct cairn_tracepoint tp;
static struct cairn_filter_task task;
static uint32_t cpu_count;
static uint16_t event_id;
static int filter_fd, log_fd, pipe_fd;
static uint32_t mistakes;

static const char *pread_all(int fd)
{
    static char text[16384];
    ssize_t length = pread(fd, text, sizeof(text) - 1, 0);

    assert_true(length >= 0);
    text[length] = '\0';
    return text;
}

static void write_number(const char *path, const char *number)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);

    assert_true(fd >= 0);
    assert_true(write(fd, number, strlen(number)) > 0);
    close(fd);
}

/* Keeps the comm and CPU of the events constant. */
static void settle(void)
{
    static char comm[CAIRN_FILTER_COMM_BYTES];
    const char *possible;
    cpu_set_t set;

    assert_int_equal(prctl(PR_GET_NAME, comm), 0);
    task.comm = comm;
    possible = guest_read("/sys/devices/system/cpu/possible");
    cpu_count = (uint32_t)strtoul(possible + strcspn(possible, "-") + 1, NULL, 10) + 1;
    assert_true(cpu_count > 1);
    task.cpu = 1;
    CPU_ZERO(&set);
    CPU_SET(task.cpu, &set);
    assert_int_equal(sched_setaffinity(0, sizeof(set), &set), 0);
}

static void read_schemas(void)
{
    for (size_t i = 0; i < 2; i++) {
        filters[i] = malloc(cairn_filter_memory_bytes(CAIRN_FILTER_TEXT_MAX_BYTES));
        assert_non_null(filters[i]);
    }
    assert_int_equal(
        cairn_schema_parse_command(command, fields[0], CAIRN_FIELDS_MAX, &schemas[0], NULL), 0);
    snprintf(format, sizeof(format), "%s", guest_read(DIRECTORY "/format"));
    assert_int_equal(cairn_schema_parse_format(format, strlen(format), sizeof(long), fields[1],
                                               CAIRN_FIELDS_MAX, &schemas[1]),
                     0);
}

static int set_up(void **state)
{
    if (guest_map_halves(state))
        return -1;
    settle();
    tp = guest_tracepoint();
    assert_int_equal(user_events_kernel_register(&tp, command, 0), 0);
    /* Each filter waits for a grace period of the one before. */
    write_number(EXPEDITED, "1");
    assert_int_equal(mkdir(INSTANCE, 0700), 0);
    read_schemas();
    event_id = (uint16_t)strtoul(guest_read(DIRECTORY "/id"), NULL, 10);
    write_number(DIRECTORY "/enable", "1");
    filter_fd = open(DIRECTORY "/filter", O_RDWR | O_CLOEXEC);
    log_fd = open(INSTANCE "/error_log", O_RDONLY | O_CLOEXEC);
    pipe_fd = open(INSTANCE "/trace_pipe", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    assert_true(filter_fd >= 0 && log_fd >= 0 && pipe_fd >= 0);
    return 0;
}

static void clear_log(void)
{
    close(open(INSTANCE "/error_log", O_WRONLY | O_TRUNC | O_CLOEXEC));
}

static int begin(void **state)
{
    (void)state;
    mistakes = 0;
    clear_log();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    close(pipe_fd);
    close(log_fd);
    close(filter_fd);
    write_number(DIRECTORY "/enable", "0");
    rmdir(INSTANCE);
    write_number(EXPEDITED, "0");
    free(filters[0]);
    free(filters[1]);
    return user_events_kernel_unregister(&tp);
}

static void complain(const char *text, const char *what, const char *ours, const char *kernels)
{
    if (mistakes++ < MISTAKES_SHOWN)
        print_message("%s\n  filter: <%s>\n  ours:   <%s>\n  kernel: <%s>\n", what, text, ours,
                      kernels);
}

static void compare(const char *text, const char *what, const char *ours, const char *kernels)
{
    if (strcmp(ours, kernels))
        complain(text, what, ours, kernels);
}

static int write_filter(const char *text, size_t length)
{
    return pwrite(filter_fd, text, length, 0) < 0 ? errno : 0;
}

/* Compiles with both schemas, which must give the same result. */
static int compile(const char *text, size_t length, struct cairn_filter_error *error)
{
    struct cairn_filter_error errors[2] = {{0}};
    int err[2];

    for (size_t i = 0; i < 2; i++)
        err[i] = cairn_filter_compile_for_cpus(
            &schemas[i], cpu_count, text, length, filters[i],
            cairn_filter_memory_bytes(CAIRN_FILTER_TEXT_MAX_BYTES), &filters[i], &errors[i]);
    if (err[0] != err[1] || memcmp(&errors[0], &errors[1], sizeof(errors[0])) != 0)
        complain(text, "by the format text another", errors[0].reason, errors[1].reason);
    if (error)
        *error = errors[0];
    return err[0];
}

/* Compares the contents of the filter file after an error, and of the log without its times. */
static void compare_mistake(const char *text, size_t length, const struct cairn_filter_error *error)
{
    struct kernel_error_log_entry entry = {
        .where = KERNEL_ERROR_LOG_FILTER, .reason = error->reason, .position = error->position};
    static char shown[16384];
    char *end;

    assert_int_equal(cairn_filter_write_error(text, length, error, shown, sizeof(shown), NULL), 0);
    compare(text, "another text in `filter`", shown, pread_all(filter_fd));
    end = strstr(shown, error->kind == CAIRN_FILTER_UNSPECIFIC ? "\nError: (0)\n\n" : "^");
    assert_non_null(end);
    entry.command_length =
        (uint32_t)(error->kind == CAIRN_FILTER_UNSPECIFIC ? end - shown : (long)length);
    while (entry.command_length && strchr(" \t\n\v\f\r\xa0", text[entry.command_length - 1]))
        entry.command_length--;
    assert_int_equal(kernel_error_log_write_entry(&entry, text, shown, sizeof(shown), NULL), 0);
    compare(text, "another text in `error_log`", strchr(shown, ']'),
            strchr(pread_all(log_fd), ']'));
    clear_log();
}

/* Passes a text to both. Returns true if both accepted it. */
static bool give(const char *text, size_t length)
{
    struct cairn_filter_error error = {0};
    int ours = compile(text, length, &error);
    int kernels = write_filter(text, length);
    char shown[CAIRN_FILTER_TEXT_MAX_BYTES + 1];

    assert_true(!ours || ours == EINVAL);
    if (!ours != !kernels) {
        complain(text, "taken by one", ours ? error.reason : "taken",
                 kernels ? pread_all(filter_fd) : "taken");
        return false;
    }
    if (ours) {
        compare_mistake(text, length, &error);
        return false;
    }
    snprintf(shown, sizeof(shown), "%s\n", cairn_filter_text(filters[0]));
    compare(text, "reads back as another", shown, pread_all(filter_fd));
    return true;
}

static bool choose(const uint8_t *payload, size_t size_bytes)
{
    static uint8_t record[CAIRN_COMMON_BYTES + FILTER_PAYLOAD_MAX_BYTES];
    int32_t pid = (int32_t)syscall(SYS_gettid);
    bool chosen;

    memcpy(record, &event_id, sizeof(event_id));
    memcpy(record + 4, &pid, sizeof(pid));
    memcpy(record + CAIRN_COMMON_BYTES, payload, size_bytes);
    chosen = cairn_filter_match(filters[0], record, CAIRN_COMMON_BYTES + size_bytes, &task);
    if (cairn_filter_match(filters[1], record, CAIRN_COMMON_BYTES + size_bytes, &task) != chosen)
        complain(cairn_filter_text(filters[0]), "by the format text others", "", "");
    return chosen;
}

/* Passes events to both; the kernel's selection is read later. */
static void give_events(struct filter_random *random, uint32_t round, struct choice *choice)
{
    static uint8_t payload[FILTER_PAYLOAD_MAX_BYTES];

    for (uint32_t i = 0; i < EVENTS; i++) {
        size_t size_bytes = filter_make_payload(random, round * EVENTS + i, payload);
        struct iovec part = {payload, size_bytes};

        assert_int_equal(guest_write_parts(&tp, &part, 1), 0);
        choice->ours |= (uint32_t)choose(payload, size_bytes) << i;
    }
}

/* Reads the kernel's selection of this round: lines with "seq=0x12 (18)". */
static void read_choices(struct choice *choices)
{
    static char text[1 << 20];
    size_t length = 0;
    ssize_t got;

    while ((got = read(pipe_fd, text + length, sizeof(text) - 1 - length)) > 0)
        length += (size_t)got;
    text[length] = '\0';
    for (char *at = text; (at = strstr(at, "seq=0x")); at++) {
        unsigned long seq = strtoul(at + 6, NULL, 16);

        assert_true(seq < TEXTS_IN_ROUND * EVENTS);
        choices[seq / EVENTS].kernels |= 1u << seq % EVENTS;
    }
}

static void compare_choices(struct choice *choices, uint32_t count)
{
    read_choices(choices);
    for (uint32_t i = 0; i < count; i++) {
        char ours[16], kernels[16];

        snprintf(ours, sizeof(ours), "%04x", choices[i].ours);
        snprintf(kernels, sizeof(kernels), "%04x", choices[i].kernels);
        compare(choices[i].text, "chooses others", ours, kernels);
    }
    memset(choices, 0, count * sizeof(*choices));
}

static void the_kernel_accepts_the_same_filters_and_selects_the_same_events(void **state)
{
    static struct choice choices[TEXTS_IN_ROUND];
    struct filter_random random = {.state = SEED};
    uint32_t taken = 0, some_chosen = 0, round = 0;

    (void)state;
    for (uint32_t i = 0; i < TEXTS; i++) {
        struct choice *choice = &choices[round];

        filter_make_text(&random, choice->text);
        if (!choice->text[0] || cairn_filter_text_clears(choice->text, strlen(choice->text)) ||
            !give(choice->text, strlen(choice->text)))
            continue;
        give_events(&random, round, choice);
        taken++;
        some_chosen += choice->ours && choice->ours != (1u << EVENTS) - 1;
        if (++round == TEXTS_IN_ROUND) {
            compare_choices(choices, round);
            round = 0;
        }
    }
    compare_choices(choices, round);
    print_message("# %u filters, %u taken, %u of them chose some of %u events\n", TEXTS, taken,
                  some_chosen, EVENTS);
    assert_int_equal(mistakes, 0);
    assert_true(taken > TEXTS / 4 && TEXTS - taken > TEXTS / 4);
    assert_true(some_chosen > TEXTS / 8);
}

static void repeat(char *text, size_t length, const char *word)
{
    for (size_t i = 0; i < length; i++)
        text[i] = word[i % strlen(word)];
    text[length] = '\0';
}

static void give_repeated(const char *front, const char *word, size_t length, const char *end)
{
    static char text[CAIRN_FILTER_TEXT_MAX_BYTES + 1];
    size_t at = strlen(front);

    memcpy(text, front, at);
    repeat(text + at, length, word);
    memcpy(text + at + length, end, strlen(end) + 1);
    give(text, strlen(text));
}

static void the_kernel_has_the_same_limits(void **state)
{
    (void)state;
    give_repeated("x == \"", "a", 255, "\"");
    give_repeated("x == \"", "a", 256, "\"");
    give_repeated("x ~ \"", "a", 254, "*\"");
    give_repeated("x ~ \"*", "a?", 256, "\"");
    give_repeated("a == ", "0", 23, "");
    give_repeated("a == ", "0", 24, "");
    give_repeated("b == -", "0", 22, "");
    give_repeated("b == -", "0", 23, "");
    give_repeated("", "a<1||", 4000, "a<2");
    give_repeated("", "a<1&&!", 4092, "a<2");
    give_repeated("", "(", 1000, "a==1");
    give_repeated("(((a==1)", ")", 1000, "");
    give_repeated("", "(a==1)", 2000, "");
    give_repeated("", "(a==1&&!(b==1||", 1500, "c==1");
    give_repeated("", "!", 4000, "a==1");
    give_repeated("a==1", " ", 4000, "");
    give_repeated("", " ", 4000, "a==1");
    give_repeated("", " ", 4000, "x");
    give_repeated("a & CPUS{", "0,1,", 4000, "}");
    give_repeated("a == 1 || x ~ \"", "\n", 200, "\"");
    assert_int_equal(mistakes, 0);
    assert_int_equal(
        write_filter((char[CAIRN_FILTER_TEXT_MAX_BYTES]){"a==1"}, CAIRN_FILTER_TEXT_MAX_BYTES),
        EINVAL);
    assert_int_equal(
        compile((char[CAIRN_FILTER_TEXT_MAX_BYTES]){"a==1"}, CAIRN_FILTER_TEXT_MAX_BYTES, NULL),
        E2BIG);
}

static bool is_kept(uint8_t a)
{
    struct filter_random random = {.state = SEED};
    static uint8_t payload[FILTER_PAYLOAD_MAX_BYTES];
    struct choice choice = {.ours = 0};
    struct iovec part = {payload, filter_make_payload(&random, 0, payload)};

    payload[4] = a;
    assert_int_equal(guest_write_parts(&tp, &part, 1), 0);
    read_choices(&choice);
    return choice.kernels;
}

/* Tests the table in src/core/README.md, "The `filter` file". */
static void the_filter_file_behaves_as_documented(void **state)
{
    static const char with_nul[] = "a == 1\0b";

    (void)state;
    assert_int_equal(write_filter(" 0 \n", 4), 0);
    assert_string_equal(pread_all(filter_fd), "none\n");
    assert_int_equal(write_filter("0", 1), 0);
    assert_int_equal(write_filter(" a == 1 \n", 9), 0);
    assert_string_equal(pread_all(filter_fd), " a == 1\n");
    assert_true(is_kept(1) && !is_kept(2));
    assert_int_equal(
        write_filter((char[CAIRN_FILTER_TEXT_MAX_BYTES]){"a==1"}, CAIRN_FILTER_TEXT_MAX_BYTES),
        EINVAL);
    assert_string_equal(pread_all(filter_fd), " a == 1\n");
    assert_int_equal(write_filter("a = 1", 5), EINVAL);
    assert_string_equal(pread_all(filter_fd), "a = 1\n   ^\nparse_error: Invalid operator\n\n");
    assert_true(is_kept(1) && is_kept(2));
    assert_int_equal(write_filter(with_nul, sizeof(with_nul)), 0);
    assert_string_equal(pread_all(filter_fd), "a == 1\n");
    assert_int_equal(write_filter(" \n ", 3), EINVAL);
    assert_string_equal(pread_all(filter_fd), "\nError: (0)\n\n");
    assert_int_equal(write_filter("0", 1), 0);
    assert_string_equal(pread_all(filter_fd), "none\n");
}

static void the_filter_file_of_a_system_behaves_as_documented(void **state)
{
    static const char none[] =
        "### global filter ###\n# Use this to set filters for multiple events.\n"
        "# Only events with the given fields will be affected.\n"
        "# If no events are modified, an error message will be displayed here\n";
    int fd = open(INSTANCE "/events/user_events/filter", O_RDWR | O_CLOEXEC);
    struct cairn_filter_error error = {0, cairn_filter_reason(CAIRN_FILTER_BAD_SYSTEM),
                                       CAIRN_FILTER_BAD_SYSTEM};
    char shown[256];

    (void)state;
    assert_true(fd >= 0);
    assert_string_equal(pread_all(fd), none);
    assert_int_equal(pwrite(fd, "seq == 1\n", 9, 0), 9);
    assert_string_equal(pread_all(filter_fd), "seq == 1\n");
    assert_int_equal(pwrite(fd, "nosuch == 1\n", 12, 0), 12);
    assert_int_equal(
        cairn_filter_write_error("nosuch == 1", 11, &error, shown, sizeof(shown), NULL), 0);
    assert_string_equal(pread_all(filter_fd), shown);
    assert_string_equal(pread_all(fd), none);
    assert_true(is_kept(1));
    assert_int_equal(pwrite(fd, "0", 1, 0), 1);
    assert_string_equal(pread_all(filter_fd), "none\n");
    close(fd);
}

/* Sets one filter on one field of an event of the kernel's own. */
static void give_to_event(const char *directory, const struct cairn_schema *schema,
                          const char *text)
{
    struct cairn_filter_error error = {0, "taken", CAIRN_FILTER_UNSPECIFIC};
    char path[512], shown[512];
    int fd, kernels;

    snprintf(path, sizeof(path), "%s/filter", directory);
    fd = open(path, O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0);
    kernels = pwrite(fd, text, strlen(text), 0) < 0 ? errno : 0;
    snprintf(shown, sizeof(shown), "%s\n", text);
    if (cairn_filter_compile_for_cpus(schema, cpu_count, text, strlen(text), filters[0],
                                      cairn_filter_memory_bytes(strlen(text)), &filters[0], &error))
        assert_int_equal(
            cairn_filter_write_error(text, strlen(text), &error, shown, sizeof(shown), NULL), 0);
    if (!kernels != !strcmp(error.reason, "taken") || strcmp(shown, pread_all(fd)) != 0)
        complain(directory, text, shown, pread_all(fd));
    assert_int_equal(pwrite(fd, "0", 1, 0), 1);
    close(fd);
}

static void give_to_fields(const char *directory)
{
    static const char *const rests[] = {
        " == 1",        " == -1",     " != 'x'",       " ~ \"*x\"",       " & 0xf",
        " & CPUS{0-1}", " < CPUS{0}", ".function < 5", ".ustring == 'a'", " > 0x100000000",
    };
    static char text[65536];
    struct cairn_field own[CAIRN_FIELDS_MAX];
    struct cairn_schema schema;
    char path[512];

    snprintf(path, sizeof(path), "%s/format", directory);
    snprintf(text, sizeof(text), "%s", guest_read(path));
    assert_int_equal(
        cairn_schema_parse_format(text, strlen(text), sizeof(long), own, CAIRN_FIELDS_MAX, &schema),
        0);
    for (uint32_t i = 0; i < schema.field_count; i++) {
        for (size_t r = 0; r < sizeof(rests) / sizeof(rests[0]); r++) {
            snprintf(path, sizeof(path), "%.*s%s", (int)own[i].name.length, own[i].name.text,
                     rests[r]);
            give_to_event(directory, &schema, path);
        }
    }
}

static void filters_on_the_kernels_own_events_have_the_same_results(void **state)
{
    uint32_t given = 0;
    glob_t found;

    (void)state;
    assert_int_equal(glob(INSTANCE "/events/*/*/filter", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        char *path = found.gl_pathv[i];

        *strrchr(path, '/') = '\0';
        if (i % EVERY || strstr(path, "/user_events/"))
            continue;
        give_to_fields(path);
        given++;
    }
    print_message("# %u events of the kernel\n", given);
    globfree(&found);
    assert_int_equal(mistakes, 0);
    assert_true(given > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(filters_on_the_kernels_own_events_have_the_same_results, begin),
        cmocka_unit_test_setup(the_kernel_has_the_same_limits, begin),
        cmocka_unit_test_setup(the_filter_file_behaves_as_documented, begin),
        cmocka_unit_test_setup(the_filter_file_of_a_system_behaves_as_documented, begin),
        cmocka_unit_test_setup(the_kernel_accepts_the_same_filters_and_selects_the_same_events,
                               begin),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
