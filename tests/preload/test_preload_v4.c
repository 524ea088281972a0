/* SPDX-License-Identifier: MIT */
/* Test of the first version of the interface: no word in the program's memory, but a mapped page of
 * status bytes. */
#include "tracefs_test.h"

#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>

/* The document's struct, and its directory. */
struct user_reg_v4 {
    uint32_t size;
    uint64_t name_args;
    uint32_t status_index;
    uint32_t write_index;
};

#define DEBUG "/sys/kernel/debug/tracing/"

static int data;
static const volatile char *status_page;

static int set_up(void **state)
{
    int fd = open(DEBUG "user_events_status", O_RDONLY);

    (void)state;
    status_page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
    close(fd);
    data = open(DEBUG "user_events_data", O_RDWR);
    return status_page == MAP_FAILED || data < 0;
}

static int tear_down(void **state)
{
    (void)state;
    (void)munmap((void *)(uintptr_t)status_page, (size_t)sysconf(_SC_PAGESIZE));
    close(data);
    return 0;
}

static int event_reg(const char *command, uint32_t *status, uint32_t *index)
{
    struct user_reg_v4 request = {.size = sizeof(request), .name_args = (uintptr_t)command};

    if (ioctl(data, ENGINE_USER_EVENTS_REG, &request))
        return errno;
    *status = request.status_index;
    *index = request.write_index;
    return 0;
}

static void the_status_byte_has_the_kinds_of_attached_readers(void **state)
{
    uint32_t status = 0;
    uint32_t index = 0;

    (void)state;
    assert_int_equal(event_reg("test u32 count", &status, &index), 0);
    assert_int_not_equal(status, 0); /* never assigned */
    assert_int_equal(status_page[status], 0);
    assert_int_equal(write_number(data, index, 1), EBADF);
    assert_int_equal(put(DEBUG "events/user_events/test/enable", "1"), 0);
    assert_int_equal(status_page[status], 1); /* ftrace's bit, without delay */
    assert_int_equal(write_number(data, index, 1), 0);
    assert_int_equal(traced("test: count=0x1 (1)"), 1);
    assert_int_equal(put(DEBUG "events/user_events/test/enable", "0"), 0);
    assert_int_equal(status_page[status], 0);
}

static void two_events_have_two_bytes(void **state)
{
    uint32_t status[2];
    uint32_t index[2];
    uint32_t again;

    (void)state;
    assert_int_equal(event_reg("test u32 count", &status[0], &index[0]), 0);
    assert_int_equal(event_reg("test_two u32 count", &status[1], &index[1]), 0);
    assert_int_not_equal(status[0], status[1]);
    assert_int_not_equal(index[0], index[1]);
    assert_int_equal(event_reg("test u32 count", &again, &index[1]), 0);
    assert_int_equal(again, status[0]);
    assert_int_equal(index[1], index[0]);
    assert_int_equal(event_reg("test u64 count", &again, &index[1]), EADDRINUSE);
}

/* The document's program stores one index and uses it as both. */
static void both_indexes_of_an_event_are_equal(void **state)
{
    uint32_t status = 0;
    uint32_t index = 0;

    (void)state;
    assert_int_equal(event_reg("equal_one u32 count", &status, &index), 0);
    assert_int_equal(index, status);
    assert_int_equal(event_reg("equal_two u32 count", &status, &index), 0);
    assert_int_equal(index, status);
    assert_int_equal(event_reg("equal_one u32 count", &status, &index), 0);
    assert_int_equal(index, status);
    assert_int_equal(put(DEBUG "events/user_events/equal_one/enable", "1"), 0);
    assert_int_equal(write_number(data, status, 1), 0);
    assert_int_equal(traced("equal_one: count=0x1 (1)"), 1);
    assert_int_equal(write_number(data, status + 2, 1), ENOENT); /* a gap, or after the end */
    assert_int_equal(put(DEBUG "events/user_events/equal_one/enable", "0"), 0);
}

/* The first version had flags in the command; today's kernel refuses them. */
static void a_flag_in_the_command_is_accepted(void **state)
{
    uint32_t status = 0;
    uint32_t index = 0;

    (void)state;
    assert_int_equal(event_reg("test_flag:BPF_ITER u32 count", &status, &index), 0);
    assert_true(exists("test_flag"));
}

static void the_page_cannot_be_written_to(void **state)
{
    int fd = open(DEBUG "user_events_status", O_RDONLY);

    (void)state;
    assert_true(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED);
    assert_int_equal(errno, EACCES);
    close(fd);
}

/* As in the document; a program that maps the whole file finds the size this way. */
static void the_file_has_whole_pages_and_cannot_be_mapped_beyond(void **state)
{
    int fd = open(DEBUG "user_events_status", O_RDONLY);
    struct stat opened, at_path;
    size_t size;
    void *page;

    (void)state;
    skip_by_library();
    skip_by_mount();
    assert_int_equal(fstat(fd, &opened), 0);
    assert_int_equal(stat(DEBUG "user_events_status", &at_path), 0);
    assert_int_equal(opened.st_size, at_path.st_size);
    size = (size_t)opened.st_size;
    assert_true(size >= 32768 && size % 4096 == 0);
    page = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
    assert_true(page != MAP_FAILED);
    munmap(page, size);
    assert_true(mmap(NULL, size + 1, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED);
    assert_int_equal(errno, EINVAL);
    assert_true(mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, (off_t)size) == MAP_FAILED);
    assert_int_equal(errno, EINVAL);
    close(fd);
}

static uint64_t now_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* One event with both interfaces: measured from the change of the page. The machine may be busy:
 * the shortest of many delays counts. */
static void an_enable_bit_changes_within_ten_milliseconds_of_the_page(void **state)
{
    uint64_t best = UINT64_MAX;
    uint32_t word = 0;
    uint32_t status = 0;
    uint32_t index;

    (void)state;
    assert_int_equal(event_reg("test u32 count", &status, &index), 0);
    assert_int_equal(reg(data, "test u32 count", &word, NULL), 0);
    for (int i = 0; i < 10 || (i < 500 && best >= 10000000); i++) {
        bool on = i % 2 == 0;
        pid_t child = fork();
        uint64_t seen;

        if (child == 0)
            _exit(enable("test", on));
        while ((status_page[status] != 0) != on)
            ;
        seen = now_ns();
        assert_true(becomes(&word, on));
        best = now_ns() - seen < best ? now_ns() - seen : best;
        assert_int_equal(status_of(child), 0);
    }
    assert_true(best < 10000000);
    assert_int_equal(unreg(data, &word, 0), 0);
}

/* ---- attached readers, delays, and other processes ---- */

/* Waits for some time until an event's byte has a value. */
static bool byte_becomes(const volatile char *page, uint32_t status, char value)
{
    uint64_t end = now_ns() + UINT64_C(100000000000);

    while (page[status] != value) {
        if (now_ns() > end)
            return false;
        (void)usleep(100);
    }
    return true;
}

/* Starts `cairn record`, which records until it is interrupted. */
static pid_t start_recorder(void)
{
    pid_t pid = fork();

    if (pid == 0) {
        const char *cairn = getenv("CAIRN");

        (void)chdir(getenv("CAIRN_TRACING_DIR"));
        (void)execl(cairn, cairn, "record", "-q", "-e", "test", "-o", "recorded", NULL);
        _exit(99);
    }
    return pid;
}

static void stop_recorder(pid_t pid)
{
    assert_int_equal(kill(pid, SIGINT), 0);
    assert_int_equal(status_of(pid), 0);
}

static bool status_text_has(const char *line)
{
    return strstr(text_of(DEBUG "user_events_status"), line) != NULL;
}

static void each_kind_of_reader_has_a_bit(void **state)
{
    uint32_t status = 0;
    uint32_t index = 0;
    pid_t recorder;

    (void)state;
    assert_int_equal(event_reg("test u32 count", &status, &index), 0);
    recorder = start_recorder();
    assert_true(byte_becomes(status_page, status, 2));
    assert_true(status_text_has(":test # Used by perf\n"));
    assert_int_equal(write_number(data, index, 1), 0);
    assert_int_equal(put(DEBUG "events/user_events/test/enable", "1"), 0);
    assert_int_equal(status_page[status], 3);
    assert_true(status_text_has(":test # Used by ftrace perf\n"));
    assert_true(status_text_has("\nActive: 1\nBusy: 1\nMax: "));
    stop_recorder(recorder);
    assert_true(byte_becomes(status_page, status, 1));
    assert_true(status_text_has(":test # Used by ftrace\n"));
    assert_int_equal(put(DEBUG "events/user_events/test/enable", "0"), 0);
    assert_int_equal(status_page[status], 0);
    assert_true(status_text_has(":test\n"));
    assert_true(status_text_has("\nActive: 1\nBusy: 0\nMax: "));
}

/* A killed recorder clears no bit: the next process that reads the status does. */
static void a_killed_recorder_is_removed_when_the_status_is_read(void **state)
{
    uint32_t status = 0;
    uint32_t index = 0;
    pid_t recorder;

    (void)state;
    assert_int_equal(event_reg("test u32 count", &status, &index), 0);
    recorder = start_recorder();
    assert_true(byte_becomes(status_page, status, 2));
    assert_int_equal(kill(recorder, SIGKILL), 0);
    assert_int_equal(status_of(recorder), 1000 + SIGKILL);
    assert_true(status_text_has(":test\n"));
    assert_int_equal(status_page[status], 0);
    assert_int_equal(write_number(data, index, 1), EBADF);
}

/* Results of a child that maps the page itself. */
struct seen {
    uint64_t at_ns; /* when the byte changed; 0: not yet */
    uint64_t ready;
};

static int watch_page(struct seen *seen, uint32_t status)
{
    int fd = open(DEBUG "user_events_status", O_RDONLY);
    const volatile char *page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
    uint64_t end = now_ns() + UINT64_C(100000000000);

    if (page == MAP_FAILED)
        return 1;
    __atomic_store_n(&seen->ready, 1, __ATOMIC_RELEASE);
    while (!page[status]) {
        if (now_ns() > end)
            return 2;
        (void)sched_yield();
    }
    __atomic_store_n(&seen->at_ns, now_ns(), __ATOMIC_RELEASE);
    return 0;
}

/* The machine may be busy: the shortest of many delays counts. */
static void a_byte_changes_in_another_process_within_ten_milliseconds(void **state)
{
    struct seen *seen = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    uint64_t best = UINT64_MAX;
    uint32_t status = 0;
    uint32_t index;

    (void)state;
    assert_true(seen != MAP_FAILED);
    assert_int_equal(event_reg("test u32 count", &status, &index), 0);
    for (int i = 0; i < 10 || (i < 500 && best >= 10000000); i++) {
        uint64_t begun;
        pid_t child;

        *seen = (struct seen){0};
        child = fork();
        if (child == 0)
            _exit(watch_page(seen, status));
        while (!__atomic_load_n(&seen->ready, __ATOMIC_ACQUIRE))
            (void)usleep(100);
        begun = now_ns();
        assert_int_equal(put(DEBUG "events/user_events/test/enable", "1"), 0);
        assert_int_equal(status_of(child), 0);
        best = seen->at_ns - begun < best ? seen->at_ns - begun : best;
        assert_int_equal(put(DEBUG "events/user_events/test/enable", "0"), 0);
    }
    assert_true(best < 10000000);
    (void)munmap(seen, 4096);
}

/* Writes with the inherited page and index, as soon as the event is enabled. */
static int write_when_asked(uint32_t status, uint32_t index, uint32_t number)
{
    return !byte_becomes(status_page, status, 1) || write_number(data, index, number) ||
           !byte_becomes(status_page, status, 0) || write_number(data, index, number) != EBADF;
}

static void children_of_fork_and_clone_use_their_parents_page(void **state)
{
    uint32_t status = 0;
    uint32_t index = 0;
    pid_t forked;
    pid_t cloned;

    (void)state;
    assert_int_equal(clear_trace(), 0);
    assert_int_equal(event_reg("test u32 count", &status, &index), 0);
    forked = fork();
    if (forked == 0)
        _exit(write_when_asked(status, index, 5));
    cloned = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0); /* bypasses the C library */
    if (cloned == 0)
        _exit(write_when_asked(status, index, 6));
    assert_int_equal(put(DEBUG "events/user_events/test/enable", "1"), 0);
    for (int i = 0; i < 100000 && traced("test: count=") < 2; i++)
        (void)usleep(1000);
    assert_int_equal(put(DEBUG "events/user_events/test/enable", "0"), 0);
    assert_int_equal(status_of(forked), 0);
    assert_int_equal(status_of(cloned), 0);
    assert_int_equal(traced("test: count=0x5 (5)"), 1);
    assert_int_equal(traced("test: count=0x6 (6)"), 1);
}

#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(the_status_byte_has_the_kinds_of_attached_readers),
        T(two_events_have_two_bytes),
        T(both_indexes_of_an_event_are_equal),
        T(a_flag_in_the_command_is_accepted),
        T(the_page_cannot_be_written_to),
        T(the_file_has_whole_pages_and_cannot_be_mapped_beyond),
        T(each_kind_of_reader_has_a_bit),
        T(a_killed_recorder_is_removed_when_the_status_is_read),
        T(a_byte_changes_in_another_process_within_ten_milliseconds),
        T(children_of_fork_and_clone_use_their_parents_page),
        T(an_enable_bit_changes_within_ten_milliseconds_of_the_page),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
