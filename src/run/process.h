/* SPDX-License-Identifier: MIT */
/* Facts about a process, from /proc. */
#ifndef RUN_PROCESS_H
#define RUN_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RUN_ORIGIN_BYTES 16

/* Opens /proc/PID/NAME. Returns a descriptor, or -1 with errno set. */
int run_process_open(uint32_t pid, const char *name, int flags);

/* The process id of a thread; 0: there is no such thread. */
uint32_t run_process_of(uint32_t tid);

/*
 * The random bytes that the kernel gave to the program when it was executed: no other program has
 * them but its forked children. `memory` is an opening of /proc/PID/mem. False: they cannot be
 * read.
 */
bool run_process_origin(uint32_t pid, int memory, uint8_t ret_origin[RUN_ORIGIN_BYTES]);

/* True if two processes have one address space. */
bool run_process_shares_memory(uint32_t a, uint32_t b);

/*
 * True unless a page of the range would have to be read from the mount: that makes a request, and
 * the server would wait for its own answer. `pages` is an opening of /proc/PID/pagemap.
 */
bool run_process_may_be_read(int pages, uint32_t tid, uint64_t address, size_t size_bytes);

#endif
