/* SPDX-License-Identifier: MIT */
/*
 * The writer of the C library, a peer: a line with the time, a level and the fields of
 * writer_tracing.c, to /dev/null. stdio collects lines until its buffer is full; with BENCH_LINES
 * each line is written at once, as to standard error.
 */
#include "loops.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

static FILE *file;

static inline void emit_event(uint32_t number, const char *text)
{
    struct timespec now;
    struct tm local;
    char time[32];

    (void)clock_gettime(CLOCK_REALTIME, &now);
    (void)strftime(time, sizeof(time), "%F %T", localtime_r(&now.tv_sec, &local));
    (void)fprintf(file, "[%s.%03ld] [info] bench: number=%u text=%s half=%u\n", time,
                  now.tv_nsec / 1000000, number, text, number / 2);
}

static int open_file(void)
{
    file = fopen("/dev/null", "we");
    if (!file)
        return errno;
#ifdef BENCH_LINES
    (void)setvbuf(file, NULL, _IOLBF, BUFSIZ);
#endif
    return 0;
}

static void close_file(void)
{
    (void)fclose(file);
}

static bool event_enabled(void)
{
    return true;
}

int main(int argc, char **argv)
{
    static const struct bench_tracer glibc = {
        .open = open_file,
        .enabled = event_enabled,
        .close = close_file,
        BENCH_LOOPS,
    };

    return bench_main(&glibc, argc, argv);
}
