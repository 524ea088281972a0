/* SPDX-License-Identifier: MIT */
/* Words of the command line that name the events to register or add. */
#ifndef CLI_EVENT_WORD_H
#define CLI_EVENT_WORD_H

#include "cli/cli.h"

/* The command text in a word: without the prefix that perf ("user_events:") or dynamic_events
 * ("u:", "u:user_events/") add. */
const char *cli_event_command(const char *word);

/*
 * True if a command text without fields names the tracepoint of a provider instead:
 * PROVIDER:LEVEL:KEYWORD or PROVIDER_LlevelKkeyword. Reports this, and the option to use.
 */
bool cli_event_is_of_provider(const struct cli_verb *verb, const char *command);

/* Parse a level of EventHeader, 1 to 255 or a name as in the decoder and the macros; and a number
 * in C's notation. False: it is neither. */
bool cli_parse_level(const char *text, uint64_t *ret_level);
bool cli_parse_number(const char *text, uint64_t max, uint64_t *ret_number);

/*
 * The command text of a provider's tracepoint; `provider` is NAME[:GROUP][:OPTIONS].
 * Returns 0; EINVAL it is malformed; E2BIG it is too long; ENOMEM. The caller frees the text.
 */
int cli_provider_command(const char *provider, uint64_t level, uint64_t keyword,
                         char **ret_command);

#endif
