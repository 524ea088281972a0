/* SPDX-License-Identifier: MIT */
/* Enabling and disabling events: one, or all that match a pattern of set_event. */
#include "kernel/enable.h"

#include "core/atomic.h"
#include "kernel/event_state.h"
#include "kernel/section.h"

int cairn_trace_event_enable(struct cairn_trace_event *event, bool on)
{
    const struct kernel_change change = {.record = &on};

    int err = event->trace ? kernel_trace_change(event, &change) : ENODEV;

    return err ? err : kernel_trace_apply_one(event);
}

bool cairn_trace_event_is_enabled(const struct cairn_trace_event *event)
{
    const struct cairn_trace_state *state;
    struct kernel_section section;
    bool enabled;

    if (!event->trace)
        return false;
    kernel_section_enter(event->trace, &section);
    state = core_load_acquire(&event->state);
    enabled = state && state->record;
    kernel_section_leave(&section);
    return enabled;
}

struct kernel_pattern kernel_pattern(struct cairn_slice text)
{
    struct kernel_pattern pattern = {0};
    uint32_t colon = core_slice_find(text, ':');

    if (colon == text.length) {
        pattern.either = text;
        pattern.is_either = true;
        return pattern;
    }
    pattern.system = core_slice_first(text, colon);
    pattern.name = core_slice_after(text, colon + 1);
    return pattern;
}

/* An empty part matches everything, like "*". */
static bool part_matches(struct cairn_slice part, struct cairn_slice text)
{
    return !part.length || core_slice_is(part, "*") || core_slice_equal(part, text);
}

bool kernel_pattern_matches(const struct kernel_pattern *pattern,
                            const struct cairn_trace_event *event)
{
    struct cairn_slice system = core_slice_of(event->system);
    struct cairn_slice name = core_slice_of(event->name);

    if (pattern->is_either)
        return core_slice_equal(pattern->either, name) || core_slice_equal(pattern->either, system);
    return part_matches(pattern->system, system) && part_matches(pattern->name, name);
}

int kernel_trace_enable(struct cairn_trace *trace, const struct kernel_pattern *pattern, bool on,
                        uint32_t *ret_count)
{
    const struct kernel_change change = {.record = &on};
    struct cairn_trace_event *event = NULL;
    uint32_t count = 0;
    int first_err = 0;

    while ((event = cairn_trace_next(trace, event))) {
        int err;

        if (!kernel_pattern_matches(pattern, event))
            continue;
        count++;
        err = kernel_trace_change(event, &change);
        if (!first_err)
            first_err = err;
    }
    if (ret_count)
        *ret_count = count;
    return count ? first_err : EINVAL;
}

int kernel_trace_enabled(struct cairn_trace *trace, int err)
{
    int key_err = kernel_trace_apply(trace);

    return err ? err : key_err;
}

int cairn_trace_enable(struct cairn_trace *trace, const char *pattern, bool on, uint32_t *ret_count)
{
    struct cairn_slice text = core_slice_of(pattern);
    struct kernel_pattern parsed;

    if (core_slice_take(&text, "!"))
        on = !on;
    parsed = kernel_pattern(text);
    return kernel_trace_enabled(trace, kernel_trace_enable(trace, &parsed, on, ret_count));
}
