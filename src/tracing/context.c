/* SPDX-License-Identifier: MIT */
/* Parses and formats a traceparent header: "00-<32 digits>-<16 digits>-<2 digits>". */
#include <cairn/tracing/context.h>

#include "tracing/value_text.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* Value of a lower-case hexadecimal digit, or -1. */
static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Reads a dash and `count` bytes, and advances. */
static bool take_bytes(const char **text, uint8_t *bytes, size_t count)
{
    if (*(*text)++ != '-')
        return false;
    for (size_t i = 0; i < count; i++, *text += 2) {
        int high = digit((*text)[0]);
        int low = high < 0 ? -1 : digit((*text)[1]);

        if (low < 0)
            return false;
        bytes[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

static bool is_zero(const uint8_t *bytes, size_t count)
{
    uint8_t all = 0;

    for (size_t i = 0; i < count; i++)
        all |= bytes[i];
    return !all;
}

int cairn_trace_context_parse(const char *text, struct cairn_trace_context *ret_context)
{
    struct cairn_trace_context context;
    bool is_version_0;

    if (!text)
        return EINVAL;
    is_version_0 = text[0] == '0' && text[1] == '0';
    if (digit(text[0]) < 0 || digit(text[1]) < 0 || (text[0] == 'f' && text[1] == 'f'))
        return EINVAL;
    text += 2;
    if (!take_bytes(&text, context.trace_id, sizeof(context.trace_id)) ||
        !take_bytes(&text, context.span_id, sizeof(context.span_id)) ||
        !take_bytes(&text, &context.flags, 1))
        return EINVAL;
    if (*text && (is_version_0 || *text != '-'))
        return EINVAL;
    if (is_zero(context.trace_id, sizeof(context.trace_id)) ||
        is_zero(context.span_id, sizeof(context.span_id)))
        return EINVAL;
    *ret_context = context;
    return 0;
}

void cairn_trace_context_format(const struct cairn_trace_context *context,
                                char ret_text[CAIRN_TRACEPARENT_BYTES])
{
    ret_text[0] = ret_text[1] = '0';
    ret_text[2] = '-';
    tracing_hex_text(context->trace_id, sizeof(context->trace_id), ret_text + 3);
    ret_text[35] = '-';
    tracing_hex_text(context->span_id, sizeof(context->span_id), ret_text + 36);
    ret_text[52] = '-';
    tracing_hex_text(&context->flags, 1, ret_text + 53);
}
