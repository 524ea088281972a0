/* SPDX-License-Identifier: MIT */
/* Test of the size of the largest event: the limits of perf and ftrace, and that events above
 * perf's limit are refused. */
#include "guest.h"

#include "user_events/kernel.h"
#include "engine/kernel_abi.h"
#include "user_events/kernel_limit.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE_BYTES 4096u
#define RING_BYTES (16 * PAGE_BYTES)

/* ftrace's sub-buffers have one page, and an event must fit into one. The kernel does not report
 * those that do not. */
#define FTRACE_PAYLOAD_MAX_BYTES 4064u

struct perf {
    int fd;
    struct perf_event_mmap_page *page; /* the ring follows */
};

static struct perf open_perf(const char *event)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_TRACEPOINT,
        .size = sizeof(attr),
        .sample_type = PERF_SAMPLE_RAW,
        .sample_period = 1,
    };
    char path[256];
    struct perf perf;

    snprintf(path, sizeof(path), TRACING "/events/user_events/%s/id", event);
    attr.config = strtoul(guest_read(path), NULL, 10);
    perf.fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    assert_true(perf.fd >= 0);
    perf.page = mmap(NULL, PAGE_BYTES + RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, perf.fd, 0);
    assert_true(perf.page != MAP_FAILED);
    return perf;
}

static void close_perf(struct perf *perf)
{
    munmap(perf->page, PAGE_BYTES + RING_BYTES);
    close(perf->fd);
}

/* Takes one record from the ring. Returns the size of its raw data, or 0 if there is none. */
static uint32_t take_sample(struct perf *perf)
{
    uint64_t head = __atomic_load_n(&perf->page->data_head, __ATOMIC_ACQUIRE);
    uint64_t tail = perf->page->data_tail;
    const char *ring = (const char *)perf->page + PAGE_BYTES;
    struct perf_event_header header;
    uint32_t raw_size;

    if (head == tail)
        return 0;
    memcpy(&header, ring + tail % RING_BYTES, sizeof(header));
    memcpy(&raw_size, ring + (tail + sizeof(header)) % RING_BYTES, sizeof(raw_size));
    assert_int_equal(header.type, PERF_RECORD_SAMPLE);
    __atomic_store_n(&perf->page->data_tail, tail + header.size, __ATOMIC_RELEASE);
    return raw_size;
}

/* Writes to the kernel without the checks of user_events_kernel_write. */
static int write_past_cairn(const struct cairn_tracepoint *tp, const char *bytes, uint32_t size)
{
    int32_t index = tp->kernel_index;
    struct iovec parts[] = {{&index, sizeof(index)}, {(char *)(uintptr_t)bytes, size}};

    return writev(guest_kernel_fd(), parts, 2) < 0 ? errno : 0;
}

static char bytes[2 * ENGINE_KERNEL_PAYLOAD_MAX_BYTES];

static void perf_records_the_largest_accepted_payload(void **state)
{
    struct cairn_tracepoint tp = guest_tracepoint();
    struct iovec parts[] = {{bytes, 1}, {bytes, ENGINE_KERNEL_PAYLOAD_MAX_BYTES - 1}};
    struct perf perf;

    (void)state;
    user_events_kernel_limit_look();
    assert_int_equal(user_events_kernel_payload_max_bytes(), ENGINE_KERNEL_PAYLOAD_MAX_BYTES);
    assert_int_equal(user_events_kernel_register(&tp, "cairn_largest u8 a", 0), 0);
    perf = open_perf("cairn_largest");
    assert_true(guest_leads_to_ones(&tp));
    assert_int_equal(guest_write_parts(&tp, parts, 2), 0);
    /* With the common fields, and padding to a multiple of 8 with its own u32. */
    assert_int_equal(take_sample(&perf), 8 + ENGINE_KERNEL_PAYLOAD_MAX_BYTES + 4);
    close_perf(&perf);
    assert_int_equal(user_events_kernel_unregister(&tp), 0);
}

static void events_that_perf_would_drop_silently_are_refused(void **state)
{
    struct cairn_tracepoint tp = guest_tracepoint();
    struct iovec part = {bytes, ENGINE_KERNEL_PAYLOAD_MAX_BYTES + 1};
    struct perf perf;

    (void)state;
    assert_int_equal(user_events_kernel_register(&tp, "cairn_too_large u8 a", 0), 0);
    perf = open_perf("cairn_too_large");
    assert_int_equal(guest_write_parts(&tp, &part, 1), E2BIG);
    assert_int_equal(write_past_cairn(&tp, bytes, ENGINE_KERNEL_PAYLOAD_MAX_BYTES), 0);
    assert_true(take_sample(&perf) > 0);
    assert_int_equal(write_past_cairn(&tp, bytes, ENGINE_KERNEL_PAYLOAD_MAX_BYTES + 1), 0);
    assert_int_equal(take_sample(&perf), 0); /* the write succeeded, and the event is lost */
    close_perf(&perf);
    assert_int_equal(user_events_kernel_unregister(&tp), 0);
}

/* The backend cannot know whether ftrace is recording. README.md documents this limit. */
static void the_limit_of_ftrace_is_lower_than_perfs(void **state)
{
    struct cairn_tracepoint tp = guest_tracepoint();
    struct iovec part = {bytes, FTRACE_PAYLOAD_MAX_BYTES};

    (void)state;
    assert_int_equal(user_events_kernel_register(&tp, "cairn_ftrace u8 a", 0), 0);
    guest_enable("cairn_ftrace", true);
    guest_write(TRACING "/trace", "");
    assert_int_equal(guest_write_parts(&tp, &part, 1), 0);
    assert_non_null(strstr(guest_read(TRACING "/trace"), ": cairn_ftrace:"));
    guest_write(TRACING "/trace", "");
    part.iov_len++;
    assert_int_equal(guest_write_parts(&tp, &part, 1), 0);
    assert_null(strstr(guest_read(TRACING "/trace"), ": cairn_ftrace:"));
    guest_enable("cairn_ftrace", false);
    assert_int_equal(user_events_kernel_unregister(&tp), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(perf_records_the_largest_accepted_payload),
        cmocka_unit_test(events_that_perf_would_drop_silently_are_refused),
        cmocka_unit_test(the_limit_of_ftrace_is_lower_than_perfs),
    };

    return cmocka_run_group_tests(tests, guest_map_halves, NULL);
}
