/* SPDX-License-Identifier: MIT */
/* Opens files and streams as sources. */
#include "perf_data/source.h"

#include "perf_data/disk.h"

#include <cairn/perf_data.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static int fail(int code, const char *text, struct cairn_perf_error *ret_error)
{
    if (ret_error)
        *ret_error = (struct cairn_perf_error){.code = code, .text = text};
    return code;
}

int perf_data_source_open_fd(struct perf_data_source *source, int fd,
                             struct cairn_perf_error *ret_error)
{
    int err;

    *source = (struct perf_data_source){.fd = -1};
    err = perf_data_source_map(source, fd);
    if (err == ENODEV) { /* not a file that can be mapped: read it */
        source->fd = fd;
        source->end = UINT64_MAX;
        err = 0;
    }
    return err ? fail(err, err == EISDIR ? "is a directory" : "cannot be read", ret_error) : 0;
}

/* Opens a file of a directory that is perf.data. Returns -1 if there is none. */
static int open_member(int directory, const char *name)
{
    int fd = openat(directory, name, O_RDONLY | O_CLOEXEC);
    uint64_t magic = 0;

    if (fd >= 0 && (pread(fd, &magic, sizeof(magic), 0) != (ssize_t)sizeof(magic) ||
                    (magic != PERF_DATA_MAGIC && magic != __builtin_bswap64(PERF_DATA_MAGIC)))) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/*
 * perf record makes a directory with --kcore, where `data` is an ordinary file, and with --threads,
 * where the events are in other files, too. Replaces the descriptor of a directory by that of its
 * file; does nothing if it is none of these.
 */
static int enter_directory(int *fd, struct cairn_perf_error *ret_error)
{
    int data = open_member(*fd, "data");

    if (data < 0)
        return 0;
    if (!faccessat(*fd, "data.0", F_OK, 0)) {
        close(data);
        return fail(
            EOPNOTSUPP,
            "a directory of perf record --threads, which cannot be read (record without --threads)",
            ret_error);
    }
    close(*fd);
    *fd = data;
    return 0;
}

int perf_data_source_open(struct perf_data_source *source, const char *path,
                          struct cairn_perf_error *ret_error)
{
    int fd;
    int err;

    if (!strcmp(path, "-"))
        return perf_data_source_open_fd(source, STDIN_FILENO, ret_error);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return fail(errno, "cannot be opened", ret_error);
    err = enter_directory(&fd, ret_error);
    err = err ? err : perf_data_source_open_fd(source, fd, ret_error);
    if (err || source->map)
        close(fd); /* a mapping does not need it */
    else
        source->own_fd = true;
    return err;
}
