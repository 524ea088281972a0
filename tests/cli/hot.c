/* SPDX-License-Identifier: MIT */
/*
 * A program whose profile is known: twelve functions call the kernel, hot_1 once, hot_2 twice and
 * so on, in turns. Without the C library, whose functions have no frames.
 */
#include <sys/syscall.h>

#define TURNS 20

#if defined(__x86_64__)
static inline void call_kernel(void)
{
    long result;

    __asm__ volatile("syscall" : "=a"(result) : "0"(SYS_getppid) : "rcx", "r11", "memory");
}
#else
#include <unistd.h>
static inline void call_kernel(void)
{
    (void)syscall(SYS_getppid);
}
#endif

#define HOT(number)                                          \
    __attribute__((noinline)) static void hot_##number(void) \
    {                                                        \
        for (volatile int n = 0; n < (number); n = n + 1)    \
            call_kernel();                                   \
    }

HOT(1)
HOT(2)
HOT(3)
HOT(4)
HOT(5)
HOT(6)
HOT(7)
HOT(8)
HOT(9)
HOT(10)
HOT(11)
HOT(12)

int main(void)
{
    static void (*const all[])(void) = {hot_1, hot_2, hot_3, hot_4,  hot_5,  hot_6,
                                        hot_7, hot_8, hot_9, hot_10, hot_11, hot_12};

    for (int turn = 0; turn < TURNS; turn++) {
        for (unsigned n = 0; n < sizeof(all) / sizeof(*all); n++)
            all[n]();
    }
    return 0;
}
