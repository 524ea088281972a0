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
 * A value is compared with a number as a number, else with the value's text, whole.
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

/* NULL is accepted. */
CAIRN_API void cairn_directives_free(struct cairn_directives *directives);

#ifdef __cplusplus
}
#endif

#endif
