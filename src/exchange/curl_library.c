/* SPDX-License-Identifier: MIT */
/* Loading of libcurl. */
#include "exchange/curl_library.h"

#include "os/library.h"

#include <pthread.h>

static struct exchange_curl library;
static const struct exchange_curl *loaded;

#define NAME(name) #name,
static const char *const names[] = {EXCHANGE_CURL_FUNCTIONS(NAME)};
#undef NAME

/* Debian builds libcurl with one of two libraries for TLS. */
static const char *const files[] = {"libcurl.so.4", "libcurl-gnutls.so.4", NULL};

static void load(void)
{
    if (os_library_load(files, names, sizeof(names) / sizeof(*names), &library))
        loaded = &library;
}

const struct exchange_curl *exchange_curl_library(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, load);
    return loaded;
}
