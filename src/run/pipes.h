/* SPDX-License-Identifier: MIT */
/* trace_pipe: readers that wait for lines. All under the engine's lock. */
#ifndef RUN_PIPES_H
#define RUN_PIPES_H

#include "run/fuse.h"

struct run_pipe;

/* Returns NULL if there is no memory. */
struct run_pipe *run_pipe_open(void);
void run_pipe_close(struct run_pipe *pipe);

/* Answers the request, now or when there are lines. */
void run_pipe_read(struct run_pipe *pipe, const struct run_request *request,
                   const struct fuse_read_in *in);

/* True if there are lines to read; otherwise `handle` is notified when there are. */
bool run_pipe_poll(struct run_pipe *pipe, uint64_t handle);

bool run_pipes_any(void);

/* Passes on the new lines. */
void run_pipes_feed(void);

#endif
