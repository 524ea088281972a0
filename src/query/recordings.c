/* SPDX-License-Identifier: MIT */
/* Recordings: opens them for each scan, and keeps what reading showed. */
#include "query/recordings.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- standard input ---- */

static int copy_rest(int from, int to)
{
    char buffer[65536];
    ssize_t got;

    while ((got = read(from, buffer, sizeof(buffer))) != 0) {
        ssize_t done = 0;

        if (got < 0 && errno == EINTR)
            continue;
        while (got > done) {
            ssize_t put = write(to, buffer + done, (size_t)(got - done));

            if (put < 0 && errno != EINTR)
                return errno;
            done += put > 0 ? put : 0;
        }
        if (got < 0)
            return errno;
    }
    return 0;
}

/* A query reads its recordings more than once, which a pipe does not allow. */
static int copy_standard_input(int *ret_fd)
{
    FILE *file = tmpfile();
    int fd = file ? fcntl(fileno(file), F_DUPFD_CLOEXEC, 3) : -1;
    int err = fd < 0 ? errno : copy_rest(STDIN_FILENO, fd);

    if (file)
        (void)fclose(file);
    if (err) {
        if (fd >= 0)
            close(fd);
        return err;
    }
    *ret_fd = fd;
    return 0;
}

/* ---- opening ---- */

static int open_one(struct query_recording *recording, const char *path)
{
    recording->fd = -1;
    recording->path = strdup(path);
    recording->file.path = recording->path;
    if (!recording->path)
        return ENOMEM;
    if (!strcmp(path, "-"))
        return copy_standard_input(&recording->fd);
    return stat(path, &recording->stat) ? errno : 0;
}

int query_recordings_open(struct query_recordings *recordings, const char *const *paths,
                          size_t count, struct cairn_query_error *error)
{
    int err = 0;

    recordings->all = (struct query_recording *)calloc(count, sizeof(*recordings->all));
    if (!recordings->all)
        return ENOMEM;
    while (recordings->count < count && !err) {
        const char *path = paths[recordings->count];

        err = open_one(&recordings->all[recordings->count++], path);
        if (err)
            (void)snprintf(error->text, sizeof(error->text), "%s: %s", path, strerror(err));
    }
    return err;
}

void query_recordings_close(struct query_recordings *recordings)
{
    for (size_t n = 0; n < recordings->count; n++) {
        free((void *)recordings->all[n].path);
        free((void *)recordings->all[n].file.text);
        if (recordings->all[n].fd >= 0)
            close(recordings->all[n].fd);
    }
    free(recordings->all);
    *recordings = (struct query_recordings){0};
}

/* ---- reading ---- */

/* Limits the reader to a range. Where the relation of the clocks changes, it reads a little more.
 */
static void set_range(const struct query_recording *recording, const struct query_range *range,
                      struct cairn_reader_options *options)
{
    uint64_t since_ns = range->since_ns;
    uint64_t until_ns = range->until_ns;

    if (recording->has_wall && !recording->has_shift) {
        options->since_wall_ns = since_ns;
        options->until_wall_ns = until_ns == UINT64_MAX ? 0 : until_ns;
        return;
    }
    if (recording->has_wall) { /* to the clock's time, by which the index is sorted */
        since_ns = since_ns > recording->shift_max_ns ? since_ns - recording->shift_max_ns : 0;
        if (until_ns != UINT64_MAX)
            until_ns = until_ns > recording->shift_min_ns ? until_ns - recording->shift_min_ns : 1;
    }
    options->since_ns = since_ns;
    options->until_ns = until_ns == UINT64_MAX ? 0 : until_ns ? until_ns : 1;
}

int query_recording_open(const struct query_recording *recording,
                         const struct cairn_reader_options *options,
                         const struct query_range *range, struct cairn_perf_error *ret_error,
                         struct cairn_reader **ret_reader)
{
    struct cairn_reader_options own = *options;

    if (range && (range->since_ns || range->until_ns != UINT64_MAX))
        set_range(recording, range, &own);
    if (recording->fd < 0)
        return cairn_reader_open(recording->path, &own, ret_error, ret_reader);
    if (lseek(recording->fd, 0, SEEK_SET) < 0)
        return errno;
    return cairn_reader_open_fd(recording->fd, &own, ret_error, ret_reader);
}

void query_recording_note_damage(struct query_recordings *recordings, size_t index,
                                 uint64_t damaged)
{
    struct cairn_query_file *file = &recordings->all[index].file;

    if (damaged > file->damaged)
        file->damaged = damaged;
}

void query_recording_note(struct query_recordings *recordings, size_t index,
                          struct cairn_reader *reader, int err)
{
    struct cairn_query_file *file = &recordings->all[index].file;
    const struct cairn_reader_counts *counts = cairn_reader_counts(reader);
    const struct cairn_perf_error *error = cairn_reader_error(reader);

    query_recording_note_damage(recordings, index, counts->damaged);
    if (counts->unreadable > file->unreadable)
        file->unreadable = counts->unreadable;
    if (counts->lost > file->lost)
        file->lost = counts->lost;
    if (!err || err == ENODATA || err == EAGAIN || file->code)
        return;
    file->code = err;
    if (error->code == err && error->text) {
        file->text = strdup(error->text);
        file->offset = error->offset;
    }
}

bool query_recordings_have_changed(struct query_recordings *recordings)
{
    bool has_changed = false;

    for (size_t n = 0; n < recordings->count; n++) {
        struct query_recording *recording = &recordings->all[n];
        struct stat now;

        if (recording->fd >= 0 || stat(recording->path, &now))
            continue;
        if (now.st_size != recording->stat.st_size || now.st_ino != recording->stat.st_ino ||
            now.st_mtim.tv_sec != recording->stat.st_mtim.tv_sec ||
            now.st_mtim.tv_nsec != recording->stat.st_mtim.tv_nsec)
            has_changed = true;
        recording->stat = now;
    }
    return has_changed;
}
