/* SPDX-License-Identifier: MIT */
#include "decode/number.h"
#include "decode/value.h"

#define SECONDS_PER_DAY    86400
#define DAYS_PER_400_YEARS 146097

/* Years that C's calendar has: struct tm counts them from 1900 in an int. */
#define YEAR_MIN (INT32_MIN + 1900ll)
#define YEAR_MAX (INT32_MAX + 1900ll)

struct date {
    int64_t year;
    unsigned month; /* from 1 */
    unsigned day;   /* from 1 */
};

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

/*
 * The Gregorian calendar. Years are counted from 1 March, so that the leap day is the last of its
 * year and the months' lengths follow a line: the month m from March begins at day (153 m + 2) / 5.
 */
static struct date date_of(int64_t days_since_1970)
{
    int64_t days = days_since_1970 + 719468; /* since 1 March of the year 0 */
    int64_t era = floor_div(days, DAYS_PER_400_YEARS);
    unsigned day_of_era = (unsigned)(days - era * DAYS_PER_400_YEARS);
    unsigned year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    unsigned day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    unsigned month = (5 * day_of_year + 2) / 153;

    return (struct date){
        .year = era * 400 + year_of_era + (month >= 10),
        .month = month < 10 ? month + 3 : month - 9,
        .day = day_of_year - (153 * month + 2) / 5 + 1,
    };
}

/* At least four places, the sign being one of them. */
static char *put_year(char *to, int64_t year)
{
    if (year < 0) {
        *to++ = '-';
        year = -year;
        return year < 1000 ? cairn_put_digits(to, (uint64_t)year, 3)
                           : cairn_put_unsigned(to, (uint64_t)year);
    }
    return year < 10000 ? cairn_put_digits(to, (uint64_t)year, 4)
                        : cairn_put_unsigned(to, (uint64_t)year);
}

static char *put_unknown_time(char *to, int64_t seconds)
{
    to = stpcpy(to, "TIME(");
    to = cairn_put_signed(to, seconds);
    *to++ = ')';
    return to;
}

char *cairn_put_time(char *to, int64_t seconds_since_1970)
{
    int64_t days = floor_div(seconds_since_1970, SECONDS_PER_DAY);
    unsigned second = (unsigned)(seconds_since_1970 - days * SECONDS_PER_DAY);
    struct date date = date_of(days);

    if (date.year < YEAR_MIN || date.year > YEAR_MAX)
        return put_unknown_time(to, seconds_since_1970);
    to = put_year(to, date.year);
    *to++ = '-';
    to = cairn_put_digits(to, date.month, 2);
    *to++ = '-';
    to = cairn_put_digits(to, date.day, 2);
    *to++ = 'T';
    to = cairn_put_digits(to, second / 3600, 2);
    *to++ = ':';
    to = cairn_put_digits(to, second / 60 % 60, 2);
    *to++ = ':';
    return cairn_put_digits(to, second % 60, 2);
}
