/* SPDX-License-Identifier: MIT */
/* The open files of a mount: opening, reading, writing, ioctl, poll, closing. Each function answers
 * its request, under the engine's lock, but for run_files_write. */
#ifndef RUN_FILES_H
#define RUN_FILES_H

#include "run/fuse.h"

void run_files_open(const struct run_request *request);
void run_files_read(const struct run_request *request);
void run_files_write(const struct run_request *request);
void run_files_ioctl(const struct run_request *request);
void run_files_poll(const struct run_request *request);
void run_files_release(const struct run_request *request);

/* A read of trace_pipe that waits was interrupted. */
void run_files_interrupt(const struct run_request *request);

#endif
