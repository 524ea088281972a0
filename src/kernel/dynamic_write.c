/* SPDX-License-Identifier: MIT */
/* Writes dynamic fields of an event: functions that are too long for a header. */
#include <cairn/typed_tracepoint.h>

/* The limit of a formatted string as in Linux, its NUL included. */
#define FORMAT_MAX_BYTES 512

uint32_t cairn_trace_dynamic_text_bytes(const char *text)
{
    uint32_t length = 0;

    while (length < UINT16_MAX && text[length])
        length++;
    return length + 1;
}

/* Formats as much as fits; the caller adds the NUL. */
static size_t format_into(char *to, size_t size_bytes, const char *format, va_list *arguments)
{
    struct cairn_text text = cairn_text(to, size_bytes);
    va_list copy;

    va_copy(copy, *arguments);
    cairn_text_vprintf(&text, format, copy);
    va_end(copy);
    return cairn_text_length(&text);
}

struct cairn_trace_dynamic cairn_trace_dynamic_format(const char *format, va_list *arguments)
{
    char text[FORMAT_MAX_BYTES - 1];
    size_t length = format_into(text, sizeof(text), format, arguments);

    return (struct cairn_trace_dynamic){.size_bytes = (uint32_t)length + 1};
}

/* An argument may have changed since its length was measured. */
void cairn_trace_dynamic_assign_format(void *entry, const struct cairn_trace_dynamic *field,
                                       const char *format, va_list *arguments)
{
    char *to = (char *)entry + field->offset;
    size_t length = format_into(to, field->size_bytes - 1, format, arguments);

    __builtin_memset(to + length, 0, field->size_bytes - length);
}
