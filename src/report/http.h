/* SPDX-License-Identifier: MIT */
/* Requests of HTTP/1.1, as far as the server of a page needs them. */
#ifndef REPORT_HTTP_H
#define REPORT_HTTP_H

#include <cairn/schema.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct report_http_request {
    struct cairn_slice method;
    struct cairn_slice path; /* as it was sent; without a query */
    struct cairn_slice host;
    bool has_range; /* of bytes, the members below */
    uint64_t range_begin;
    uint64_t range_end; /* the last byte's; UINT64_MAX: to the end */
    bool closes;        /* no further request comes on this connection */
    bool has_body;      /* which the server does not read */
    size_t size_bytes;  /* of the head */
};

/*
 * Parses the head of a request. Slices refer to the text.
 *
 * Returns 0; EAGAIN it is not complete; EBADMSG it is malformed.
 */
int report_http_parse(const char *text, size_t size_bytes, struct report_http_request *ret_request);

#endif
