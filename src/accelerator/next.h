/* SPDX-License-Identifier: MIT */
/* The functions that ours stand in front of. */
#ifndef ACCELERATOR_NEXT_H
#define ACCELERATOR_NEXT_H

#include <dlfcn.h>

/* A function of this library that programs call instead of the C library's. */
#define ACCELERATOR_HOOK __attribute__((visibility("default")))

#define ACCELERATOR_NEXT_MEMBER(type, name, parameters) type(*name) parameters;
#define ACCELERATOR_NEXT_FIND(type, name, parameters) \
    *(void **)(&next.name) = dlsym(RTLD_NEXT, #name);

/*
 * Declares a file's table `next`, which is filled when the library is loaded: later another thread
 * may have the loader's lock while it waits for the caller. FUNCTIONS(F) is a list of
 * F(type, name, (parameters)).
 */
#define ACCELERATOR_NEXT_TABLE(FUNCTIONS)                         \
    static struct {                                               \
        FUNCTIONS(ACCELERATOR_NEXT_MEMBER)                        \
    } next;                                                       \
    static __attribute__((constructor(101))) void find_next(void) \
    {                                                             \
        FUNCTIONS(ACCELERATOR_NEXT_FIND)                          \
    }

/* The next function; a function of ours may be called before the table is filled. */
#define ACCELERATOR_NEXT(name)                                                                   \
    (__builtin_expect(!next.name, 0) ? (void)(*(void **)(&next.name) = dlsym(RTLD_NEXT, #name)), \
     next.name                       : next.name)

#endif
