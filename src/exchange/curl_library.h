/* SPDX-License-Identifier: MIT */
/*
 * libcurl, loaded when something is sent by HTTP: it needs thirty libraries, which would triple the
 * time in which each command starts.
 */
#ifndef EXCHANGE_CURL_LIBRARY_H
#define EXCHANGE_CURL_LIBRARY_H

#include <curl/curl.h>

#undef curl_easy_getinfo
#undef curl_easy_setopt

#define EXCHANGE_CURL_FUNCTIONS(FUNCTION) \
    FUNCTION(curl_easy_cleanup)           \
    FUNCTION(curl_easy_getinfo)           \
    FUNCTION(curl_easy_init)              \
    FUNCTION(curl_easy_perform)           \
    FUNCTION(curl_easy_setopt)            \
    FUNCTION(curl_easy_strerror)          \
    FUNCTION(curl_easy_unescape)          \
    FUNCTION(curl_free)                   \
    FUNCTION(curl_slist_append)           \
    FUNCTION(curl_slist_free_all)

#define EXCHANGE_CURL_MEMBER(name) __typeof__(&(name)) name;

struct exchange_curl {
    EXCHANGE_CURL_FUNCTIONS(EXCHANGE_CURL_MEMBER)
};

#undef EXCHANGE_CURL_MEMBER

/* NULL: libcurl is not installed. It stays loaded. Any thread. */
const struct exchange_curl *exchange_curl_library(void);

#endif
