/* SPDX-License-Identifier: MIT */
/* Copies of a few bytes without a call, which would take longer than the copy. */
#ifndef CORE_COPY_H
#define CORE_COPY_H

#include <stddef.h>
#include <stdint.h>

static inline void core_copy_8(uint8_t *to, const uint8_t *from, size_t bytes)
{
    uint64_t first;
    uint64_t last;

    __builtin_memcpy(&first, from, sizeof(first));
    __builtin_memcpy(&last, from + bytes - sizeof(last), sizeof(last));
    __builtin_memcpy(to, &first, sizeof(first));
    __builtin_memcpy(to + bytes - sizeof(last), &last, sizeof(last));
}

static inline void core_copy_4(uint8_t *to, const uint8_t *from, size_t bytes)
{
    uint32_t first;
    uint32_t last;

    __builtin_memcpy(&first, from, sizeof(first));
    __builtin_memcpy(&last, from + bytes - sizeof(last), sizeof(last));
    __builtin_memcpy(to, &first, sizeof(first));
    __builtin_memcpy(to + bytes - sizeof(last), &last, sizeof(last));
}

/* Copies 0 to 16 bytes: the second part of them overlaps the first. */
static inline void core_copy_short(void *to, const void *from, size_t bytes)
{
    uint8_t *target = (uint8_t *)to;
    const uint8_t *source = (const uint8_t *)from;

    if (bytes >= 8) {
        core_copy_8(target, source, bytes);
    } else if (bytes >= 4) {
        core_copy_4(target, source, bytes);
    } else if (bytes) {
        target[0] = source[0];
        target[bytes / 2] = source[bytes / 2];
        target[bytes - 1] = source[bytes - 1];
    }
}

#endif
