/* SPDX-License-Identifier: MIT */
/*
 * A program that uses the files, and what the virtual tracefs needs from its transport: access to
 * the program's memory, and updates of enable bits. Each transport defines these functions once.
 */
#ifndef TRACEFS_PROGRAM_H
#define TRACEFS_PROGRAM_H

#include "os/memory.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/uio.h>

/* One address space. Each transport has its own struct. */
struct tracefs_program;

/* ---- memory: each returns 0 or EFAULT, if nothing else is said ---- */

/*
 * Copies the bytes of a write, part by part, at most size_bytes; *ret_size is the number of bytes.
 * Returns 0, also if some parts were not readable; EFAULT if none was, or the list itself is not;
 * EINVAL the list or a part is too long.
 */
int tracefs_memory_gather(void *to, size_t size_bytes, const struct iovec *parts, int count,
                          size_t *ret_size);

/* The program's memory. Reading: any thread, any signal handler. */
int tracefs_memory_read(const struct tracefs_program *program, void *to, uint64_t from,
                        size_t size_bytes);
int tracefs_memory_write(const struct tracefs_program *program, uint64_t to, const void *from,
                         size_t size_bytes);

/* Sets or clears a bit of a word of 4 or 8 bytes; other bits of the word stay as they are. */
int tracefs_memory_set_bit(const struct tracefs_program *program, uint64_t address,
                           uint32_t word_bytes, uint32_t bit, int value);

/* Under the engine's lock: events may have gained or lost listeners. Updates enable bits. */
void tracefs_transport_update(void);

/* ---- memory of this process ---- */

/* Copies parts of memory, one after another. Returns the number of bytes, at most size_bytes. */
static inline size_t tracefs_memory_copy_parts(uint8_t *to, size_t size_bytes,
                                               const struct iovec *parts, int count)
{
    size_t at = 0;

    for (int i = 0; i < count && at < size_bytes; i++) {
        size_t part = parts[i].iov_len < size_bytes - at ? parts[i].iov_len : size_bytes - at;

        memcpy(to + at, parts[i].iov_base, part);
        at += part;
    }
    return at;
}

/* Pages of zeros that are never released; NULL if there are none. */
static inline void *tracefs_memory_take(size_t size_bytes)
{
    void *memory;

    return os_memory_reserve(size_bytes, &memory) ? NULL : memory;
}

#endif
