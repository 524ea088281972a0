/* SPDX-License-Identifier: MIT */
/* Parses points in time. */
#include "cli/time_word.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NS_PER_SECOND 1000000000u
#define SECONDS_MAX   18000000000u /* so that ns fit into 64 bits */

/* A decimal number as ns, if its unit has unit_ns of them. Digits after the ninth are ignored. */
static bool take_decimal(const char **at, uint64_t *ret_ns, unsigned *ret_decimals)
{
    uint64_t seconds = 0;
    uint64_t rest = 0;
    unsigned decimals = 0;
    const char *p = *at;

    if (!isdigit((unsigned char)*p))
        return false;
    for (; isdigit((unsigned char)*p); p++) {
        seconds = 10 * seconds + (unsigned)(*p - '0');
        if (seconds > SECONDS_MAX)
            return false;
    }
    if (*p == '.') {
        for (p++; isdigit((unsigned char)*p); p++) {
            if (decimals < 9) {
                rest = 10 * rest + (unsigned)(*p - '0');
                decimals++;
            }
        }
    }
    *ret_decimals = decimals;
    for (; decimals < 9; decimals++)
        rest *= 10;
    *ret_ns = seconds * NS_PER_SECOND + rest;
    *at = p;
    return true;
}

/* Parses a unit at the end of a word: "s", "ms", "us", "ns", "min", "h" or nothing. */
static bool parse_unit(const char *word, uint64_t *ns)
{
    static const struct {
        const char *name;
        uint64_t factor;
        uint64_t divisor;
    } units[] = {{"", 1, 1},         {"s", 1, 1},           {"ms", 1, 1000},
                 {"us", 1, 1000000}, {"ns", 1, 1000000000}, {"min", 60, 1},
                 {"h", 3600, 1}};

    for (unsigned n = 0; n < sizeof(units) / sizeof(*units); n++) {
        if (!strcmp(word, units[n].name))
            return *ns /= units[n].divisor, !__builtin_mul_overflow(*ns, units[n].factor, ns);
    }
    return false;
}

static bool parse_duration(const char *word, struct cli_time *time)
{
    unsigned decimals;

    return take_decimal(&word, &time->ns, &decimals) && parse_unit(word, &time->ns);
}

static bool parse_number(const char *word, struct cli_time *time)
{
    unsigned decimals;

    if (!take_decimal(&word, &time->ns, &decimals))
        return false;
    if (!strcmp(word, "%")) {
        time->kind = CLI_TIME_PERCENT;
        time->ns /= 100000;
        return time->ns <= 1000000;
    }
    if (decimals && decimals <= 6)
        time->tolerance_ns = 500;
    return !*word;
}

/* True if the calendar has the day: the 30th of February becomes one of March. */
static bool is_day(const struct tm *tm)
{
    struct tm normal = *tm;

    (void)timegm(&normal);
    return normal.tm_mday == tm->tm_mday && normal.tm_mon == tm->tm_mon;
}

/* Parses "Z", "+02:00", or nothing, which is local time. */
static bool parse_zone(const char *word, struct tm *tm, time_t *ret_seconds)
{
    int hours;
    int minutes;
    char sign = *word;

    if (!*word) {
        tm->tm_isdst = -1;
        *ret_seconds = mktime(tm);
        return *ret_seconds >= 0;
    }
    *ret_seconds = timegm(tm);
    if (!strcmp(word, "Z"))
        return *ret_seconds >= 0;
    if ((sign != '+' && sign != '-') || strlen(word) != 6 || word[3] != ':' ||
        !isdigit((unsigned char)word[1]) || !isdigit((unsigned char)word[2]) ||
        !isdigit((unsigned char)word[4]) || !isdigit((unsigned char)word[5]))
        return false;
    hours = 10 * (word[1] - '0') + word[2] - '0';
    minutes = 10 * (word[4] - '0') + word[5] - '0';
    if (hours > 23 || minutes > 59)
        return false;
    *ret_seconds -= (sign == '-' ? -1 : 1) * 60 * (60 * hours + minutes);
    return *ret_seconds >= 0;
}

/* Parses "2026-11-23", "2026-11-23T20:14", "2026-11-23T20:14:17.25", each with a zone. */
static bool parse_date(const char *word, struct cli_time *time)
{
    struct tm tm = {0};
    uint64_t rest_ns = 0;
    time_t seconds;
    unsigned decimals;
    const char *at = strptime(word, "%Y-%m-%d", &tm);

    if (!at || !is_day(&tm))
        return false;
    if (*at == 'T' || *at == ' ') {
        at = strptime(at + 1, "%H:%M", &tm);
        if (at && *at == ':') {
            at++;
            if (!take_decimal(&at, &rest_ns, &decimals) || rest_ns >= 61ull * NS_PER_SECOND)
                return false;
        }
    }
    if (!at || !parse_zone(at, &tm, &seconds) || seconds > (time_t)SECONDS_MAX)
        return false;
    time->kind = CLI_TIME_WALL;
    time->ns = (uint64_t)seconds * NS_PER_SECOND + rest_ns;
    return true;
}

bool cli_time_parse(const char *word, struct cli_time *ret_time)
{
    struct cli_time time = {.kind = CLI_TIME_CLOCK};
    bool is_valid;

    if (*word == '+' || *word == '-') {
        time.kind = *word == '+' ? CLI_TIME_FIRST : CLI_TIME_LAST;
        is_valid = parse_duration(word + 1, &time);
    } else if (*word == '@') {
        time.kind = CLI_TIME_WALL;
        is_valid = parse_duration(word + 1, &time);
    } else {
        is_valid = parse_number(word, &time) || parse_date(word, &time);
    }
    if (is_valid)
        *ret_time = time;
    return is_valid;
}
