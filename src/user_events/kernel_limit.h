/* SPDX-License-Identifier: MIT */
/* How large an event of the kernel's may be. */
#ifndef USER_EVENTS_KERNEL_LIMIT_H
#define USER_EVENTS_KERNEL_LIMIT_H

#include "engine/kernel_abi.h"

#include <stdint.h>

/*
 * The largest payload that perf takes, as far as it is known: no less than
 * CAIRN_KERNEL_PAYLOAD_MAX_BYTES, which every kernel with user_events takes. Any thread, any signal
 * handler; no system call.
 */
uint32_t cairn_kernel_payload_max_bytes(void);

/* Finds out what this kernel takes: some milliseconds, once. Any thread. Not in signal handlers. */
void cairn_kernel_limit_look(void);

/*
 * The same from a file of the kernel's types. Returns 0; EBADMSG it is no such file, or does not
 * say; ENOMEM; or what a system call said.
 */
int cairn_kernel_limit_read(const char *path, uint32_t *ret_payload_bytes);

#endif
