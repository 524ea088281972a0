/* SPDX-License-Identifier: MIT */
/* The events of the C library, and writing one. */
#ifndef LIBC_EVENTS_H
#define LIBC_EVENTS_H

#include "os/clock.h"

#include <cairn/tracepoint.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define LIBC_PUBLIC __attribute__((visibility("default")))

#define LIBC_CALL_FIELDS "s32 fd; s32 error; u64 size; s64 result; u64 duration_ns"
#define LIBC_LOCK_FIELDS "u64 address; s32 result; u64 duration_ns"

/* EVENT(its name, its fields) */
#define LIBC_EVENTS(EVENT)                           \
    EVENT(malloc, "u64 size; u64 address")           \
    EVENT(calloc, "u64 size; u64 address")           \
    EVENT(realloc, "u64 old; u64 size; u64 address") \
    EVENT(memalign, "u64 size; u64 address")         \
    EVENT(free, "u64 address")                       \
    EVENT(mutex_wait, LIBC_LOCK_FIELDS)              \
    EVENT(rwlock_wait, LIBC_LOCK_FIELDS)             \
    EVENT(cond_wait, LIBC_LOCK_FIELDS)               \
    EVENT(read, LIBC_CALL_FIELDS)                    \
    EVENT(write, LIBC_CALL_FIELDS)                   \
    EVENT(pread, LIBC_CALL_FIELDS)                   \
    EVENT(pwrite, LIBC_CALL_FIELDS)                  \
    EVENT(readv, LIBC_CALL_FIELDS)                   \
    EVENT(writev, LIBC_CALL_FIELDS)                  \
    EVENT(recv, LIBC_CALL_FIELDS)                    \
    EVENT(send, LIBC_CALL_FIELDS)                    \
    EVENT(recvmsg, LIBC_CALL_FIELDS)                 \
    EVENT(sendmsg, LIBC_CALL_FIELDS)                 \
    EVENT(accept, LIBC_CALL_FIELDS)                  \
    EVENT(connect, LIBC_CALL_FIELDS)                 \
    EVENT(fsync, LIBC_CALL_FIELDS)                   \
    EVENT(poll, LIBC_CALL_FIELDS)                    \
    EVENT(epoll_wait, LIBC_CALL_FIELDS)

#define LIBC_NUMBER(name, fields) LIBC_EVENT_##name,
enum libc_event { LIBC_EVENTS(LIBC_NUMBER) LIBC_EVENT_COUNT };
#undef LIBC_NUMBER

extern struct cairn_tracepoint libc_tracepoints[LIBC_EVENT_COUNT];

/* True if an event is recorded, and may be written here. */
bool libc_may_write(void);

static inline bool libc_is_wanted(enum libc_event event)
{
    return cairn_unlikely(cairn_tracepoint_is_enabled(&libc_tracepoints[event])) &&
           libc_may_write();
}

/* Writes an event that is wanted. Changes no errno. */
void libc_write_event(enum libc_event event, const void *payload, size_t size_bytes);

/* An event of up to three numbers. */
void libc_write_numbers(enum libc_event event, uint64_t first, uint64_t second, uint64_t third,
                        unsigned count);

/* Events of calls, with the time since start_ns. */
void libc_write_call(enum libc_event event, int fd, uint64_t size, ssize_t result,
                     uint64_t start_ns);
void libc_write_lock(enum libc_event event, const void *address, int result, uint64_t start_ns);

#endif
