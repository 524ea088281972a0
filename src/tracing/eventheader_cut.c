/* SPDX-License-Identifier: MIT */
/* Truncates events that are larger than a record: a limit for each backend. */
#include "tracing/eventheader_cut.h"

#include "engine/status.h"
#include "tracing/eventheader_cache.h"
#include "user_events/kernel_limit.h"

#include <cairn/record.h>
#include <errno.h>
#include <stdlib.h>

/* Prepares an event whose names and types are those of `event`; its values do not matter. */
static struct tracing_cached_event *make_cached(struct cairn_builder *builder,
                                                const struct cairn_event_set *set,
                                                const struct tracing_provider_event *event)
{
    struct tracing_provider_event empty = *event;

    (void)tracing_eventheader_cut_values(&empty, 0);
    return tracing_eventheader_build(builder, &empty)
               ? NULL
               : tracing_cached_event_make(set, event, builder);
}

typedef int (*write_to)(const struct tracing_cached_event *cached,
                        const struct tracing_provider_event *event);

static int write_cut(struct cairn_builder *builder, const struct cairn_event_set *set,
                     const struct tracing_provider_event *event, uint32_t most_bytes,
                     write_to write)
{
    struct tracing_provider_event cut = *event;
    struct tracing_cached_event *cached;
    uint32_t least_bytes;
    int error = E2BIG;

    tracing_provider_add(&cut, "truncated_bytes", cairn_i_value_bits(CAIRN_KIND_UNSIGNED, 0));
    cached = make_cached(builder, set, &cut);
    if (!cached)
        return E2BIG;
    least_bytes = tracing_cached_event_least_bytes(cached, &cut);
    if (least_bytes <= most_bytes) {
        uint64_t missing = tracing_eventheader_cut_values(&cut, most_bytes - least_bytes);

        cut.fields[cut.field_count - 1].value.of.bits = missing;
        error = write(cached, &cut);
    }
    free(cached);
    return error;
}

static int write_to_kernel(struct cairn_builder *builder, const struct cairn_event_set *set,
                           const struct tracing_provider_event *event, uint32_t bytes)
{
    uint32_t most_bytes = user_events_kernel_payload_max_bytes();

    if (most_bytes > CAIRN_PAYLOAD_MAX_BYTES)
        most_bytes = CAIRN_PAYLOAD_MAX_BYTES;
    if (bytes <= most_bytes)
        return EBADF; /* it has accepted the event */
    return write_cut(builder, set, event, most_bytes, tracing_cached_event_write_kernel);
}

static int write_both(struct cairn_builder *builder, const struct cairn_event_set *set,
                      const struct tracing_provider_event *event, uint32_t bytes)
{
    struct engine_status_view listening = engine_status_of(&set->tracepoint);
    int error = EBADF;

    if (listening.local && bytes > CAIRN_PAYLOAD_MAX_BYTES)
        error = write_cut(builder, set, event, CAIRN_PAYLOAD_MAX_BYTES,
                          tracing_cached_event_write_local);
    if (listening.kernel) {
        int kernel_error = write_to_kernel(builder, set, event, bytes);

        if (error == EBADF || (!error && kernel_error != EBADF))
            error = kernel_error;
    }
    return error;
}

int tracing_eventheader_write_cut(struct cairn_builder *builder, const struct cairn_event_set *set,
                                  const struct tracing_provider_event *event)
{
    struct tracing_cached_event *whole = make_cached(builder, set, event);
    int saved_errno = errno;
    int error = E2BIG;

    if (whole)
        error = write_both(builder, set, event, tracing_cached_event_bytes(whole, event));
    free(whole);
    errno = saved_errno;
    return error;
}
