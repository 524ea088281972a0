/* SPDX-License-Identifier: MIT */
/* The open files of a mount. */
#include "run/answers.h"
#include "engine/engine.h"
#include "run/programs.h"
#include "tracefs/abi.h"
#include "tracefs/data.h"
#include "tracefs/file.h"
#include "tracefs/program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct file {
    struct tracefs_file node_file;
    struct engine_output content; /* what is read */
    struct tracefs_data *data;    /* of user_events_data */
    struct run_pipe *pipe;        /* of trace_pipe */
};

static struct file *file_of(uint64_t handle)
{
    return (struct file *)(uintptr_t)handle; // NOLINT(performance-no-int-to-ptr)
}

/* ---- opening, closing ---- */

static void free_file(struct file *file)
{
    if (file->data) {
        tracefs_data_release(file->data);
        (void)munmap(file->data, sizeof(*file->data));
    }
    if (file->pipe)
        run_pipe_close(file->pipe);
    engine_output_free(&file->content);
    free(file);
}

static int prepare(struct file *file, uint32_t flags)
{
    const bool is_written = (flags & O_ACCMODE) != O_RDONLY;

    if (file->node_file.kind == TRACEFS_FILE_DATA) {
        file->data = tracefs_memory_take(sizeof(*file->data));
        return file->data ? 0 : ENOMEM;
    }
    if (file->node_file.kind == TRACEFS_FILE_PIPE) {
        if (is_written)
            return EACCES;
        file->pipe = run_pipe_open();
        return file->pipe ? 0 : ENOMEM;
    }
    return is_written && flags & O_TRUNC ? tracefs_control_truncate(&file->node_file) : 0;
}

/* Writes have no position: with one, the kernel would apply the limit of file sizes (RLIMIT_FSIZE).
 */
static uint32_t open_flags(const struct file *file)
{
    switch (file->node_file.kind) {
    case TRACEFS_FILE_DATA:
        return FOPEN_DIRECT_IO | RUN_FOPEN_STREAM | RUN_FOPEN_PARALLEL_WRITES;
    case TRACEFS_FILE_PIPE:
        return FOPEN_DIRECT_IO | RUN_FOPEN_STREAM;
    default:
        return FOPEN_DIRECT_IO;
    }
}

void run_files_open(const struct run_request *request)
{
    const struct fuse_open_in *in = request->arg;
    struct fuse_open_out out = {0};
    struct file *file = calloc(1, sizeof(*file));
    int error = file ? tracefs_node_file(request->head->nodeid, &file->node_file) : ENOMEM;

    if (!error) {
        out.fh = (uintptr_t)file;
        out.open_flags = open_flags(file);
        error = prepare(file, in->flags);
    }
    if (error && file)
        free_file(file);
    run_fuse_reply(request, error, &out, sizeof(out));
}

/* The last opening of a program that ends: its events end with its enable words, now. */
void run_files_release(const struct run_request *request)
{
    const struct fuse_release_in *in = request->arg;
    struct file *file = file_of(in->fh);
    bool is_of_data = file->data;

    free_file(file);
    if (is_of_data && run_programs_any_dead())
        engine_registry_notify(&engine_self.local);
    run_fuse_reply(request, 0, NULL, 0);
}

/* ---- reading ---- */

static void read_page(const struct run_request *request, const struct fuse_read_in *in)
{
    size_t size = in->offset < ENGINE_EVENT_MAX ? ENGINE_EVENT_MAX - in->offset : 0;

    if (size > in->size)
        size = in->size;
    run_fuse_reply(request, 0, engine_self.local.status + (size ? in->offset : 0), size);
}

/* A read from the beginning gets the content of that time. */
static void read_content(const struct run_request *request, struct file *file,
                         const struct fuse_read_in *in)
{
    const char *from;
    size_t size;
    int error = 0;

    if (file->data)
        error = EINVAL;
    else if (!in->offset || !file->content.bytes)
        error = tracefs_content_renew(&file->node_file, &file->content);
    size = engine_output_read(&file->content, in->offset, in->size, &from);
    run_fuse_reply(request, error, from, size);
}

void run_files_read(const struct run_request *request)
{
    const struct fuse_read_in *in = request->arg;
    struct file *file = file_of(in->fh);

    /* The status page is read through the kernel's cache where it is mapped. */
    if (file->node_file.kind == TRACEFS_FILE_STATUS && !(in->read_flags & FUSE_READ_LOCKOWNER))
        read_page(request, in);
    else if (file->pipe)
        run_pipe_read(file->pipe, request, in);
    else
        read_content(request, file, in);
}

/* ---- writing ---- */

static int write_event(const struct run_request *request, struct file *file, const uint8_t *bytes,
                       size_t size_bytes)
{
    uint32_t index;
    int error = tracefs_data_index(bytes, size_bytes, &index);

    if (!error)
        error = run_thread_become(request->head->pid);
    return error ? error
                 : tracefs_data_write_event(tracefs_data_reference(file->data, index), bytes,
                                            size_bytes, size_bytes);
}

void run_files_write(const struct run_request *request)
{
    const struct fuse_write_in *in = request->arg;
    struct file *file = file_of(in->fh);
    const uint8_t *bytes = (const uint8_t *)(in + 1);
    size_t size = in->size;
    struct fuse_write_out out = {.size = in->size};
    engine_lock_state lock_state;

    if (request->arg_bytes < sizeof(*in) + size) {
        run_fuse_reply(request, EIO, NULL, 0);
    } else if (file->data) {
        run_fuse_reply(request, write_event(request, file, bytes, size), &out, sizeof(out));
    } else {
        const struct iovec part = {(void *)(uintptr_t)bytes, size};
        int error;

        engine_lock(&lock_state);
        error = tracefs_control_write(&file->node_file, &part, 1, &size);
        out.size = (uint32_t)size;
        run_status_reply(request, error, &out);
        engine_unlock(&lock_state);
    }
}

/* ---- the rest ---- */

static int register_event(const struct run_request *request, struct file *file,
                          const struct fuse_ioctl_in *in)
{
    struct tracefs_data_caller caller = {.data = file->data};
    int error = run_program_of(request->head->pid, &caller.program);

    return error ? error : tracefs_data_ioctl(&caller, in->cmd, in->arg);
}

/* The data that a program needs to write events of an index itself. */
static void describe_event(const struct run_request *request, const struct file *file)
{
    const struct fuse_ioctl_in *in = request->arg;
    const struct tracefs_reference *reference = NULL;
    struct {
        struct fuse_ioctl_out head;
        struct tracefs_accelerate event;
    } out = {{0}, {0}};

    if (in->in_size != sizeof(out.event) || request->arg_bytes < sizeof(*in) + in->in_size) {
        run_fuse_reply(request, EINVAL, NULL, 0);
        return;
    }
    memcpy(&out.event, in + 1, sizeof(out.event));
    while (out.event.index < ENGINE_EVENT_MAX &&
           !(reference = tracefs_data_reference(file->data, out.event.index)))
        out.event.index++;
    if (reference) {
        out.event.entry = tracefs_reference_index(reference);
        out.event.sample_id = reference->tracepoint.sample_id;
        out.event.registry_device = engine_self.local.device;
        out.event.registry_inode = engine_self.local.inode;
    }
    run_fuse_reply(request, reference ? 0 : ENOENT, &out, sizeof(out));
}

/* The structs of registering point to more memory than the number of a request states: it is read
 * from the program. */
void run_files_ioctl(const struct run_request *request)
{
    const struct fuse_ioctl_in *in = request->arg;
    const struct fuse_ioctl_out out = {0};
    struct file *file = in->flags & FUSE_IOCTL_DIR ? NULL : file_of(in->fh);

    if (!file || !file->data)
        run_fuse_reply(request, ENOTTY, NULL, 0);
    else if (in->cmd == TRACEFS_ACCELERATE)
        describe_event(request, file);
    else
        run_fuse_reply(request, register_event(request, file, in), &out, sizeof(out));
}

void run_files_poll(const struct run_request *request)
{
    const struct fuse_poll_in *in = request->arg;
    struct fuse_poll_out out = {.revents = POLLIN | POLLRDNORM | POLLOUT | POLLWRNORM};
    struct file *file = file_of(in->fh);

    if (file->pipe)
        out.revents = run_pipe_poll(file->pipe, in->kh) ? POLLIN | POLLRDNORM : 0;
    run_fuse_reply(request, 0, &out, sizeof(out));
}
