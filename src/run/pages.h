/* SPDX-License-Identifier: MIT */
/*
 * Pages of a program that the server must not touch: reading a page of a file of the mount
 * makes a request, and the server would wait for its own answer.
 */
#ifndef RUN_PAGES_H
#define RUN_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `pages` is an opening of /proc/PID/pagemap. True unless a page of the range would have to be read
 * from the mount. */
bool run_pages_can_be_read(int pages, uint32_t tid, uint64_t address, size_t size_bytes);

#endif
