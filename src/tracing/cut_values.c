/* SPDX-License-Identifier: MIT */
/* Truncates the values of an event that is too large: the longest ones, all to one length. */
#include "tracing/eventheader_cut.h"

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

uint64_t tracing_eventheader_cut_values(struct tracing_provider_event *event, uint32_t space)
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
