/* SPDX-License-Identifier: MIT */
/*
 * A program that uses the files, and what the virtual tracefs needs from its transport: access to
 * the program's memory, and notifications. Each transport defines these functions once.
 */
#ifndef TRACEFS_PROGRAM_H
#define TRACEFS_PROGRAM_H

#include "tracefs/data_uses.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

/* How a program reads the status page. */
enum tracefs_status_layout {
    TRACEFS_LAYOUT_UNKNOWN = 0,
    TRACEFS_LAYOUT_BYTES,
    TRACEFS_LAYOUT_BITS,
};

/* One address space. A transport may extend the struct. */
struct tracefs_program {
    enum tracefs_status_layout layout;
};

/* ---- the program's memory: each returns 0 or EFAULT, if nothing else is said ---- */

/*
 * Copies the parts, one after another, at most size_bytes; *ret_size is the number of bytes.
 * Returns 0, also if some parts were not readable; EFAULT if none was, or the list itself is not;
 * EINVAL the list or a part is too long.
 */
int tracefs_memory_gather(const struct tracefs_program *program, void *to, size_t size_bytes,
                          const struct iovec *parts, int count, size_t *ret_size);

int tracefs_memory_write(const struct tracefs_program *program, uint64_t to, const void *from,
                         size_t size_bytes);

/* Sets or clears a bit of a word of 4 or 8 bytes; other bits of the word stay as they are. */
int tracefs_memory_set_bit(const struct tracefs_program *program, uint64_t address,
                           uint32_t word_bytes, uint32_t bit, int value);

/* ---- notifications, under the engine's lock ---- */

/*
 * Adds a use to an opening of user_events_data, or releases it if the opening has the event. `fd`
 * is as in struct tracefs_data_caller. Returns 0; EMFILE no more indexes; or an errno code.
 */
int tracefs_transport_add_use(struct tracefs_data *data, int fd, struct tracefs_use *use,
                              uint32_t flags, enum tracefs_data_position position,
                              uint32_t *ret_index);

/* From now on the program's mapped status page has bits. Returns 0 or an errno code. */
int tracefs_transport_begin_bits(struct tracefs_program *program);

/* The program has registered: enable bits or status bits must be updated from now on. */
void tracefs_transport_follow(struct tracefs_program *program);

/* Events may have gained or lost listeners: updates enable bits and status bits. */
void tracefs_transport_update(void);

#endif
