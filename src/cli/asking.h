/* SPDX-License-Identifier: MIT */
/* Asks recorders that have a name (cli/remote.h), and reads their answers. */
#ifndef CLI_ASKING_H
#define CLI_ASKING_H

#include "cli/cli.h"

#include <cairn/session.h>

struct cli_answer {
    char text[CAIRN_RECORDER_REQUEST_BYTES];
};

/* Asks, and reports an error. False: there was one. */
bool cli_ask_recorder(const struct cli_verb *verb, const char *name, const char *request,
                      struct cli_answer *ret_answer);

/* The value of a word of an answer, up to the end of its line; "" if it has none. */
const char *cli_answer_value(const struct cli_answer *answer, const char *word, char *value,
                             size_t value_bytes);

/* Makes a flight recorder write a snapshot, and prints its file, or reports the error. False: there
 * was one. */
bool cli_take_snapshot(const struct cli_verb *verb, const char *name);

#endif
