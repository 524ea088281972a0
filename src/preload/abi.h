/* SPDX-License-Identifier: MIT */
/* The structs of the kernel's interface, of today's and of the two before. */
#ifndef PRELOAD_ABI_H
#define PRELOAD_ABI_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#define CAIRN_DIAG_REG   0xc0082a00ul
#define CAIRN_DIAG_DEL   0x40082a01ul
#define CAIRN_DIAG_UNREG 0x40082a02ul

#define CAIRN_REG_FLAGS 3u /* persist, multi-format */

/* Linux 6.4 and later. */
struct cairn_reg {
    uint32_t size;
    uint8_t enable_bit;
    uint8_t enable_size;
    uint16_t flags;
    uint64_t enable_addr;
    uint64_t name_args;
    uint32_t write_index;
} __attribute__((packed));

/* The first design, and the first kernels: no word of the program's, an index into the status page
 * instead. */
struct cairn_reg_v4 {
    uint32_t size;
    uint64_t name_args;
    uint32_t status_index;
    uint32_t write_index;
};

/* Kernels up to Linux 6.3: the index is of a bit of the page. */
struct cairn_reg_bits {
    uint32_t size;
    uint64_t name_args;
    uint32_t status_bit;
    uint32_t write_index;
} __attribute__((packed));

struct cairn_unreg {
    uint32_t size;
    uint8_t disable_bit;
    uint8_t reserved;
    uint16_t reserved2;
    uint64_t disable_addr;
} __attribute__((packed));

static_assert(sizeof(struct cairn_reg) == 28, "today's is of 28 bytes");
static_assert(offsetof(struct cairn_reg, name_args) == 16, "command at 16");
static_assert(offsetof(struct cairn_reg, write_index) == 24, "index at 24");
static_assert(sizeof(struct cairn_reg_bits) == 20, "that of bits is of 20 bytes");
static_assert(sizeof(struct cairn_unreg) == 16, "unregistering takes 16 bytes");
#if UINTPTR_MAX > UINT32_MAX
static_assert(sizeof(struct cairn_reg_v4) == 24, "the first design's is of 24 bytes");
static_assert(offsetof(struct cairn_reg_v4, status_index) == 16, "status index at 16");
#endif

#endif
