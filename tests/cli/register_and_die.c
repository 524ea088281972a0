/* SPDX-License-Identifier: MIT */
/* Registers an event by the kernel's interface, and is killed. */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/ioctl.h>

struct user_reg {
    uint32_t size;
    uint8_t enable_bit;
    uint8_t enable_size;
    uint16_t flags;
    uint64_t enable_addr;
    uint64_t name_args;
    uint32_t write_index;
} __attribute__((packed));

#define DIAG_IOCSREG _IOWR('*', 0, struct user_reg *)

int main(void)
{
    static uint32_t word;
    struct user_reg reg = {
        .size = sizeof(reg),
        .enable_size = 4,
        .enable_addr = (uintptr_t)&word,
        .name_args = (uintptr_t) "short_lived u32 a",
    };
    int fd = open("/sys/kernel/tracing/user_events_data", O_RDWR);

    return fd < 0 || ioctl(fd, DIAG_IOCSREG, &reg) ? 1 : raise(SIGKILL);
}
