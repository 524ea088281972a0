/* SPDX-License-Identifier: MIT */
/* The thread's number, without a system call: a sandbox may forbid gettid. */
#ifndef ENGINE_TID_H
#define ENGINE_TID_H

#include <stdint.h>

/* Before the first event: whether this C library tells. */
void cairn_tid_prepare(void);

/* By the C library, which knows it; by a system call where it does not tell. In a child that was
 * made by clone() itself the C library still has the parent's: then see cairn_tid_of_kernel. */
uint32_t cairn_tid_self(void);

uint32_t cairn_tid_of_kernel(void);

#endif
