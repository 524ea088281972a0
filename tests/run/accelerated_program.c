/* SPDX-License-Identifier: MIT */
/*
 * Writes events by the functions that the accelerator has, each with a number one higher.
 *
 *   accelerated_program FILE [stream]   registers, prints "ready", and for each line of its input
 *     write N   writes N events by write, writev and pwritev in turn, and one in a child; to a
 *               stream, which the mount alone gives, without pwritev
 *     file      closes the descriptor and opens FILE with the same number, writes to it what would
 *               be an event, and prints the length that FILE has then
 *     fdopen    the same, but the C library closes the descriptor
 *     bad       prints what writing returns: of another index, of memory that is not there, of too
 *               few bytes, by a descriptor for reading
 *   and prints "done" after each.
 */
#include "engine/kernel_abi.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define DATA "/sys/kernel/tracing/user_events_data"

/* A program has an enable word once, also after it has closed the file. */
static uint32_t enabled[16];
static unsigned int begun;
static uint32_t write_index;
static uint32_t number;
static uint32_t functions = 3;
static int data;

static void die(const char *what)
{
    perror(what);
    exit(1);
}

static void begin_with(int flags)
{
    struct engine_user_reg reg = {
        .size = sizeof(reg),
        .enable_size = sizeof(*enabled),
        .enable_addr = (uintptr_t)&enabled[begun++ % 16],
        .name_args = (uintptr_t) "accelerated u32 number",
    };

    data = open(DATA, flags | O_CLOEXEC);
    if (data < 0 || ioctl(data, ENGINE_USER_EVENTS_REG, &reg))
        die(DATA);
    write_index = reg.write_index;
}

static void begin(void)
{
    begin_with(O_RDWR);
}

static ssize_t write_by(uint32_t function, const uint32_t event[2])
{
    const struct iovec parts[] = {
        {(void *)(uintptr_t)event, sizeof(*event)},
        {(void *)(uintptr_t)(event + 1), sizeof(*event)},
    };

    switch (function) {
    case 0:
        return write(data, event, 2 * sizeof(*event));
    case 1:
        return writev(data, parts, 2);
    default:
        return pwritev(data, parts, 2, 0);
    }
}

static void write_one(void)
{
    const uint32_t event[2] = {write_index, number};

    if (write_by(number % functions, event) != sizeof(event))
        die("writing");
    number++;
}

static void write_many(unsigned int count)
{
    pid_t pid;
    int status;

    while (count--)
        write_one();
    pid = fork();
    if (pid == 0) {
        write_one();
        _exit(0);
    }
    number++;
    if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
        die("a child");
}

/* The file gets the number of the descriptor, which has been closed. */
static void write_to_file(const char *path)
{
    const uint32_t event[2] = {write_index, 0};
    struct stat st;
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    if (fd != data || write(fd, event, sizeof(event)) != sizeof(event) || fstat(fd, &st))
        die(path);
    close(fd);
    printf("%d bytes\n", (int)st.st_size);
    begin();
}

static void close_stream(void)
{
    FILE *stream = fdopen(data, "w");

    if (!stream || fclose(stream))
        die("fdopen");
}

static int error_of(ssize_t result)
{
    return result < 0 ? errno : 0;
}

static void write_badly(void)
{
    const uint32_t unknown[2] = {write_index + 1, 0};
    const uint32_t known[2] = {write_index, 0};
    const uint8_t few[5] = {0};
    int kept = data;

    printf("%s", strerror(error_of(write(data, unknown, sizeof(unknown)))));
    printf(", %s", strerror(error_of(write(data, (void *)(uintptr_t)4096, sizeof(unknown)))));
    printf(", %s", strerror(error_of(write(data, few, sizeof(few)))));
    begin_with(O_RDONLY);
    printf(", %s\n", strerror(error_of(write(data, known, sizeof(known)))));
    close(data);
    data = kept;
    write_index = known[0];
}

int main(int argc, char **argv)
{
    char line[64];

    if (argc < 2)
        return 2;
    if (argc == 3)
        functions = 2;
    begin();
    printf("ready\n");
    fflush(stdout);
    while (fgets(line, sizeof(line), stdin)) {
        if (!strncmp(line, "write ", 6))
            write_many((unsigned int)strtoul(line + 6, NULL, 10));
        else if (!strcmp(line, "bad\n"))
            write_badly();
        else {
            if (!strcmp(line, "fdopen\n"))
                close_stream();
            else
                close(data);
            write_to_file(argv[1]);
        }
        printf("done\n");
        fflush(stdout);
    }
    return 0;
}
