/* SPDX-License-Identifier: MIT */
/* The tracepoints of the C library's events. */
#include "libc/events.h"

#include "engine/locks.h"

#include <cairn/user_events.h>
#include <errno.h>

#define TRACEPOINT(name, fields) CAIRN_TRACEPOINT_INIT,
struct cairn_tracepoint libc_tracepoints[LIBC_EVENT_COUNT] = {LIBC_EVENTS(TRACEPOINT)};

#define COMMAND(name, fields) "libc_" #name " " fields,
static const char *const commands[LIBC_EVENT_COUNT] = {LIBC_EVENTS(COMMAND)};

/* An event that is written may call a function of the C library, and that may write one: twice. */
#define DEPTH_MAX 2u

static __thread unsigned depth __attribute__((tls_model("initial-exec")));

/* Without a tracing directory there is no event. */
static __attribute__((constructor)) void begin(void)
{
    int saved = errno;

    depth = DEPTH_MAX;
    for (unsigned n = 0; n < LIBC_EVENT_COUNT; n++)
        (void)cairn_tracepoint_register(&libc_tracepoints[n], commands[n]);
    depth = 0;
    errno = saved;
}

bool libc_may_write(void)
{
    return depth < DEPTH_MAX && !engine_lock_is_mine(ENGINE_LOCK_ENGINE);
}

void libc_write_event(enum libc_event event, const void *payload, size_t size_bytes)
{
    int saved = errno;

    depth++;
    (void)cairn_tracepoint_write_bytes(&libc_tracepoints[event], payload, size_bytes);
    depth--;
    errno = saved;
}

void libc_write_numbers(enum libc_event event, uint64_t first, uint64_t second, uint64_t third,
                        unsigned count)
{
    const uint64_t numbers[] = {first, second, third};

    libc_write_event(event, numbers, count * sizeof(*numbers));
}

void libc_write_call(enum libc_event event, int fd, uint64_t size, ssize_t result,
                     uint64_t start_ns)
{
    const struct {
        int32_t fd;
        int32_t error;
        uint64_t size;
        int64_t result;
        uint64_t duration_ns;
    } payload = {fd, result < 0 ? errno : 0, size, result, os_clock_ns() - start_ns};

    libc_write_event(event, &payload, sizeof(payload));
}

void libc_write_lock(enum libc_event event, const void *address, int result, uint64_t start_ns)
{
    const struct __attribute__((packed)) {
        uint64_t address;
        int32_t result;
        uint64_t duration_ns;
    } payload = {(uintptr_t)address, result, os_clock_ns() - start_ns};

    libc_write_event(event, &payload, sizeof(payload));
}
