/* SPDX-License-Identifier: MIT */
/* A program that registers an event by the kernel's interface and kills itself. */
#include "engine/kernel_abi.h"

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/ioctl.h>

int main(void)
{
    static uint32_t word;
    struct engine_user_reg reg = {
        .size = sizeof(reg),
        .enable_size = 4,
        .enable_addr = (uintptr_t)&word,
        .name_args = (uintptr_t) "short_lived u32 a",
    };
    int fd = open("/sys/kernel/tracing/user_events_data", O_RDWR);

    return fd < 0 || ioctl(fd, ENGINE_USER_EVENTS_REG, &reg) ? 1 : raise(SIGKILL);
}
