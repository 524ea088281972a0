/* SPDX-License-Identifier: MIT */
/*
 * The example in the document of the first design of user_events, without the wait for a key:
 * registers `test`, reads its status byte, and writes events while a reader or recorder is
 * attached. It does not use cairn.
 *
 * usage: v4_example TIMES [FILE]   ends after TIMES readers have detached; adds a line to FILE when
 *                                  ten events were written for one of them
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

struct user_reg {
    uint32_t size;
    uint64_t name_args;
    uint32_t status_index;
    uint32_t write_index;
};

#define DIAG_IOCSREG _IOWR('*', 0, struct user_reg *)

static const char data_file[] = "/sys/kernel/debug/tracing/user_events_data";
static const char status_file[] = "/sys/kernel/debug/tracing/user_events_status";

static volatile unsigned char *map_status(void)
{
    int fd = open(status_file, O_RDONLY);
    void *page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);

    close(fd);
    return page == MAP_FAILED ? NULL : page;
}

static void report_ten(const char *file)
{
    FILE *to = fopen(file, "ae");

    if (!to || fputs("ten events\n", to) == EOF || fclose(to))
        perror("v4_example");
}

int main(int argc, char **argv)
{
    volatile unsigned char *status = map_status();
    struct user_reg reg = {.size = sizeof(reg), .name_args = (uintptr_t) "test u32 count"};
    int fd = open(data_file, O_RDWR);
    int times = argc > 1 ? atoi(argv[1]) : 1;

    if (!status || fd < 0 || ioctl(fd, DIAG_IOCSREG, &reg)) {
        perror("v4_example");
        return 1;
    }
    for (int i = 0; i < times; i++) {
        uint32_t count = 0;
        uint8_t attached;
        struct iovec io[] = {{&reg.write_index, sizeof(reg.write_index)}, {&count, sizeof(count)}};

        while (!(attached = status[reg.status_index]))
            (void)usleep(1000);
        while (status[reg.status_index]) {
            if (writev(fd, io, 2) == 8)
                count++;
            else if (errno != EBADF) /* the last may have detached since the check */
                perror("writev");
            if (count == 10 && argc > 2)
                report_ten(argv[2]);
            (void)usleep(1000);
        }
        printf("%s attached, got %s, and detached\n",
               attached == 2 ? "a recorder" : "a text reader", count ? "events" : "nothing");
        (void)fflush(stdout);
    }
    return 0;
}
