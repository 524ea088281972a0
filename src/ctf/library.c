/* SPDX-License-Identifier: MIT */
/* Loading of libbabeltrace2. */
#include "ctf/library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

static struct ctf_library library;
static const struct ctf_library *loaded;

#define NAME(name) #name,
static const char *const names[] = {CTF_LIBRARY_FUNCTIONS(NAME)};
#undef NAME

static void load(void)
{
    void *handle = dlopen("libbabeltrace2.so.0", RTLD_NOW | RTLD_LOCAL);

    for (size_t n = 0; n < sizeof(names) / sizeof(*names); n++) {
        void *function = handle ? dlsym(handle, names[n]) : NULL;

        if (!function)
            return;
        /* The members are in the order of the names, and each has the size of a pointer. */
        memcpy((char *)&library + n * sizeof(function), &function, sizeof(function));
    }
    loaded = &library;
}

const struct ctf_library *ctf_library(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, load);
    return loaded;
}
