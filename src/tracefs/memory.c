/* SPDX-License-Identifier: MIT */
/* Reads the program's memory; allocates pages. */
#include "tracefs/program.h"
#include "os/memory.h"

#include <errno.h>
#include <string.h>

#define PAGE_BYTES ((uint64_t)4096)

/* Page by page: the text may end just before memory that is not mapped. */
int tracefs_memory_read_text(const struct tracefs_program *program, char *to, size_t size_bytes,
                             uint64_t from)
{
    size_t at = 0;

    while (at < size_bytes) {
        size_t part = (size_t)(PAGE_BYTES - (from + at) % PAGE_BYTES);

        if (part > size_bytes - at)
            part = size_bytes - at;
        if (tracefs_memory_read(program, to + at, from + at, part))
            return EFAULT;
        if (memchr(to + at, 0, part))
            return 0;
        at += part;
    }
    return EINVAL;
}

size_t tracefs_memory_copy_parts(uint8_t *to, size_t size_bytes, const struct iovec *parts,
                                 int count)
{
    size_t at = 0;

    for (int i = 0; i < count && at < size_bytes; i++) {
        size_t part = parts[i].iov_len < size_bytes - at ? parts[i].iov_len : size_bytes - at;

        memcpy(to + at, parts[i].iov_base, part);
        at += part;
    }
    return at;
}

void *tracefs_memory_take(size_t size_bytes)
{
    void *memory;

    return os_memory_reserve(size_bytes, &memory) ? NULL : memory;
}
