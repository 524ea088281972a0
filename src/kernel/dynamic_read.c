/* SPDX-License-Identifier: MIT */
/* Reads dynamic fields of untrusted records. */
#include <cairn/typed_tracepoint.h>

static bool is_within(size_t raw_bytes, uint32_t base, uint32_t location)
{
    uint32_t length = location >> 16;
    uint64_t offset = (uint64_t)base + (location & UINT16_MAX);

    return length <= raw_bytes && offset <= raw_bytes - length;
}

void *cairn_trace_field_bytes(const void *entry, size_t raw_bytes, uint32_t base, uint32_t location)
{
    if (!is_within(raw_bytes, base, location))
        return NULL;
    return (char *)entry + base + (location & UINT16_MAX);
}

uint32_t cairn_trace_field_length(const void *entry, size_t raw_bytes, uint32_t base,
                                  uint32_t location)
{
    (void)entry;
    return is_within(raw_bytes, base, location) ? location >> 16 : 0;
}

char *cairn_trace_field_text(const void *entry, size_t raw_bytes, uint32_t base, uint32_t location)
{
    static const char empty[] = "";
    char *text = cairn_trace_field_bytes(entry, raw_bytes, base, location);

    for (uint32_t i = 0; text && i < location >> 16; i++) {
        if (!text[i])
            return text;
    }
    return (char *)empty;
}

size_t cairn_trace_field_within(const void *entry, size_t raw_bytes, const void *bytes,
                                size_t size_bytes)
{
    uintptr_t offset = (uintptr_t)bytes - (uintptr_t)entry;

    if (offset >= raw_bytes || size_bytes <= raw_bytes - offset)
        return size_bytes;
    return raw_bytes - offset;
}
