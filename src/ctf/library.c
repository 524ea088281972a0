/* SPDX-License-Identifier: MIT */
/* Loading of libbabeltrace2. */
#include "ctf/library.h"

#include "os/library.h"

#include <pthread.h>

static struct ctf_library library;
static const struct ctf_library *loaded;

#define NAME(name) #name,
static const char *const names[] = {CTF_LIBRARY_FUNCTIONS(NAME)};
#undef NAME

static const char *const files[] = {"libbabeltrace2.so.0", NULL};

static void load(void)
{
    if (os_library_load(files, names, sizeof(names) / sizeof(*names), &library))
        loaded = &library;
}

const struct ctf_library *ctf_library(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, load);
    return loaded;
}
