/* SPDX-License-Identifier: MIT */
/*
 * Filters as text, the way users of env_logger and tracing write them:
 *
 *   info                       what is at least as important as INFO
 *   net=debug                  in targets that begin with net, such as net::conn: DEBUG
 *   net, net=                  all of these targets
 *   off, net=off               nothing
 *   [request]=trace            in spans named request, and these spans: TRACE
 *   [request{id=7}]=trace      ... that have a field id whose value is 7
 *   [{id}]=trace               ... in spans of any name that have a field id; and events that have
 *                              one themselves
 *   net[request{path="/a,b"}]=debug   in spans of target net; a value in quotes may have , } ]
 *
 * with commas between. Levels are off, error, warn, info, debug, trace, or 0 to 5, in letters of
 * either case; without one all levels. Of the directives that fit a place by its target and the
 * names of its fields, the one of the longest target decides, then of the most fields, then the
 * last. The spans around can only let more through. What fits none is left out.
 *
 * A value is compared with a number as a number (+8 and 8.0 are 8), with counted bytes as their
 * hexadecimal digits, else with the value's text, whole.
 */
#ifndef CAIRN_TRACING_DIRECTIVES_H
#define CAIRN_TRACING_DIRECTIVES_H

#include <cairn/api.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cairn_directives;

struct cairn_directives_error {
    size_t at;          /* byte of the text */
    const char *reason; /* static */
};

/*
 * Reads directives. An empty text lets nothing through.
 *
 * ret_error  where and why, on EINVAL; may be NULL
 *
 * Returns 0; EINVAL the text is wrong, or NULL; ENOMEM. Any thread; not in signal handlers.
 */
CAIRN_API int cairn_directives_parse(const char *text, struct cairn_directives **ret_directives,
                                     struct cairn_directives_error *ret_error);

/* A directive that is wrong, or fits nothing. */
struct cairn_directives_warning {
    size_t directive_at;    /* byte of the text */
    size_t directive_bytes; /* without the spaces around it */
    size_t at;              /* byte of the text: what is wrong */
    const char *reason;     /* static */
};

typedef void (*cairn_directives_warn)(void *arg, const struct cairn_directives_warning *warning);

/*
 * Reads directives like cairn_directives_parse, but leaves out those that are wrong and takes the
 * others. What is left out ends at the next comma that is not in brackets or quotes; if these do
 * not end, at the next comma.
 *
 * warn  called for each directive that is left out; may be NULL
 *
 * Returns 0; EINVAL the text is NULL; ENOMEM. Any thread; not in signal handlers.
 */
CAIRN_API int cairn_directives_parse_lossy(const char *text,
                                           struct cairn_directives **ret_directives,
                                           cairn_directives_warn warn, void *arg);

/*
 * Calls `warn` for each directive that fits no call site known now. A misspelt level, such as
 * `inof`, is the name of a target, and so is `info debug`, which lacks a comma. Libraries that are
 * loaded later and cairn_tracing_log may still bring call sites that such a directive fits.
 *
 * Returns 0; ENOMEM; EDEADLK called in a layer's callback. Any thread; not in signal handlers.
 */
CAIRN_API int cairn_directives_check(const struct cairn_directives *directives,
                                     cairn_directives_warn warn, void *arg);

/* NULL is accepted. */
CAIRN_API void cairn_directives_destroy(struct cairn_directives *directives);

#ifdef __cplusplus
}
#endif

#endif
