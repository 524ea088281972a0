/* SPDX-License-Identifier: MIT */
/*
 * The program's memory as the kernel looks at it: what is not there is EFAULT, and no signal. The
 * kernel itself does the copying and the setting of bits for us.
 */
#ifndef PRELOAD_MEMORY_H
#define PRELOAD_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

/* Each returns 0 or EFAULT, if nothing else is said. Any thread, any signal handler. */
int cairn_memory_read(void *to, uint64_t from, size_t size_bytes);
int cairn_memory_write(uint64_t to, const void *from, size_t size_bytes);

/*
 * The pieces one behind the other, at most size_bytes; in *ret_size how many bytes there were.
 * Returns 0, also when some were not there; EFAULT none was, or the list itself is not; EINVAL it
 * is too long, or a piece of it.
 */
int cairn_memory_gather(void *to, size_t size_bytes, const struct iovec *parts, int count,
                        size_t *ret_size);

/* A text with its NUL. Returns 0; EFAULT; EINVAL it is longer. */
int cairn_memory_read_text(char *to, size_t size_bytes, uint64_t from);

/* Sets or clears a bit of a word of 4 or 8 bytes, atomically. Returns 0 or EFAULT. */
int cairn_memory_set_bit(uint64_t address, uint32_t word_bytes, uint32_t bit, int value);

/* Pages of zeros that are never given back; NULL when there are none. */
void *cairn_memory_take(size_t size_bytes);

#endif
