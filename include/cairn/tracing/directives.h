/* SPDX-License-Identifier: MIT */
/*
 * Filters as text, in the language of env_logger and tracing:
 *
 *   info                       everything of level INFO or more severe
 *   net=debug                  in targets that begin with net, such as net::conn: DEBUG
 *   net, net=                  everything of these targets
 *   off, net=off               nothing
 *   [request]=trace            in spans named request, and these spans: TRACE
 *   [request{id=7}]=trace      ... with a field id whose value is 7
 *   [{id}]=trace               ... in spans of any name with a field id; and events that have such
 *                              a field themselves
 *   net[request{path="/a,b"}]=debug   in spans of target net; a value in quotes may have , } ]
 *
 * separated by commas. Levels are off, error, warn, info, debug, trace, or 0 to 5, in upper or
 * lower case; without a level, all levels pass. Of the directives that match the target of a call
 * site and the names of its fields, the one with the longest target is used, then the one with the
 * most fields, then the last one. Enclosing spans can only let more through. Everything that
 * matches none is dropped.
 *
 * A value is compared with a number as a number (+8 and 8.0 are 8), with counted bytes as their
 * hexadecimal digits, otherwise with the whole text of the value.
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
    size_t at;          /* offset in the text */
    const char *reason; /* static */
};

/*
 * Parses directives. An empty text lets nothing through.
 *
 * ret_error  the position and the reason, on EINVAL; may be NULL
 *
 * Returns 0; EINVAL the text is invalid, or NULL; ENOMEM. Any thread; not in signal handlers.
 */
CAIRN_API int cairn_directives_parse(const char *text, struct cairn_directives **ret_directives,
                                     struct cairn_directives_error *ret_error);

/* A directive that is invalid, or matches nothing. */
struct cairn_directives_warning {
    size_t directive_at;    /* offset in the text */
    size_t directive_bytes; /* without the spaces around it */
    size_t at;              /* offset of the error in the text */
    const char *reason;     /* static */
};

typedef void (*cairn_directives_warn)(void *arg, const struct cairn_directives_warning *warning);

/*
 * Parses directives as cairn_directives_parse does, but ignores invalid ones and uses the others.
 * An invalid directive ends at the next comma that is not in brackets or quotes; if these are not
 * closed, at the next comma.
 *
 * warn  called for each directive that is ignored; may be NULL
 *
 * Returns 0; EINVAL the text is NULL; ENOMEM. Any thread; not in signal handlers.
 */
CAIRN_API int cairn_directives_parse_lossy(const char *text,
                                           struct cairn_directives **ret_directives,
                                           cairn_directives_warn warn, void *arg);

/*
 * Calls `warn` for each directive that matches no call site known so far. A misspelt level, such as
 * `inof`, is the name of a target, and so is `info debug`, which lacks a comma. Libraries that are
 * loaded later and cairn_tracing_log may still add call sites that such a directive matches.
 *
 * Returns 0; ENOMEM; EDEADLK called in a layer's callback. Any thread; not in signal handlers.
 */
CAIRN_API int cairn_directives_check(const struct cairn_directives *directives,
                                     cairn_directives_warn warn, void *arg);

/* Accepts NULL. */
CAIRN_API void cairn_directives_destroy(struct cairn_directives *directives);

#ifdef __cplusplus
}
#endif

#endif
