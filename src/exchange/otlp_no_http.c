/* SPDX-License-Identifier: MIT */
/* Requests by HTTP, in a build without libcurl. */
#include "exchange/otlp.h"

#include <errno.h>

int exchange_otlp_http_open(const char *url, bool is_json, struct exchange_otlp_http **ret_http)
{
    (void)url;
    (void)is_json;
    (void)ret_http;
    return EOPNOTSUPP;
}

void exchange_otlp_http_close(struct exchange_otlp_http *http)
{
    (void)http;
}

int exchange_otlp_http_send(struct exchange_otlp_http *http, enum exchange_otlp_kind kind,
                            const void *body, size_t size_bytes,
                            struct exchange_otlp_result *ret_result)
{
    (void)http;
    (void)kind;
    (void)body;
    (void)size_bytes;
    (void)ret_result;
    return EOPNOTSUPP;
}
