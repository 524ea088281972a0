/* SPDX-License-Identifier: MIT */
/* Readers of trace_pipe. Lines that one has read are not in another's, nor in `trace`. */
#include "run/answers.h"
#include "tracefs/text_session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#define TAKEN_BYTES 4096

struct run_pipe {
    struct run_pipe *next;
    uint64_t waits;  /* the number of a read that waits; 0: none does */
    uint32_t wanted; /* by it, in bytes */
    uint64_t handle; /* to be notified; 0: none, the kernel begins with 1 */
    size_t at;       /* of the lines that were taken, */
    size_t end;
    char lines[TAKEN_BYTES];
};

static struct run_pipe *pipes;

struct run_pipe *run_pipe_open(void)
{
    struct run_pipe *pipe = calloc(1, sizeof(*pipe));

    if (!pipe)
        return NULL;
    pipe->next = pipes;
    pipes = pipe;
    return pipe;
}

static void answer(struct run_pipe *pipe, int error, size_t size_bytes)
{
    run_fuse_reply_later(pipe->waits, error, pipe->lines + pipe->at, size_bytes);
    pipe->at += size_bytes;
    pipe->waits = 0;
}

void run_pipe_close(struct run_pipe *pipe)
{
    struct run_pipe **link = &pipes;

    while (*link != pipe)
        link = &(*link)->next;
    *link = pipe->next;
    if (pipe->waits)
        answer(pipe, EINTR, 0);
    free(pipe);
}

static bool has_lines(struct run_pipe *pipe)
{
    if (pipe->at == pipe->end) {
        pipe->at = 0;
        pipe->end = tracefs_text_session_take(pipe->lines, sizeof(pipe->lines));
    }
    return pipe->at < pipe->end;
}

static void feed(struct run_pipe *pipe)
{
    size_t size = pipe->end - pipe->at;

    if (pipe->waits)
        answer(pipe, 0, size < pipe->wanted ? size : pipe->wanted);
    if (pipe->handle)
        run_fuse_notify_poll(pipe->handle);
    pipe->handle = 0;
}

/* One read waits at a time; a second reader of the same opening gets EAGAIN. */
void run_pipe_read(struct run_pipe *pipe, const struct run_request *request,
                   const struct fuse_read_in *in)
{
    if (pipe->waits || (!has_lines(pipe) && in->flags & O_NONBLOCK)) {
        run_fuse_reply(request, EAGAIN, NULL, 0);
        return;
    }
    pipe->waits = request->head->unique;
    pipe->wanted = in->size;
    if (pipe->at < pipe->end)
        feed(pipe);
}

bool run_pipe_poll(struct run_pipe *pipe, uint64_t handle)
{
    if (has_lines(pipe))
        return true;
    pipe->handle = handle;
    return false;
}

void run_pipes_interrupt(const struct run_request *request)
{
    const struct fuse_interrupt_in *in = request->arg;

    for (struct run_pipe *pipe = pipes; pipe; pipe = pipe->next) {
        if (pipe->waits == in->unique)
            answer(pipe, EINTR, 0);
    }
}

/* The buffer of lines is larger than those of programs: also without a reader that waits. */
bool run_pipes_feed(void)
{
    if (pipes)
        (void)tracefs_text_session_take(NULL, 0);
    for (struct run_pipe *pipe = pipes; pipe; pipe = pipe->next) {
        if ((pipe->waits || pipe->handle) && has_lines(pipe))
            feed(pipe);
    }
    return pipes != NULL;
}
