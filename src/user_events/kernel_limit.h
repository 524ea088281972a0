/* SPDX-License-Identifier: MIT */
/* The largest payload of an event that the kernel accepts. */
#ifndef USER_EVENTS_KERNEL_LIMIT_H
#define USER_EVENTS_KERNEL_LIMIT_H

#include "engine/kernel_abi.h"

#include <stdint.h>

/* The largest payload that perf accepts, as far as it is known: at least
 * ENGINE_KERNEL_PAYLOAD_MAX_BYTES, which every kernel with user_events accepts. Any thread, any
 * signal handler; no system call. */
uint32_t user_events_kernel_payload_max_bytes(void);

/* Reads the limit of this kernel, once; takes some milliseconds. Any thread. Not in signal
 * handlers. */
void user_events_kernel_limit_look(void);

/* Reads the limit from a file of the kernel's types. Returns 0; EBADMSG the file is malformed, or
 * does not contain the limit; ENOMEM; or the error of a system call. */
int user_events_kernel_limit_read(const char *path, uint32_t *ret_payload_bytes);

#endif
