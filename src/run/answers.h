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

/* pipes.c: ends a read of trace_pipe that waits */
run_answer run_pipes_interrupt;

#endif
