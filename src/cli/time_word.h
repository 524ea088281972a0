/* SPDX-License-Identifier: MIT */
/* Points in time as a user writes them. */
#ifndef CLI_TIME_WORD_H
#define CLI_TIME_WORD_H

#include <stdbool.h>
#include <stdint.h>

enum cli_time_kind {
    CLI_TIME_NONE,
    CLI_TIME_CLOCK,   /* "1234.567": seconds of the recording's clock */
    CLI_TIME_WALL,    /* "2026-11-23T20:14:17Z", "@1795464857.5" */
    CLI_TIME_FIRST,   /* "+2s": after the first event */
    CLI_TIME_LAST,    /* "-2s": before the last one */
    CLI_TIME_PERCENT, /* "25%" of the time between them */
};

struct cli_time {
    enum cli_time_kind kind;
    uint64_t ns;           /* of a percentage: millionths of the whole */
    uint64_t tolerance_ns; /* half of the last digit that was given, for times that were copied from
                              rounded ones */
};

/* False: it is none of these. */
bool cli_time_parse(const char *word, struct cli_time *ret_time);

#endif
