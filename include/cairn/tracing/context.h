/* SPDX-License-Identifier: MIT */
/* W3C trace context: identifies a span among the spans of many programs. */
#ifndef CAIRN_TRACING_CONTEXT_H
#define CAIRN_TRACING_CONTEXT_H

#include <cairn/api.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cairn_trace_context {
    uint8_t trace_id[16]; /* of the whole trace; not all zeros */
    uint8_t span_id[8];   /* of one span in it; not all zeros */
    uint8_t flags;        /* CAIRN_TRACE_SAMPLED */
};

#define CAIRN_TRACE_SAMPLED 0x01u

/* "00-" trace "-" span "-" flags, and the NUL. */
#define CAIRN_TRACEPARENT_BYTES 56u

/*
 * Parses the text of a `traceparent` header; NULL: there was none. A version above 00 may have more
 * text after the flags, which is ignored.
 *
 * Returns 0; EINVAL it is invalid: NULL, another length, upper-case digits, version ff, ids of
 * zeros. Any thread, any signal handler.
 */
CAIRN_API int cairn_trace_context_parse(const char *text, struct cairn_trace_context *ret_context);

/* Formats such a text, in version 00. Any thread, any signal handler. */
CAIRN_API void cairn_trace_context_format(const struct cairn_trace_context *context,
                                          char ret_text[CAIRN_TRACEPARENT_BYTES]);

#ifdef __cplusplus
}
#endif

#endif
