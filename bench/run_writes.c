/* SPDX-License-Identifier: MIT */
/*
 * Measures a write of 64 bytes to user_events_data, next to a pwritev of the same bytes to a memory
 * file that is mapped. run_cost.py runs it under `cairn run`, while the event is recorded.
 *
 * usage: run-writes [FILE]   prints `write_ns ns` and `pwritev_ns ns`: processor time, medians of
 *                            turns; with a file, also `file_ns ns`, a write to that
 */
#include <engine/kernel_abi.h>

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define TURNS       41
#define CALLS       500
#define DATA        "/sys/kernel/tracing/user_events_data"
#define FILE_BYTES  4096
#define WAIT_ROUNDS 1000 /* of 10 ms, for the recorder */

static struct {
    uint32_t index;
    uint8_t payload[60];
} event;

static volatile uint32_t enabled;

static void die(const char *what)
{
    (void)fprintf(stderr, "run-writes: %s: %s\n", what, strerror(errno));
    exit(1);
}

static int open_data(void)
{
    struct engine_user_reg reg = {
        .size = sizeof(reg),
        .enable_size = sizeof(enabled),
        .enable_addr = (uintptr_t)&enabled,
        .name_args = (uintptr_t) "bench_write u8 payload[60]",
    };
    const struct timespec pause = {.tv_nsec = 10000000};
    int fd = open(DATA, O_RDWR | O_CLOEXEC);

    if (fd < 0 || ioctl(fd, ENGINE_USER_EVENTS_REG, &reg))
        die(DATA);
    event.index = reg.write_index;
    for (int i = 0; !enabled && i < WAIT_ROUNDS; i++)
        (void)nanosleep(&pause, NULL);
    return fd;
}

static int open_memory(void)
{
    int fd = memfd_create("bench", MFD_CLOEXEC);
    volatile uint8_t *memory;

    if (fd < 0 || ftruncate(fd, FILE_BYTES))
        die("memfd_create");
    memory = mmap(NULL, FILE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED)
        die("mmap");
    memory[0] = 1;
    return fd;
}

static double now_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static double measure_write(int fd)
{
    double begin = now_ns();

    for (int i = 0; i < CALLS; i++) {
        if (write(fd, &event, sizeof(event)) != sizeof(event))
            die("write");
    }
    return (now_ns() - begin) / CALLS;
}

static double measure_pwritev(int fd)
{
    const struct iovec part = {&event, sizeof(event)};
    double begin = now_ns();

    for (int i = 0; i < CALLS; i++) {
        if (pwritev(fd, &part, 1, 128) != sizeof(event))
            die("pwritev");
    }
    return (now_ns() - begin) / CALLS;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double turns[TURNS])
{
    qsort(turns, TURNS, sizeof(*turns), compare);
    return turns[TURNS / 2];
}

int main(int argc, char **argv)
{
    int data = open_data();
    int memory = open_memory();
    int file = argc > 1 ? open(argv[1], O_WRONLY | O_CLOEXEC) : -1;
    double pwritevs[TURNS];
    double writes[TURNS];
    double files[TURNS];

    if (argc > 1 && file < 0)
        die(argv[1]);
    (void)measure_write(data);
    for (int i = 0; i < TURNS; i++) {
        writes[i] = measure_write(data);
        pwritevs[i] = measure_pwritev(memory);
        files[i] = file < 0 ? 0 : measure_write(file);
    }
    if (file >= 0)
        printf("file_ns %.1f\n", median(files));
    printf("write_ns %.1f\npwritev_ns %.1f\n", median(writes), median(pwritevs));
    return 0;
}
