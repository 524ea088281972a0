/* SPDX-License-Identifier: MIT */
/* The options and counts of cairn stats. */
#ifndef CLI_STATS_H
#define CLI_STATS_H

#include "cli/inputs.h"

#include <cairn/stats.h>

struct cli_stats {
    const struct cli_verb *verb;
    struct cli_inputs inputs;
    struct cairn_stats_options options;
    const char *key_name; /* "event", or the field's name */
    bool histogram;
    bool as_json;
    struct cairn_stats *stats;
    uint64_t lost;
};

/* Prints all groups. Returns 0, ENOMEM. */
int cli_stats_print(const struct cli_stats *stats);

#endif
