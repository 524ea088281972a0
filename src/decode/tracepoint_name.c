/* SPDX-License-Identifier: MIT */
/* Parses the name of an EventHeader tracepoint. */
#include "decode/tracepoint_name.h"

#include <errno.h>
#include <string.h>

/* Takes lower-case hexadecimal digits; false if there are none or too many. */
static bool take_hex(const char **at, const char *end, uint64_t max, uint64_t *ret_value)
{
    const char *begin = *at;
    uint64_t value = 0;

    for (; *at < end; ++*at) {
        char c = **at;
        unsigned digit;

        if (c >= '0' && c <= '9')
            digit = (unsigned)(c - '0');
        else if (c >= 'a' && c <= 'f')
            digit = (unsigned)(c - 'a') + 10;
        else
            break;
        if (value > max >> 4)
            return false;
        value = value << 4 | digit;
    }
    *ret_value = value;
    return *at > begin;
}

/* Options are upper-case letters, each with a value of lower-case letters and digits. */
static bool are_options(const char *at, const char *end)
{
    if (at < end && (*at < 'A' || *at > 'Z'))
        return false;
    for (; at < end; at++) {
        bool is_letter = (*at >= 'A' && *at <= 'Z') || (*at >= 'a' && *at <= 'z');

        if (!is_letter && (*at < '0' || *at > '9'))
            return false;
    }
    return true;
}

int decode_tracepoint_name_parse(struct cairn_slice name, struct decode_tracepoint_name *ret_name)
{
    const char *end = name.text + name.length;
    const char *at = (const char *)memrchr(name.text, '_', name.length);
    struct decode_tracepoint_name parsed = {.provider = name};
    uint64_t level;

    if (!at)
        return EBADMSG;
    parsed.provider.length = (uint32_t)(at++ - name.text);
    if (at == end || *at++ != 'L' || !take_hex(&at, end, UINT8_MAX, &level))
        return EBADMSG;
    if (at == end || *at++ != 'K' || !take_hex(&at, end, UINT64_MAX, &parsed.keyword))
        return EBADMSG;
    if (!are_options(at, end))
        return EBADMSG;
    parsed.level = (uint8_t)level;
    parsed.options = (struct cairn_slice){at, (uint32_t)(end - at)};
    *ret_name = parsed;
    return 0;
}
