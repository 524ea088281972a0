/* SPDX-License-Identifier: MIT */
/*
 * The kernel's interface of user_events (Linux 6.4 and later): what its <linux/user_events.h>
 * says, which the headers of many distributions lack.
 */
#ifndef ENGINE_KERNEL_ABI_H
#define ENGINE_KERNEL_ABI_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>

struct engine_user_reg {
    uint32_t size;        /* of this struct */
    uint8_t enable_bit;   /* the bit to set at enable_addr while a tracer is attached */
    uint8_t enable_size;  /* of what is at enable_addr: 4 or 8 */
    uint16_t flags;       /* of enum cairn_user_event_flag; 0: it is removed with its last user */
    uint64_t enable_addr; /* a multiple of enable_size */
    uint64_t name_args;   /* the command text */
    uint32_t write_index; /* out: which event of this file the writes are for */
} __attribute__((packed));

struct engine_user_unreg {
    uint32_t size; /* of this struct */
    uint8_t disable_bit;
    uint8_t reserved;
    uint16_t reserved2;
    uint64_t disable_addr;
} __attribute__((packed));

/* As in the kernel, the sizes within the numbers are those of pointers. */
#define ENGINE_USER_EVENTS_REG   _IOWR('*', 0, struct engine_user_reg *)
#define ENGINE_USER_EVENTS_DEL   _IOW('*', 1, char *)
#define ENGINE_USER_EVENTS_UNREG _IOW('*', 2, struct engine_user_unreg *)

static_assert(sizeof(struct engine_user_reg) == 28, "the kernel takes 28 bytes");
static_assert(offsetof(struct engine_user_reg, enable_bit) == 4, "bit at 4");
static_assert(offsetof(struct engine_user_reg, flags) == 6, "flags at 6");
static_assert(offsetof(struct engine_user_reg, enable_addr) == 8, "address at 8");
static_assert(offsetof(struct engine_user_reg, name_args) == 16, "command at 16");
static_assert(offsetof(struct engine_user_reg, write_index) == 24, "index at 24");
static_assert(sizeof(struct engine_user_unreg) == 16, "the kernel takes 16 bytes");
static_assert(offsetof(struct engine_user_unreg, disable_bit) == 4, "bit at 4");
static_assert(offsetof(struct engine_user_unreg, disable_addr) == 8, "address at 8");
static_assert(sizeof(void *) != 8 || ENGINE_USER_EVENTS_REG == 0xc0082a00u, "DIAG_IOCSREG");
static_assert(sizeof(void *) != 8 || ENGINE_USER_EVENTS_DEL == 0x40082a01u, "DIAG_IOCSDEL");
static_assert(sizeof(void *) != 8 || ENGINE_USER_EVENTS_UNREG == 0x40082a02u, "DIAG_IOCSUNREG");

/*
 * The most that perf takes if the kernel does not report it (kernel_limit.h): its buffer for one
 * event's raw data holds 8192 bytes (PERF_MAX_TRACE_SIZE) in all that have this interface so far,
 * of which the common fields take 8. The kernel drops larger events and reports success.
 */
#define ENGINE_KERNEL_PAYLOAD_MAX_BYTES 8184u

#endif
