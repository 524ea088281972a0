/* SPDX-License-Identifier: MIT */
/* The spans that a span follows from: stored until it ends, for layers that report them then. */
#include "core/atomic.h"
#include "tracing/span.h"

#include <stdlib.h>
#include <string.h>

static bool is_of(const struct tracing_span_link *link, const struct cairn_trace_context *cause)
{
    return !memcmp(link->span_id, cause->span_id, sizeof(link->span_id)) &&
           !memcmp(link->trace_id, cause->trace_id, sizeof(link->trace_id));
}

static bool has_link(const struct cairn_span *span, const struct cairn_trace_context *cause)
{
    /* Pairs with push. */
    const struct tracing_span_link *link = core_load_acquire(&span->links);

    while (link && !is_of(link, cause))
        link = link->next;
    return link;
}

static void push(struct cairn_span *span, struct tracing_span_link *link)
{
    link->next = core_load_relaxed(&span->links);
    while (!core_compare_exchange_release(&span->links, &link->next, link))
        ;
}

bool tracing_span_link(struct cairn_span *span, const struct cairn_span *cause)
{
    struct tracing_span_link *link;

    if (has_link(span, &cause->context))
        return true;
    link = core_fetch_add_relaxed(&span->link_count, 1) < TRACING_SPAN_LINKS_MAX
               ? malloc(sizeof(*link))
               : NULL;
    if (!link) {
        core_fetch_sub_relaxed(&span->link_count, 1);
        core_fetch_add_relaxed(&span->links_left_out, 1);
        return false;
    }
    memcpy(link->trace_id, cause->context.trace_id, sizeof(link->trace_id));
    memcpy(link->span_id, cause->context.span_id, sizeof(link->span_id));
    push(span, link);
    return true;
}

void tracing_span_free_links(struct cairn_span *span)
{
    while (span->links) {
        struct tracing_span_link *link = span->links;

        span->links = link->next;
        free(link);
    }
}

uint32_t tracing_span_links(const struct cairn_span *span,
                            const struct tracing_span_link *ret_links[TRACING_SPAN_LINKS_MAX])
{
    const struct tracing_span_link *link = core_load_acquire(&span->links);
    uint32_t count = 0;

    for (; link && count < TRACING_SPAN_LINKS_MAX; link = link->next)
        ret_links[count++] = link;
    for (uint32_t i = 0; i < count / 2; i++) {
        const struct tracing_span_link *newer = ret_links[i];

        ret_links[i] = ret_links[count - 1 - i];
        ret_links[count - 1 - i] = newer;
    }
    return count;
}
