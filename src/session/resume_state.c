/* SPDX-License-Identifier: MIT */
/* The file of a session that can be resumed. A part that fits a page is written by one call, which
 * a signal does not interrupt. */
#include "session/resume_state.h"
#include "os/clock.h"
#include "os/file.h"
#include "session/control.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A process that was killed has its locks until it has ended. */
#define LOCK_TRIES 100
#define PAUSE_NS   10000000

_Static_assert(offsetof(struct resume_file, directory) <= ENGINE_PAGE_BYTES,
               "what changes together is in a page");

/* ---- what a killed recorder has written ---- */

/* The file may have another name by now, in the same directory. One that is gone has nothing. */
static bool is_in_file(const struct resume_file *file)
{
    DIR *directory = opendir(file->directory);
    struct dirent *entry;
    bool found = false;

    while (directory && !found && (entry = readdir(directory))) {
        struct stat st;

        found = !fstatat(dirfd(directory), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) &&
                S_ISREG(st.st_mode) && st.st_dev == file->block.device &&
                st.st_ino == file->block.inode && (uint64_t)st.st_size >= file->block.end;
    }
    if (directory)
        closedir(directory);
    return found;
}

/* The block that was being filled will never be written: its number is skipped. */
static void settle(struct resume_state *state)
{
    struct resume_file *file = &state->file;
    struct resume_block *block = &file->block;

    if (block->pending == block->written + 1 && is_in_file(file))
        block->written = block->pending;
    block->pending = 0;
    if (file->is_used)
        file->gaps[file->gap_count++ % RESUME_GAPS] = ++block->written;
    file->is_used = 0;
    resume_state_store(state, file, offsetof(struct resume_file, directory));
}

bool resume_state_is_written(const struct resume_state *state, uint64_t block)
{
    if (block > state->file.block.written)
        return false;
    for (uint32_t i = 0; i < RESUME_GAPS; i++) {
        if (state->file.gaps[i] == block)
            return false;
    }
    return true;
}

/* ---- the file ---- */

static int lock(int fd)
{
    int error = EBUSY;

    for (int i = 0; i < LOCK_TRIES && error == EBUSY; i++) {
        error = session_control_lock(fd);
        if (error == EBUSY)
            os_sleep(PAUSE_NS);
    }
    return error;
}

static bool is_valid(const struct resume_file *file)
{
    return file->magic == RESUME_MAGIC && file->size_bytes == sizeof(*file) &&
           memchr(file->directory, 0, sizeof(file->directory));
}

static int read_file(struct resume_state *state)
{
    struct resume_file *file = &state->file;
    int error;

    if (pread(state->fd, file, sizeof(*file), 0) == (ssize_t)sizeof(*file) && is_valid(file)) {
        settle(state);
        return 0;
    }
    *file = (struct resume_file){.magic = RESUME_MAGIC, .size_bytes = sizeof(*file)};
    error = os_file_back(state->fd, 0, sizeof(*file));
    if (!error)
        resume_state_store(state, file, sizeof(*file));
    return error;
}

int resume_state_open(struct resume_state *state, const char *name)
{
    int error = session_control_directory(&state->directory_fd);

    if (error)
        return error;
    (void)snprintf(state->name, sizeof(state->name), "%s.kept~", name);
    state->fd =
        openat(state->directory_fd, state->name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (state->fd < 0)
        return errno;
    error = lock(state->fd);
    return error ? error : read_file(state);
}

void resume_state_close(struct resume_state *state, bool remove)
{
    if (remove)
        (void)unlinkat(state->directory_fd, state->name, 0);
    if (state->fd >= 0)
        close(state->fd);
    if (state->directory_fd >= 0)
        close(state->directory_fd);
    state->fd = state->directory_fd = -1;
}

/* It has its memory: only a file that another process has cut short can fail, which then resumes
 * nothing. */
void resume_state_store(const struct resume_state *state, const void *member, size_t size_bytes)
{
    off_t at = (const char *)member - (const char *)&state->file;

    if (pwrite(state->fd, member, size_bytes, at) < 0)
        return;
}
