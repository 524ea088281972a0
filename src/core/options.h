/* SPDX-License-Identifier: MIT */
/*
 * Structs of programs that were compiled with headers of another version. Each public struct of
 * options has its size as its first member, and members are added at its end only. What macros
 * leave in a program has a version.
 */
#ifndef CORE_OPTIONS_H
#define CORE_OPTIONS_H

#include "core/errno.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* True for a version that a library serves whose newest one is `newest`. */
static inline bool core_version_is_known(uint32_t version, uint32_t newest)
{
    return version != 0 && version <= newest;
}

/* A larger struct is not one of any version: its size was not initialized. */
#define CORE_OPTIONS_MAX_BYTES 4096u

/* The size of a struct up to a member, which is the last one of the struct's first version. */
#define CORE_OPTIONS_BYTES_TO(type, member) (offsetof(type, member) + sizeof(((type *)0)->member))

static inline bool core_options_are_zero(const uint8_t *bytes, size_t size_bytes)
{
    for (size_t i = 0; i < size_bytes; i++) {
        if (bytes[i])
            return false;
    }
    return true;
}

/*
 * Copies options as the kernel's copy_struct_from_user() does. Members that the caller's version
 * lacks keep their defaults.
 *
 * options      begins with its size, a size_t; NULL: all defaults
 * first_bytes  size of the first version of the struct; a size of 0 means this one
 * size_bytes   size of this version
 * ret_options  has the defaults; changed on success only
 *
 * Returns 0; EINVAL the size is less than that of the first version, and not 0; E2BIG members that
 * this version lacks are not zero, or the size is that of no version.
 */
static inline int core_options_copy(const void *options, size_t first_bytes, size_t size_bytes,
                                    void *ret_options)
{
    size_t given_bytes;

    if (!options)
        return 0;
    __builtin_memcpy(&given_bytes, options, sizeof(given_bytes));
    if (!given_bytes)
        given_bytes = first_bytes;
    if (given_bytes < first_bytes)
        return EINVAL;
    if (given_bytes > CORE_OPTIONS_MAX_BYTES)
        return E2BIG;
    if (given_bytes > size_bytes &&
        !core_options_are_zero((const uint8_t *)options + size_bytes, given_bytes - size_bytes))
        return E2BIG;
    __builtin_memcpy(ret_options, options, given_bytes < size_bytes ? given_bytes : size_bytes);
    __builtin_memcpy(ret_options, &size_bytes, sizeof(size_bytes));
    return 0;
}

#endif
