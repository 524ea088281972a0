/* SPDX-License-Identifier: MIT */
/* Parsed directives, and the questions that the registry and spans ask them. */
#ifndef TRACING_DIRECTIVES_H
#define TRACING_DIRECTIVES_H

#include <cairn/tracing/directives.h>
#include <cairn/tracing/span.h>
#include <stdbool.h>

enum cairn_verdict {
    CAIRN_VERDICT_NO,
    CAIRN_VERDICT_IN_SOME_SPANS, /* depends on the span: ask for each event */
    CAIRN_VERDICT_YES,
};

/* NULL directives let everything through. */
enum cairn_verdict cairn_directives_judge(const struct cairn_directives *directives,
                                          const struct cairn_callsite *site);

/* The most verbose level that is let through in a span because of the span itself, not of its
 * ancestors; CAIRN_TRACING_OFF: none. */
uint8_t cairn_directives_level_in(const struct cairn_directives *directives,
                                  const struct cairn_span *span);

/* True if they depend on values of spans' fields; and true if they distinguish two values of a
 * field. */
bool cairn_directives_ask_values(const struct cairn_directives *directives);
bool cairn_directives_distinguish(const struct cairn_directives *directives,
                                  const struct cairn_callsite *site, uint32_t index,
                                  const struct cairn_tracing_value *a,
                                  const struct cairn_tracing_value *b);

#endif
