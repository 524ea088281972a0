/* SPDX-License-Identifier: MIT */
/* Waiting for words of shared memory: futexes that are not private to a process. */
#include "os/lock.h"

#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void os_wait(const uint32_t *word, uint32_t seen, uint32_t timeout_ms)
{
    struct timespec timeout = {.tv_sec = timeout_ms / 1000,
                               .tv_nsec = (long)(timeout_ms % 1000) * 1000000};

    (void)syscall(SYS_futex, word, FUTEX_WAIT, seen, &timeout, NULL, 0);
}

void os_wake_all(const uint32_t *word)
{
    (void)syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}
