/* SPDX-License-Identifier: MIT */
/* Parsed directives, and the questions that the registry and spans ask them. */
#ifndef TRACING_DIRECTIVES_H
#define TRACING_DIRECTIVES_H

#include <cairn/tracing/directives.h>
#include <cairn/tracing/span.h>
#include <stdbool.h>

enum tracing_verdict {
    TRACING_VERDICT_NO,
    TRACING_VERDICT_IN_SOME_SPANS, /* depends on the span: ask for each event */
    TRACING_VERDICT_YES,
};

/* NULL directives let everything through. */
enum tracing_verdict tracing_directives_judge(const struct cairn_directives *directives,
                                              const struct cairn_callsite *site);

/* The most verbose level that is let through in a span because of the span itself, not of its
 * ancestors; CAIRN_TRACING_OFF: none. */
uint8_t tracing_directives_level_in(const struct cairn_directives *directives,
                                    const struct cairn_span *span);

/* True if they depend on values of spans' fields; and true if they distinguish two values of a
 * field. */
bool tracing_directives_ask_values(const struct cairn_directives *directives);
bool tracing_directives_distinguish(const struct cairn_directives *directives,
                                    const struct cairn_callsite *site, uint32_t index,
                                    const struct cairn_tracing_value *a,
                                    const struct cairn_tracing_value *b);

#endif
