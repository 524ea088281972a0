/* SPDX-License-Identifier: MIT */
/* The tree of a mount: finding files, their attributes, listing directories. Each function answers
 * its request, under the engine's lock. */
#ifndef RUN_DIRECTORIES_H
#define RUN_DIRECTORIES_H

#include "run/fuse.h"

void run_directories_find(const struct run_request *request);
void run_directories_attributes(const struct run_request *request);
void run_directories_set_attributes(const struct run_request *request);
void run_directories_open(const struct run_request *request);
void run_directories_read(const struct run_request *request);
void run_directories_statfs(const struct run_request *request);

#endif
