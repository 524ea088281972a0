/* SPDX-License-Identifier: MIT */
/* The thread's number, without a system call: a sandbox may forbid gettid. */
#ifndef ENGINE_TID_H
#define ENGINE_TID_H

#include <stdint.h>

/* Before the first event: finds out if this C library exposes the number. */
void cairn_os_tid_prepare(void);

/* From the C library, if it exposes the number; otherwise by a system call. In a child that was
 * made by clone() itself the C library still has the parent's: use cairn_os_tid_of_kernel then. */
uint32_t cairn_os_tid_self(void);

uint32_t cairn_os_tid_of_kernel(void);

#endif
