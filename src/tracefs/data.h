/* SPDX-License-Identifier: MIT */
/*
 * user_events_data: registering by ioctl in each of its layouts (data_ioctl.c), and events from
 * bytes that were written (data_write.c). The functions return 0 or the kernel's errno code for the
 * same mistake.
 */
#ifndef TRACEFS_DATA_H
#define TRACEFS_DATA_H

#include "tracefs/data_references.h"
#include "tracefs/program.h"

/* The program that calls, and the opening. */
struct tracefs_data_caller {
    const struct tracefs_program *program;
    struct tracefs_data *data;
};

/* Under the engine's lock. Returns ENOTTY also for a request that is not of this file. */
int tracefs_data_ioctl(const struct tracefs_data_caller *caller, unsigned long request,
                       uint64_t argument);

/* The largest write: an index and a payload. */
#define TRACEFS_DATA_MAX_BYTES (sizeof(int32_t) + CAIRN_PAYLOAD_MAX_BYTES)

/* The write index that bytes begin with; `size_bytes` of what was written are readable. Returns 0;
 * EFAULT; EINVAL. This function and the next: without the lock; any thread, any signal handler. */
int tracefs_data_index(const uint8_t *bytes, size_t size_bytes, uint32_t *ret_index);

/*
 * Writes an event. `bytes` are the first `gathered` of size_bytes, at most TRACEFS_DATA_MAX_BYTES:
 * fewer if the rest was not readable. `reference` is that of the index, or NULL. An event that is
 * lost because there is no space is counted, and this returns 0, as the kernel does.
 */
int tracefs_data_write_event(const struct tracefs_reference *reference, const uint8_t *bytes,
                             size_t gathered, size_t size_bytes);

#endif
