/* SPDX-License-Identifier: MIT */
/* Words of the command line that name events to be made. */
#ifndef CLI_EVENT_WORD_H
#define CLI_EVENT_WORD_H

#include "cli/cli.h"

/* The command text in a word: without what perf ("user_events:") or dynamic_events ("u:",
 * "u:user_events/") write in front of it. */
const char *cli_event_command(const char *word);

/*
 * Whether a command text without fields is one that nobody means: it names the tracepoint of a
 * provider, as PROVIDER:LEVEL:KEYWORD or as PROVIDER_LlevelKkeyword. That it does, and what to
 * write instead, is told then.
 */
bool cli_event_is_of_provider(const struct cli_verb *verb, const char *command);

/* A level of EventHeader, 1 to 255 or a name, as the decoder and the macros have them; and a
 * number of C. False: it is none. */
bool cli_parse_level(const char *text, uint64_t *ret_level);
bool cli_parse_number(const char *text, uint64_t max, uint64_t *ret_number);

/*
 * The command text of a provider's tracepoint: `provider` is NAME[:GROUP][:OPTIONS].
 * Returns 0; EINVAL, E2BIG no name can be made of it; ENOMEM. The caller frees the text.
 */
int cli_provider_command(const char *provider, uint64_t level, uint64_t keyword,
                         char **ret_command);

#endif
