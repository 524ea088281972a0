/* SPDX-License-Identifier: MIT */
/* Registers an event, and writes three of it: nothing but the C library. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

struct request {
    uint32_t size;
    uint8_t enable_bit;
    uint8_t enable_size;
    uint16_t flags;
    uint64_t enable_address;
    uint64_t command;
    uint32_t write_index;
} __attribute__((packed));

static uint32_t word;

int main(int argc, char **argv)
{
    char command[128];
    struct request request = {
        .size = sizeof(request),
        .enable_size = sizeof(word),
        .enable_address = (uintptr_t)&word,
        .command = (uintptr_t)command,
    };
    int data = open("/sys/kernel/tracing/user_events_data", O_RDWR | O_CLOEXEC);

    (void)snprintf(command, sizeof(command), "%s u32 number", argc > 1 ? argv[1] : "event");
    if (data < 0 || ioctl(data, (int)0xc0082a00, &request)) {
        perror("user_events_data");
        return 1;
    }
    for (uint32_t number = 0; number < 3; number++) {
        const uint32_t event[] = {request.write_index, number};

        if (write(data, event, sizeof(event)) != sizeof(event)) {
            perror("write");
            return 1;
        }
    }
    printf("enabled %u\n", word);
    return 0;
}
