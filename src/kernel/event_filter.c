/* SPDX-License-Identifier: MIT */
/* Setting filters of events, as writes to `filter` files do. */
#include "kernel/event_filter.h"

#include "kernel/event_state.h"
#include "kernel/recent_errors.h"

#include <cairn/kernel/trace_buffer.h>

static int replace(struct cairn_trace_event *event, const struct kernel_filter_change *filter)
{
    const struct kernel_change change = {.filter = filter};

    return kernel_trace_change(event, &change);
}

/* Removes the event's filter and stores the error, for the `filter` file. */
static int refuse(struct cairn_trace_event *event, const char *text, size_t length,
                  const struct cairn_filter_error *error)
{
    /* The text, a line with the caret below it, the reason. */
    size_t size_bytes = 2 * length + 256;
    struct kernel_filter_change change = {0};
    char *shown = kernel_trace_allocate(event->trace, size_bytes);
    size_t shown_length;
    int err;

    if (!shown)
        return ENOMEM;
    err = cairn_filter_write_error(text, length, error, shown, size_bytes, &shown_length);
    if (!err) {
        change.shown = shown;
        change.shown_length = (uint32_t)shown_length;
        err = replace(event, &change);
    }
    kernel_trace_discard(event->trace, shown);
    if (err)
        return err;
    kernel_error_note(event->trace, text, length, error);
    return EINVAL;
}

static int compile(const struct cairn_trace_event *event, const char *text, size_t length,
                   void *memory, size_t size_bytes, struct cairn_filter_error *ret_error,
                   const struct cairn_filter **ret_filter)
{
    const struct cairn_trace_buffer *buffer = event->trace->buffer;
    struct cairn_filter *filter;
    int err =
        cairn_filter_compile_for_cpus(&event->event_class->schema, buffer ? buffer->cpu_count : 0,
                                      text, length, memory, size_bytes, &filter, ret_error);

    if (!err)
        *ret_filter = filter;
    return err;
}

int kernel_filter_set(struct cairn_trace_event *event, const char *text, size_t length,
                      const struct cairn_filter_error *shown, struct cairn_filter_error *ret_error)
{
    struct kernel_filter_change change = {0};
    struct cairn_filter_error error = {0};
    size_t size_bytes = cairn_filter_memory_bytes(length);
    void *memory;
    int err;

    if (cairn_filter_text_clears(text, length))
        return replace(event, &change);
    if (length >= CAIRN_FILTER_TEXT_MAX_BYTES)
        return E2BIG;
    memory = kernel_trace_allocate(event->trace, size_bytes);
    if (!memory)
        return ENOMEM;
    err = compile(event, text, length, memory, size_bytes, &error, &change.filter);
    if (!err)
        err = replace(event, &change);
    else if (err == EINVAL)
        err = refuse(event, text, length, shown ? shown : &error);
    kernel_trace_discard(event->trace, memory);
    if (err == EINVAL && ret_error)
        *ret_error = error;
    return err;
}

int cairn_trace_event_filter_set(struct cairn_trace_event *event, const char *text, size_t length,
                                 struct cairn_filter_error *ret_error)
{
    int err;

    if (!event->trace)
        return ENODEV;
    err = kernel_filter_set(event, text, length, NULL, ret_error);
    (void)kernel_trace_apply(event->trace);
    return err;
}
