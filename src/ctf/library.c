/* SPDX-License-Identifier: MIT */
/* Loading of libbabeltrace2. */
#include "ctf/library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

static struct ctf_library library;
static const struct ctf_library *loaded;

static void load(void)
{
    void *handle = dlopen("libbabeltrace2.so.0", RTLD_NOW | RTLD_LOCAL);

    if (!handle)
        return;
#define FIND(name)                                                         \
    library.name = (__typeof__(library.name))(void *)dlsym(handle, #name); \
    if (!library.name)                                                     \
        return;
    CTF_LIBRARY_FUNCTIONS(FIND)
#undef FIND
    loaded = &library;
}

const struct ctf_library *ctf_library(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, load);
    return loaded;
}
