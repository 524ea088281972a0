/* SPDX-License-Identifier: MIT */
/* SIGBUS guard: a handler that puts zeros in the place of memory that is gone. */
#include "os/guard.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* Set by the handler while this thread is inside os_guard_run; NULL: it is not. */
static __thread volatile sig_atomic_t *has_faulted;

/* The page of an address becomes private memory; unmapping what it is part of releases it. */
static bool replace_page(const void *address)
{
    const uintptr_t page_bytes = (uintptr_t)sysconf(_SC_PAGESIZE);
    void *page = (uint8_t *)address - (uintptr_t)address % page_bytes;

    return mmap(page, page_bytes, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != MAP_FAILED;
}

static void on_bus_error(int signal_number, siginfo_t *info, void *context)
{
    int saved_errno = errno;

    (void)context;
    if (has_faulted && info->si_code == BUS_ADRERR && replace_page(info->si_addr))
        *has_faulted = 1;
    else /* Not ours: without our handler, the instruction is tried again and ends the process. */
        (void)signal(signal_number, SIG_DFL);
    errno = saved_errno;
}

void os_guard_begin(struct os_guard *guard)
{
    struct sigaction action = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO};

    sigemptyset(&action.sa_mask);
    (void)sigaction(SIGBUS, &action, &guard->previous);
}

void os_guard_end(const struct os_guard *guard)
{
    (void)sigaction(SIGBUS, &guard->previous, NULL);
}

bool os_guard_run(void (*body)(void *arg), void *arg)
{
    volatile sig_atomic_t *outer = has_faulted;
    volatile sig_atomic_t here = 0;

    has_faulted = &here;
    body(arg);
    has_faulted = outer;
    return !here;
}
