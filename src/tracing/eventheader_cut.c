/* SPDX-License-Identifier: MIT */
/* Truncates events that are larger than a record. */
#include "tracing/eventheader_cut.h"

#include "engine/status.h"
#include "tracing/eventheader_cache.h"
#include "user_events/kernel_limit.h"

#include <cairn/record.h>
#include <errno.h>
#include <stdlib.h>

#define TEXT_MAX UINT16_MAX /* the largest count of a text */

static bool is_counted(const struct cairn_tracing_value *value)
{
    return value->kind == CAIRN_KIND_TEXT || value->kind == CAIRN_KIND_BYTES;
}

/* The size that each value longer than `share` may have if the other values are written whole into
 * the same space. */
static uint32_t share_of_longer(const struct tracing_provider_event *event, uint32_t space,
                                uint32_t share)
{
    uint32_t longer = 0;

    for (uint32_t i = 0; i < event->field_count; i++) {
        const struct cairn_tracing_value *value = &event->fields[i].value;

        if (is_counted(value) && value->data_bytes > share)
            longer++;
        else if (is_counted(value))
            space -= value->data_bytes;
    }
    return longer ? space / longer : share;
}

/* The maximal size of a value such that all values fit: short values stay whole. */
static uint32_t longest(const struct tracing_provider_event *event, uint32_t space)
{
    uint32_t share = 0;
    uint32_t last;

    do {
        last = share;
        share = share_of_longer(event, space, last);
    } while (share != last);
    return share < TEXT_MAX ? share : TEXT_MAX;
}

/* Truncates a text at the end of a UTF-8 character. */
static uint32_t cut_text(const char *text, uint32_t bytes)
{
    uint32_t whole = bytes;

    while (whole && bytes - whole < 3 && (text[whole] & 0xc0) == 0x80)
        whole--;
    return (text[whole] & 0xc0) == 0x80 ? bytes : whole;
}

/* Truncates the values so that they fit. Returns how many bytes were removed. */
static uint64_t cut_values(struct tracing_provider_event *event, uint32_t space)
{
    uint32_t most = longest(event, space);
    uint64_t missing = 0;

    for (uint32_t i = 0; i < event->field_count; i++) {
        struct cairn_tracing_value *value = &event->fields[i].value;
        uint32_t bytes = value->data_bytes;

        if (!is_counted(value) || bytes <= most)
            continue;
        value->data_bytes = value->kind == CAIRN_KIND_TEXT ? cut_text(value->of.data, most) : most;
        missing += bytes - value->data_bytes;
    }
    return missing;
}

/* Prepares an event whose names and types are those of `event`; its values do not matter. */
static struct tracing_cached_event *make_cached(struct cairn_builder *builder,
                                                const struct tracing_provider_event *event)
{
    struct tracing_provider_event empty = *event;

    (void)cut_values(&empty, 0);
    return tracing_eventheader_build(builder, &empty) ? NULL
                                                      : tracing_cached_event_make(event, builder);
}

typedef int (*write_to)(const struct tracing_cached_event *cached,
                        const struct cairn_event_set *set,
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
    cached = make_cached(builder, &cut);
    if (!cached)
        return E2BIG;
    least_bytes = tracing_cached_event_least_bytes(cached, &cut);
    if (least_bytes <= most_bytes) {
        uint64_t missing = cut_values(&cut, most_bytes - least_bytes);

        cut.fields[cut.field_count - 1].value.of.bits = missing;
        error = write(cached, set, &cut);
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
    struct tracing_cached_event *whole = make_cached(builder, event);
    int saved_errno = errno;
    int error = E2BIG;

    if (whole)
        error = write_both(builder, set, event, tracing_cached_event_bytes(whole, event));
    free(whole);
    errno = saved_errno;
    return error;
}
