/* SPDX-License-Identifier: MIT */
/* Test of the interface of kernels up to Linux 6.3: a mapped page with a bit for each event. */
#include "tracefs_test.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>

struct user_reg_bits {
    uint32_t size;
    uint64_t name_args;
    uint32_t status_bit;
    uint32_t write_index;
} __attribute__((packed));

static int data;
static int status_file;
static const volatile uint8_t *page;

static const volatile uint8_t *map_page(void)
{
    return mmap(NULL, 4096, PROT_READ, MAP_SHARED, status_file, 0);
}

/* Maps the page first, as the kernel's example does. */
static int set_up(void **state)
{
    (void)state;
    status_file = open(TRACING "user_events_status", O_RDONLY);
    page = map_page();
    data = open_data();
    return page == MAP_FAILED || data < 0;
}

static int tear_down(void **state)
{
    (void)state;
    (void)enable("by_bit", false);
    (void)munmap((void *)(uintptr_t)page, 4096);
    close(status_file);
    close(data);
    return 0;
}

static int reg_bit(const char *command, uint32_t *bit, uint32_t *index)
{
    struct user_reg_bits request = {.size = sizeof(request), .name_args = (uintptr_t)command};

    if (ioctl(data, ENGINE_USER_EVENTS_REG, &request))
        return errno;
    *bit = request.status_bit;
    *index = request.write_index;
    return 0;
}

static bool is_set(const volatile uint8_t *in, uint32_t bit)
{
    return in[bit >> 3] & 1 << (bit & 7);
}

static bool bit_becomes(uint32_t bit, bool value)
{
    for (int i = 0; i < 100000; i++) {
        if (is_set(page, bit) == value)
            return true;
        (void)usleep(1000);
    }
    return false;
}

static void a_bit_is_set_while_a_reader_is_attached(void **state)
{
    uint32_t bit = 0;
    uint32_t index = 0;

    (void)state;
    assert_int_equal(clear_trace(), 0);
    assert_int_equal(reg_bit("by_bit u32 a", &bit, &index), 0);
    assert_int_not_equal(bit, 0); /* never assigned */
    assert_false(is_set(page, bit));
    assert_int_equal(enable("by_bit", true), 0);
    assert_true(is_set(page, bit)); /* without delay */
    assert_int_equal(write_number(data, index, 1), 0);
    assert_int_equal(traced("by_bit: a=0x1 (1)"), 1);
    assert_int_equal(enable("by_bit", false), 0);
    assert_false(is_set(page, bit));
}

static void each_event_has_a_bit(void **state)
{
    uint32_t bits[20];
    uint32_t indexes[20];
    char command[32];

    (void)state;
    for (uint32_t i = 0; i < 20; i++) {
        (void)snprintf(command, sizeof(command), "by_bit_%u u32 a", i);
        assert_int_equal(reg_bit(command, &bits[i], &indexes[i]), 0);
        assert_int_equal(indexes[i], i);
    }
    assert_int_equal(put(TRACING "set_event", "by_bit_7"), 0);
    for (uint32_t i = 0; i < 20; i++)
        assert_int_equal(is_set(page, bits[i]), i == 7);
    assert_int_equal(put(TRACING "set_event", "!by_bit_7"), 0);
    assert_false(is_set(page, bits[7]));
}

static void a_page_mapped_later_has_the_same_bits(void **state)
{
    const volatile uint8_t *other;
    uint32_t bit = 0;
    uint32_t index;

    (void)state;
    assert_int_equal(reg_bit("by_bit u32 a", &bit, &index), 0);
    other = map_page();
    assert_true(other != MAP_FAILED && other != page);
    assert_int_equal(enable("by_bit", true), 0);
    assert_true(is_set(other, bit) && is_set(page, bit));
    assert_int_equal(munmap((void *)(uintptr_t)other, 4096), 0);
    assert_true(is_set(page, bit));
    assert_true(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, status_file, 0) == MAP_FAILED);
    assert_int_equal(errno, EACCES);
}

/* A recorder of another program attaches, and detaches. */
static void a_bit_is_set_while_a_recorder_is_attached(void **state)
{
    uint32_t bit = 0;
    uint32_t index = 0;
    pid_t pid;

    (void)state;
    assert_int_equal(reg_bit("by_bit u32 a", &bit, &index), 0);
    pid = fork();
    if (pid == 0) {
        const char *cairn = getenv("CAIRN");

        (void)chdir(getenv("CAIRN_TRACING_DIR"));
        (void)execl(cairn, cairn, "record", "-q", "-e", "by_bit", "-o", "recorded", NULL);
        _exit(99);
    }
    assert_true(bit_becomes(bit, true));
    assert_int_equal(write_number(data, index, 1), 0);
    assert_int_equal(kill(pid, SIGINT), 0);
    assert_int_equal(status_of(pid), 0);
    assert_true(bit_becomes(bit, false));
}

static void children_use_the_page_that_they_inherit(void **state)
{
    uint32_t bit = 0;
    uint32_t index = 0;
    pid_t forked;
    pid_t cloned;

    (void)state;
    assert_int_equal(reg_bit("by_bit u32 a", &bit, &index), 0);
    forked = fork();
    if (forked == 0)
        _exit(!bit_becomes(bit, true) || write_number(data, index, 5));
    cloned = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0); /* bypasses the C library */
    if (cloned == 0)
        _exit(!bit_becomes(bit, true) || write_number(data, index, 6));
    assert_int_equal(enable("by_bit", true), 0);
    assert_int_equal(status_of(forked), 0);
    assert_int_equal(status_of(cloned), 0);
}

struct user_reg_bytes {
    uint32_t size;
    uint64_t name_args;
    uint32_t status_index;
    uint32_t write_index;
};

/* A bit of an event is in its byte, where no kind of listener has one. */
static void a_program_may_use_all_layouts(void **state)
{
    struct user_reg_bytes bytes = {.size = sizeof(bytes), .name_args = (uintptr_t) "by_bit u32 a"};
    struct user_reg_bytes other = {.size = sizeof(other), .name_args = (uintptr_t) "by_byte u32 a"};
    uint32_t word = 0;
    uint32_t bit = 0;
    uint32_t index;

    (void)state;
    assert_int_equal(reg_bit("by_bit u32 a", &bit, &index), 0);
    assert_int_equal(ioctl(data, ENGINE_USER_EVENTS_REG, &bytes), 0);
    assert_int_equal(ioctl(data, ENGINE_USER_EVENTS_REG, &other), 0);
    assert_int_equal(reg(data, "by_bit u32 a", &word, &index), 0);
    assert_int_equal(enable("by_bit", true), 0);
    assert_int_equal(enable("by_byte", true), 0);
    assert_true(is_set(page, bit));
    assert_int_equal(page[bytes.status_index] & 3, 1); /* a text reader */
    assert_int_equal(page[other.status_index], 1);     /* as if there were no bits */
    assert_int_equal(word, 1);
    assert_int_equal(enable("by_byte", false), 0);
    assert_int_equal(enable("by_bit", false), 0);
    assert_int_equal(page[bytes.status_index], 0);
    assert_int_equal(unreg(data, &word, 0), 0);
}

/* The kernel's page has 32,768 bits. */
static void an_event_without_a_bit_in_the_page_is_refused(void **state)
{
    uint32_t bit = 0;
    uint32_t index;
    int error = 0;

    (void)state;
    for (uint32_t i = 0; !error && i <= 4096; i++) {
        char command[32];

        (void)snprintf(command, sizeof(command), "full_%u u32 a", i);
        error = reg_bit(command, &bit, &index);
        assert_true(error || bit < 32768);
    }
    assert_int_equal(error, EMFILE);
}

#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(a_bit_is_set_while_a_reader_is_attached),
        T(each_event_has_a_bit),
        T(a_page_mapped_later_has_the_same_bits),
        T(a_bit_is_set_while_a_recorder_is_attached),
        T(children_use_the_page_that_they_inherit),
        T(a_program_may_use_all_layouts),
        T(an_event_without_a_bit_in_the_page_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
