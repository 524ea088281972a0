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

/* The least important level that is let through in a span because of the span itself, not of those
 * around; CAIRN_TRACING_OFF: none. */
uint8_t cairn_directives_level_in(const struct cairn_directives *directives,
                                  const struct cairn_span *span);

/* Whether they ask for values of spans' fields; and whether they tell two values of a field from
 * each other. */
bool cairn_directives_ask_values(const struct cairn_directives *directives);
bool cairn_directives_tell(const struct cairn_directives *directives,
                           const struct cairn_callsite *site, uint32_t index,
                           const struct cairn_tracing_value *a,
                           const struct cairn_tracing_value *b);

#endif
