/* SPDX-License-Identifier: MIT */
/* Values as text: numbers, times, ids. */
#include "tracing/value_text.h"

#include "core/calendar.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_S 1000000000

void tracing_hex_text(const void *bytes, size_t count, char *ret_text)
{
    static const char digits[] = "0123456789abcdef";
    const uint8_t *byte = bytes;

    for (size_t i = 0; i < count; i++) {
        *ret_text++ = digits[byte[i] >> 4];
        *ret_text++ = digits[byte[i] & 15];
    }
    *ret_text = '\0';
}

static char *write_digits(char *to, uint32_t number, unsigned count, char after)
{
    for (unsigned i = count; i--; number /= 10)
        to[i] = (char)('0' + number % 10);
    to[count] = after;
    return to + count + 1;
}

/* Does not use the calendar of the C library, which has a lock that another thread may hold during
 * a fork. */
size_t tracing_time_text(int64_t time_ns, unsigned digits, char ret_text[TRACING_VALUE_TEXT_BYTES])
{
    int64_t seconds = core_floor_div(time_ns, NS_PER_S);
    int64_t days = core_floor_div(seconds, CORE_SECONDS_PER_DAY);
    uint32_t second = (uint32_t)(seconds - days * CORE_SECONDS_PER_DAY);
    uint32_t fraction = (uint32_t)(time_ns % NS_PER_S + (time_ns % NS_PER_S < 0 ? NS_PER_S : 0));
    struct core_date date = core_date_of(days);
    char *to = ret_text;

    to = write_digits(to, (uint32_t)date.year, 4, '-'); /* the range of 64 bits is 1677 to 2262 */
    to = write_digits(to, date.month, 2, '-');
    to = write_digits(to, date.day, 2, 'T');
    to = write_digits(to, second / 3600, 2, ':');
    to = write_digits(to, second / 60 % 60, 2, ':');
    to = write_digits(to, second % 60, 2, '.');
    to = digits ? write_digits(to, fraction, 9, 'Z') - (10 - digits) : to - 1;
    *to++ = 'Z';
    *to = '\0';
    return (size_t)(to - ret_text);
}

/* Replaces the decimal point of the locale, which may have several bytes, by '.'. Returns the
 * length. */
static size_t set_point(char *text)
{
    char *from = text + strspn(text, "-0123456789");
    size_t bytes = strcspn(from, "0123456789einf");

    if (from == text || !bytes || *from == '.')
        return strlen(text);
    *from++ = '.';
    memmove(from, from + bytes - 1, strlen(from + bytes - 1) + 1);
    return strlen(text);
}

/* Formats with as few digits as read back as the same number: 15, or else 17. */
static size_t float_text(uint64_t bits, char *to)
{
    double number;

    __builtin_memcpy(&number, &bits, sizeof(number));
    (void)snprintf(to, TRACING_VALUE_TEXT_BYTES, "%.15g", number);
    if (isfinite(number) && strtod(to, NULL) != number)
        (void)snprintf(to, TRACING_VALUE_TEXT_BYTES, "%.17g", number);
    return set_point(to);
}

static size_t uuid_text(const uint8_t *bytes, char *to)
{
    static const uint8_t group_bytes[] = {4, 2, 2, 2, 6};
    char *begin = to;

    for (size_t i = 0; i < sizeof(group_bytes); i++) {
        if (i)
            *to++ = '-';
        tracing_hex_text(bytes, group_bytes[i], to);
        to += 2 * group_bytes[i];
        bytes += group_bytes[i];
    }
    return (size_t)(to - begin);
}

size_t tracing_value_text(const struct cairn_tracing_value *value,
                          char ret_text[TRACING_VALUE_TEXT_BYTES])
{
    const size_t size = TRACING_VALUE_TEXT_BYTES;
    uint64_t bits = value->of.bits;

    switch ((enum cairn_tracing_kind)value->kind) {
    case CAIRN_KIND_BOOL:
        return (size_t)snprintf(ret_text, size, "%s", bits ? "true" : "false");
    case CAIRN_KIND_CHAR:
        ret_text[0] = (char)bits;
        ret_text[1] = '\0';
        return 1;
    case CAIRN_KIND_SIGNED:
    case CAIRN_KIND_ERRNO:
        return (size_t)snprintf(ret_text, size, "%" PRId64, (int64_t)bits);
    case CAIRN_KIND_UNSIGNED:
        return (size_t)snprintf(ret_text, size, "%" PRIu64, bits);
    case CAIRN_KIND_FLOAT:
        return float_text(bits, ret_text);
    case CAIRN_KIND_POINTER:
        return (size_t)snprintf(ret_text, size, "0x%" PRIx64, bits);
    case CAIRN_KIND_TIME:
        return tracing_time_text((int64_t)bits, 9, ret_text);
    case CAIRN_KIND_UUID:
        if (value->data_bytes)
            return uuid_text(value->of.data, ret_text);
        break;
    case CAIRN_KIND_NONE:
    case CAIRN_KIND_TEXT:
    case CAIRN_KIND_BYTES:
        break;
    }
    ret_text[0] = '\0';
    return 0;
}
