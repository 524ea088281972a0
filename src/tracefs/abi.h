/* SPDX-License-Identifier: MIT */
/* The requests of user_events_data that today's kernel does not have: of earlier forms of its
 * interface, and of our own. Those of the current one are in engine/kernel_abi.h. */
#ifndef TRACEFS_ABI_H
#define TRACEFS_ABI_H

#include "engine/kernel_abi.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>

#define TRACEFS_REG_FLAGS 3u     /* persist, multi-format */
#define TRACEFS_BITS_MAX  32768u /* the number of bits in the kernel's page */

/* The first design, and the first kernels: an index into the status page instead of a word of the
 * program. */
struct tracefs_reg_v4 {
    uint32_t size;
    uint64_t name_args;
    uint32_t status_index;
    uint32_t write_index;
};

/* Kernels up to Linux 6.3: the index of a bit in the page. */
struct tracefs_reg_bits {
    uint32_t size;
    uint64_t name_args;
    uint32_t status_bit;
    uint32_t write_index;
} __attribute__((packed));

static_assert(sizeof(struct tracefs_reg_bits) == 20, "that of bits is of 20 bytes");
#if UINTPTR_MAX > UINT32_MAX
static_assert(sizeof(struct tracefs_reg_v4) == 24, "the first design's is of 24 bytes");
static_assert(offsetof(struct tracefs_reg_v4, status_index) == 16, "status index at 16");
#endif

/* A program under a mount finds the events of its write indexes, so that it can write them itself
 * (accelerator). */
struct tracefs_accelerate {
    uint32_t index; /* in: a write index; out: the first from there that has an event */
    uint32_t entry; /* out: the event's number in the registry, */
    uint64_t sample_id;
    uint64_t registry_device; /* and the registry's file */
    uint64_t registry_inode;
};

/* Returns ENOENT: the opening has no event from there on. ENOTTY: it is another file. */
#define TRACEFS_ACCELERATE _IOWR('*', 0x63, struct tracefs_accelerate)

#endif
