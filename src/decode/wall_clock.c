/* SPDX-License-Identifier: MIT */
#include "decode/wall_clock.h"

#include "decode/number.h"
#include "decode/value.h"

#define NS_PER_SECOND 1000000000u

char *cairn_put_wall_time(char *to, struct cairn_wall_clock *clock, uint64_t wall_ns)
{
    uint64_t second = wall_ns / NS_PER_SECOND;

    if (!clock->length || clock->second != second) {
        clock->second = second;
        clock->length = (uint32_t)(cairn_put_time(clock->text, (int64_t)second) - clock->text);
    }
    memcpy(to, clock->text, sizeof(clock->text));
    to += clock->length;
    *to++ = '.';
    to = cairn_put_digits(to, wall_ns - second * NS_PER_SECOND, 9);
    *to++ = 'Z';
    return to;
}

char *cairn_put_seconds(char *to, uint64_t time_ns, unsigned decimals)
{
    uint64_t ns = time_ns % NS_PER_SECOND;

    to = cairn_put_unsigned(to, time_ns / NS_PER_SECOND);
    *to++ = '.';
    return cairn_put_digits(to, decimals == 9 ? ns : ns / 1000, decimals);
}
