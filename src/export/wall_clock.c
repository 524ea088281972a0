/* SPDX-License-Identifier: MIT */
/* The time of day as text. */
#include "export/wall_clock.h"

#include "export/number.h"
#include "export/value_print.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NS_PER_SECOND 1000000000u

static void begin_second(struct export_wall_clock *clock, uint64_t second, int64_t offset_seconds)
{
    char *end = export_put_time(clock->text, (int64_t)second + offset_seconds);

    *end++ = '.';
    clock->begin_ns = second * NS_PER_SECOND;
    clock->length = (uint32_t)(end - clock->text);
    end = export_put_unsigned(clock->digits, second);
    clock->digits_length = (uint32_t)(end - clock->digits);
}

static inline bool is_in_second(const struct export_wall_clock *clock, uint64_t wall_ns)
{
    return clock->length && wall_ns - clock->begin_ns < NS_PER_SECOND;
}

static char *put_in_second(char *to, const struct export_wall_clock *clock, uint64_t wall_ns)
{
    memcpy(to, clock->text, sizeof(clock->text));
    return export_put_nine_digits(to + clock->length, (uint32_t)(wall_ns - clock->begin_ns));
}

char *export_put_wall_time(char *to, struct export_wall_clock *clock, uint64_t wall_ns)
{
    if (cairn_unlikely(!is_in_second(clock, wall_ns)))
        begin_second(clock, wall_ns / NS_PER_SECOND, 0);
    to = put_in_second(to, clock, wall_ns);
    *to++ = 'Z';
    return to;
}

char *export_put_wall_ns(char *to, const struct export_wall_clock *clock, const char *decimals)
{
    if (cairn_unlikely(!clock->begin_ns)) /* a number must not begin with zeros */
        return export_put_unsigned(to, strtoul(decimals, NULL, 10));
    memcpy(to, clock->digits, sizeof(clock->digits));
    memcpy(to + clock->digits_length, decimals, 9);
    return to + clock->digits_length + 9;
}

static void begin_local_second(struct export_wall_clock *clock, uint64_t second)
{
    time_t time = (time_t)second;
    struct tm tm;
    long minutes;
    char *to = clock->zone;

    if (!localtime_r(&time, &tm))
        tm.tm_gmtoff = 0;
    minutes = tm.tm_gmtoff / 60;
    begin_second(clock, second, tm.tm_gmtoff);
    *to++ = minutes < 0 ? '-' : '+';
    minutes = minutes < 0 ? -minutes : minutes;
    to = export_put_digits(to, (uint64_t)minutes / 60, 2);
    *to++ = ':';
    export_put_digits(to, (uint64_t)minutes % 60, 2);
}

char *export_put_local_time(char *to, struct export_wall_clock *clock, uint64_t wall_ns)
{
    if (!is_in_second(clock, wall_ns))
        begin_local_second(clock, wall_ns / NS_PER_SECOND);
    to = put_in_second(to, clock, wall_ns);
    memcpy(to, clock->zone, 6);
    return to + 6;
}

char *export_put_seconds(char *to, uint64_t time_ns, unsigned decimals)
{
    uint64_t ns = time_ns % NS_PER_SECOND;

    to = export_put_unsigned(to, time_ns / NS_PER_SECOND);
    *to++ = '.';
    if (decimals == 9)
        return export_put_nine_digits(to, (uint32_t)ns);
    return export_put_digits(to, ns / 1000, decimals);
}
