/* SPDX-License-Identifier: MIT */
/* Prints points in time. */
#include "core/calendar.h"
#include "export/number.h"
#include "export/value_print.h"

/* Years that C's calendar has: struct tm counts them from 1900 in an int. */
#define YEAR_MIN (INT32_MIN + 1900ll)
#define YEAR_MAX (INT32_MAX + 1900ll)

/* At least four characters, the sign included. */
static char *put_year(char *to, int64_t year)
{
    if (year < 0) {
        *to++ = '-';
        year = -year;
        return year < 1000 ? export_put_digits(to, (uint64_t)year, 3)
                           : export_put_unsigned(to, (uint64_t)year);
    }
    return year < 10000 ? export_put_digits(to, (uint64_t)year, 4)
                        : export_put_unsigned(to, (uint64_t)year);
}

static char *put_unknown_time(char *to, int64_t seconds)
{
    to = stpcpy(to, "TIME(");
    to = export_put_signed(to, seconds);
    *to++ = ')';
    return to;
}

char *export_put_time(char *to, int64_t seconds_since_1970)
{
    int64_t days = core_floor_div(seconds_since_1970, CORE_SECONDS_PER_DAY);
    unsigned second = (unsigned)(seconds_since_1970 - days * CORE_SECONDS_PER_DAY);
    struct core_date date = core_date_of(days);

    if (date.year < YEAR_MIN || date.year > YEAR_MAX)
        return put_unknown_time(to, seconds_since_1970);
    to = put_year(to, date.year);
    *to++ = '-';
    to = export_put_digits(to, date.month, 2);
    *to++ = '-';
    to = export_put_digits(to, date.day, 2);
    *to++ = 'T';
    to = export_put_digits(to, second / 3600, 2);
    *to++ = ':';
    to = export_put_digits(to, second / 60 % 60, 2);
    *to++ = ':';
    return export_put_digits(to, second % 60, 2);
}
