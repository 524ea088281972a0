/* SPDX-License-Identifier: MIT */
/* The functions that a program would have called without this library. */
#ifndef LIBC_REAL_H
#define LIBC_REAL_H

#include "core/atomic.h"

/* Finds the next function of a name after this library's. With a version that one, where the C
 * library has it: a name may have an older version, too, which dlsym would find. Does not return
 * without one. */
void *libc_find(const char *name, const char *version);

/* The function, found at its first call. `type` is the type of the pointer. */
#define LIBC_REAL_VERSION(type, name, version)    \
    ({                                            \
        static void *real_;                       \
        void *found_ = core_load_relaxed(&real_); \
        if (__builtin_expect(!found_, 0)) {       \
            found_ = libc_find(name, version);    \
            core_store_relaxed(&real_, found_);   \
        }                                         \
        (type) found_;                            \
    })
#define LIBC_REAL(type, name) LIBC_REAL_VERSION(type, name, (const char *)0)

#endif
