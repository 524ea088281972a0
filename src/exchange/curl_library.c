/* SPDX-License-Identifier: MIT */
/* Loading of libcurl. */
#include "exchange/curl_library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

static struct exchange_curl library;
static const struct exchange_curl *loaded;

/* Debian builds libcurl with one of two libraries for TLS. */
static const char *const names[] = {"libcurl.so.4", "libcurl-gnutls.so.4"};

static void load(void)
{
    void *handle = NULL;

    for (size_t i = 0; !handle && i < sizeof(names) / sizeof(*names); i++)
        handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return;
#define FIND(name)                                                         \
    library.name = (__typeof__(library.name))(void *)dlsym(handle, #name); \
    if (!library.name)                                                     \
        return;
    EXCHANGE_CURL_FUNCTIONS(FIND)
#undef FIND
    loaded = &library;
}

const struct exchange_curl *exchange_curl_library(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, load);
    return loaded;
}
