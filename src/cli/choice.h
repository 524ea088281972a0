/* SPDX-License-Identifier: MIT */
/* The options that select events of recordings, for decode and stats. */
#ifndef CLI_CHOICE_H
#define CLI_CHOICE_H

#include "cli/cli.h"
#include "cli/time_word.h"

#include <cairn/reader.h>
#include <cairn/select.h>

struct cli_numbers {
    uint32_t *numbers;
    size_t count;
};

struct cli_words {
    const char **words;
    size_t count;
};

struct cli_choice {
    const struct cli_verb *verb;
    struct cli_words patterns;
    struct cli_words comms;
    struct cli_numbers pids;
    struct cli_numbers tids;
    struct cli_numbers cpus;
    const char *filter;
    struct cli_time since;
    struct cli_time until;
    struct cairn_selection *selection; /* NULL: all events */
};

/* Values of long options, which a verb adds to its own. */
enum {
    CLI_CHOICE_FILTER = 0x100,
    CLI_CHOICE_PID,
    CLI_CHOICE_TID,
    CLI_CHOICE_COMM,
    CLI_CHOICE_CPU,
    CLI_CHOICE_SINCE,
    CLI_CHOICE_UNTIL,
    CLI_CHOICE_END,
};

#define CLI_CHOICE_OPTIONS                                      \
    {"event", required_argument, NULL, 'e'},                    \
        {"filter", required_argument, NULL, CLI_CHOICE_FILTER}, \
        {"pid", required_argument, NULL, CLI_CHOICE_PID},       \
        {"tid", required_argument, NULL, CLI_CHOICE_TID},       \
        {"comm", required_argument, NULL, CLI_CHOICE_COMM},     \
        {"cpu", required_argument, NULL, CLI_CHOICE_CPU},       \
        {"since", required_argument, NULL, CLI_CHOICE_SINCE},   \
    {                                                           \
        "until", required_argument, NULL, CLI_CHOICE_UNTIL      \
    }

#define CLI_CHOICE_HELP                                                                       \
    "  -e, --event PATTERN  events of these names: EVENT, TRACEPOINT or PROVIDER:EVENT,\n"    \
    "                       with * and ?; several options: any of them\n"                     \
    "      --filter EXPR    events whose fields satisfy this: 'Peer.Port == 80 && n > 9'\n"   \
    "      --pid LIST       events of these processes: 17,18\n"                               \
    "      --tid LIST       events of these threads\n"                                        \
    "      --comm NAME      events of threads of this name, with * and ?\n"                   \
    "      --cpu LIST       events of these CPUs: 0,4-7\n"                                    \
    "      --since TIME     events from this time on: 8233.96 (as printed), +2s (after the\n" \
    "                       first event), -500ms (before the last one), 25% (of the time\n"   \
    "                       between them), 2026-11-23T20:14:17, @1795464857\n"                \
    "      --until TIME     events up to this time\n"

/* Handles an option. Returns CLI_OK; CLI_USAGE, after a message; -1: not one of these options. */
int cli_choice_take(struct cli_choice *choice, int option, const char *value);

/* Makes the selection. Returns an exit status. */
int cli_choice_begin(struct cli_choice *choice);

/* Makes the same selection for another thread; NULL if all events are selected. Returns 0; ENOMEM.
 */
int cli_choice_copy(const struct cli_choice *choice, struct cairn_selection **ret_selection);

/*
 * Sets the range of time. Relative times and percentages need the inputs' first and last times, for
 * which the inputs are read an additional time.
 */
int cli_choice_set_range(const struct cli_choice *choice, char *const *inputs, int input_count,
                         struct cairn_reader_options *options);

/* Reports patterns that matched nothing, and a filter that no event has fields for. Returns
 * CLI_NOTHING if there are any. */
int cli_choice_report(const struct cli_choice *choice);

void cli_choice_end(struct cli_choice *choice);

#endif
