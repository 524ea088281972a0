/* SPDX-License-Identifier: MIT */
/* The interface as it was first designed: no word of the program's, a mapped page of status bytes.
 */
#include "tracefs_test.h"

#include <sys/mman.h>

/* The document's struct, and its folder. */
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

    if (ioctl(data, CAIRN_USER_EVENTS_REG, &request))
        return errno;
    *status = request.status_index;
    *index = request.write_index;
    return 0;
}

static void the_status_byte_tells_who_is_attached(void **state)
{
    uint32_t status = 0;
    uint32_t index = 0;

    (void)state;
    assert_int_equal(event_reg("test u32 count", &status, &index), 0);
    assert_int_not_equal(status, 0); /* never given out */
    assert_int_equal(status_page[status], 0);
    assert_int_equal(write_number(data, index, 1), EBADF);
    assert_int_equal(put(DEBUG "events/user_events/test/enable", "1"), 0);
    assert_int_equal(status_page[status], 1); /* ftrace's bit, at once */
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

/* The first design had flags in the command; today's kernel refuses them. */
static void a_flag_in_the_command_is_taken(void **state)
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

static uint64_t now_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* One event by both interfaces: from the moment when the page says so. The machine may be busy: the
 * best of ten counts. */
static void an_enable_bit_follows_the_page_within_ten_milliseconds(void **state)
{
    uint64_t best = UINT64_MAX;
    uint32_t word = 0;
    uint32_t status = 0;
    uint32_t index;

    (void)state;
    assert_int_equal(event_reg("test u32 count", &status, &index), 0);
    assert_int_equal(reg(data, "test u32 count", &word, NULL), 0);
    for (int i = 0; i < 10; i++) {
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

#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(the_status_byte_tells_who_is_attached),
        T(two_events_have_two_bytes),
        T(a_flag_in_the_command_is_taken),
        T(the_page_cannot_be_written_to),
        T(an_enable_bit_follows_the_page_within_ten_milliseconds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
