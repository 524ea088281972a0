/* SPDX-License-Identifier: MIT */
/*
 * Measures the cost of `cairn run` for a program that does not use tracing: its system calls, and
 * its start. run_cost.py runs it plain and under `cairn run`, in turn.
 *
 * usage: run-calls               prints `name ns` for each call, the minimum of many rounds
 *        run-calls start PROGRAM prints `start_us us`: the median time until PROGRAM has ended
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 300
#define CALLS  200
#define STARTS 301

extern char **environ;

static int file; /* /dev/zero, /dev/null */
static int null;
static char byte;

static void call_open(void)
{
    close(open("/dev/null", O_RDONLY | O_CLOEXEC));
}

static void call_open_missing(void)
{
    (void)open("/nowhere/at/all", O_RDONLY | O_CLOEXEC);
}

static void call_read(void)
{
    (void)!read(file, &byte, 1);
}

static void call_write(void)
{
    (void)!write(null, &byte, 1);
}

static void call_writev(void)
{
    struct iovec part = {&byte, 1};

    (void)!writev(null, &part, 1);
}

static void call_close(void)
{
    close(-1);
}

static void call_stat(void)
{
    struct stat st;

    (void)stat("/", &st);
}

static void call_fstat(void)
{
    struct stat st;

    (void)fstat(file, &st);
}

static void call_access(void)
{
    (void)!access("/", R_OK);
}

static void call_lseek(void)
{
    (void)lseek(file, 0, SEEK_CUR);
}

static void call_ioctl(void)
{
    int count;

    (void)ioctl(null, FIONREAD, &count);
}

static void call_fcntl(void)
{
    (void)fcntl(file, F_GETFD);
}

static void call_dup(void)
{
    close(dup(file));
}

static void call_mmap(void)
{
    void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    munmap(memory, 4096);
}

static void call_fopen(void)
{
    FILE *stream = fopen("/dev/null", "r");

    if (stream)
        (void)fclose(stream);
}

static void call_syscall(void)
{
    (void)syscall(SYS_getppid);
}

static const struct {
    const char *name;
    void (*call)(void);
} calls[] = {
    {"open", call_open},     {"open_missing", call_open_missing},
    {"read", call_read},     {"write", call_write},
    {"writev", call_writev}, {"close", call_close},
    {"stat", call_stat},     {"fstat", call_fstat},
    {"access", call_access}, {"lseek", call_lseek},
    {"ioctl", call_ioctl},   {"fcntl", call_fcntl},
    {"dup", call_dup},       {"mmap", call_mmap},
    {"fopen", call_fopen},   {"syscall", call_syscall},
};

enum { CALL_KINDS = sizeof(calls) / sizeof(*calls) };

static double now_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static double time_calls(void (*call)(void))
{
    double begin = now_ns();

    for (int i = 0; i < CALLS; i++)
        call();
    return (now_ns() - begin) / CALLS;
}

/* Measures the kinds in turn, so that other load of the machine affects all of them. */
static void measure_calls(void)
{
    double least[CALL_KINDS];

    for (int i = 0; i < CALL_KINDS; i++)
        least[i] = time_calls(calls[i].call);
    for (int round = 1; round < ROUNDS; round++) {
        for (int i = 0; i < CALL_KINDS; i++) {
            double ns = time_calls(calls[i].call);

            least[i] = ns < least[i] ? ns : least[i];
        }
    }
    for (int i = 0; i < CALL_KINDS; i++)
        printf("%s %.2f\n", calls[i].name, least[i]);
}

static int compare(const void *a, const void *b)
{
    const double *x = a;
    const double *y = b;

    return (*x > *y) - (*x < *y);
}

static int measure_start(char *program)
{
    char *arguments[] = {program, NULL};
    double us[STARTS];

    for (int i = 0; i < STARTS; i++) {
        double begin = now_ns();
        int status = 1;
        pid_t pid;
        int error = posix_spawn(&pid, program, NULL, NULL, arguments, environ);

        if (error || waitpid(pid, &status, 0) < 0 || status) {
            (void)fprintf(stderr, "%s: %s\n", program, error ? strerror(error) : "failed");
            return 1;
        }
        us[i] = (now_ns() - begin) / 1e3;
    }
    qsort(us, STARTS, sizeof(*us), compare);
    printf("start_us %.2f\n", us[STARTS / 2]);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && !strcmp(argv[1], "start"))
        return measure_start(argv[2]);
    file = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (argc != 1 || file < 0 || null < 0) {
        (void)fprintf(stderr, "usage: run-calls [start PROGRAM]\n");
        return 1;
    }
    measure_calls();
    return 0;
}
