/* SPDX-License-Identifier: MIT */
/*
 * The memory of an export does not grow with the number of events: exports_memory MAKE_RECORDING.
 * Each format gets a recording; what is allocated at its end is compared with what was allocated
 * after its first quarter.
 */
#include <cairn/exchange.h>
#include <cairn/reader.h>

#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define REQUESTS 10000u /* of ten events each */
#define EVENTS   (10u * REQUESTS)

/* A byte for an event would be 75,000. */
#define GROWTH_MAX ((size_t)64 << 10)

/* Streams in a temporary file, with five or six of each thread here: up to 64 KiB for each. */
#define STREAMS_GROWTH_MAX ((size_t)4 << 20)
#define TOTAL_MAX          ((size_t)16 << 20)

static size_t allocated(void)
{
    struct mallinfo2 info = mallinfo2();

    return info.uordblks + info.hblkhd;
}

static int check_growth(enum cairn_exchange_format format, size_t before, size_t quarter,
                        size_t end)
{
    bool has_streams = format == CAIRN_EXCHANGE_FIREFOX || format == CAIRN_EXCHANGE_TRACE_DAT;
    size_t limit = has_streams ? STREAMS_GROWTH_MAX : GROWTH_MAX;

    if (end <= quarter + limit && end <= before + TOTAL_MAX)
        return 0;
    (void)fprintf(stderr, "%zu bytes at the first event, %zu after a quarter, %zu at the end\n",
                  before, quarter, end);
    return EOVERFLOW;
}

static int export_events(struct cairn_reader *reader, enum cairn_exchange_format format,
                         struct cairn_exporter *exporter, size_t before)
{
    const struct cairn_event *event;
    size_t quarter = 0;
    uint64_t count = 0;
    int err;

    while (!(err = cairn_reader_next(reader, &event))) {
        err = cairn_exporter_event(exporter, reader, event);
        if (err)
            return err;
        if (++count == EVENTS / 4)
            quarter = allocated();
    }
    if (err != ENODATA || count != EVENTS)
        return err == ENODATA ? ERANGE : err;
    err = check_growth(format, before, quarter, allocated());
    return err ? err : cairn_exporter_finish(exporter, reader);
}

static int export_file(const char *recording, const char *path, enum cairn_exchange_format format)
{
    struct cairn_exporter_options options = CAIRN_EXPORTER_OPTIONS_INIT;
    struct cairn_exporter *exporter = NULL;
    struct cairn_reader *reader = NULL;
    size_t before = allocated();
    int err;

    options.format = format;
    options.path = path;
    err = cairn_reader_open(recording, NULL, NULL, &reader);
    if (!err)
        err = cairn_exporter_create(&options, &exporter);
    if (!err)
        err = export_events(reader, format, exporter, before);
    cairn_exporter_destroy(exporter);
    cairn_reader_close(reader);
    return err;
}

/* Runs a program with two arguments. */
static int run(const char *program, const char *first, const char *second)
{
    int status = -1;
    pid_t pid = fork();

    if (!pid) {
        (void)execlp(program, program, first, second, (char *)NULL);
        _exit(127);
    }
    if (pid < 0 || waitpid(pid, &status, 0) < 0)
        return errno;
    return status ? EIO : 0;
}

int main(int argc, char **argv)
{
    char directory[] = "/tmp/cairn-memory-XXXXXX";
    char recording[64], path[64], requests[16];
    int failures = 0;

    if (argc != 2 || !mkdtemp(directory))
        return 2;
    (void)snprintf(recording, sizeof(recording), "%s/recording", directory);
    (void)snprintf(path, sizeof(path), "%s/out", directory);
    (void)snprintf(requests, sizeof(requests), "%u", REQUESTS);
    failures += run(argv[1], requests, recording) != 0;
    for (int format = 0; format < CAIRN_EXCHANGE_FORMAT_COUNT && !failures; format++) {
        int err = export_file(recording, path, (enum cairn_exchange_format)format);

        if (err && err != EOPNOTSUPP) /* without the format's library */
            (void)fprintf(stderr, "format %d: %s\n", format, strerror(err));
        failures += err && err != EOPNOTSUPP;
        failures += run("rm", "-rf", path) != 0;
    }
    return run("rm", "-rf", directory) || failures ? 1 : 0;
}
