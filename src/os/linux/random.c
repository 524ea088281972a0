/* SPDX-License-Identifier: MIT */
/* Random numbers: getrandom, or the time. */
#include "os/random.h"

#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

uint64_t os_random(void)
{
    struct timespec now;
    uint64_t number = 0;

    /* getrandom(3) is a cancellation point. */
    if (syscall(SYS_getrandom, &number, sizeof(number), GRND_NONBLOCK) == (long)sizeof(number) &&
        number)
        return number;
    /* The kernel has not gathered randomness yet: early in the boot, no two threads start with the
     * same number at the same time. */
    (void)clock_gettime(CLOCK_REALTIME, &now);
    return ((uint64_t)syscall(SYS_gettid) << 40) ^ ((uint64_t)now.tv_sec << 30) ^
           (uint64_t)now.tv_nsec ^ 1;
}
