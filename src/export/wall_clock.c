/* SPDX-License-Identifier: MIT */
/* The time of day as text. */
#include "export/wall_clock.h"

#include "export/number.h"
#include "export/value_print.h"

#define NS_PER_SECOND 1000000000u

static void begin_second(struct export_wall_clock *clock, uint64_t second)
{
    char *end = export_put_time(clock->text, (int64_t)second);

    *end++ = '.';
    clock->begin_ns = second * NS_PER_SECOND;
    clock->length = (uint32_t)(end - clock->text);
}

char *export_put_wall_time(char *to, struct export_wall_clock *clock, uint64_t wall_ns)
{
    if (cairn_unlikely(!clock->length || wall_ns - clock->begin_ns >= NS_PER_SECOND))
        begin_second(clock, wall_ns / NS_PER_SECOND);
    memcpy(to, clock->text, sizeof(clock->text));
    to = export_put_nine_digits(to + clock->length, (uint32_t)(wall_ns - clock->begin_ns));
    *to++ = 'Z';
    return to;
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
