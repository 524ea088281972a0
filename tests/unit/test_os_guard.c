/* SPDX-License-Identifier: MIT */
/* The guard against SIGBUS: a reader of a file that is truncated meanwhile. */
#include "os/guard.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#define PAGES 4u

/* Opens and maps a file that is truncated while it is read, and releases all of it at its end. */
struct reading {
    size_t page_bytes;
    int fd;
    uint8_t read;    /* after the file was truncated */
    bool is_noticed; /* by the inner guard */
    bool has_ended;
};

static void read_truncated(void *arg)
{
    struct reading *r = arg;
    size_t size_bytes = PAGES * r->page_bytes;
    volatile uint8_t *memory;

    r->fd = memfd_create("truncated", MFD_CLOEXEC);
    assert_true(r->fd >= 0);
    assert_int_equal(ftruncate(r->fd, (off_t)size_bytes), 0);
    memory = mmap(NULL, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, 0);
    assert_true(memory != MAP_FAILED);
    memory[r->page_bytes + 7] = 42;
    assert_int_equal(ftruncate(r->fd, 0), 0);
    r->read = memory[r->page_bytes + 7];
    memory[3 * r->page_bytes] = 1;
    assert_int_equal(munmap((void *)memory, size_bytes), 0);
    assert_int_equal(close(r->fd), 0);
    r->has_ended = true;
}

static void a_reader_of_a_truncated_file_releases_what_it_holds(void **state)
{
    struct reading r = {.page_bytes = (size_t)sysconf(_SC_PAGESIZE), .read = 1};
    struct os_guard guard;

    (void)state;
    os_guard_begin(&guard);
    assert_false(os_guard_run(read_truncated, &r));
    os_guard_end(&guard);
    assert_true(r.has_ended);
    assert_int_equal(r.read, 0);
}

static void run_inner(void *arg)
{
    struct reading *r = arg;

    r->is_noticed = !os_guard_run(read_truncated, r);
}

static void the_fault_of_an_inner_body_is_its_own(void **state)
{
    struct reading r = {.page_bytes = (size_t)sysconf(_SC_PAGESIZE)};
    struct os_guard guard;

    (void)state;
    os_guard_begin(&guard);
    assert_true(os_guard_run(run_inner, &r));
    os_guard_end(&guard);
    assert_true(r.is_noticed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reader_of_a_truncated_file_releases_what_it_holds),
        cmocka_unit_test(the_fault_of_an_inner_body_is_its_own),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
