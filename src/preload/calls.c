/* SPDX-License-Identifier: MIT */
/* Calls on emulated files. */
#include "preload/calls.h"
#include "accelerator/own_memory.h"
#include "engine/engine.h"
#include "preload/buffer.h"
#include "preload/files.h"
#include "preload/path.h"
#include "preload/process.h"
#include "preload/stream.h"
#include "tracefs/data.h"
#include "tracefs/program.h"
#include "tracefs/text_session.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define PIPE_NS    10000000 /* between two looks for lines */
#define PIPE_BYTES 4096

static bool is_sandboxed;

/* From here on no call of ours but writing an enabled event may be made: others go to the kernel,
 * which refuses writes to a sealed file. */
void accelerator_enter_sandbox(void)
{
    is_sandboxed = true;
    accelerator_own_memory_set(ACCELERATOR_PLAINLY);
}

/* The engine calls the C library while it holds its lock: no call of that thread is emulated. */
static bool may_serve(void)
{
    return !is_sandboxed && !engine_is_locked_by_self() && !preload_process_is_updater();
}

/* Takes the lock if the descriptor is that of an emulated file. */
static struct preload_file *begin(int fd, engine_lock_state *lock_state)
{
    struct preload_file *file;

    if (!preload_files_may_have(fd) || !may_serve())
        return NULL;
    engine_lock(lock_state);
    file = preload_files_find(fd);
    if (!file)
        engine_unlock(lock_state);
    return file;
}

/* The result of a system call. */
static ssize_t result_of(int error, size_t size_bytes)
{
    if (error)
        errno = error;
    return error ? -1 : (ssize_t)size_bytes;
}

/* ---- paths ---- */

static bool find_path(const char *path, engine_lock_state *lock_state, tracefs_node *ret_node,
                      int *ret_error)
{
    const char *rest = preload_path_inside(path);

    if (!rest || !may_serve())
        return false;
    engine_lock(lock_state);
    *ret_error = preload_path_find(rest, ret_node);
    return true;
}

/* Directories are not served: the program gets that of the kernel, if there is one. */
bool preload_open(const char *path, int flags, int *ret_result)
{
    struct tracefs_file file;
    engine_lock_state lock_state;
    tracefs_node node = 0;
    bool is_directory;
    int error;
    int fd = -1;

    if (flags & O_PATH || !find_path(path, &lock_state, &node, &error))
        return false;
    is_directory = !error && !tracefs_node_file(node, &file) && S_ISDIR(file.mode);
    if (!error && !is_directory)
        error = preload_files_open(node, preload_path_inside(path), flags, &fd);
    engine_unlock(&lock_state);
    *ret_result = (int)result_of(error, (size_t)fd);
    return !is_directory;
}

bool preload_stat(const char *path, struct stat *st, int *ret_result)
{
    struct tracefs_file file;
    engine_lock_state lock_state;
    tracefs_node node = 0;
    int error;

    if (!find_path(path, &lock_state, &node, &error))
        return false;
    if (!error)
        error = tracefs_node_file(node, &file);
    engine_unlock(&lock_state);
    if (!error)
        *st = (struct stat){
            .st_ino = node,
            .st_mode = file.mode,
            .st_nlink = 1,
            .st_uid = geteuid(),
            .st_gid = getegid(),
            .st_size = (off_t)file.size_bytes,
            .st_blksize = ENGINE_PAGE_BYTES,
        };
    *ret_result = (int)result_of(error, 0);
    return true;
}

/* ---- reading ---- */

static int copy_out(void *to, const char *from, size_t size_bytes)
{
    return size_bytes ? tracefs_memory_write(NULL, (uintptr_t)to, from, size_bytes) : 0;
}

static int read_text(struct preload_file *file, int fd, void *to, size_t *size_bytes)
{
    off_t offset = lseek(fd, 0, SEEK_CUR);
    const char *from;
    int error = 0;

    if (offset < 0)
        return errno;
    if (!offset || !file->content.bytes)
        error = preload_files_renew(file, fd);
    if (error)
        return error;
    *size_bytes = engine_output_read(&file->content, (size_t)offset, *size_bytes, &from);
    error = copy_out(to, from, *size_bytes);
    if (!error && lseek(fd, offset + (off_t)*size_bytes, SEEK_SET) < 0)
        error = errno;
    return error;
}

/* Returns EAGAIN if there are no lines. */
static int read_lines(struct preload_file *file, void *to, size_t *size_bytes)
{
    struct engine_output *lines = &file->content;
    char taken[PIPE_BYTES];
    const char *from;
    int error;

    if (file->taken == lines->size_bytes) {
        file->taken = 0;
        lines->size_bytes = 0;
        engine_output_write(lines, taken, tracefs_text_session_take(taken, sizeof(taken)));
    }
    *size_bytes = engine_output_read(lines, file->taken, *size_bytes, &from);
    error = copy_out(to, from, *size_bytes);
    if (!error)
        file->taken += *size_bytes;
    return error || *size_bytes ? error : EAGAIN;
}

static int read_file(struct preload_file *file, int fd, void *to, size_t *size_bytes)
{
    if (file->access == O_WRONLY)
        return EBADF;
    switch (file->node_file.kind) {
    case TRACEFS_FILE_DATA:
        return EINVAL;
    case TRACEFS_FILE_PIPE:
        return *size_bytes ? read_lines(file, to, size_bytes) : 0;
    default:
        return read_text(file, fd, to, size_bytes);
    }
}

/* trace_pipe waits, without the lock. */
bool preload_read(int fd, void *to, size_t size_bytes, ssize_t *ret_result)
{
    const struct timespec pause = {.tv_nsec = PIPE_NS};
    engine_lock_state lock_state;
    struct preload_file *file;

    while ((file = begin(fd, &lock_state))) {
        size_t size = size_bytes < SSIZE_MAX ? size_bytes : SSIZE_MAX;
        int error = read_file(file, fd, to, &size);
        bool waits = error == EAGAIN && !(fcntl(fd, F_GETFL) & O_NONBLOCK);

        engine_unlock(&lock_state);
        if (waits && nanosleep(&pause, NULL))
            error = errno;
        if (error != EAGAIN || !waits) {
            *ret_result = result_of(error, size);
            return true;
        }
    }
    return false;
}

/* ---- writing ---- */

/* The kernel has found that the parts are not more than there can be, nor too large. */
static size_t size_of(const struct iovec *parts, int count)
{
    size_t size = 0;

    for (int i = 0; i < count; i++)
        size += parts[i].iov_len;
    return size;
}

/* The kernel looks at the list, and at the first byte. */
static int check_list(const struct iovec *parts, int count)
{
    uint8_t byte;
    size_t size;

    return tracefs_memory_gather(&byte, sizeof(byte), parts, count, &size);
}

/* Without the lock. */
static int write_event(struct tracefs_data *data, uint8_t *bytes, const struct iovec *parts,
                       int count, size_t *ret_size)
{
    size_t gathered = 0;
    uint32_t index;
    int error = tracefs_memory_gather(bytes, TRACEFS_DATA_MAX_BYTES, parts, count, &gathered);

    if (!error && !count)
        return 0;
    if (!error)
        error = tracefs_data_index(bytes, gathered, &index);
    if (error)
        return error;
    *ret_size = size_of(parts, count);
    return tracefs_data_write_event(tracefs_data_reference(data, index), bytes, gathered,
                                    *ret_size);
}

/* The events that are not written at once: large ones, and those that are refused. Releases the
 * lock meanwhile. */
static int write_data(struct tracefs_data *data, const struct iovec *parts, int count,
                      size_t *ret_size, engine_lock_state *lock_state)
{
    struct preload_buffer *buffer = preload_buffer_take();
    int error;

    if (!buffer)
        return ENOMEM;
    engine_unlock(lock_state);
    error = write_event(data, buffer->bytes, parts, count, ret_size);
    engine_lock(lock_state);
    preload_buffer_give(buffer);
    return error;
}

static int write_control(const struct preload_file *file, const struct iovec *parts, int count,
                         size_t *ret_size)
{
    int error = check_list(parts, count);

    if (error || !count)
        return error;
    *ret_size = size_of(parts, count);
    return tracefs_control_write(&file->node_file, parts, count, ret_size);
}

bool preload_write(int fd, const struct iovec *parts, int count, ssize_t *ret_result)
{
    engine_lock_state lock_state;
    struct preload_file *file;
    size_t size = 0;
    int error;

    file = begin(fd, &lock_state);
    if (!file)
        return false;
    if (file->access == O_RDONLY)
        error = EBADF;
    else if (file->node_file.kind == TRACEFS_FILE_DATA) /* `file` may be another's after this */
        error = write_data(file->data, parts, count, &size, &lock_state);
    else
        error = write_control(file, parts, count, &size);
    engine_unlock(&lock_state);
    *ret_result = result_of(error, size);
    return true;
}

/* ---- the rest ---- */

/* Requests that are not of user_events_data are the kernel's for a memory file. */
bool preload_ioctl(int fd, unsigned long request, void *argument, int *ret_result)
{
    engine_lock_state lock_state;
    const struct preload_file *file = begin(fd, &lock_state);
    struct tracefs_data_caller caller = {0};
    int error = ENOTTY;

    if (!file)
        return false;
    if (file->node_file.kind == TRACEFS_FILE_DATA) {
        caller.data = file->data;
        preload_process_update_always();
        error = tracefs_data_ioctl(&caller, request, (uintptr_t)argument);
    }
    if (!error && file->access != O_RDONLY)
        accelerator_descriptors_know(fd, caller.data);
    engine_unlock(&lock_state);
    if (error == ENOTTY)
        return false;
    *ret_result = (int)result_of(error, 0);
    return true;
}

/* The status page is that of the tracing directory. */
static int map_status(const struct preload_mapping *m, void **ret_memory)
{
    int fd;
    int error = 0;

    /* After the page nothing is mapped: an access would raise SIGBUS. */
    if (m->offset < 0 || m->offset > ENGINE_EVENT_MAX ||
        m->size_bytes > ENGINE_EVENT_MAX - (size_t)m->offset)
        return EINVAL;
    fd = engine_directory_open(&engine_self.local.directory, "user_events_status", O_RDONLY);
    if (fd < 0)
        return errno;
    *ret_memory = mmap(m->address, m->size_bytes, m->protection, m->flags, fd, m->offset);
    if (*ret_memory == MAP_FAILED)
        error = errno;
    (void)close(fd);
    return error;
}

bool preload_map(int fd, const struct preload_mapping *mapping, void **ret_result)
{
    engine_lock_state lock_state;
    const struct preload_file *file =
        mapping->flags & MAP_ANONYMOUS ? NULL : begin(fd, &lock_state);
    int error = ENODEV;

    if (!file)
        return false;
    *ret_result = MAP_FAILED;
    if (file->access == O_WRONLY)
        error = EACCES;
    else if (file->node_file.kind == TRACEFS_FILE_STATUS)
        error = map_status(mapping, ret_result);
    engine_unlock(&lock_state);
    (void)result_of(error, 0);
    return true;
}

void preload_copied(int from, int to)
{
    engine_lock_state lock_state;

    if (preload_process_is_updater())
        return;
    accelerator_descriptors_forget((unsigned int)to, (unsigned int)to);
    if ((!preload_files_may_have(from) && !preload_files_may_have(to)) || !may_serve())
        return;
    engine_lock(&lock_state);
    preload_files_copy(from, to);
    if (accelerator_data_of(from))
        accelerator_descriptors_know(to, accelerator_data_of(from));
    engine_unlock(&lock_state);
    if (to == STDOUT_FILENO && from != to)
        preload_stream_hold(preload_needs_stream(to, true));
}

static bool may_have_any(unsigned int first, unsigned int last)
{
    return first != last || preload_files_may_have((int)first);
}

void preload_closes(unsigned int first, unsigned int last)
{
    engine_lock_state lock_state;

    if (preload_process_is_updater())
        return;
    accelerator_descriptors_forget(first, last);
    if (!may_have_any(first, last) || !may_serve())
        return;
    engine_lock(&lock_state);
    preload_files_forget(first, last);
    engine_unlock(&lock_state);
}

/* A stream may be closed past the hooks: then its descriptor is found out by its identity. */
bool preload_needs_stream(int fd, bool is_written)
{
    engine_lock_state lock_state;
    const struct preload_file *file = begin(fd, &lock_state);
    bool needs = file && (is_written || file->node_file.kind == TRACEFS_FILE_PIPE);

    if (file) {
        accelerator_descriptors_forget((unsigned int)fd, (unsigned int)fd);
        engine_unlock(&lock_state);
    }
    return needs;
}
