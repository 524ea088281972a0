/* SPDX-License-Identifier: MIT */
/*
 * Fuzzes the reader of perf.data: as a file in the order of the file and in the order of time, and
 * as a stream through a pipe. The input is copied to memory of exactly its size, so that the
 * sanitizer reports a read after it. A file that is read by its descriptor has the same records.
 */
#include "../tests/unit/perf_walk.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The capacity of a pipe. */
#define PIPE_BYTES 65536

/* Returns the number of records. */
static uint64_t read_memory(const uint8_t *data, size_t size, bool ordered)
{
    uint8_t *copy = malloc(size ? size : 1);
    struct cairn_perf_file *file;
    uint64_t records = 0;

    memcpy(copy, data, size);
    if (!perf_data_file_open_memory(copy, size, NULL, &file)) {
        perf_walk(file, ordered, &records);
        cairn_perf_file_close(file);
    }
    free(copy);
    return records;
}

static uint64_t read_file(const uint8_t *data, size_t size)
{
    int fd = memfd_create("perf.data", MFD_CLOEXEC);
    struct cairn_perf_file *file;
    uint64_t records = 0;

    if (fd < 0 || write(fd, data, size) != (ssize_t)size || lseek(fd, 0, SEEK_SET))
        abort();
    if (!cairn_perf_file_open_fd(fd, NULL, &file)) {
        perf_walk(file, true, &records);
        cairn_perf_file_close(file);
    }
    close(fd);
    return records;
}

static void read_stream(const uint8_t *data, size_t size)
{
    struct cairn_perf_file *file;
    uint64_t records;
    int fds[2];

    if (size > PIPE_BYTES || pipe(fds))
        return;
    if (write(fds[1], data, size) != (ssize_t)size)
        abort();
    close(fds[1]);
    if (!cairn_perf_file_open_fd(fds[0], NULL, &file)) {
        perf_walk(file, true, &records);
        cairn_perf_file_close(file);
    }
    close(fds[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_memory(data, size, false);
    if (read_memory(data, size, true) != read_file(data, size))
        abort();
    read_stream(data, size);
    return 0;
}
