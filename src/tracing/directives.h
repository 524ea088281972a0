/* SPDX-License-Identifier: MIT */
#ifndef TRACING_DIRECTIVES_H
#define TRACING_DIRECTIVES_H

#include <cairn/tracing/directives.h>
#include <cairn/tracing/span.h>
#include <stdbool.h>

enum cairn_verdict {
    CAIRN_VERDICT_NO,
    CAIRN_VERDICT_IN_SOME_SPANS, /* ask again each time */
    CAIRN_VERDICT_YES,
};

/* NULL directives let everything through. */
enum cairn_verdict cairn_directives_judge(const struct cairn_directives *directives,
                                          const struct cairn_callsite *site);

/* Of a site in some spans: whether it is let through in `span`, which may be NULL. */
bool cairn_directives_match(const struct cairn_directives *directives,
                            const struct cairn_callsite *site, const struct cairn_span *span);

#endif
