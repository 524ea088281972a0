/* SPDX-License-Identifier: MIT */
/* The processor's counter: checks that it can be trusted. */
#include "os/clock.h"

#if defined(OS_HAS_TICKS)
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

/* The kernel trusts the counter on all CPUs: it keeps time by it, directly or through a
 * hypervisor's page. */
static bool kernel_trusts_it(void)
{
    static const char *const trusted[] = {"tsc\n", "kvm-clock\n", "hyperv_clocksource_tsc_page\n",
                                          "arch_sys_counter\n"};
    char name[64] = "";
    int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
                  O_RDONLY | O_CLOEXEC);
    ssize_t size = fd < 0 ? -1 : read(fd, name, sizeof(name) - 1);

    if (fd >= 0)
        close(fd);
    for (size_t i = 0; size > 0 && i < sizeof(trusted) / sizeof(*trusted); i++) {
        if (!strcmp(name, trusted[i]))
            return true;
    }
    return false;
}

static bool rate_is_constant(void)
{
#if defined(__x86_64__)
    unsigned int a = 0, b = 0, c = 0, d = 0;

    return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & (1u << 8));
#else
    return true; /* of the generic timer always */
#endif
}

bool os_ticks_are_trusted(void)
{
    return rate_is_constant() && kernel_trusts_it();
}
#endif
