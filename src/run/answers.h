/* SPDX-License-Identifier: MIT */
/* The answers to requests, each under the engine's lock, but for run_files_write. */
#ifndef RUN_ANSWERS_H
#define RUN_ANSWERS_H

#include "run/fuse.h"

typedef void run_answer(const struct run_request *request);

/* fuse.c: FUSE_INIT */
run_answer run_fuse_begin;

/* directories.c: the tree of a mount */
run_answer run_directories_find, run_directories_attributes, run_directories_set_attributes,
    run_directories_open, run_directories_read, run_directories_statfs;

/* files.c: its open files */
run_answer run_files_open, run_files_read, run_files_write, run_files_ioctl, run_files_poll,
    run_files_release;

/* ---- pipes.c: trace_pipe, whose readers wait for lines. All under the engine's lock ---- */

/* Ends a read that waits. */
run_answer run_pipes_interrupt;

struct run_pipe;

/* Returns NULL if there is no memory. */
struct run_pipe *run_pipe_open(void);
void run_pipe_close(struct run_pipe *pipe);

/* Answers the request, now or when there are lines. */
void run_pipe_read(struct run_pipe *pipe, const struct run_request *request,
                   const struct fuse_read_in *in);

/* True if there are lines to read; otherwise `handle` is notified when there are. */
bool run_pipe_poll(struct run_pipe *pipe, uint64_t handle);

/* Passes on the new lines. False: there are no readers. */
bool run_pipes_feed(void);

/*
 * ---- status.c: the mapped status page ----
 *
 * Mappings show the kernel's cache of the file, into which changes are stored. The thread that
 * watches the registry does that, not the one that answers requests: the kernel may hold a page
 * locked while it waits for an answer.
 */

/* Under the engine's lock: answers a write after the mappings show what it has changed; at once if
 * there is nothing. */
void run_status_reply(const struct run_request *request, int error,
                      const struct fuse_write_out *out);

/* Under the engine's lock, then without it: copies the page, and stores the changes. Returns true
 * if a write waits again. */
void run_status_take(void);
bool run_status_store(void);

#endif
