/* SPDX-License-Identifier: MIT */
/* Random numbers: the system's generator, or the time. */
#include "os/random.h"

#include <windows.h>

#include <ntsecapi.h>

uint64_t os_random(void)
{
    uint64_t number = 0;
    LARGE_INTEGER counter;

    if (RtlGenRandom(&number, sizeof(number)) && number)
        return number;
    (void)QueryPerformanceCounter(&counter);
    return ((uint64_t)GetCurrentThreadId() << 40) ^ ((uint64_t)GetCurrentProcessId() << 20) ^
           (uint64_t)counter.QuadPart ^ 1;
}
