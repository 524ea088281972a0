/* SPDX-License-Identifier: MIT */
/* How large an event of the kernel's may be. */
#ifndef USER_EVENTS_KERNEL_LIMIT_H
#define USER_EVENTS_KERNEL_LIMIT_H

#include <stdint.h>

/* So much any kernel takes: the least that PERF_MAX_TRACE_SIZE ever was, without the common fields.
 */
#define CAIRN_KERNEL_PAYLOAD_SURE_BYTES 2040u

/*
 * The largest payload that perf takes. It is looked for when it is first asked for, which takes
 * some milliseconds; so events of up to CAIRN_KERNEL_PAYLOAD_SURE_BYTES do not ask. Any thread, any
 * signal handler; spoils errno.
 */
uint32_t cairn_kernel_payload_max_bytes(void);

/*
 * The same from a file of the kernel's types. Returns 0; EBADMSG it is no such file, or does not
 * say; ENOMEM; or what a system call said.
 */
int cairn_kernel_limit_read(const char *path, uint32_t *ret_payload_bytes);

#endif
