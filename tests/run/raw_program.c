/* SPDX-License-Identifier: MIT */
/*
 * Uses the kernel's user_events by system calls alone. Linked statically, nothing can be loaded in
 * front of it.
 *
 *   raw_program [COUNT]     registers two events, writes COUNT of each; prints the enable words
 *   raw_program hold        prints "ready", then writes an event for each line of its input, and
 *                           prints the errno code of that
 *   raw_program shares      a child of vfork registers a word; prints what registering it in the
 *                           parent returns afterwards (the memory is the same), and removing it
 *   raw_program page        prints what registering returns when its text is in the mapped status
 *                           page, which was not read before
 *   raw_program family      prints what registering a word returns in a process whose sibling has
 *                           registered it, in one whose parent registers it just after the fork,
 *                           and in one whose parent had registered it
 *   raw_program secret      prints what registering returns when the process is not dumpable
 */
#include "engine/kernel_abi.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define TICK_US 10000 /* in which the kernel counts when a process was started */

static uint32_t words[2];

static int data;

static int open_data(const char *directory)
{
    char path[4096];

    (void)snprintf(path, sizeof(path), "%s/user_events_data", directory);
    data = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0);
    if (data < 0)
        perror(path);
    return data < 0;
}

static int add_to(const char *command, uint32_t *word, uint8_t bit, uint32_t *ret_index)
{
    struct engine_user_reg reg = {
        .size = sizeof(reg),
        .enable_bit = bit,
        .enable_size = sizeof(*word),
        .enable_addr = (uintptr_t)word,
        .name_args = (uintptr_t)command,
    };

    if (syscall(SYS_ioctl, data, ENGINE_USER_EVENTS_REG, &reg))
        return errno;
    *ret_index = reg.write_index;
    return 0;
}

static uint32_t add(const char *command, uint32_t *word, uint8_t bit)
{
    uint32_t index = 0;
    int error = add_to(command, word, bit, &index);

    if (!error)
        return index;
    (void)fprintf(stderr, "%s: %s\n", command, strerror(error));
    exit(1);
}

static int remove_from(uint32_t *word, uint8_t bit)
{
    struct engine_user_unreg unreg = {
        .size = sizeof(unreg),
        .disable_bit = bit,
        .disable_addr = (uintptr_t)word,
    };

    return syscall(SYS_ioctl, data, ENGINE_USER_EVENTS_UNREG, &unreg) ? errno : 0;
}

static int write_number(uint32_t index, uint32_t number)
{
    const uint32_t bytes[] = {index, number};

    return syscall(SYS_write, data, bytes, sizeof(bytes)) == sizeof(bytes) ? 0 : errno;
}

static int write_text(uint32_t index, const char *text)
{
    uint32_t location = (uint32_t)(strlen(text) + 1) << 16; /* __rel_loc: directly after it */
    const struct iovec parts[] = {
        {&index, sizeof(index)},
        {&location, sizeof(location)},
        {(void *)(uintptr_t)text, strlen(text) + 1},
    };
    long size = syscall(SYS_writev, data, parts, 3);

    return size < 0 ? errno : 0;
}

static int hold(uint32_t index)
{
    char line[64];

    puts("ready");
    (void)fflush(stdout);
    for (uint32_t i = 0; fgets(line, sizeof(line), stdin); i++) {
        printf("%d\n", write_number(index, i));
        (void)fflush(stdout);
    }
    return 0;
}

static int share(void)
{
    static const char command[] = "raw_shared u32 number";
    uint32_t index;
    int status = -1;
    pid_t pid = vfork(); // NOLINT(*-vfork): it is what is tested

    if (pid == 0)
        _exit(add_to(command, &words[0], 5, &index));
    (void)waitpid(pid, &status, 0);
    printf("%d %d ", status, add_to(command, &words[0], 5, &index));
    printf("%d\n", remove_from(&words[0], 5));
    return 0;
}

static int use_page(const char *directory)
{
    char path[4096];
    uint32_t index;
    void *page;
    int fd;

    (void)snprintf(path, sizeof(path), "%s/user_events_status", directory);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
    if (page == MAP_FAILED)
        return 1;
    printf("%d\n", add_to(page, &words[0], 5, &index));
    return 0;
}

/* A child that registers the word on request, reports the errno code, and waits until it has to
 * end. */
struct child {
    pid_t pid;
    int ask;
    int answer;
};

static struct child begin_child(const char *directory)
{
    uint32_t index;
    int asks[2];
    int answers[2];
    struct child child;
    int error;

    if (pipe(asks) || pipe(answers))
        exit(1);
    child = (struct child){.pid = fork(), .ask = asks[1], .answer = answers[0]};
    if (child.pid)
        return child;
    close(asks[1]);
    (void)read(asks[0], &error, sizeof(error));
    error = open_data(directory) ? -1 : add_to("raw_family u32 number", &words[0], 5, &index);
    (void)write(answers[1], &error, sizeof(error));
    (void)read(asks[0], &error, sizeof(error));
    _exit(0);
}

static int ask(const struct child *child)
{
    int error = -1;

    (void)write(child->ask, &error, sizeof(error));
    (void)read(child->answer, &error, sizeof(error));
    return error;
}

static int be_family(const char *directory)
{
    struct child children[4];
    uint32_t index;

    children[0] = begin_child(directory);
    printf("%d ", ask(&children[0]));
    (void)usleep(2 * TICK_US);
    children[1] = begin_child(directory);
    printf("%d ", ask(&children[1]));
    children[2] = begin_child(directory);
    if (open_data(directory) || add_to("raw_family u32 number", &words[0], 5, &index))
        return 1;
    printf("%d ", ask(&children[2]));
    (void)usleep(2 * TICK_US);
    children[3] = begin_child(directory);
    printf("%d\n", ask(&children[3]));
    for (int i = 0; i < 4; i++) {
        close(children[i].ask);
        (void)kill(children[i].pid, SIGKILL);
        (void)waitpid(children[i].pid, NULL, 0);
    }
    return 0;
}

static int be_secret(void)
{
    uint32_t index;

    (void)prctl(PR_SET_DUMPABLE, 0);
    printf("%d\n", add_to("raw_secret u32 number", &words[0], 5, &index));
    return 0;
}

int main(int argc, char **argv)
{
    const char *named = getenv("RAW_DIRECTORY");
    const char *directory = named ? named : "/sys/kernel/tracing";
    uint32_t numbers;
    uint32_t texts;
    int error = 0;

    words[0] = 0x10;
    if (argc > 1 && !strcmp(argv[1], "family"))
        return be_family(directory);
    if (open_data(directory))
        return 1;
    if (argc > 1 && !strcmp(argv[1], "shares"))
        return share();
    if (argc > 1 && !strcmp(argv[1], "page"))
        return use_page(directory);
    if (argc > 1 && !strcmp(argv[1], "secret"))
        return be_secret();
    numbers = add("raw_number u32 number", &words[0], 0);
    texts = add("raw_text __rel_loc char[] text", &words[1], 31);
    if (argc > 1 && !strcmp(argv[1], "hold"))
        return hold(numbers);
    for (uint32_t i = 0; i < (argc > 1 ? strtoul(argv[1], NULL, 10) : 3) && !error; i++) {
        error = write_number(numbers, i);
        if (!error)
            error = write_text(texts, i % 2 ? "an odd one" : "an even one");
    }
    printf("%x %x %d\n", words[0], words[1], error);
    return 0;
}
