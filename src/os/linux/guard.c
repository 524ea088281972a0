/* SPDX-License-Identifier: MIT */
/* SIGBUS guard: a handler that returns to the reader of the mapping. */
#include "os/guard.h"

#include <setjmp.h>
#include <stddef.h>

/* The state that this thread returns to; NULL: it is not inside os_guard_run. */
static __thread sigjmp_buf *way_back;

static void on_bus_error(int signal_number)
{
    if (way_back)
        siglongjmp(*way_back, 1);
    /* The fault is not ours: without our handler, the instruction is tried again and ends the
     * process. */
    (void)signal(signal_number, SIG_DFL);
}

void os_guard_begin(struct os_guard *guard)
{
    struct sigaction action = {.sa_handler = on_bus_error};

    sigemptyset(&action.sa_mask);
    (void)sigaction(SIGBUS, &action, &guard->previous);
}

void os_guard_end(const struct os_guard *guard)
{
    (void)sigaction(SIGBUS, &guard->previous, NULL);
}

bool os_guard_run(void (*body)(void *arg), void *arg)
{
    sigjmp_buf *outer = way_back;
    sigjmp_buf here;
    bool is_whole = !sigsetjmp(here, 1);

    if (is_whole) {
        way_back = &here;
        body(arg);
    }
    way_back = outer;
    return is_whole;
}
