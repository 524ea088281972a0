/* SPDX-License-Identifier: MIT */
/*
 * Test of the cost of `cairn run` for a program that does not use tracefs, in system calls: they
 * are counted with ptrace, for the same program with and without `cairn run`; the counts are the
 * same in each run. The program is at the end of this file.
 */
#include "tracing_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define NUMBERS 512 /* numbers of system calls */

/* Additional calls at a program's start: by the dynamic loader, for keeping the session, and for
 * inherited descriptors. */
static const struct {
    const char *name;
    long number;
    int most;
} allowed[] = {
    {"openat", SYS_openat, 2},         /* the library; the session's file */
    {"read", SYS_read, 1},             /* the library's header */
    {"newfstatat", SYS_newfstatat, 4}, /* of the library, and of each inherited descriptor */
    {"mmap", SYS_mmap, 4},             /* the library: code, data, zeros; the session's file */
    {"close", SYS_close, 3},           /* of the two files, and of a descriptor of the program
                                        * cairn */
    {"fcntl", SYS_fcntl, 1},           /* the lock on the session's file */
    {"fstatfs", SYS_fstatfs, 1},       /* checks that a mapping keeps the lock */
    {"ppoll", SYS_ppoll, 1},           /* finds out which descriptors are open */
};

typedef int counts[NUMBERS];

static const char *cairn;
static char self[4096];

/* ---- counting ---- */

static void become_program(bool is_run, const char *rounds)
{
    const char *plain[] = {self, "calls", rounds, NULL};
    const char *run[] = {cairn, "run", "-q", "--backend=local", "--transport=preload", "--", self, "calls", rounds, NULL};
    int null = open("/dev/null", O_RDWR);

    /* All programs start with the same three descriptors. */
    for (int fd = 0; fd < 3; fd++)
        (void)dup2(null, fd);
    for (int fd = 3; fd < 64; fd++)
        (void)close(fd);
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
        _exit(77);
    (void)raise(SIGSTOP);
    (void)execv(is_run ? cairn : self, (char **)(uintptr_t)(is_run ? run : plain));
    _exit(127);
}

static bool is_event(int status, int event)
{
    return status >> 8 == (SIGTRAP | event << 8);
}

static void note_call(pid_t pid, counts calls)
{
    struct __ptrace_syscall_info info;

    if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof(info), &info) > 0 &&
        info.op == PTRACE_SYSCALL_INFO_ENTRY && info.entry.nr < NUMBERS)
        calls[info.entry.nr]++;
}

/* Handles one stop and returns the signal to continue with. Calls before the program itself begins
 * are not counted. */
static int note_stop(pid_t pid, int status, int *execs, counts calls)
{
    int signal_number = WSTOPSIG(status);

    if (signal_number == (SIGTRAP | 0x80)) {
        note_call(pid, calls);
        return 0;
    }
    if (is_event(status, PTRACE_EVENT_EXEC) && (*execs)-- > 0)
        memset(calls, 0, sizeof(counts));
    return signal_number == SIGTRAP || signal_number == SIGSTOP ? 0 : signal_number;
}

/* Counts all system calls of the program and its children. Returns its exit status. */
static int count_calls(bool is_run, const char *rounds, counts calls)
{
    const long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC | PTRACE_O_TRACEFORK |
                         PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL;
    int execs = is_run ? 2 : 1;
    int exit_status = -1;
    int status;
    pid_t program = fork();
    pid_t pid;

    assert_true(program >= 0);
    if (program == 0)
        become_program(is_run, rounds);
    assert_int_equal(waitpid(program, &status, 0), program);
    if (!WIFSTOPPED(status))
        return WEXITSTATUS(status);
    assert_int_equal(ptrace(PTRACE_SETOPTIONS, program, NULL, options), 0);
    (void)ptrace(PTRACE_SYSCALL, program, NULL, 0);
    while ((pid = waitpid(-1, &status, __WALL)) > 0) {
        if (WIFSTOPPED(status))
            (void)ptrace(PTRACE_SYSCALL, pid, NULL, (long)note_stop(pid, status, &execs, calls));
        else if (pid == program)
            exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
    return exit_status;
}

static void count_or_skip(bool is_run, const char *rounds, counts calls)
{
    int status;

    memset(calls, 0, sizeof(counts));
    status = count_calls(is_run, rounds, calls);
    if (status == 77)
        skip(); /* ptrace is not permitted */
    assert_int_equal(status, 0);
}

/* ---- tests ---- */

static int most_of(long number)
{
    for (size_t i = 0; i < sizeof(allowed) / sizeof(*allowed); i++) {
        if (allowed[i].number == number)
            return allowed[i].most;
    }
    return 0;
}

static void a_start_makes_only_the_listed_additional_system_calls(void **state)
{
    counts plain;
    counts run;

    (void)state;
    count_or_skip(false, "0", plain);
    count_or_skip(true, "0", run);
    for (int i = 0; i < NUMBERS; i++) {
        if (run[i] - plain[i] > most_of(i))
            fail_msg("system call %d: %d more", i, run[i] - plain[i]);
    }
}

static void calls_on_other_files_make_no_additional_system_calls(void **state)
{
    counts plain_few;
    counts plain_many;
    counts run_few;
    counts run_many;

    (void)state;
    count_or_skip(false, "2", plain_few);
    count_or_skip(false, "12", plain_many);
    count_or_skip(true, "2", run_few);
    count_or_skip(true, "12", run_many);
    for (int i = 0; i < NUMBERS; i++) {
        int plain = plain_many[i] - plain_few[i];
        int run = run_many[i] - run_few[i];

        /* The number of waits and of requests for memory varies between runs. */
        if (run > plain && i != SYS_futex && i != SYS_brk)
            fail_msg("system call %d: %d in ten rounds, without %d", i, run, plain);
    }
    assert_int_equal(plain_many[SYS_write] - plain_few[SYS_write], 40);
}

/* ---- the program that does not use tracefs ---- */

static void *work_in_thread(void *nothing)
{
    (void)!write(1, "", 1);
    return nothing;
}

static void make_children(void)
{
    char *arguments[] = {"/bin/true", NULL};
    pthread_t thread;
    pid_t pid = fork();

    if (pid == 0)
        _exit(close(0));
    (void)waitpid(pid, NULL, 0);
    pid = vfork();
    if (pid == 0)
        _exit(0);
    (void)waitpid(pid, NULL, 0);
    if (!posix_spawn(&pid, "/nowhere", NULL, NULL, arguments, NULL))
        (void)waitpid(pid, NULL, 0);
    if (!pthread_create(&thread, NULL, work_in_thread, NULL))
        (void)pthread_join(thread, NULL);
}

static void use_descriptors(int fd)
{
    struct iovec part = {"", 1};
    struct stat st;
    char byte;
    int other = dup(fd);
    int count;

    (void)!read(fd, &byte, 1);
    (void)!pread(fd, &byte, 1, 0);
    (void)!write(1, "", 1);
    (void)!writev(1, &part, 1);
    (void)dup2(fd, other);
    (void)dup3(fd, other, O_CLOEXEC);
    (void)fcntl(fd, F_GETFL);
    (void)close(fcntl(fd, F_DUPFD_CLOEXEC, 200));
    (void)fstat(fd, &st);
    (void)lseek(fd, 0, SEEK_CUR);
    (void)ioctl(fd, FIONREAD, &count);
    (void)dprintf(1, "%d", fd);
    (void)ftruncate(fd, 0);
    munmap(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0), 4096);
    (void)close(other);
    (void)close_range(300, 310, 0);
}

static void use_paths(void)
{
    struct statx extended;
    struct stat st;
    DIR *directory = opendir("/");
    FILE *stream = fopen("/dev/null", "r+");

    (void)fputc('x', stream);
    (void)fclose(stream);
    if (directory && readdir(directory))
        (void)closedir(directory);
    (void)close(open("/dev/null", O_RDONLY));
    (void)close(openat(AT_FDCWD, "relative", O_RDONLY));
    (void)open("/nowhere/at/all", O_RDONLY);
    (void)open("/proc/none", O_RDONLY);
    (void)open("/etc/none", O_RDONLY);
    (void)stat("/", &st);
    (void)lstat("none", &st);
    (void)fstatat(AT_FDCWD, "/sys", &st, 0);
    (void)statx(AT_FDCWD, "/", 0, STATX_BASIC_STATS, &extended);
    (void)access("/", R_OK);
    (void)chdir("/");
    (void)unlink("/nowhere/at/all");
    (void)syscall(SYS_getppid);
}

static int make_calls(int rounds)
{
    int fd = rounds ? open("/dev/zero", O_RDONLY | O_CLOEXEC) : -1;

    for (int i = 0; i < rounds; i++) {
        use_descriptors(fd);
        use_paths();
        make_children();
    }
    return 0;
}

static int make_directory(void **state)
{
    (void)state;
    return tracing_dir_make();
}

static int remove_directory(void **state)
{
    (void)state;
    tracing_dir_remove();
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_start_makes_only_the_listed_additional_system_calls),
        cmocka_unit_test(calls_on_other_files_make_no_additional_system_calls),
    };

    if (argc == 3 && !strcmp(argv[1], "calls"))
        return make_calls((int)strtol(argv[2], NULL, 10));
    if (argc != 2 || !realpath(argv[0], self))
        return 1;
    cairn = argv[1];
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
