/* SPDX-License-Identifier: MIT */
/* Gregorian calendar dates without the C library: no locks, no time zones. */
#ifndef CORE_CALENDAR_H
#define CORE_CALENDAR_H

#include <stdint.h>

#define CORE_SECONDS_PER_DAY    86400
#define CORE_DAYS_PER_400_YEARS 146097

struct core_date {
    int64_t year;
    unsigned month; /* from 1 */
    unsigned day;   /* from 1 */
};

static inline int64_t core_floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

/*
 * Years are counted from 1 March, so that the leap day is the last of its year and the months'
 * lengths follow a line: the month m from March begins at day (153 m + 2) / 5.
 */
static inline struct core_date core_date_of(int64_t days_since_1970)
{
    int64_t days = days_since_1970 + 719468; /* since 1 March of the year 0 */
    int64_t era = core_floor_div(days, CORE_DAYS_PER_400_YEARS);
    unsigned day_of_era = (unsigned)(days - era * CORE_DAYS_PER_400_YEARS);
    unsigned year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    unsigned day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    unsigned month = (5 * day_of_year + 2) / 153;

    return (struct core_date){
        .year = era * 400 + year_of_era + (month >= 10),
        .month = month < 10 ? month + 3 : month - 9,
        .day = day_of_year - (153 * month + 2) / 5 + 1,
    };
}

#endif
