/* SPDX-License-Identifier: MIT */
/* Test of registering, deleting and writing events with the kernel's interface, and of its error
 * codes. */
#include "by_book.h"

#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>

static int set_up_unregistered(void **state)
{
    (void)state;
    word = 0;
    index_of = UINT32_MAX;
    data = open_data();
    return data < 0;
}

/* ---- registering ---- */

static void the_same_event_has_one_index_and_each_bit_one_event(void **state)
{
    uint32_t second = 0;

    (void)state;
    assert_int_equal(reg(data, "by_book u32 a; u32 b", &word, &index_of), 0);
    assert_int_equal(index_of, 0);
    assert_int_equal(reg(data, "by_book u32 a; u32 b", &word, NULL), EADDRINUSE);
    assert_int_equal(reg_word(data, "by_book u32 a;u32 b", &word, 4, 1, 0, &second), 0);
    assert_int_equal(second, 0);
    assert_int_equal(reg_word(data, "by_book u32 a", &word, 4, 2, 0, NULL), EADDRINUSE);
    assert_int_equal(unreg(data, &word, 1), 0);
    assert_int_equal(unreg(data, &word, 1), ENOENT);
}

static void invalid_arguments_are_EINVAL(void **state)
{
    static const char *const commands[] = {
        "",
        "by_book u32",
        "by_book char[aa] a",
        "by_book nonsense a",
        "by_book struct x a",
        "by_book char a 20",
        "by_book:FLAG u32 a",
    };
    char too_long[600];

    (void)state;
    for (size_t i = 1; i < sizeof(commands) / sizeof(*commands); i++)
        assert_int_equal(reg(data, commands[i], &word, NULL), EINVAL);
    memset(too_long, 'x', sizeof(too_long));
    too_long[sizeof(too_long) - 1] = 0;
    assert_int_equal(reg(data, too_long, &word, NULL), EINVAL);
    assert_int_equal(reg_word(data, "by_book u32 a", &word, 3, 0, 0, NULL), EINVAL);
    assert_int_equal(reg_word(data, "by_book u32 a", &word, 4, 32, 0, NULL), EINVAL);
    assert_int_equal(reg_word(data, "by_book u32 a", &word, 8, 64, 0, NULL), EINVAL);
    assert_int_equal(reg_word(data, "by_book u32 a", (char *)&word + 1, 4, 0, 0, NULL), EINVAL);
    assert_int_equal(reg_word(data, "by_book u32 a", &word, 4, 0, REG_MAX, NULL), EINVAL);
    assert_false(exists("by_book"));
}

static void structs_of_other_sizes_are_distinguished(void **state)
{
    struct {
        struct engine_user_reg reg;
        uint32_t more;
    } later = {.reg = {.size = sizeof(later),
                       .enable_size = 4,
                       .enable_addr = (uintptr_t)&word,
                       .name_args = (uintptr_t) "by_book u32 a"}};
    uint32_t size = 4097;

    (void)state;
    assert_int_equal(ioctl(data, ENGINE_USER_EVENTS_REG, &size), -1);
    assert_int_equal(errno, E2BIG);
    size = 4;
    assert_int_equal(ioctl(data, ENGINE_USER_EVENTS_REG, &size), -1);
    assert_int_equal(errno, EINVAL);
    later.more = 1; /* an unknown member */
    assert_int_equal(ioctl(data, ENGINE_USER_EVENTS_REG, &later), -1);
    assert_int_equal(errno, E2BIG);
    later.more = 0;
    assert_int_equal(ioctl(data, ENGINE_USER_EVENTS_REG, &later), 0);
    assert_int_equal(ioctl(data, 0x1234, &later), -1);
    assert_int_equal(errno, ENOTTY);
}

static void unmapped_memory_is_EFAULT_and_not_a_signal(void **state)
{
    char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct iovec parts[] = {{&index_of, sizeof(index_of)}, {page, 4}};

    (void)state;
    skip_by_mount();
    assert_true(page != MAP_FAILED);
    assert_int_equal(reg(data, "by_book u32 a", &word, &index_of), 0);
    assert_int_equal(enable("by_book", true), 0);
    assert_int_equal(munmap(page, 4096), 0);
    assert_int_equal(writev(data, parts, 2), -1);
    assert_int_equal(errno, EFAULT);
    assert_int_equal(reg(data, page, (uint32_t *)&data, NULL), EFAULT);
    assert_int_equal(reg(data, "by_book u32 a", (uint32_t *)(void *)page, NULL), ENOMEM);
    assert_int_equal(ioctl(data, ENGINE_USER_EVENTS_REG, page), -1);
    assert_int_equal(errno, EFAULT);
    assert_int_equal(del(data, page), EFAULT);
}

/* Two pages, of which the second is unmapped: a struct of `size` bytes begins at the end of the
 * first. */
static void *at_the_end_of_memory(size_t size)
{
    char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    assert_true(pages != MAP_FAILED);
    assert_int_equal(munmap(pages + 4096, 4096), 0);
    return pages + 4096 - size;
}

static void a_struct_in_partly_unmapped_memory_is_EFAULT(void **state)
{
    struct engine_user_unreg half_unreg = {.size = sizeof(half_unreg)};
    struct engine_user_reg half_reg = {.size = sizeof(half_reg), .flags = REG_MAX};
    void *at = at_the_end_of_memory(8);

    (void)state;
    memcpy(at, &half_unreg, 8);
    assert_int_equal(ioctl(data, ENGINE_USER_EVENTS_UNREG, at), -1);
    assert_int_equal(errno, EFAULT);
    memcpy(at, &half_reg, 8);
    assert_int_equal(ioctl(data, ENGINE_USER_EVENTS_REG, at), -1);
    assert_int_equal(errno, EFAULT);
    munmap((void *)((uintptr_t)at & ~(uintptr_t)4095), 4096);
}

static void unregistering_is_checked_in_the_kernels_order(void **state)
{
    struct {
        struct engine_user_unreg unreg;
        uint32_t more;
    } later = {.unreg = {.size = sizeof(later), .reserved = 1, .disable_addr = (uintptr_t)&word},
               .more = 1};

    (void)state;
    assert_int_equal(ioctl(data, ENGINE_USER_EVENTS_UNREG, &later), -1);
    assert_int_equal(errno, E2BIG);
    later.more = 0;
    assert_int_equal(ioctl(data, ENGINE_USER_EVENTS_UNREG, &later), -1);
    assert_int_equal(errno, EINVAL);
    later.unreg.reserved = 0;
    assert_int_equal(ioctl(data, ENGINE_USER_EVENTS_UNREG, &later), -1);
    assert_int_equal(errno, ENOENT);
    later.unreg.size = 15;
    assert_int_equal(ioctl(data, ENGINE_USER_EVENTS_UNREG, &later), -1);
    assert_int_equal(errno, EINVAL);
    later.unreg.size = 4097;
    assert_int_equal(ioctl(data, ENGINE_USER_EVENTS_UNREG, &later), -1);
    assert_int_equal(errno, E2BIG);
}

/* An address where no program can have memory. */
static void a_word_in_kernel_memory_is_EFAULT(void **state)
{
    uint64_t there = UINT64_C(0xffff888000000000);

    (void)state;
    assert_int_equal(reg(data, "by_book u32 a", (uint32_t *)(uintptr_t)there, NULL), EFAULT);
    assert_false(exists("by_book"));
}

/* ---- lifetime of an event ---- */

static void an_event_is_removed_with_its_last_user(void **state)
{
    int other = open_data();

    (void)state;
    assert_int_equal(reg(data, "by_book u32 a", &word, &index_of), 0);
    assert_true(exists("by_book"));
    assert_int_equal(reg_word(other, "by_book u32 a", &word, 4, 1, 0, NULL), 0);
    assert_int_equal(del(data, "by_book"), EBUSY);
    assert_int_equal(unreg(data, &word, 0), 0);
    assert_int_equal(unreg(data, &word, 1), 0);
    assert_true(exists("by_book"));
    close(data);
    assert_true(exists("by_book"));
    close(other);
    assert_true(goes_away("by_book"));
    data = open_data();
    assert_int_equal(del(data, "by_book"), ENOENT);
}

static void an_enabled_event_stays_until_it_is_disabled(void **state)
{
    (void)state;
    assert_int_equal(reg(data, "by_book u32 a", &word, &index_of), 0);
    assert_int_equal(enable("by_book", true), 0);
    assert_int_equal(unreg(data, &word, 0), 0);
    close(data);
    data = open_data();
    assert_true(exists("by_book"));
    assert_int_equal(del(data, "by_book"), EBUSY);
    assert_int_equal(enable("by_book", false), 0);
    assert_true(goes_away("by_book"));
}

static void a_persistent_event_stays_until_it_is_deleted(void **state)
{
    (void)state;
    assert_int_equal(reg_word(data, "by_book u32 a", &word, 4, 0, REG_PERSIST, NULL), 0);
    assert_int_equal(unreg(data, &word, 0), 0);
    close(data);
    data = open_data();
    assert_true(exists("by_book"));
    assert_int_equal(reg(data, "by_book u64 a", &word, NULL), EADDRINUSE);
    assert_int_equal(del_soon(data, "by_book"), 0);
    assert_true(goes_away("by_book"));
}

static void a_name_may_have_several_formats_on_request(void **state)
{
    uint32_t second = 0;

    (void)state;
    assert_int_equal(reg_word(data, "by_book u32 a", &word, 4, 0, REG_MULTI, &index_of), 0);
    assert_int_equal(reg_word(data, "by_book u64 a", &word, 4, 1, REG_MULTI, &second), 0);
    assert_int_not_equal(second, index_of);
    assert_int_equal(reg_word(data, "by_book u64 a", &word, 4, 2, REG_MULTI, &index_of), 0);
    assert_int_equal(second, index_of);
    assert_false(exists("by_book")); /* no event has exactly this name */
    assert_int_equal(reg_word(data, "by_book u8 a", &word, 4, 3, 0, NULL), 0);
    assert_true(exists("by_book"));
    for (uint8_t bit = 1; bit <= 3; bit++)
        assert_int_equal(unreg(data, &word, bit), 0);
}

/* ---- writing ---- */

static void writes_are_checked_in_the_kernels_order(void **state)
{
    uint32_t none = 7;
    int32_t negative = -1;
    int reader;

    (void)state;
    assert_int_equal(reg(data, "by_book u32 a", &word, &index_of), 0);
    assert_int_equal(write_number(data, none, 1), ENOENT);
    assert_int_equal(write_number(data, (uint32_t)negative, 1), EINVAL);
    assert_int_equal(write_number(data, index_of, 1), EBADF); /* the event is disabled */
    assert_int_equal(write(data, &index_of, 4), -1);
    assert_int_equal(errno, EINVAL); /* too short, enabled or not */
    assert_int_equal(write(data, &index_of, 3), -1);
    assert_int_equal(errno, EFAULT);
    assert_int_equal(enable("by_book", true), 0);
    assert_int_equal(write_number(data, index_of, 1), 0);
    assert_int_equal(read(data, &none, 4), -1);
    assert_int_equal(errno, EINVAL);
    reader = open(TRACING "user_events_data", O_RDONLY);
    assert_int_equal(write_number(reader, 0, 1), EBADF);
    close(reader);
}

static void every_way_of_writing_writes_an_event(void **state)
{
    struct {
        uint32_t index;
        uint32_t number;
    } event = {0, 4711};
    struct iovec parts[] = {{&event, 2}, {(char *)&event + 2, 6}};
    FILE *file;

    (void)state;
    skip_by_library();
    skip_by_mount();
    assert_int_equal(clear_trace(), 0);
    assert_int_equal(reg(data, "by_book u32 a", &word, &event.index), 0);
    assert_int_equal(enable("by_book", true), 0);
    assert_int_equal(write(data, &event, 8), 8);
    assert_int_equal(writev(data, parts, 2), 8);
    assert_int_equal(pwrite(data, &event, 8, 0), 8);
    assert_int_equal(pwritev(data, parts, 2, 0), 8);
    assert_int_equal(pwrite(data, &event, 8, 1), -1);
    assert_int_equal(errno, EFAULT);
    file = fdopen(dup(data), "w");
    assert_non_null(file);
    assert_int_equal(fwrite(&event, 8, 1, file), 1);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(traced("by_book: a=0x1267 (4711)"), 5);
}

static void a_stream_has_a_descriptor(void **state)
{
    FILE *file = fopen(TRACING "user_events_data", "w+");
    uint32_t event[] = {0, 99};

    (void)state;
    skip_by_library();
    assert_non_null(file);
    assert_int_equal(reg(fileno(file), "by_book u32 a", &word, &event[0]), 0);
    assert_int_equal(enable("by_book", true), 0);
    assert_int_equal(fwrite(event, sizeof(event), 1, file), 1);
    assert_int_equal(fflush(file), 0);
    assert_int_equal(traced("by_book: a=0x63 (99)"), 1);
    assert_int_equal(fclose(file), 0);
}

static void dynamic_fields_must_be_inside_the_payload(void **state)
{
    static const struct {
        uint32_t location;
        char text[8];
        int error;
    } cases[] = {
        {5u << 16, "Test", 0},         {5u << 16 | 1, "Test", EFAULT}, {6u << 16, "Test", EFAULT},
        {1029u << 16, "Test", EFAULT}, {5u << 16, "TestT", EFAULT},
    };

    (void)state;
    assert_int_equal(reg(data, "by_book __rel_loc char[] text", &word, &index_of), 0);
    assert_int_equal(enable("by_book", true), 0);
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct iovec parts[] = {{&index_of, 4},
                                {(void *)(uintptr_t)&cases[i].location, 4},
                                {(void *)(uintptr_t)cases[i].text, 5}};

        errno = 0;
        (void)writev(data, parts, 3);
        assert_int_equal(errno, cases[i].error);
    }
    assert_int_equal(traced("by_book: text=Test"), 1);
}

/* More than there are notes of: each is checked nevertheless. */
static void many_dynamic_fields_must_be_inside_the_payload(void **state)
{
    uint32_t event[12] = {0};
    uint32_t own_word = 0;

    (void)state;
    assert_int_equal(reg(data,
                         "by_book_many __rel_loc u8[] a; __rel_loc u8[] b; __rel_loc u8[] c; "
                         "__rel_loc u8[] d; __rel_loc u8[] e; __rel_loc u8[] f; __rel_loc u8[] g; "
                         "__rel_loc u8[] h; __rel_loc u8[] i; __rel_loc u8[] j",
                         &own_word, &event[0]),
                     0);
    assert_int_equal(enable("by_book_many", true), 0);
    assert_int_equal(write(data, event, 44), 44);
    event[10] = 4u << 16;
    assert_int_equal(write(data, event, 44), -1);
    assert_int_equal(errno, EFAULT);
    assert_int_equal(write(data, event, 48), 48);
    assert_int_equal(enable("by_book_many", false), 0);
    assert_int_equal(unreg(data, &own_word, 0), 0);
}

static void offsets_of_data_loc_include_the_common_fields(void **state)
{
    uint32_t location = 5u << 16 | 12;
    struct iovec parts[] = {{&index_of, 4}, {&location, 4}, {"Hello", 6}};

    (void)state;
    assert_int_equal(reg(data, "by_book __data_loc char[] text", &word, &index_of), 0);
    assert_int_equal(enable("by_book", true), 0);
    assert_int_equal(writev(data, parts, 3), -1); /* its fifth byte is not a NUL */
    assert_int_equal(errno, EFAULT);
    location = 6u << 16 | 12;
    assert_int_equal(writev(data, parts, 3), 14);
    assert_int_equal(traced("by_book: text=Hello"), 1);
}

static int write_error;

static void write_3900_bytes(int signal)
{
    static const char text[3900]; /* a larger one does not fit the kernel's trace buffer */
    struct iovec parts[] = {{&index_of, 4}, {(void *)(uintptr_t)text, sizeof(text)}};

    (void)signal;
    write_error = writev(data, parts, 2) == 4 + (ssize_t)sizeof(text) ? 0 : errno;
}

/* Code that a sanitizer instruments needs more stack, and so does its own writev. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HANDLER_BYTES 16384
#else
#define HANDLER_BYTES 512
#endif

/* The kernel's write needs no stack of the program: an alternate stack may be small. */
static void a_large_event_fits_a_small_alternate_stack(void **state)
{
    size_t stack_bytes = getauxval(AT_MINSIGSTKSZ) + HANDLER_BYTES;
    size_t bytes = (stack_bytes + 4095) / 4096 * 4096 + 4096;
    char *memory = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const stack_t stack = {.ss_sp = memory + bytes - stack_bytes, .ss_size = stack_bytes};
    const stack_t none = {.ss_flags = SS_DISABLE};
    const struct sigaction action = {.sa_handler = write_3900_bytes, .sa_flags = SA_ONSTACK};
    struct iovec small[] = {{&index_of, 4}, {(void *)(uintptr_t) "1234", 4}};

    (void)state;
    assert_ptr_not_equal(memory, MAP_FAILED);
    assert_int_equal(clear_trace(), 0);
    assert_int_equal(mprotect(memory + 4096, bytes - 4096, PROT_READ | PROT_WRITE), 0);
    assert_int_equal(reg(data, "by_book u32 a", &word, &index_of), 0);
    assert_int_equal(enable("by_book", true), 0);
    assert_int_equal(writev(data, small, 2), 8); /* the program's own call is bound here */
    assert_int_equal(clear_trace(), 0);
    assert_int_equal(sigaltstack(&stack, NULL), 0);
    assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
    for (int i = 0; i < 20; i++) { /* more often than there is memory for at once */
        write_error = -1;
        assert_int_equal(raise(SIGUSR1), 0);
        assert_int_equal(write_error, 0);
    }
    assert_int_equal(sigaltstack(&none, NULL), 0);
    assert_int_equal(munmap(memory, bytes), 0);
    assert_int_equal(traced("by_book: a=0"), 20);
}

#define T(name) cmocka_unit_test_setup_teardown(name, set_up_unregistered, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        /* First: no function that a large event needs was called before. */
        T(a_large_event_fits_a_small_alternate_stack),
        T(the_same_event_has_one_index_and_each_bit_one_event),
        T(invalid_arguments_are_EINVAL),
        T(structs_of_other_sizes_are_distinguished),
        T(unmapped_memory_is_EFAULT_and_not_a_signal),
        T(a_struct_in_partly_unmapped_memory_is_EFAULT),
        T(unregistering_is_checked_in_the_kernels_order),
        T(a_word_in_kernel_memory_is_EFAULT),
        T(an_event_is_removed_with_its_last_user),
        T(an_enabled_event_stays_until_it_is_disabled),
        T(a_persistent_event_stays_until_it_is_deleted),
        T(a_name_may_have_several_formats_on_request),
        T(writes_are_checked_in_the_kernels_order),
        T(every_way_of_writing_writes_an_event),
        T(a_stream_has_a_descriptor),
        T(dynamic_fields_must_be_inside_the_payload),
        T(many_dynamic_fields_must_be_inside_the_payload),
        T(offsets_of_data_loc_include_the_common_fields),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
