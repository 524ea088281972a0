/* SPDX-License-Identifier: MIT */
/*
 * An ioctl of user_events_data, which the kernel does not have. With it a program under a mount
 * finds the events of its write indexes, so that it can write them itself (accelerator).
 */
#ifndef TRACEFS_ACCELERATE_H
#define TRACEFS_ACCELERATE_H

#include <stdint.h>
#include <sys/ioctl.h>

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
