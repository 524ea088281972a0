/* SPDX-License-Identifier: MIT */
#include "tracing/eventheader_cut.h"

#include "engine/status.h"
#include "tracing/eventheader_plan.h"
#include "user_events/kernel_limit.h"

#include <cairn/record.h>
#include <errno.h>
#include <stdlib.h>

#define TEXT_MAX UINT16_MAX /* bytes that a count can say */

static bool is_counted(const struct cairn_tracing_value *value)
{
    return value->kind == CAIRN_KIND_TEXT || value->kind == CAIRN_KIND_BYTES;
}

/* What values longer than `share` may have each when the others, in the same room, are whole. */
static uint32_t share_of_longer(const struct cairn_provider_event *event, uint32_t room,
                                uint32_t share)
{
    uint32_t longer = 0;

    for (uint32_t i = 0; i < event->field_count; i++) {
        const struct cairn_tracing_value *value = &event->fields[i].value;

        if (is_counted(value) && value->data_bytes > share)
            longer++;
        else if (is_counted(value))
            room -= value->data_bytes;
    }
    return longer ? room / longer : share;
}

/* The most bytes of a value, such that all have room in `room` bytes: short ones stay whole. */
static uint32_t longest(const struct cairn_provider_event *event, uint32_t room)
{
    uint32_t share = 0;
    uint32_t last;

    do {
        last = share;
        share = share_of_longer(event, room, last);
    } while (share != last);
    return share < TEXT_MAX ? share : TEXT_MAX;
}

/* Characters of UTF-8 stay whole. */
static uint32_t cut_text(const char *text, uint32_t bytes)
{
    uint32_t whole = bytes;

    while (whole && bytes - whole < 3 && (text[whole] & 0xc0) == 0x80)
        whole--;
    return (text[whole] & 0xc0) == 0x80 ? bytes : whole;
}

/* Returns how many bytes are cut off. */
static uint64_t cut_values(struct cairn_provider_event *event, uint32_t room)
{
    uint32_t most = longest(event, room);
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

/* The builder has the names; the values are of no account. */
static struct cairn_plan *make_plan(struct cairn_builder *builder,
                                    const struct cairn_provider_event *event)
{
    struct cairn_provider_event empty = *event;

    (void)cut_values(&empty, 0);
    return cairn_eventheader_build(builder, &empty) ? NULL : cairn_plan_make(event, builder);
}

typedef int (*write_to)(const struct cairn_plan *plan, const struct cairn_event_set *set,
                        const struct cairn_provider_event *event);

static int write_cut(struct cairn_builder *builder, const struct cairn_event_set *set,
                     const struct cairn_provider_event *event, uint32_t most_bytes, write_to write)
{
    struct cairn_provider_event cut = *event;
    struct cairn_plan *plan;
    uint32_t least_bytes;
    int error = E2BIG;

    cairn_provider_add(&cut, "truncated_bytes", cairn_i_value_bits(CAIRN_KIND_UNSIGNED, 0));
    plan = make_plan(builder, &cut);
    if (!plan)
        return E2BIG;
    least_bytes = cairn_plan_least_bytes(plan, &cut);
    if (least_bytes <= most_bytes) {
        uint64_t missing = cut_values(&cut, most_bytes - least_bytes);

        cut.fields[cut.field_count - 1].value.of.bits = missing;
        error = write(plan, set, &cut);
    }
    free(plan);
    return error;
}

static int write_to_kernel(struct cairn_builder *builder, const struct cairn_event_set *set,
                           const struct cairn_provider_event *event, uint32_t bytes)
{
    uint32_t most_bytes = cairn_kernel_payload_max_bytes();

    if (most_bytes > CAIRN_PAYLOAD_MAX_BYTES)
        most_bytes = CAIRN_PAYLOAD_MAX_BYTES;
    if (bytes <= most_bytes)
        return EBADF; /* it has it */
    return write_cut(builder, set, event, most_bytes, cairn_plan_write_kernel);
}

static int write_both(struct cairn_builder *builder, const struct cairn_event_set *set,
                      const struct cairn_provider_event *event, uint32_t bytes)
{
    struct cairn_status_view listening = cairn_status_of(&set->tracepoint);
    int error = EBADF;

    if (listening.local && bytes > CAIRN_PAYLOAD_MAX_BYTES)
        error = write_cut(builder, set, event, CAIRN_PAYLOAD_MAX_BYTES, cairn_plan_write_local);
    if (listening.kernel) {
        int kernel_error = write_to_kernel(builder, set, event, bytes);

        if (error == EBADF || (!error && kernel_error != EBADF))
            error = kernel_error;
    }
    return error;
}

int cairn_eventheader_write_cut(struct cairn_builder *builder, const struct cairn_event_set *set,
                                const struct cairn_provider_event *event)
{
    struct cairn_plan *whole = make_plan(builder, event);
    int saved_errno = errno;
    int error = E2BIG;

    if (whole)
        error = write_both(builder, set, event, cairn_plan_bytes(whole, event));
    free(whole);
    errno = saved_errno;
    return error;
}
