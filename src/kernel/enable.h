/* SPDX-License-Identifier: MIT */
/* Patterns of set_event. */
#ifndef KERNEL_ENABLE_H
#define KERNEL_ENABLE_H

#include <cairn/typed_tracepoint.h>

#include "core/slice.h"

struct kernel_pattern {
    struct cairn_slice system; /* "" and "*": all of them */
    struct cairn_slice name;
    struct cairn_slice either; /* the name of a system, or of an event */
    bool is_either;
};

/* Parses a pattern of set_event, without the "!". */
struct kernel_pattern kernel_pattern(struct cairn_slice text);

bool kernel_pattern_matches(const struct kernel_pattern *pattern,
                            const struct cairn_trace_event *event);

/* As cairn_trace_enable, but leaves the static keys to kernel_trace_enabled. */
int kernel_trace_enable(struct cairn_trace *trace, const struct kernel_pattern *pattern, bool on,
                        uint32_t *ret_count);

/* After one pattern or many: switches the static keys. Returns `err`, or the first error of a key.
 */
int kernel_trace_enabled(struct cairn_trace *trace, int err);

#endif
