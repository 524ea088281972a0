/* SPDX-License-Identifier: MIT */
/* An event's schema: its class's, with the event's own name and system. */
#include <cairn/typed_tracepoint.h>

static struct cairn_slice slice_of(const char *text)
{
    struct cairn_slice slice = {text, 0};

    while (slice.length < CAIRN_NAME_MAX_BYTES && text[slice.length])
        slice.length++;
    return slice;
}

void cairn_trace_event_schema(const struct cairn_trace_event *event,
                              struct cairn_schema *ret_schema)
{
    *ret_schema = event->event_class->schema;
    ret_schema->name = slice_of(event->name);
    ret_schema->system = slice_of(event->system);
    ret_schema->id = event->id;
}
