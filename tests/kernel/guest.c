/* SPDX-License-Identifier: MIT */
/* Functions that the tests of this directory share. */
#include "guest.h"

#include "user_events/kernel.h"

#include <cairn/record.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define HALF_BYTES (1ul << USER_EVENTS_KERNEL_BIT)
#define PAGE_BYTES 4096ul

static unsigned char *zeros, *ones;

static unsigned char *map_page(uintptr_t address)
{
    void *page = mmap((void *)address, PAGE_BYTES, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

    assert_true(page != MAP_FAILED);
    return page;
}

int guest_map_halves(void **state)
{
    void *space =
        mmap(NULL, 4 * HALF_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    uintptr_t lower;

    (void)state;
    if (space == MAP_FAILED)
        return -1;
    lower = ((uintptr_t)space + 2 * HALF_BYTES - 1) & ~(2 * HALF_BYTES - 1);
    zeros = map_page(lower);
    ones = map_page(lower | HALF_BYTES);
    memset(ones, 0xff, PAGE_BYTES);
    return 0;
}

struct cairn_tracepoint guest_tracepoint(void)
{
    struct cairn_tracepoint tp = CAIRN_TRACEPOINT_INIT;

    tp.enabled = zeros + 5;
    return tp;
}

bool guest_leads_to_ones(const struct cairn_tracepoint *tp)
{
    const unsigned char *byte = __atomic_load_n(&tp->enabled, __ATOMIC_RELAXED);

    assert_true(byte == zeros + 5 || byte == ones + 5);
    assert_int_equal(cairn_tracepoint_is_enabled(tp), byte == ones + 5);
    return byte == ones + 5;
}

bool guest_comes_to_lead_to_ones(const struct cairn_tracepoint *tp)
{
    for (int i = 0; i < 1000 && !guest_leads_to_ones(tp); i++)
        usleep(10000);
    return guest_leads_to_ones(tp);
}

const char *guest_read(const char *path)
{
    static char text[65536];
    FILE *file = fopen(path, "re");

    assert_non_null(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
    return text;
}

void guest_write(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

void guest_enable(const char *event, bool enable)
{
    char path[256];

    snprintf(path, sizeof(path), TRACING "/events/user_events/%s/enable", event);
    guest_write(path, enable ? "1" : "0");
}

void guest_in_child(void (*function)(void *context), void *context)
{
    pid_t child;
    int status;

    fflush(stdout);
    child = fork();
    assert_true(child >= 0);
    if (!child) {
        signal(SIGABRT, SIG_DFL);
        setenv("CMOCKA_TEST_ABORT", "1", 1); /* a failed assertion ends the child with a signal */
        function(context);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (status)
        fputs("\n", stderr); /* cmocka's message there has no line end */
    assert_int_equal(status, 0);
}

const char *guest_output_of(const char *format, ...)
{
    static char text[65536];
    char command[8192];
    va_list arguments;
    size_t size;
    FILE *pipe;

    va_start(arguments, format);
    assert_in_range(vsnprintf(command, sizeof(command), format, arguments), 0, sizeof(command) - 1);
    va_end(arguments);
    pipe = popen(command, "re");
    assert_non_null(pipe);
    size = fread(text, 1, sizeof(text) - 1, pipe);
    text[size] = '\0';
    if (pclose(pipe))
        fail_msg("%s\n%s", command, text);
    return text;
}

int guest_write_parts(const struct cairn_tracepoint *tp, const struct iovec *parts, int count)
{
    uint8_t record[USER_EVENTS_KERNEL_HEAD_BYTES + CAIRN_RECORD_MAX_BYTES];
    size_t size = USER_EVENTS_KERNEL_HEAD_BYTES;

    for (int i = 0; i < count; i++) {
        if (parts[i].iov_len > sizeof(record) - size)
            return E2BIG;
        if (parts[i].iov_len)
            memcpy(record + size, parts[i].iov_base, parts[i].iov_len);
        size += parts[i].iov_len;
    }
    return user_events_kernel_write(tp, record, size - USER_EVENTS_KERNEL_HEAD_BYTES);
}

int guest_kernel_fd(void)
{
    char path[64], target[256];

    for (int fd = 0; fd < 1024; fd++) {
        ssize_t length;

        snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
        length = readlink(path, target, sizeof(target) - 1);
        if (length < 0)
            continue;
        target[length] = '\0';
        if (strstr(target, "user_events_data"))
            return fd;
    }
    return -1;
}

void guest_go_to_build_directory(void)
{
    char path[512];
    ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);

    assert_true(length > 0);
    path[length] = '\0';
    for (int up = 0; up < 3; up++)
        *strrchr(path, '/') = '\0';
    assert_int_equal(chdir(path), 0);
}

void guest_run(const char *command)
{
    if (system(command) != 0)
        fail_msg("%s", command);
}
