/* SPDX-License-Identifier: MIT */
/* Threads. */
#include "os/thread.h"

#include <windows.h>

uint32_t os_tid_of_kernel(void)
{
    return (uint32_t)GetCurrentThreadId();
}
